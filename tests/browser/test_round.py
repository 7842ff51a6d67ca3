"""The round page with the keyboard alone, readable by everybody, on both screens and on paper."""

from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from audit.models import User
from tests import four_games
from tests.make import make_user
from tests.tables.conftest import Floor

pytestmark = pytest.mark.browser

LogIn = Callable[[Any, User], None]
PAGES = [f"/admin/rounds/{code}/1/" for code in four_games.CODES.values()]
PATRON = "/admin/rounds/SC-1/1/position/4/"
WHAT_IF = "/admin/rounds/SC-1/1/what-if/?SC-4=narrow"


def play() -> None:
    Floor(four_games.setup()).play(*four_games.all_rounds())


def test_a_round_by_keyboard_without_a_script_and_on_paper(
    chromium: Any, page: Any, web: str, log_in: LogIn
) -> None:
    play()
    log_in(page, make_user("S400", "surveillance"))
    page.goto(web + PAGES[0])
    title = page.locator(".stepper [data-title]")
    assert title.inner_text() == "No more bets"
    cards = page.locator(".felt.narrow .card:visible")
    assert cards.count() == 0, "nothing is dealt yet"

    page.keyboard.press("ArrowRight")
    assert title.inner_text() == "Meanwhile at linked tables"
    assert page.locator("li.current .strip").get_by_text("SC-2").first.is_visible()
    page.keyboard.press("ArrowRight")
    assert title.inner_text() == "Deal"
    assert cards.count() == 36, "six cards to each of five positions and the dealer"
    assert page.locator(".felt.narrow .card.unseen:visible").count() == 6
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert title.inner_text() == "Position 6"
    assert page.locator(".felt.narrow .spot.turn").get_attribute("data-position") == "6"
    strip = page.locator("li.current .meter-strip p")
    assert "$20,001.05" in strip.inner_text()
    assert "$18,000.95" in strip.inner_text()
    assert page.url.endswith("#step-5")

    page.keyboard.press("End")
    assert title.inner_text() == "End of the round"
    page.keyboard.press("ArrowRight")
    assert page.locator(".stepper [data-count]").inner_text() == "step 14 of 14"
    page.keyboard.press("Home")
    assert title.inner_text() == "No more bets"
    page.get_by_role("button", name="Step on").focus()
    page.keyboard.press("Enter")
    assert title.inner_text() == "Meanwhile at linked tables"
    page.get_by_role("button", name="All steps").click()
    assert page.locator(".frames > li:visible").count() == 14
    for button in page.locator(".stepper button").all():
        box = button.bounding_box()
        assert min(box["width"], box["height"]) >= 48

    is_a_plain_list_without_a_script(chromium, page, web)
    gives_a_patron_his_own_part_alone(page, web)


def is_a_plain_list_without_a_script(chromium: Any, page: Any, web: str) -> None:
    plain = chromium.new_context(java_script_enabled=False, viewport={"width": 1440, "height": 900})
    plain.add_cookies(page.context.cookies())
    bare = plain.new_page()
    bare.goto(web + PAGES[0])
    assert bare.locator(".frames > li:visible").count() == 14
    assert not bare.locator(".stepper").is_visible()
    assert bare.locator(".felt.wide .card:visible").count() == 36
    assert bare.locator(".felt.wide .card.unseen:visible").count() == 0
    plain.close()


def test_it_can_be_read_by_everybody_and_fits(page: Any, web: str, log_in: LogIn) -> None:
    play()
    log_in(page, make_user("S400", "surveillance"))
    faults = {}
    for place, address in enumerate([*PAGES, PATRON, WHAT_IF, PAGES[0], PATRON]):
        page.emulate_media(color_scheme="dark" if place < len(PAGES) + 2 else "light")
        page.goto(web + address)
        page.keyboard.press("End")
        found = Axe().run(page).response["violations"]
        serious = [fault for fault in found if fault["impact"] in ("serious", "critical")]
        if serious:
            faults[address] = [(f["id"], f["nodes"][0]["html"][:160]) for f in serious]
        for width in (820, 1440):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate("document.documentElement.scrollWidth") <= width, address
    assert faults == {}


def gives_a_patron_his_own_part_alone(page: Any, web: str) -> None:
    page.goto(web + PATRON)
    page.emulate_media(media="print")
    assert not page.locator("#header").is_visible()
    assert not page.get_by_role("button", name="Print").is_visible()
    text = page.locator("body").inner_text()
    assert "The Progressive Payout Wager of $1.00 wins with a straight, 3 for 1." in text
    for other in ("S400", "PL-", "D117", "F204", "position 6", "2,000.10"):
        assert other not in text
