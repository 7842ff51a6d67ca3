"""A meter award from the call at the table to the cage, each person at his own tablet."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django_otp.oath import totp

from audit.models import CodeDevice, User
from audit.second_factor import begin_device, confirm_device
from progressives.models import JackpotClaim
from tests.browser.conftest import QUEUE
from tests.browser.test_queue import TARGETS
from tests.make import PASSWORD, make_claim, make_user

pytestmark = pytest.mark.browser

LogIn = Callable[[Any, User], None]


def code_of(device: CodeDevice) -> str:
    return f"{totp(device.bin_key):06}"


def open_step(page: Any, web: str, claim: JackpotClaim, verb: str) -> None:
    page.goto(web + QUEUE)
    page.locator(f'tr[data-claim="{claim.pk}"] button.{verb}').click()
    page.wait_for_url(re.compile(rf"/{verb}/\?$"))
    assert page.evaluate(TARGETS) == []


def check_all(page: Any) -> None:
    for box in page.get_by_role("checkbox").all():
        box.check()


def state_of(claim: JackpotClaim) -> str:
    return JackpotClaim.objects.values_list("state", flat=True).get(pk=claim.pk)


def test_a_meter_award_goes_its_whole_way(page: Any, web: str, log_in: LogIn) -> None:
    claim = make_claim(percent=10, position=5)
    second = make_user("P300", "pit manager", password=PASSWORD)
    device = confirm_device(second, password=PASSWORD, code=code_of(begin_device(second)))
    CodeDevice.objects.update(last_step=-1)  # as if the code of a while ago had confirmed it

    log_in(page, make_user())
    open_step(page, web, claim, "validate")
    check_all(page)
    page.get_by_role("button", name="Validate").click()
    page.get_by_text("Validated: FPG-01, position 5, $2,000.00.").wait_for()
    assert "Waits for surveillance" in page.locator("section.approve tr.claim").inner_text()

    log_in(page, make_user("S400", "surveillance"))
    open_step(page, web, claim, "answer")
    page.get_by_label("Verified: hand").check()
    page.get_by_role("button", name="Give this answer").click()
    page.wait_for_url(f"**{QUEUE}")

    log_in(page, second)
    open_step(page, web, claim, "approve")
    check_all(page)
    page.get_by_label("Your password").fill(PASSWORD)
    page.get_by_label("The code of your device").fill("000 000")
    page.get_by_role("button", name="Approve").click()
    page.get_by_text("Password or code is wrong.").wait_for()
    assert state_of(claim) == "validated"
    CodeDevice.objects.update(throttling_failure_count=0)
    check_all(page)
    page.get_by_label("Your password").fill(PASSWORD)
    page.get_by_label("The code of your device").fill(code_of(device))
    page.get_by_role("button", name="Approve").click()
    page.get_by_text("Approved: FPG-01, position 5").wait_for()

    open_step(page, web, claim, "document")
    page.get_by_label("The payee's name").fill("Ada Winner")
    page.get_by_role("button", name="Issue the slip").click()
    page.get_by_text("Slip issued: FPG-01, position 5").wait_for()
    page.goto(f"{web}/admin/progressives/jackpotclaim/{claim.pk}/change/")
    assert "00000001" in page.content()
    with page.expect_download() as printing:
        page.get_by_role("button", name="Print slip").click()
    assert printing.value.suggested_filename == "slip-00000001-copy-1.pdf"

    log_in(page, make_user("A500", "accounting"))
    open_step(page, web, claim, "pay")
    check_all(page)
    page.get_by_role("button", name="Mark paid").click()
    page.get_by_text("Marked paid: FPG-01, position 5").wait_for()
    assert state_of(claim) == "paid"
    acted = list(claim.steps.exclude(by=None).values_list("kind", "by__staff_code"))
    assert acted == [
        *[("hand_verified", "F200"), ("lamp_verified", "F200"), ("validated", "F200")],
        *[("answered", "S400"), ("approved", "P300"), ("documented", "P300")],
        ("paid", "A500"),
    ]


def test_a_member_of_staff_sets_up_his_code_device(page: Any, web: str, log_in: LogIn) -> None:
    user = make_user("P300", "pit manager", password=PASSWORD)
    log_in(page, user)
    page.goto(f"{web}/admin/second-factor/")
    assert page.locator("svg.qr").bounding_box()["width"] > 150
    assert page.evaluate(TARGETS) == []
    page.get_by_label("Your password").fill(PASSWORD)
    page.get_by_label("The code, six digits").fill(code_of(CodeDevice.objects.get()))
    page.get_by_role("button", name="Use this device").click()
    page.get_by_text("you are asked for its code").wait_for()
    assert CodeDevice.objects.get().confirmed
