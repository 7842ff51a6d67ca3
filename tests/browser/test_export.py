"""The export page by keyboard: asked for, agreed to by another person, taken out."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from audit.models import SignerKey, User
from tables.dossier.verify import verify
from tables.models import Facility
from tests import four_games
from tests.make import make_user
from tests.tables.conftest import Floor

pytestmark = pytest.mark.browser

LogIn = Callable[[Any, User], None]
PAGE = "/admin/rounds/SC-1/1/export/"


def looked_at(page: Any, name: str) -> None:
    """Keep a picture where somebody wants to look at it."""
    if folder := os.environ.get("SHOTS"):
        for width, height in ((820, 1180), (1440, 900)):
            page.set_viewport_size({"width": width, "height": height})
            page.screenshot(path=Path(folder) / f"{name}-{width}.png", full_page=True)


def test_a_dossier_is_asked_for_agreed_to_and_taken_out(page: Any, web: str, log_in: LogIn) -> None:
    Floor(four_games.setup()).play(*four_games.all_rounds())
    Facility.objects.update(second_person_exports=True)
    log_in(page, make_user("S401", "surveillance"))
    page.goto(f"{web}/admin/rounds/SC-1/1/")
    page.get_by_role("link", name="Export a dossier").press("Enter")
    page.get_by_label("Reason").fill("Complaint 12: the patron saw another hand")
    page.get_by_label("Recipient").fill("Gaming Control Board, Bureau of Casino Compliance")
    page.keyboard.press("Enter")
    page.get_by_text("Waits for another person").wait_for()
    assert page.get_by_role("button", name="Take out").count() == 0
    log_in(page, make_user("S402", "surveillance"))
    page.goto(web + PAGE)
    looked_at(page, "export")
    found = [v["id"] for v in Axe().run(page).response["violations"]]
    assert [one for one in found if one != "color-contrast"] == []
    page.get_by_role("button", name="Agree").press("Enter")
    with page.expect_download() as taken:
        page.get_by_role("button", name="Take out").press("Enter")
    body = Path(taken.value.path()).read_bytes()
    assert verify(body, SignerKey.objects.get(number=1).key)
    page.goto(web + PAGE)
    page.get_by_text("Taken out by").first.wait_for()
    looked_at(page, "taken")
