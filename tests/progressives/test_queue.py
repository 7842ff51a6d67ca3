"""The queue and its pages, asked as the browser asks: who sees what, and what each step says."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from audit.models import User
from progressives.models import JackpotClaim
from progressives.services.claims import refuse_claim, required_checks, validate_claim
from progressives.services.claims_approve import answer_claim
from progressives.services.claims_escalate import escalate_claims
from tests.make import make_claim, make_progressive, make_user, meter_of

pytestmark = pytest.mark.django_db

CLAIMS = "/admin/progressives/jackpotclaim"
QUEUE = f"{CLAIMS}/queue/"
JSON = {"HTTP_ACCEPT": "application/json"}


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def lists_of(client: Client) -> dict[str, list[int]]:
    context = client.get(QUEUE).context
    return {shown["name"]: [row.claim.pk for row in shown["rows"]] for shown in context["lists"]}


def poll(client: Client, after: Any) -> dict[str, Any]:
    response = client.get(f"{QUEUE}changes/", {"after": after})
    assert response.status_code == 200
    return response.json()


def back(claim: JackpotClaim) -> JackpotClaim:
    """Let a claim be refused, so that accounting may put it back."""
    refuser = make_user(f"F{claim.pk}")
    return refuse_claim(
        claim_id=claim.pk, officer=refuser, cite="§ 670a.13(k)", reason="Seven cards."
    )


# ---- who sees it ----------------------------------------------------------------------------


def test_nobody_sees_the_queue_without_logging_in() -> None:
    response = Client().get(QUEUE)
    assert (response.status_code, response["Location"]) == (302, f"/admin/login/?next={QUEUE}")


@pytest.mark.parametrize(
    ("role", "status"),
    [
        ("floorperson", 200),
        ("pit manager", 200),
        ("surveillance", 200),
        ("accounting", 200),
        ("auditor", 200),
        ("administrator", 200),
        ("dealer", 403),
        (None, 403),
    ],
)
def test_the_queue_is_for_roles_that_may_read_claims(role: str | None, status: int) -> None:
    client = client_of(make_user("Z1", role))
    assert client.get(QUEUE).status_code == status
    assert client.get(f"{QUEUE}changes/?after=1").status_code == status


def test_a_deactivated_user_loses_his_session_at_once() -> None:
    officer = make_user()
    client = client_of(officer)
    assert client.get(QUEUE).status_code == 200

    officer.is_active = False
    officer.save()

    assert client.get(QUEUE).status_code == 302
    assert client.get(f"{QUEUE}changes/?after=1").status_code == 302
    claim = make_claim()
    assert client.post(f"{CLAIMS}/{claim.pk}/validate/", **JSON).status_code == 302
    assert client.get("/api/v1/claims/").status_code in (401, 403)
    claim.refresh_from_db()
    assert claim.state == "waiting"


def test_a_floorperson_lands_on_the_queue() -> None:
    response = client_of(make_user()).get("/admin/")
    assert (response.status_code, response["Location"]) == (302, QUEUE)


def test_other_roles_land_on_their_tiles() -> None:
    response = client_of(make_user("A500", "accounting")).get("/admin/")
    titles = [tile["title"] for tile in response.context["tiles"]]
    for expected in ("Progressive payouts", "Exceptions", "Meters", "Rounds", "Tables", "Log"):
        assert expected in titles
    assert "Staff" not in titles
    response = client_of(make_user("D100", "dealer")).get("/admin/")
    titles = [tile["title"] for tile in response.context["tiles"]]
    assert titles == ["Cards, dice and devices", "Tables"]
    response = client_of(make_user("Z900", None)).get("/admin/")
    assert "Your role has no pages here." in response.content.decode()


# ---- what it shows --------------------------------------------------------------------------


def test_claims_stand_oldest_first_in_the_list_they_belong_to() -> None:
    first, second, third = make_claim(), make_claim(percent=10), make_claim()
    gone, waiting_back = make_claim(), back(make_claim(percent=10))
    validate_claim(claim_id=third.pk, officer=make_user("F201"))
    back(gone)

    floor = lists_of(client_of(make_user()))
    accounting = lists_of(client_of(make_user("A500", "accounting")))

    assert floor == {
        "waiting": [first.pk, second.pk],
        "approve": [],
        "pay": [third.pk],
        "disputed": [],
    }
    assert accounting == {**floor, "return": [waiting_back.pk]}


def test_a_row_tells_all_that_the_floor_needs() -> None:
    make_claim(percent=10, position=5, lamp=False, flags=["chip_count_differs"], table="FPG-07")
    escalate_claims(after_seconds=0)

    page = client_of(make_user()).get(QUEUE).content.decode()

    for told in ("FPG-07", "position 5", "Royal flush", "$1.00", "light off", "flagged"):
        assert told in page
    for told in ("$2,000.00", "10% of meter", "at $20,000.00", "escalated"):
        assert told in page
    for card in ("ace of spades", "king of spades", "ten of spades"):
        assert f'aria-label="{card}"' in page


def test_a_joker_is_drawn_as_what_it_stood_for() -> None:
    make_claim(cards="TS TH TD JK 4S", joker_as="TC", hand="four_of_a_kind")
    page = client_of(make_user()).get(QUEUE).content.decode()
    assert 'aria-label="joker as ten of clubs"' in page


def test_what_a_table_wrote_is_escaped() -> None:
    make_claim(table="<script>x", player="<b>bold</b>")
    client = client_of(make_user())
    assert "<script>x" not in client.get(QUEUE).content.decode()
    claim = JackpotClaim.objects.get()
    assert "<b>bold</b>" not in client.get(f"{CLAIMS}/{claim.pk}/change/").content.decode()


@pytest.mark.parametrize(
    ("changes", "two_taps"),
    [
        ({}, True),
        ({"lamp": None}, True),
        ({"lamp": False}, False),
        ({"flags": ["paid_differs"]}, False),
        ({"percent": 10}, False),
    ],
)
def test_two_taps_are_for_plain_fixed_awards(changes: dict[str, Any], two_taps: bool) -> None:
    claim = make_claim(**changes)
    page = client_of(make_user()).get(QUEUE).content.decode()
    assert ("Tap again to validate" in page) is two_taps
    assert f"{CLAIMS}/{claim.pk}/validate/" in page


def test_a_person_sees_only_the_buttons_that_he_may_press() -> None:
    make_claim(dealer="F299")
    paid_by_another = make_claim(percent=10)
    officer = make_user()
    checks = [check.code for check in required_checks(paid_by_another)]
    validate_claim(claim_id=paid_by_another.pk, officer=officer, checks=checks)

    def buttons(user: User) -> list[list[str]]:
        context = client_of(user).get(QUEUE).context
        rows = [row for shown in context["lists"] for row in shown["rows"]]
        return [[action.verb for action in row.actions] for row in rows]

    assert buttons(officer) == [["validate", "refuse"], ["refuse"]]
    assert buttons(make_user("F299")) == [[], ["refuse"]]
    watcher = make_user("S400", "surveillance")
    assert buttons(watcher) == [[], ["answer"]]
    answer_claim(claim_id=paid_by_another.pk, officer=watcher, answer="verified")
    assert buttons(watcher) == [[], ["answer"]]
    assert buttons(officer) == [["validate", "refuse"], ["refuse"]]
    assert buttons(User.objects.get(staff_code="F299")) == [[], ["approve", "refuse"]]
    assert buttons(make_user(None, username="nameless")) == [[], []]


def test_the_queue_takes_as_many_queries_for_many_claims_as_for_few(
    django_assert_max_num_queries: Any,
) -> None:
    progressive = make_progressive()
    for _ in range(15):
        make_claim(progressive)
    client = client_of(make_user())
    client.get(QUEUE)
    with django_assert_max_num_queries(14):
        client.get(QUEUE)


def test_a_long_list_shows_its_oldest_and_says_how_many_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("progressives.pages.queue.LONGEST_LIST", 3)
    claims = [make_claim() for _ in range(5)]
    response = client_of(make_user()).get(QUEUE)
    waiting, _, pay, _ = response.context["lists"]
    assert [row.claim.pk for row in waiting["rows"]] == [claim.pk for claim in claims[:3]]
    assert (waiting["more"], pay["more"]) == (2, 0)
    assert 'data-count="waiting" data-capped>5</span>' in response.content.decode()
    told = poll(client_of(make_user("A500", "accounting")), 10**18)
    assert told["counts"] == {"waiting": 5, "approve": 0, "pay": 0, "return": 0, "disputed": 0}


# ---- the poll -------------------------------------------------------------------------------


def test_a_poll_tells_what_changed_and_nothing_else() -> None:
    old = make_claim()
    client = client_of(make_user())
    token = client.get(QUEUE).context["token"]
    told = poll(client, token)
    # One transaction holds the whole test, so what it wrote before the look is told again.
    assert [row["id"] for row in told["rows"]] == [old.pk]

    fresh = make_claim()
    told = poll(client, token)

    assert {row["id"] for row in told["rows"]} == {old.pk, fresh.pk}
    row = next(row for row in told["rows"] if row["id"] == fresh.pk)
    assert (row["state"], row["list"]) == ("waiting", "waiting")
    assert row["html"].startswith('<tr class="claim waiting"')


@pytest.mark.parametrize("after", ["", "x", "1e3"])
def test_a_poll_without_a_token_is_refused(after: str) -> None:
    response = client_of(make_user()).get(f"{QUEUE}changes/", {"after": after})
    assert response.status_code == 400


def test_a_token_beyond_all_numbers_tells_nothing() -> None:
    make_claim()
    assert poll(client_of(make_user()), 10**30)["rows"] == []


# ---- the steps ------------------------------------------------------------------------------


def test_two_taps_validate_by_script() -> None:
    claim = make_claim()
    response = client_of(make_user()).post(f"{CLAIMS}/{claim.pk}/validate/", **JSON)
    told = response.json()
    assert (response.status_code, told["ok"]) == (200, True)
    assert told["message"] == "Validated: FPG-01, position 4, $3.00."
    assert (told["row"]["state"], told["row"]["list"]) == ("validated", "pay")


def test_without_script_a_page_asks_and_does_it() -> None:
    claim, client = make_claim(), client_of(make_user())
    url = f"{CLAIMS}/{claim.pk}/validate/"
    assert client.get(url).status_code == 200

    response = client.post(url, follow=True)

    assert response.redirect_chain == [(QUEUE, 302)]
    assert "Validated: FPG-01, position 4, $3.00." in response.content.decode()


def test_whoever_is_second_is_told_who_was_first() -> None:
    claim = make_claim()
    validate_claim(claim_id=claim.pk, officer=make_user("F201"))
    url, client = f"{CLAIMS}/{claim.pk}/validate/", client_of(make_user())

    by_script, by_page = client.post(url, **JSON), client.post(url)

    assert by_script.status_code == by_page.status_code == 409
    assert by_script.json()["message"].startswith("This payout was already validated by F201 at ")
    assert "already validated by F201" in by_page.content.decode()


def test_a_meter_award_is_validated_on_its_page_only() -> None:
    claim, client = make_claim(percent=10), client_of(make_user())
    url = f"{CLAIMS}/{claim.pk}/validate/"

    assert client.post(url, **JSON).status_code == 409
    page = client.get(url).content.decode()
    for check in required_checks(claim):
        assert f'value="{check.code}"' in page
        assert check.cite in page
    response = client.post(url, {"checks": [check.code for check in required_checks(claim)]})
    assert response.status_code == 302


def test_what_was_typed_stays_when_something_is_missing() -> None:
    claim = make_claim()
    given = {"cite": "", "reason": "The queen is missing."}
    response = client_of(make_user()).post(f"{CLAIMS}/{claim.pk}/refuse/", given)
    page = response.content.decode()
    assert response.status_code == 409
    assert "Choose the paragraph" in page
    assert "The queen is missing." in page


def test_refuse_pay_and_put_back_by_their_pages() -> None:
    progressive = make_progressive()
    refused, paid = make_claim(progressive, percent=10), make_claim(progressive)
    floor, accounting = client_of(make_user()), client_of(make_user("A500", "accounting"))

    given = {"cite": "§ 670a.13(k)", "reason": "Seven cards."}
    assert floor.post(f"{CLAIMS}/{refused.pk}/refuse/", given).status_code == 302
    assert floor.post(f"{CLAIMS}/{refused.pk}/return/", {"reason": "No."}).status_code == 403
    page = accounting.get(f"{CLAIMS}/{refused.pk}/return/").content.decode()
    assert "$18,000.00" in page
    assert "$20,000.00" in page
    response = accounting.post(f"{CLAIMS}/{refused.pk}/return/", {"reason": "Agreed."})
    assert response.status_code == 302
    assert meter_of(progressive).value == 20000

    assert floor.post(f"{CLAIMS}/{paid.pk}/validate/").status_code == 302
    assert "table inventory" in floor.get(f"{CLAIMS}/{paid.pk}/pay/").content.decode()
    assert floor.post(f"{CLAIMS}/{paid.pk}/pay/").status_code == 302
    paid.refresh_from_db()
    assert paid.state == "paid"


@pytest.mark.parametrize("verb", ["validate", "refuse", "pay", "return"])
def test_a_page_of_a_step_is_only_for_whom_his_role_gives_it(verb: str) -> None:
    claim = make_claim()
    client = client_of(make_user("S400", "surveillance"))
    assert client.get(f"{CLAIMS}/{claim.pk}/{verb}/").status_code == 403
    assert client.post(f"{CLAIMS}/{claim.pk}/{verb}/").status_code == 403


@pytest.mark.parametrize("number", [999_999_999, 10**30])
def test_an_unknown_claim_is_not_found(number: int) -> None:
    client = client_of(make_user())
    assert client.get(f"{CLAIMS}/{number}/validate/").status_code == 404
    assert client.post(f"{CLAIMS}/{number}/validate/").status_code == 404
    assert client.get(f"{CLAIMS}/{number}/change/").status_code == 404


def test_a_step_needs_the_token_against_forged_requests() -> None:
    claim = make_claim()
    client = Client(enforce_csrf_checks=True)
    client.force_login(make_user())
    assert client.post(f"{CLAIMS}/{claim.pk}/validate/").status_code == 403


# ---- the claim ------------------------------------------------------------------------------


def test_the_claims_page_shows_its_meter_before_and_after() -> None:
    progressive = make_progressive(initial="20000.00")
    claim = make_claim(progressive, percent=100)
    other = make_claim(progressive, round_id=claim.round_id, position=2)

    page = client_of(make_user()).get(f"{CLAIMS}/{claim.pk}/change/").content.decode()

    for told in ("$20,000.00", "−$20,000.00", "+$5,000.00", "Reset money put in", "Opened"):
        assert told in page
    assert f"{CLAIMS}/{other.pk}/change/" in page


def test_an_age_is_written_short() -> None:
    from progressives.templatetags.floor import age  # noqa: PLC0415

    now = timezone.now()
    ages = [9, 249, 3600 + 300, 50 * 3600]
    written = [age(now - timedelta(seconds=seconds), now) for seconds in ages]
    assert written == ["0:09", "4:09", "1 h 05", "2 days"]
