"""The claims queue in a real browser, on a tablet held upright, under the content policy.

The ``page`` fixture fails each test in which anything broke the policy or a script.
"""

import re
import time
from collections.abc import Callable
from typing import Any

import pytest

from audit.models import User
from progressives.models import JackpotClaim
from progressives.services.claims import pay_claim, refuse_claim, validate_claim
from progressives.services.claims_escalate import escalate_claims
from tests.browser.conftest import QUEUE
from tests.make import make_claim, make_progressive, make_user

pytestmark = pytest.mark.browser

LogIn = Callable[[Any, User], None]
ECHO = 400  # milliseconds after which a second tap is one
TARGETS = """() => [...document.querySelectorAll("button, a, input:not([type=hidden]), textarea")]
    .map((e) => [e.textContent.trim() || e.name, e.closest("label") || e])
    .map(([name, e]) => [name, e.getBoundingClientRect()])
    .filter(([name, r]) => r.width > 1 && r.height > 1 && r.bottom > 0)
    .filter(([name, r]) => r.height < 48 || r.width < 48)
    .map(([name, r]) => `${name}: ${r.width} x ${r.height}`)"""


def row(page: Any, claim: JackpotClaim) -> Any:
    return page.locator(f'tr[data-claim="{claim.pk}"]')


def state_of(claim: JackpotClaim) -> str:
    return JackpotClaim.objects.values_list("state", flat=True).get(pk=claim.pk)


def tap_twice(page: Any, button: Any) -> None:
    button.click()
    page.wait_for_timeout(ECHO)
    button.click()


@pytest.fixture
def queue(page: Any, web: str, log_in: LogIn) -> Callable[..., Any]:
    """Open the queue as a floorperson, or as whoever is named."""

    def open_queue(user: User | None = None) -> Any:
        log_in(page, user or make_user())
        page.goto(web + QUEUE)
        page.get_by_text("Live").wait_for()
        return page

    return open_queue


def test_a_floorperson_logs_in_and_lands_on_the_queue(page: Any, web: str) -> None:
    make_claim(table="FPG-07")
    officer = make_user()
    officer.set_password("wet-otter-ladder-19")
    officer.save()
    page.goto(f"{web}/admin/")
    assert page.evaluate(TARGETS) == []

    page.get_by_label("Username").fill("F200")
    page.get_by_label("Password").fill("wet-otter-ladder-19")
    page.get_by_role("button", name="Log in").click()

    page.wait_for_url(web + QUEUE)
    page.get_by_text("FPG-07").wait_for()


def test_ten_rows_stand_on_a_tablet_and_every_target_fits_a_finger(
    queue: Callable[..., Any],
) -> None:
    progressive = make_progressive()
    for number in range(14):
        flags = ["paid_differs"] if number == 2 else []
        percent = 10 if number == 4 else None
        make_claim(progressive, percent=percent, flags=flags, lamp=number != 3)
    escalate_claims(after_seconds=0)

    page = queue()

    rows = [box.bounding_box() for box in page.locator("tr.claim").all()]
    whole = [box for box in rows if box["y"] + box["height"] <= 1180]
    assert len(whole) >= 10
    assert page.evaluate(TARGETS) == []
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 820


def test_two_taps_validate_and_two_more_mark_paid(queue: Callable[..., Any]) -> None:
    claim, below = make_claim(), make_claim()
    page = queue()
    mine = row(page, claim)
    before = row(page, below).bounding_box()

    mine.get_by_role("button", name="Validate").click()
    assert mine.locator("button.validate").inner_text() == "Tap again to validate"
    assert state_of(claim) == "waiting"
    page.wait_for_timeout(ECHO)
    mine.locator("button.validate").click()

    page.get_by_text("Validated: FPG-01, position 4, $3.00.").wait_for()
    assert state_of(claim) == "validated"
    assert "Validated by F200" in mine.inner_text()
    tap_twice(page, mine.locator("button.pay"))
    page.get_by_text("Marked paid: FPG-01").wait_for()
    assert state_of(claim) == "paid"

    # The finished row keeps its place, greyed, until the next touch.
    assert "done" in mine.get_attribute("class")
    assert mine.locator("button:visible").count() == 0
    moved = row(page, below).bounding_box()["y"] - before["y"]
    page.get_by_role("heading", name="Progressive payouts").click()
    mine.wait_for(state="detached")
    assert moved == page.locator("#said").bounding_box()["height"] + 10


