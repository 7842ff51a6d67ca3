"""The daily close in a real browser: accounting's desk and tablet, light and dark."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from audit.models import User
from progressives.models import GamingDayClose
from progressives.services.close_day import end_day
from tests.documents import FIVE_ACES, NOTHING, seat
from tests.progressives.closing import DAY, PLAIN, Days
from tests.progressives.test_close import validate_all

pytestmark = pytest.mark.browser

LogIn = Callable[[Any, User], None]
DAYS = "/admin/progressives/gamingdayclose/days/"


@pytest.fixture
def days(committed_db: Any) -> Days:
    """Return a house with a closed day, and one that was read a dollar off."""
    made = Days()
    made.play(seat(2, NOTHING), seat(4, PLAIN))
    made.close()
    made.play(seat(2, NOTHING), days=0)
    for _ in range(4):
        made.play(seat(2, NOTHING), seat(3, PLAIN), days=1)
    made.play(seat(5, FIVE_ACES), table="T-2", days=1)
    validate_all()
    made.close_exceptions()
    tomorrow = DAY + timedelta(days=1)
    end_day(day=tomorrow, by=made.preparer)
    made.read("5001.00", tomorrow)
    return made


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [820, 1440])
def test_the_pages_fit_and_can_be_read_by_everybody(
    days: Days, page: Any, web: str, log_in: LogIn, scheme: str, width: int
) -> None:
    log_in(page, days.preparer)
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 1180 if width == 820 else 900})
    for address in [DAYS, f"{DAYS}{DAY}/", f"{DAYS}{DAY + timedelta(days=1)}/"]:
        assert page.goto(web + address).status == 200
        assert page.evaluate("document.documentElement.scrollWidth") <= width, address
        found = Axe().run(page).response["violations"]
        serious = [fault for fault in found if fault["impact"] in ("serious", "critical")]
        assert [(f["id"], f["nodes"][0]["html"][:200]) for f in serious] == [], address


@pytest.mark.parametrize("width", [820, 1440])
def test_accounting_closes_a_day_from_its_end_to_the_second_signature(
    committed_db: Any, page: Any, web: str, log_in: LogIn, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 1180 if width == 820 else 900})
    days = Days()
    days.play(seat(2, NOTHING), seat(4, PLAIN))
    days.take(days.senders["T-1"].whole(seat(3, NOTHING), dealer="D200"))
    days.play(seat(5, FIVE_ACES), table="T-2")
    validate_all()
    log_in(page, days.preparer)
    page.goto(web + DAYS)
    page.get_by_role("link", name=f"Gaming day {DAY}").click()
    page.get_by_role("button", name="End this gaming day").click()
    page.get_by_text("What comes later joins the next day.").wait_for()
    chips = page.get_by_role("region", name="Progressive chips")
    assert chips.get_by_text("not counted").count() == 2
    assert chips.get_by_text("$").count() == 0  # who counts is not told what must lie there

    page.get_by_role("textbox", name="P-1:grand").fill("5001.00")  # a dollar off
    page.get_by_role("button", name="Enter", exact=True).click()
    page.get_by_text("One digit differs").first.wait_for()
    page.get_by_text("T-1 by dealer").click()
    page.get_by_role("textbox", name="T-1, dealer D100").fill("3.00")  # one of D200's among them
    page.get_by_role("textbox", name="T-1, dealer D200").fill("0.00")
    page.get_by_role("textbox", name="T-2, whole table").fill("1.00")
    page.get_by_role("button", name="Enter counts").click()
    page.get_by_text("Counts of chips entered: 3.").wait_for()
    page.get_by_text("The count of dealer D200 is off by as much").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= width

    page.get_by_role("textbox", name="P-1:grand").fill("5000.00")
    page.get_by_role("button", name="Enter", exact=True).click()
    page.get_by_text("Readings entered: 1.").wait_for()
    assert page.get_by_role("button", name="Sign as preparer").is_disabled()
    close_what_is_open(page)
    page.get_by_role("button", name="Sign as preparer").click()
    page.get_by_text("You signed this close.").wait_for()
    log_in(page, days.reviewer)
    page.reload()
    page.get_by_role("button", name="Sign and close the day").click()
    page.get_by_text(f"Gaming day {DAY} is closed.").wait_for()
    page.get_by_text("All chains at the second signature").wait_for()
    assert GamingDayClose.objects.get().state == "closed"


def close_what_is_open(page: Any) -> None:
    """Take each exception that blocks the day at its page, with a reason, and come back."""
    here = page.url
    while page.get_by_role("link", name="is open.").count():
        page.get_by_role("link", name="is open.").first.click()
        page.get_by_role("link", name="Close with a reason").click()
        page.locator("#reason").fill("Looked into: counted and read again.")
        page.get_by_role("button", name="Close", exact=True).click()
        page.goto(here)
