"""The pages of rules submissions, asked as a browser asks them."""

import json
from datetime import date, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from audit.models import User
from progressives.models import JackpotClaim, Lane
from tables.models import AccessKey, Facility, GamingTable, RulesSubmission
from tables.pages.submissions import SAMPLE
from tables.rules.samples import read_sample
from tables.services.accept import accept_events
from tables.services.apply import apply_lane
from tables.services.keys import make_key
from tables.services.setup import load_setup
from tables.services.submissions import approve_submission, propose_submission
from tables.services.terms import GamingDay
from tests.documents import SETUP, Sender
from tests.make import make_user
from tests.rules import made_pai_gow

SIX_CARD = "six_card_fortune_pai_gow"
LIST = "/admin/tables/rulessubmission/"
PROPOSE = f"{LIST}propose/?game={SIX_CARD}"


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def tomorrow() -> date:
    return GamingDay(Facility.objects.get()).of(timezone.now()) + timedelta(days=1)


def form(**changes: Any) -> dict[str, Any]:
    """Return the proposal's form as the browser sends it, with Insurance taken off."""
    return {
        "version": "2026-2",
        "effective": tomorrow().isoformat(),
        "reason": "No more Insurance Wagers.",
        "wagers": ["double_down", "fortune_bonus", "progressive"],
        "progressive_units": ["1.00", "5.00"],
        "adjacent_positions": "False",
        "minimum--main": "15",
        "progressive--1.00--reset": "6000.00",
        "readings--SC-8": "table",
        "readings--SC-1": "highest_missing",
        **changes,
    }


@pytest.fixture
def pit_manager(floor: Any) -> Client:
    return client_of(make_user("P300", "pit manager"))


@pytest.fixture
def accounting(floor: Any) -> Client:
    return client_of(make_user("A600", "accounting"))


def test_a_form_becomes_a_submission_that_a_second_person_approves(
    pit_manager: Client, accounting: Client
) -> None:
    assert pit_manager.get(PROPOSE).status_code == 200
    done = pit_manager.post(PROPOSE, form())
    made = RulesSubmission.objects.get(version="2026-2")
    assert (done.status_code, done["Location"]) == (302, f"{LIST}{made.pk}/change/")
    assert made.choices == {
        "game": SIX_CARD,
        "version": "2026-2",
        "effective": tomorrow().isoformat(),
        "wagers": ["main", "double_down", "fortune_bonus", "progressive"],
        "progressive_units": ["1.00", "5.00"],
        "progressive": [{"wager_unit": "1.00", "reset": "6000.00"}],
        "minimum": {"main": "15.00"},
        "adjacent_positions": False,
        "readings": {"SC-8": "table"},
    }
    own = pit_manager.get(done["Location"]).content.decode()
    assert "another person decides" in own
    assert 'name="approve"' not in own

    page = accounting.get(done["Location"]).content.decode()
    assert 'name="approve"' in page
    assert "<ins>$15.00</ins>" in page
    assert "<del>not set</del>" in page
    assert accounting.post(done["Location"], {"approve": "1"}).status_code == 302
    assert RulesSubmission.objects.get(pk=made.pk).approval.by.staff_code == "A600"
    assert "Approved, not yet in force" in pit_manager.get(LIST).content.decode()


def test_a_refusal_of_the_form_says_where_and_keeps_what_was_written(pit_manager: Client) -> None:
    page = pit_manager.post(PROPOSE, form(**{"progressive--1.00--reset": "4000.00"}))
    text = page.content.decode()
    assert page.status_code == 409
    assert "progressive[0].reset" in text
    assert "at least $5,000.00" in text
    assert "No more Insurance Wagers." in text
    assert 'value="4000.00"' in text
    assert pit_manager.post(PROPOSE, form(effective="soon")).status_code == 409
    assert pit_manager.post(PROPOSE, form(effective="2020-01-01")).status_code == 409
    assert pit_manager.post(PROPOSE, form(version="")).status_code == 409
    assert RulesSubmission.objects.count() == 1


def test_every_choice_and_every_reading_is_offered_with_a_sentence(pit_manager: Client) -> None:
    for game in (SIX_CARD, "lunar_poker", "free_bet_blackjack", "pai_gow"):
        page = pit_manager.get(f"{LIST}propose/?game={game}")
        for _, fields in page.context["groups"]:
            for field in fields:
                assert field.choice.sentence, field.name
                if field.choice.path[0] == "readings":
                    assert all(option.sentence for option, _, _ in field.options), field.name
                    assert field.options[0][0].sentence.split("'")[0] in page.content.decode()


def test_a_document_is_read_instead_of_the_form(pit_manager: Client) -> None:
    document = json.dumps({"wagers": ["main"], "readings": {"SC-10": "up"}})
    pit_manager.post(PROPOSE, form(document=document))
    made = RulesSubmission.objects.get(version="2026-2")
    assert made.choices["wagers"] == ["main"]
    page = pit_manager.post(PROPOSE, form(version="3", document='{"wagers": 1, "wagers": 2}'))
    assert page.status_code == 409
    assert "duplicate" in page.content.decode().lower() or "twice" in page.content.decode()


def test_a_second_person_refuses_with_a_remark(pit_manager: Client, accounting: Client) -> None:
    address = pit_manager.post(PROPOSE, form())["Location"]
    assert accounting.post(address, {"refuse": "1", "remark": ""}).status_code == 409
    assert accounting.post(address, {"refuse": "1", "remark": "Not now."}).status_code == 302
    page = accounting.get(address).content.decode()
    assert "Not now." in page
    assert 'name="approve"' not in page


