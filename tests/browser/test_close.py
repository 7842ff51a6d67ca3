"""The daily close in a real browser: accounting's desk and tablet, light and dark."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from audit.models import User
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


def test_accounting_reads_corrects_and_signs_in_the_browser(
    days: Days, page: Any, web: str, log_in: LogIn
) -> None:
    log_in(page, days.preparer)
    tomorrow = DAY + timedelta(days=1)
    page.goto(f"{web}{DAYS}{tomorrow}/")
    page.get_by_text("One digit differs").first.wait_for()
    assert page.get_by_role("button", name="Sign as preparer").is_disabled()
    page.get_by_role("textbox", name="P-1:grand").fill("5000.00")
    page.get_by_role("button", name="Enter", exact=True).click()
    page.get_by_text("✓ none").first.wait_for()
    for box in page.get_by_role("textbox", name="whole table").all():
        box.fill("1.00" if "T-2" in (box.get_attribute("name") or "") else "8.00")
    page.get_by_role("button", name="Enter counts").click()
    page.get_by_text("Counts of chips entered: 2.").wait_for()
    assert page.get_by_text("not counted").count() == 0
    days.close_exceptions()
    page.reload()
    page.get_by_role("button", name="Sign as preparer").click()
    page.get_by_text("You signed this close.").wait_for()
    log_in(page, days.reviewer)
    page.reload()
    page.get_by_role("button", name="Sign and close the day").click()
    page.get_by_text(f"Gaming day {tomorrow} is closed.").wait_for()