def test_the_echo_of_a_tap_is_not_a_second_one(queue: Callable[..., Any]) -> None:
    claim = make_claim()
    page = queue()
    row(page, claim).locator("button.validate").dblclick()
    page.wait_for_timeout(300)
    assert state_of(claim) == "waiting"
    assert row(page, claim).locator("button.armed").count() == 1


def test_a_first_tap_is_forgotten_after_a_while_and_by_another_rows_tap(
    queue: Callable[..., Any], page: Any
) -> None:
    first, second = make_claim(), make_claim()
    page.clock.install()
    queue()
    row(page, first).locator("button.validate").click()
    row(page, second).locator("button.validate").click()
    assert row(page, first).locator("button.validate").inner_text() == "Validate"
    assert row(page, second).locator("button.armed").count() == 1
    page.clock.fast_forward(7000)
    assert page.locator("button.armed").count() == 0
    assert state_of(first) == state_of(second) == "waiting"


def test_a_meter_award_asks_point_by_point(queue: Callable[..., Any]) -> None:
    claim = make_claim(percent=10, position=5)
    page = queue()
    row(page, claim).locator("button.validate").click()
    page.wait_for_url(re.compile(r"/validate/\?$"))
    page.get_by_role("button", name="Validate").click()
    assert state_of(claim) == "waiting"  # the browser asks for the boxes first
    for box in page.get_by_role("checkbox").all():
        box.check()

    page.get_by_role("button", name="Validate").click()

    page.wait_for_url(f"**{QUEUE}")
    page.get_by_text("Validated: FPG-01, position 5, $2,000.00.").wait_for()
    assert "Waits for surveillance" in row(page, claim).inner_text()


def test_a_dark_light_asks_for_a_statement(queue: Callable[..., Any]) -> None:
    claim = make_claim(lamp=False)
    page = queue()
    row(page, claim).locator("button.validate").click()
    page.wait_for_url(re.compile(r"/validate/\?$"))
    page.get_by_role("checkbox").check()
    page.get_by_label("What did you see?").fill("The bulb of position 4 is broken.")
    page.get_by_role("button", name="Validate").click()
    page.wait_for_url(f"**{QUEUE}")
    assert state_of(claim) == "validated"


def test_a_payout_is_refused_by_rule_and_reason(queue: Callable[..., Any]) -> None:
    claim = make_claim()
    page = queue()
    row(page, claim).locator("button.refuse").click()
    page.wait_for_url(re.compile(r"/refuse/\?$"))
    page.get_by_label("The hand is not the winning hand").check()
    page.get_by_label("Why, in your own words?").fill("The six is a five.")

    page.get_by_role("button", name="Refuse this payout").click()

    page.wait_for_url(f"**{QUEUE}")
    page.get_by_text("Refused: FPG-01").wait_for()
    assert state_of(claim) == "refused"
    assert row(page, claim).count() == 0


def test_a_new_claim_comes_by_itself_at_the_end_and_nothing_moves(
    queue: Callable[..., Any],
) -> None:
    progressive = make_progressive()
    old = make_claim(progressive)
    page = queue()
    page.evaluate("window.loadedOnce = true")
    before = row(page, old).bounding_box()
    page.wait_for_timeout(1500)  # well into the polling

    began = time.monotonic()
    fresh = make_claim(progressive, table="FPG-09")
    row(page, fresh).wait_for(timeout=5000)
    took = time.monotonic() - began

    assert took < 1.0
    assert page.evaluate("window.loadedOnce")
    assert row(page, old).bounding_box() == before
    ids = page.locator("section.waiting tr.claim").evaluate_all(
        "rs => rs.map(r => r.dataset.claim)"
    )
    assert ids == [str(old.pk), str(fresh.pk)]
    assert page.locator('[data-count="waiting"]').inner_text() == "2"
    assert page.title().startswith("(2)")


