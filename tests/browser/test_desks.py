"""The desks in a real browser: anybody can read them, they fit a tablet, all of them work."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from audit.models import ExceptionRecord, User
from tables.models import RulesSubmission
from tables.rules.samples import read_sample
from tables.services.submissions import propose_submission, today
from tests.documents import STRAIGHT, Sender, seat
from tests.make import make_user
from tests.tables.conftest import Floor

pytestmark = pytest.mark.browser

LogIn = Callable[[Any, User], None]
LIST = "/admin/tables/rulessubmission/"
PAGES = [
    "/admin/audit/exceptionrecord/desk/",
    "/admin/audit/exceptionrecord/{exception}/change/",
    "/admin/tables/gamingtable/cards/",
    "/admin/tables/gamingtable/errors/",
    LIST + "{submission}/change/",
    LIST + "compare/?a={first}&b={submission}",
    LIST + "propose/?game=six_card_fortune_pai_gow",
    LIST + "propose/?game=pai_gow",
    LIST + "propose/?game=free_bet_blackjack",
]


def make_a_floor() -> dict[str, int]:
    """Play a little, propose something, and return what the addresses of pages need."""
    floor, sender = Floor(), Sender()
    paid = {"main": "25.00", "progressive": "5.00"}
    floor.play(
        sender.whole(seat(2, STRAIGHT, paid=paid), deck="red-1", dealing="hand"),
        sender.whole(seat(2, STRAIGHT, paid={"main": "20.00", "progressive": "3.00"})),
    )
    made = propose_submission(
        game="six_card_fortune_pai_gow",
        version="2026-2",
        effective=today() + timedelta(days=1),
        choices={"wagers": ["main", "progressive"], "readings": {"SC-8": "table"}},
        by=make_user("P301", "pit manager"),
        reason="Fewer wagers.",
    )
    return {
        "exception": ExceptionRecord.objects.filter(kind="mispay").order_by("pk")[0].pk,
        "submission": made.pk,
        "first": RulesSubmission.objects.order_by("pk")[0].pk,
    }


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_desks_can_be_read_by_everybody(
    page: Any, web: str, log_in: LogIn, scheme: str
) -> None:
    numbers = make_a_floor()
    log_in(page, make_user("P300", "pit manager"))
    page.emulate_media(color_scheme=scheme)
    faults = {}
    for address in PAGES:
        page.goto(web + address.format(**numbers))
        found = Axe().run(page).response["violations"]
        serious = [fault for fault in found if fault["impact"] in ("serious", "critical")]
        if serious:
            faults[address] = [(f["id"], f["nodes"][0]["html"][:160]) for f in serious]
    assert faults == {}


@pytest.mark.parametrize("width", [820, 1440])
def test_no_desk_is_wider_than_the_screen(page: Any, web: str, log_in: LogIn, width: int) -> None:
    numbers = make_a_floor()
    log_in(page, make_user("P300", "pit manager"))
    page.set_viewport_size({"width": width, "height": 900})
    for address in [*PAGES, LIST]:
        page.goto(web + address.format(**numbers))
        assert page.evaluate("document.documentElement.scrollWidth") <= width, address


def test_a_proposal_from_its_form_to_its_approval(page: Any, web: str, log_in: LogIn) -> None:
    make_a_floor()
    log_in(page, make_user("P300", "pit manager"))
    page.goto(f"{web}{LIST}propose/?game=six_card_fortune_pai_gow")
    page.get_by_label("Version").fill("2026-3")
    page.get_by_label("Reason").fill("Envies from one dollar on.")
    page.get_by_text("From $1 to $4.99 the $1 column").click()
    page.get_by_role("button", name="Propose").click()
    assert page.get_by_text("another person decides on it").is_visible()

    log_in(page, make_user("A600", "accounting"))
    page.goto(web + LIST)
    page.get_by_role("link", name="2026-3").click()
    row = page.locator("tr.changed", has_text="SC-8")
    assert row.locator("ins").inner_text() == "table"
    assert row.locator("del").inner_text() == "from five"
    page.get_by_role("button", name="Approve").click()
    assert page.get_by_text("Approved: 2026-3 is in force from").is_visible()
    assert RulesSubmission.objects.get(version="2026-3").approval.by.staff_code == "A600"


def test_an_exception_is_taken_noted_and_closed(page: Any, web: str, log_in: LogIn) -> None:
    numbers = make_a_floor()
    log_in(page, make_user("P300", "pit manager"))
    page.goto(web + PAGES[0])
    page.get_by_role("link", name="Mispay 2").click()
    page.get_by_role("button", name="Take mispay T-1 1").click()
    assert page.url.endswith("?kind=mispay"), "back at the same list"
    page.get_by_role("link", name="Mispay", exact=True).first.click()
    page.get_by_label("Write a note").fill("The chip went back.")
    page.get_by_role("button", name="Write it down").click()
    assert page.get_by_text("The chip went back.").is_visible()
    page.get_by_role("link", name="Close with a reason").click()
    page.get_by_label("Why can it be closed?").fill("Settled with the player.")
    page.get_by_role("button", name="Close").click()
    found = ExceptionRecord.objects.get(pk=numbers["exception"])
    assert (found.state, str(found.owner), str(found.closed_by)) == ("closed", "P300", "P300")


def test_a_sample_says_so_on_its_page(page: Any, web: str, log_in: LogIn) -> None:
    Floor()
    made = propose_submission(
        game="pai_gow",
        version="sample-645a",
        effective=today() + timedelta(days=1),
        choices=read_sample("645a"),
        by=make_user("P301", "pit manager"),
        reason="To begin with.",
    )
    log_in(page, make_user("A600", "accounting"))
    for address in (f"{LIST}{made.pk}/change/", LIST):
        page.goto(web + address)
        assert page.get_by_text("Sample, not from the regulation").first.is_visible()
