"""Every page of the admin in a real browser: none breaks the content policy, all can be read."""

from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib import admin

from audit.models import ExceptionRecord, User
from progressives.services.claims import required_checks, validate_claim
from tests.browser.conftest import QUEUE
from tests.make import contribute, make_claim, make_progressive, make_user

pytestmark = pytest.mark.browser

LogIn = Callable[[Any, User], None]
CLAIMS = "/admin/progressives/jackpotclaim"
OUR_OWN = [  # pages whose every line is ours; Django's own lists have faults of their own
    "/admin/?all",
    QUEUE,
    CLAIMS + "/{award}/change/",
    CLAIMS + "/{award}/validate/",
    CLAIMS + "/{award}/refuse/",
    CLAIMS + "/{validated}/pay/",
    "/admin/progressives/meter/{meter}/change/",
    "/admin/audit/exceptionrecord/close/?ids={exception}",
]


def make_some_of_everything() -> dict[str, int]:
    """Fill the house, and return what the addresses of pages need."""
    progressive = make_progressive()
    contribute(progressive)
    award = make_claim(progressive, percent=10, flags=["paid_differs"])
    make_claim(progressive, lamp=False, cards="AS AH AD AC JK", joker_as="AS")
    validated = make_claim(progressive, percent=10)
    checks = [check.code for check in required_checks(validated)]
    validate_claim(claim_id=validated.pk, officer=make_user("F201"), checks=checks)
    found = ExceptionRecord.objects.create(
        kind="sequence_gap", severity="alarm", table="FPG-01", sentence="Event 7 has not come."
    )
    return {
        "award": award.pk,
        "validated": validated.pk,
        "meter": progressive.meters.get().pk,
        "exception": found.pk,
    }


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_our_pages_can_be_read_by_everybody(
    page: Any, web: str, log_in: LogIn, scheme: str
) -> None:
    numbers = make_some_of_everything()
    log_in(page, make_user("P300", "pit manager"))
    page.emulate_media(color_scheme=scheme)
    faults = {}
    for address in OUR_OWN:
        page.goto(web + address.format(**numbers))
        found = Axe().run(page).response["violations"]
        serious = [fault for fault in found if fault["impact"] in ("serious", "critical")]
        if serious:
            faults[address] = [(f["id"], f["nodes"][0]["html"][:160]) for f in serious]
    assert faults == {}


def test_no_page_breaks_the_content_policy(page: Any, web: str, log_in: LogIn) -> None:
    """The ``page`` fixture counts what breaks it."""
    numbers = make_some_of_everything()
    log_in(page, make_user("X700", "administrator"))
    lists = [
        f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        for model in admin.site._registry
    ]
    for address in lists:
        page.goto(web + address)
        first = page.locator("#result_list tbody a").first
        if first.count():
            first.click()
            page.wait_for_load_state()
    for address in ["/admin/", "/admin/tables/accesskey/add/", "/admin/audit/user/add/"]:
        assert page.goto(web + address).status == 200
    assert page.goto(f"{web}{CLAIMS}/{numbers['award']}/change/").status == 200
    assert len(lists) > 12


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_theme_follows_the_device_and_can_be_switched(
    page: Any, web: str, log_in: LogIn, scheme: str
) -> None:
    log_in(page, make_user())
    page.emulate_media(color_scheme=scheme)
    page.goto(web + QUEUE)
    brightness = """() => getComputedStyle(document.body).backgroundColor
        .match(/[0-9]+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0) / 3"""
    dark_before = page.evaluate(brightness) < 128
    assert dark_before is (scheme == "dark")
    for _ in range(2):  # auto, then one of the two, then the other
        page.locator("#header .theme-toggle").click()
        if (page.evaluate(brightness) < 128) is not dark_before:
            break
    assert (page.evaluate(brightness) < 128) is not dark_before


@pytest.mark.parametrize("width", [820, 1440])
def test_no_page_of_ours_is_wider_than_the_screen(
    page: Any, web: str, log_in: LogIn, width: int
) -> None:
    numbers = make_some_of_everything()
    log_in(page, make_user("P300", "pit manager"))
    page.set_viewport_size({"width": width, "height": 900})
    for address in [*OUR_OWN, "/admin/audit/exceptionrecord/", f"{CLAIMS}/"]:
        page.goto(web + address.format(**numbers))
        assert page.evaluate("document.documentElement.scrollWidth") <= width, address