def test_nobody_decides_without_the_role_or_on_his_own(pit_manager: Client) -> None:
    address = pit_manager.post(PROPOSE, form())["Location"]
    assert pit_manager.post(address, {"approve": "1"}).status_code == 409
    both = client_of(make_user("Z1", None, is_superuser=True))
    own = both.post(PROPOSE, form(version="z"))["Location"]
    refused = both.post(own, {"approve": "1"})
    assert refused.status_code == 409
    assert "another person decides" in refused.content.decode()


@pytest.mark.parametrize(
    ("role", "read", "propose"),
    [
        ("floorperson", 200, 403),
        ("accounting", 200, 403),
        ("surveillance", 200, 403),
        ("administrator", 200, 200),
        ("dealer", 403, 403),
    ],
)
def test_who_sees_what(floor: Any, role: str, read: int, propose: int) -> None:
    client = client_of(make_user("X1", role))
    made = RulesSubmission.objects.get()
    assert client.get(LIST).status_code == read
    assert client.get(f"{LIST}{made.pk}/change/").status_code == read
    assert client.get(f"{LIST}compare/?a={made.pk}&b={made.pk}").status_code == read
    assert client.get(PROPOSE).status_code == propose


def test_two_versions_side_by_side(pit_manager: Client) -> None:
    pit_manager.post(PROPOSE, form())
    first, second = RulesSubmission.objects.order_by("pk")
    page = pit_manager.get(f"{LIST}compare/?a={first.pk}&b={second.pk}")
    text = page.content.decode()
    assert page.context["changes"] == 5
    assert "<ins>Double Down Wager, Fortune Bonus Wager, Progressive Payout Wager</ins>" in text
    assert "5 choices differ" in text
    same = pit_manager.get(f"{LIST}compare/?a={first.pk}&b={first.pk}")
    assert "Nothing differs" in same.content.decode()
    assert pit_manager.get(f"{LIST}compare/?a={first.pk}&b=x").status_code == 404
    assert pit_manager.get(f"{LIST}propose/?game=baccarat").status_code == 404


# ---- Pai Gow Poker's figures are a sample ----------------------------------------------------


def pai_gow(by: User) -> RulesSubmission:
    return propose_submission(
        game="pai_gow",
        version="sample-645a",
        effective=tomorrow(),
        choices=read_sample("645a"),
        by=by,
        reason="To begin with.",
    )


def test_a_sample_is_marked_on_every_page(pit_manager: Client, accounting: Client) -> None:
    made = pai_gow(make_user("P301", "pit manager"))
    pages = [
        LIST,
        f"{LIST}{made.pk}/change/",
        f"{LIST}compare/?a={made.pk}&b={made.pk}",
        f"{LIST}propose/?game=pai_gow&from={made.pk}",
    ]
    for address in pages:
        assert SAMPLE in pit_manager.get(address).content.decode(), address


def test_a_proposal_from_a_sample_stays_one_until_somebody_says_otherwise(
    pit_manager: Client, accounting: Client
) -> None:
    made = pai_gow(make_user("P301", "pit manager"))
    approve_submission(submission_id=made.pk, by=make_user("A601", "accounting"))
    address = f"{LIST}propose/?game=pai_gow&from={made.pk}"
    later = (tomorrow() + timedelta(days=1)).isoformat()
    told = {"version": "b", "effective": later, "reason": "r", "ez": "False", "wagers": [],
            "sample": "1", "commission--percent": "4"}  # fmt: skip
    assert pit_manager.post(address, told).status_code == 302
    assert RulesSubmission.objects.get(version="b").choices["sample"] is True
    assert pit_manager.post(address, told | {"version": "c", "sample": ""}).status_code == 302
    plain = RulesSubmission.objects.get(version="c").choices
    assert "sample" not in plain
    assert "source" not in plain
    assert plain["commission"]["percent"] == "4"


def test_what_a_sample_settled_says_so_at_the_round_and_at_its_claims(db: None) -> None:
    sample = read_sample("645a")
    level = {"code": "grand", "initial": "10000.00", "reset": "10000.00", "increment_percent": "22"}
    load_setup(
        {
            **SETUP,
            "progressives": [{"code": "PG", "wager_unit": "1.00", "levels": [level]}],
            "rules_submissions": [{**sample, "game": "pai_gow"}],
            "tables": [
                {"code": "PG-1", "game": "pai_gow", "positions": 6, "progressive": "PG"},
            ],
        }
    )
    key, _ = make_key(name="g", kind=AccessKey.Kind.GATEWAY, tables=GamingTable.objects.all())
    seats = made_pai_gow.seat(2, "AS KS QS JS TS 4D 4H", "4D 4H", progressive="1.00")
    event = Sender("PG-1").whole(seats, game="pai_gow")
    low = made_pai_gow.DEALER_LOW.split()
    event["dealer_hand"] = {"cards": "KC JD TC 8C 6C 4C 2C".split(), "low": low[:1] + ["TC"]}
    assert [a.detail for a in accept_events([event], key=key)] == [""]
    apply_lane(lane_id=Lane.objects.get().pk)

    claim = JackpotClaim.objects.get()
    assert claim.terms == "500 for 1 (sample)"
    client = client_of(make_user("S400", "surveillance"))
    pages = [
        "/admin/tables/round/",
        f"/admin/tables/round/{claim.round_id}/change/",
        f"/admin/progressives/jackpotclaim/{claim.pk}/change/",
        "/admin/progressives/jackpotclaim/queue/",
    ]
    for address in pages:
        text = client.get(address).content.decode().lower()
        assert "(sample)" in text or SAMPLE.lower() in text, address
