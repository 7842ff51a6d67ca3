"""The desk of parameters in a real browser: asked for, approved, in effect, acknowledged."""

from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from audit.models import User
from progressives.models import ControlRequest, Meter
from progressives.services.control import approve_control
from progressives.services.control_effect import effect_control
from tests.documents import NOTHING, seat
from tests.progressives.closing import DAY, Days
from tests.progressives.samples import sample, set_up
from tests.progressives.test_control import People, closing

pytestmark = pytest.mark.browser

LogIn = Callable[[Any, User], None]
HOME = "/admin/progressives/controlrequest/"


class House:
    """A house with a request in each state."""

    def __init__(self) -> None:
        self.days = Days()
        self.stud = set_up(sample("stud_three_levels"))
        self.people = People()
        self.mega, self.major, self.minor = Meter.objects.filter(
            progressive=self.stud, purpose="display"
        ).order_by("pk")
        self.grand = Meter.objects.get(level="grand")
        self.effected = self.people.changed(self.mega, {"increment_percent": "8"})
        self.waiting = self.people.transfer(self.minor, self.mega, "100.00")
        self.approved = self.people.change(self.grand, {"reset": "6000.00"})
        approve_control(request_id=self.approved.pk, by=self.people.resets)
        self.days.play(seat(2, NOTHING))


@pytest.fixture
def house(committed_db: Any) -> House:
    return House()


@pytest.mark.parametrize(("scheme", "width"), [("dark", 820), ("light", 1440)])
def test_the_desk_and_its_forms_fit_and_can_be_read_by_everybody(
    house: House, page: Any, web: str, log_in: LogIn, scheme: str, width: int
) -> None:
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 1180 if width == 820 else 900})
    people = house.people
    for person, addresses in [
        (people.configures, ["desk/", "ask/parameters/", f"ask/parameters/?meter={house.mega.pk}"]),
        (people.resets, ["ask/transfer/", "ask/correction/", "ask/retirement/"]),
        (people.configures, [f"{house.waiting.pk}/change/", f"{house.effected.pk}/change/"]),
    ]:
        log_in(page, person)
        for address in addresses:
            assert page.goto(f"{web}{HOME}{address}").status == 200, address
            assert page.evaluate("document.documentElement.scrollWidth") <= width, address
            found = Axe().run(page).response["violations"]
            serious = [fault for fault in found if fault["impact"] in ("serious", "critical")]
            assert [(f["id"], f["nodes"][0]["html"][:200]) for f in serious] == [], address


def test_two_authorities_and_accounting_take_a_change_to_its_end(
    house: House, page: Any, web: str, log_in: LogIn
) -> None:
    people = house.people
    log_in(page, people.configures)
    page.goto(f"{web}{HOME}ask/parameters/?meter={house.major.pk}")
    page.get_by_label("Limit").fill("1.00")
    page.get_by_label("Reason").fill("As filed with the Board.")
    page.get_by_role("button", name="Ask for it").click()
    page.get_by_text("A limit is not below the reset amount.").wait_for()
    page.get_by_label("Limit").fill("9000")
    page.get_by_label("Public told on").fill("2026-03-01")
    page.get_by_role("button", name="Ask for it").click()
    page.get_by_text("You asked for this").wait_for()
    assert page.get_by_role("button", name="Approve").count() == 0
    made = ControlRequest.objects.latest("pk")

    log_in(page, people.resets)
    page.goto(f"{web}{HOME}desk/")
    page.get_by_role("link", name=f"{made.pk} STUD-LINK:major").click()
    page.get_by_role("button", name="Refuse").click()
    page.get_by_text("Say why, in your own words.").wait_for()
    page.get_by_role("button", name="Approve").click()
    page.get_by_text("Approved, and in effect.").wait_for()
    assert Meter.objects.get(pk=house.major.pk).limit == 9000

    log_in(page, people.accounts)
    page.goto(f"{web}/admin/progressives/gamingdayclose/days/{DAY}/")
    page.get_by_text("open: not acknowledged by accounting").first.wait_for()
    page.get_by_role("link", name="STUD-LINK:major: change of parameters").click()
    page.get_by_role("button", name="Acknowledge for accounting").click()
    page.get_by_text("Acknowledged.", exact=True).wait_for()


def test_an_approved_change_waits_for_its_table_to_close(
    house: House, page: Any, web: str, log_in: LogIn
) -> None:
    log_in(page, house.people.configures)
    address = f"{web}{HOME}{house.approved.pk}/change/"
    page.goto(address)
    page.get_by_text("waits for: T-1 is in play").wait_for()
    page.get_by_role("button", name="Put into effect").click()
    page.get_by_text("T-1 is in play. Nothing is changed while a link is in operation.").wait_for()
    house.days.take(*(closing(sender) for sender in house.days.senders.values()))
    effect_control(request_id=house.approved.pk)
    page.goto(address)
    page.get_by_text("In effect at its time").wait_for()