def test_what_another_decides_greys_the_row_under_an_armed_finger(
    queue: Callable[..., Any],
) -> None:
    claim, below = make_claim(), make_claim()
    page = queue()
    place = row(page, below).bounding_box()
    row(page, claim).locator("button.validate").click()

    refuse_claim(
        claim_id=claim.pk, officer=make_user("F201"), cite="§ 670a.13(e)", reason="Exposed."
    )

    page.locator("tr.done").wait_for()
    assert "Refused by F201" in row(page, claim).inner_text()
    assert row(page, below).bounding_box() == place
    row(page, below).locator("button.validate").click()  # the next touch arms: nothing moves
    assert row(page, below).bounding_box() == place
    assert row(page, claim).count() == 1


def test_an_escalation_waits_until_the_finger_is_gone(queue: Callable[..., Any], page: Any) -> None:
    claim = make_claim()
    page.clock.install()
    queue()
    button = row(page, claim).locator("button.validate")
    button.click()
    escalate_claims(after_seconds=0)
    page.clock.run_for(2000)
    page.wait_for_timeout(500)
    assert button.inner_text() == "Tap again to validate"
    page.clock.fast_forward(7000)
    page.locator("tr.escalated").wait_for()


def test_a_second_tap_too_late_is_told_who_was_first(queue: Callable[..., Any]) -> None:
    claim = make_claim()
    page = queue()
    page.route("**/queue/changes/**", lambda route: route.abort())  # no news reaches the tablet
    page.get_by_text("Not connected since").wait_for()
    row(page, claim).locator("button.validate").click()
    other = make_user("F201")
    validate_claim(claim_id=claim.pk, officer=other)
    pay_claim(claim_id=claim.pk, officer=other)
    page.wait_for_timeout(ECHO)
    row(page, claim).locator("button.validate").click()
    page.get_by_text("This payout was already paid by F201 at").wait_for()
    assert "done" in row(page, claim).get_attribute("class")


def test_a_broken_line_is_told_and_mends_itself(queue: Callable[..., Any]) -> None:
    page = queue()
    page.context.set_offline(True)
    page.get_by_text("Not connected since").wait_for()
    claim = make_claim()
    page.context.set_offline(False)
    page.get_by_text("Live").wait_for()
    row(page, claim).wait_for()


def test_a_long_list_shows_its_oldest_and_fills_up_again(queue: Callable[..., Any]) -> None:
    progressive = make_progressive()
    claims = [make_claim(progressive) for _ in range(202)]
    page = queue()
    assert page.locator("section.waiting tr.claim").count() == 200
    fresh = make_claim(progressive)
    page.get_by_text("203", exact=True).wait_for()
    assert row(page, fresh).count() == 0

    officer = make_user("F201")
    for claim in claims[:101]:
        refuse_claim(claim_id=claim.pk, officer=officer, cite="§ 670a.13(e)", reason="Exposed.")
    page.locator("tr.done").nth(100).wait_for()
    page.get_by_role("heading", name="Progressive payouts").click()

    row(page, fresh).wait_for()
    assert page.locator("section.waiting tr.claim").count() == 102


def test_a_hidden_page_does_not_ask(queue: Callable[..., Any]) -> None:
    page = queue()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.evaluate("""() => {
        Object.defineProperty(document, "hidden", { value: true, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
    }""")
    page.wait_for_timeout(300)
    asked.clear()
    page.wait_for_timeout(2000)
    assert asked == []

    claim = make_claim()
    page.evaluate("""() => {
        Object.defineProperty(document, "hidden", { value: false, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
    }""")
    row(page, claim).wait_for()


def test_a_deactivated_user_is_out_at_the_next_look(queue: Callable[..., Any]) -> None:
    claim, officer = make_claim(), make_user()
    page = queue(officer)
    officer.is_active = False
    officer.save()
    page.get_by_text("You are logged out.").wait_for()
    assert row(page, claim).locator("button.validate").is_disabled()
    page.get_by_role("link", name="Log in").click()
    page.get_by_label("Password").wait_for()


def test_without_script_the_pages_do_it(chromium: Any, web: str, log_in: LogIn) -> None:
    claim = make_claim()
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    log_in(page, make_user())
    page.goto(web + QUEUE)

    page.locator("button.validate").click()
    page.locator("button.validate").click()
    assert state_of(claim) == "validated"
    page.locator("button.pay").click()
    assert "table inventory" in page.content()
    page.locator("button.pay").click()

    assert state_of(claim) == "paid"
    context.close()
