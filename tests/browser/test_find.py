"""The investigator's pages in a browser: worked by the keyboard alone, read by everybody."""

from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from audit.models import User
from tables.models import GamingTable
from tables.services.accept import accept_events
from tables.services.apply import apply_lane
from tables.services.filing import file_rounds
from tables.services.keys import make_key
from tables.services.setup import load_setup
from tests.documents import NOTHING, SETUP, STRAIGHT, Sender, seat
from tests.make import make_user

pytestmark = pytest.mark.browser
FIND, APPROVALS = "/admin/tables/round/find/", "/admin/tables/round/approvals/"
BOOK = ["/admin/audit/case/", "/admin/audit/case/log/", "/admin/audit/case/footage/"]
MOST_TABS = 80


def tab_to(page: Any, there: str) -> None:
    """Press the tab key until the element of this selector has the focus."""
    for _ in range(MOST_TABS):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", there):
            return
    raise AssertionError(f"The keyboard does not reach {there}.")


def test_a_round_is_found_and_a_case_opened_by_the_keyboard_alone(
    page: Any, web: str, log_in: Callable[[Any, User], None]
) -> None:
    load_setup(SETUP)
    key, _ = make_key(name="gateway", kind="gateway", tables=GamingTable.objects.all())
    sender = Sender()
    rounds = [sender.whole(seat(2, STRAIGHT, player="P-7"), seat(4, NOTHING, player="P-8")),
              sender.whole(seat(2, STRAIGHT, player="P-9"))]  # fmt: skip
    accept_events(rounds, key=key)
    apply_lane(lane_id=GamingTable.objects.values_list("lane", flat=True)[0])
    file_rounds()
    log_in(page, make_user("S400", "surveillance"))

    page.goto(web + FIND)
    tab_to(page, "input[name=player]")
    page.keyboard.type("P-7")
    page.keyboard.press("Enter")
    page.wait_for_selector(".found tbody tr")
    assert page.locator(".found tbody tr").count() == 1
    found_at = page.url
    tab_to(page, ".found tbody a")
    page.keyboard.press("Enter")
    page.wait_for_url("**/rounds/T-1/1/")

    page.goto(web + BOOK[0])
    tab_to(page, "details.group > summary")
    page.keyboard.press("Enter")
    tab_to(page, "input[name=title]")
    page.keyboard.type("Paid 75 for 25")
    for name in ("occurred_from", "occurred_until"):
        tab_to(page, f"input[name={name}]")
        page.keyboard.type("03142026")
        page.keyboard.press("ArrowRight")  # a year may have six digits
        page.keyboard.type("0905PM")
    tab_to(page, "textarea[name=text]")
    page.keyboard.type("The patron at position 2 complains.")
    tab_to(page, "button.validate")
    page.keyboard.press("Enter")
    page.wait_for_url("**/change/")
    assert "Case 1: Paid 75 for 25" in page.inner_text("h1")

    faults = {}
    for address in [page.url, found_at, *[web + one for one in (APPROVALS, *BOOK)]]:
        for width in (820, 1440):
            page.set_viewport_size({"width": width, "height": 1000})
            page.goto(address)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, address
        found = Axe().run(page).response["violations"]
        if serious := [f["id"] for f in found if f["impact"] in ("serious", "critical")]:
            faults[address] = serious
    assert faults == {}
