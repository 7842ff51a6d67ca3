"""Rules submissions: proposed by one, approved by another, never touching a settled round."""

import json
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import DatabaseError, transaction
from django.utils import timezone

from audit.models import AuditEvent, User
from progressives.models import Lane
from tables.models import (
    Facility,
    GamingTable,
    Round,
    RoundPosition,
    RulesSubmission,
    SubmissionApproval,
)
from tables.rules import Refusal
from tables.services.apply import apply_lane, read_batch
from tables.services.drain import write
from tables.services.setup_file import read_setup
from tables.services.submissions import (
    SubmissionError,
    approve_submission,
    in_force,
    propose_submission,
    refuse_submission,
)
from tables.services.terms import GamingDay, TermsBook
from tests.documents import FIVE_ACES, NOTHING, SETUP, Sender, seat
from tests.make import make_user

SIX_CARD = "six_card_fortune_pai_gow"
NO_INSURANCE = {"wagers": ["main", "double_down", "fortune_bonus", "progressive"]}


@pytest.fixture
def people(floor: Any) -> dict[str, User]:
    """Give the house of ``floor`` a pit manager who proposes and an accountant who approves."""
    return {"by": make_user("P300", "pit manager"), "and": make_user("A600", "accounting")}


def today() -> date:
    return GamingDay(Facility.objects.get()).of(timezone.now())


def noon_of(day: date) -> datetime:
    return datetime.combine(day, datetime.min.time(), timezone.get_fixed_timezone(0)) + timedelta(
        hours=17
    )


def propose(by: User, choices: Any = NO_INSURANCE, days: int = 1, **changes: Any) -> Any:
    told: dict[str, Any] = {
        "game": SIX_CARD,
        "version": "t-2",
        "effective": today() + timedelta(days=days),
        "choices": choices,
        "by": by,
        "reason": "The Insurance Wager is taken off.",
        **changes,
    }
    return propose_submission(**told)


def log_of(action: str) -> dict[str, Any]:
    event = AuditEvent.objects.filter(action=action, chain__name="system").get()
    return dict(json.loads(bytes(event.body)))


# ---- two persons -----------------------------------------------------------------------------


def test_a_set_up_files_submission_counts_as_approved_by_the_set_up(floor: Any) -> None:
    approval = SubmissionApproval.objects.get()
    assert (approval.kind, approval.by, approval.submission.version) == ("set_up", None, "t-1")


def test_a_proposal_holds_only_once_another_person_has_approved_it(people: Any) -> None:
    made = propose(people["by"])
    table, tomorrow = GamingTable.objects.get(code="T-1"), noon_of(made.effective)
    assert TermsBook().at(table, tomorrow).submission.version == "t-1"

    approve_submission(submission_id=made.pk, by=people["and"])

    assert TermsBook().at(table, tomorrow).submission.version == "t-2"
    assert TermsBook().at(table, timezone.now()).submission.version == "t-1"
    assert in_force(SIX_CARD, made.effective) == made
    assert log_of("tables.submission_proposed")["by"] == "P300"
    told = log_of("tables.submission_approved")
    assert (told["by"], told["facts"]["digest"]) == ("A600", made.digest)


def test_each_lane_of_the_game_tells_the_approval_under_a_number_of_its_own(people: Any) -> None:
    before = Lane.objects.get().number
    approve_submission(submission_id=propose(people["by"]).pk, by=people["and"])
    assert Lane.objects.get().number == before + 1
    event = AuditEvent.objects.get(action="tables.submission_approved", chain__name="lane:P-1")
    assert json.loads(bytes(event.body))["facts"]["lane_number"] == before + 1


def test_nobody_approves_his_own_proposal(people: Any) -> None:
    both = make_user("Z1", None, is_superuser=True)
    made = propose(both)
    with pytest.raises(SubmissionError, match="another person"):
        approve_submission(submission_id=made.pk, by=both)


def test_the_database_refuses_it_too_whoever_asks(people: Any) -> None:
    both = make_user("Z1", None, is_superuser=True)
    made = propose(both)
    told: dict[str, Any] = {"submission": made, "game": made.game, "effective": made.effective}
    unsigned = make_user(None, "accounting")
    for changes, message in [
        ({"kind": "approved", "by": both}, "nobody decides on his own submission"),
        ({"kind": "set_up", "by": None}, "the way it came"),
        ({"kind": "approved", "by": unsigned}, "without a staff code"),
        ({"kind": "approved", "by": people["and"], "effective": today()}, "repeats game and day"),
        ({"kind": "approved", "by": None}, "without a staff code"),
    ]:
        with pytest.raises(DatabaseError, match=message), transaction.atomic():
            SubmissionApproval.objects.create(**told | changes)


def test_what_is_decided_stays_decided(people: Any) -> None:
    made = propose(people["by"])
    refuse_submission(submission_id=made.pk, by=people["and"], remark="Too soon.")
    for decide in (approve_submission, refuse_submission):
        with pytest.raises(SubmissionError, match="decided on: refused by A600"):
            decide(submission_id=made.pk, by=people["and"], remark="x")
    assert in_force(SIX_CARD, made.effective).version == "t-1"
    again = propose(people["by"], version="t-3")
    approve_submission(submission_id=again.pk, by=people["and"])
    assert in_force(SIX_CARD, made.effective) == again, "the refused one leaves the day free"


@pytest.mark.parametrize("role", ["floorperson", "surveillance", "auditor", "accounting"])
def test_only_who_runs_the_games_proposes(floor: Any, role: str) -> None:
    with pytest.raises(SubmissionError, match="role does not propose"):
        propose(make_user("X1", role))


@pytest.mark.parametrize("role", ["floorperson", "pit manager", "administrator", "auditor"])
def test_only_who_answers_for_the_money_approves(people: Any, role: str) -> None:
    made = propose(people["by"])
    for decide in (approve_submission, refuse_submission):
        with pytest.raises(SubmissionError, match="role does not decide"):
            decide(submission_id=made.pk, by=make_user(None, role), remark="x")


def test_who_signs_has_a_staff_code(people: Any) -> None:
    with pytest.raises(SubmissionError, match="no staff code"):
        propose(make_user(None, "pit manager"))


def test_reasons_are_asked_for(people: Any) -> None:
    with pytest.raises(SubmissionError, match="Say why the rules"):
        propose(people["by"], reason=" ")
    with pytest.raises(SubmissionError, match="Say why this submission"):
        refuse_submission(submission_id=propose(people["by"]).pk, by=people["and"], remark=" ")


# ---- its day ---------------------------------------------------------------------------------


@pytest.mark.parametrize("days", [0, -1])
def test_a_day_that_has_begun_keeps_its_rules(people: Any, days: int) -> None:
    with pytest.raises(SubmissionError, match="has begun"):
        propose(people["by"], days=days)


def test_a_lane_whose_day_is_ahead_keeps_its_rules_too(people: Any) -> None:
    Lane.objects.update(gaming_day=today() + timedelta(days=1))
    with pytest.raises(SubmissionError, match="has begun"):
        propose(people["by"])
    assert propose(people["by"], days=2)


def test_the_day_is_looked_at_again_when_it_is_approved(people: Any) -> None:
    made = propose(people["by"])
    Lane.objects.update(gaming_day=made.effective)
    with pytest.raises(SubmissionError, match="has begun"):
        approve_submission(submission_id=made.pk, by=people["and"])


def test_one_submission_a_day(people: Any) -> None:
    made = propose(people["by"])
    other = propose(people["by"], version="t-3")
    approve_submission(submission_id=made.pk, by=people["and"])
    with pytest.raises(SubmissionError, match="submission t-2 holds"):
        approve_submission(submission_id=other.pk, by=people["and"])
    with pytest.raises(SubmissionError, match="submission t-2 holds"):
        propose(people["by"], version="t-4")
    with pytest.raises(SubmissionError, match="a version t-2"):
        propose(people["by"], days=3)


def test_a_settled_round_keeps_the_rules_it_was_settled_by(people: Any, floor: Any) -> None:
    sender = Sender()
    now, whole = timezone.now(), {"main": "25.00", "insurance": "5.00"}
    floor.play(sender.whole(seat(2, NOTHING, wagers=whole), occurred_at=now.isoformat()))
    before = Round.objects.get().rules
    lines = RoundPosition.objects.get().lines
    made = propose(people["by"], days=1)
    approve_submission(submission_id=made.pk, by=people["and"])

    tomorrow = noon_of(made.effective).isoformat()
    refused = floor.accept(sender.whole(seat(2, NOTHING, wagers=whole), occurred_at=tomorrow))
    assert [answer.code for answer in refused] == ["wager_not_offered"]
    sender.sequence -= 1
    late = (now - timedelta(minutes=1)).isoformat()  # today's round, sent after the approval
    floor.play(sender.whole(seat(2, NOTHING, wagers=whole), occurred_at=late))

    first, second = Round.objects.order_by("number")
    assert first.rules == second.rules == before
    assert RoundPosition.objects.get(round=first).lines == lines


def test_what_is_being_worked_out_under_the_old_terms_is_worked_out_anew(
    people: Any, floor: Any
) -> None:
    """The drain works a batch out without the lane's lock; an approval takes a lane number."""
    floor.accept(Sender().whole(seat(2, NOTHING)))
    lane = Lane.objects.get()
    batch = read_batch(lane, 10)
    approve_submission(submission_id=propose(people["by"]).pk, by=people["and"])
    assert batch is not None
    assert write(batch) is False
    assert apply_lane(lane_id=lane.pk) == 1


# ---- its choices -----------------------------------------------------------------------------

BAD_CHOICES = [
    ({"wagers": ["main", "roulette"]}, "bad_value", "wagers[1]"),
    ({"nonsense": 1}, "unknown_key", "nonsense"),
    ({"readings": {"SC-8": "always"}}, "bad_value", "readings.SC-8"),
    ({"readings": {"SC-99": "x"}}, "unknown_key", "readings.SC-99"),
    ({"progressive_units": ["2.00"]}, "progressive_unit", "progressive_units[0]"),
    (
        {"progressive": {"wager_unit": "1.00", "reset": "4999.99"}},
        "seed_too_small",
        "progressive[0].reset",
    ),
    (
        {"progressive": [{"wager_unit": "5.00", "initial": "24999.99"}]},
        "seed_too_small",
        "progressive[0].initial",
    ),
    (
        {"progressive": {"wager_unit": "1.00", "increment_percent": "22"}},
        "bad_percent",
        "progressive[0].increment_percent",
    ),
    ({"progressive": {"wager_unit": "3.00"}}, "progressive_unit", "progressive[0].wager_unit"),
    ({"progressive": {"reset": "5000.00"}}, "missing_key", "progressive[0].wager_unit"),
    ({"progressive": "lots"}, "wrong_type", "progressive"),
    ({"minimum": "x"}, "bad_money", "minimum"),
    ({"minimum": {"main": "50.00"}, "maximum": {"main": "25.00"}}, "bad_value", "maximum.main"),
    ({"minimum": {"main": "-1.00"}}, "bad_money", "minimum.main"),
    ({"adjacent_positions": "perhaps"}, "bad_value", "adjacent_positions"),
    ({"house_way": 7}, "wrong_type", "house_way"),
    ({"decks": 2}, "bad_value", "decks"),
]


@pytest.mark.parametrize(("choices", "code", "path"), BAD_CHOICES)
def test_a_choice_that_the_chapter_does_not_leave_is_refused(
    people: Any, choices: Any, code: str, path: str
) -> None:
    with pytest.raises(Refusal) as refused:
        propose(people["by"], choices)
    assert (refused.value.code, refused.value.path) == (code, path)
    assert refused.value.detail
    assert RulesSubmission.objects.count() == 1


@pytest.mark.parametrize(
    ("game", "choices", "path"),
    [
        ("free_bet_blackjack", {"decks": 7}, "decks"),
        ("free_bet_blackjack", {"settlement": "as_one_likes"}, "settlement"),
        ("free_bet_blackjack", {"paytables": {"push_22": "C"}}, "paytables.push_22"),
        ("free_bet_blackjack", {"progressive": {"wager_unit": "1.00"}}, "progressive"),
        ("lunar_poker", {"paytables": {"instant": "D"}}, "paytables.instant"),
        ("pai_gow", {"wagers": ["main"], "ez": "yes"}, "ez"),
    ],
)
def test_other_chapters_leave_other_choices(
    people: Any, game: str, choices: Any, path: str
) -> None:
    with pytest.raises(Refusal) as refused:
        propose(people["by"], choices, game=game)
    assert refused.value.path == path


def test_a_submitted_reset_amount_holds_from_its_day_on(people: Any, floor: Any) -> None:
    choices = {"progressive": {"wager_unit": "1.00", "initial": "9000.00", "reset": "7500.00"}}
    made = propose(people["by"], choices)
    sender, now = Sender(), timezone.now()
    approve_submission(submission_id=made.pk, by=people["and"])
    floor.play(sender.whole(seat(2, FIVE_ACES), occurred_at=now.isoformat()))
    assert floor.meter.value == Decimal("5000.00"), "today the set-up's amount"
    floor.play(sender.whole(seat(2, FIVE_ACES), occurred_at=noon_of(made.effective).isoformat()))
    assert floor.meter.value == Decimal("7500.00")


def test_670a_12_d_2_a_seed_below_the_chapters_is_refused_in_a_set_up_file_too() -> None:
    choices = {"progressive": {"wager_unit": "1.00", "reset": "100.00"}}
    told = {"game": SIX_CARD, "version": "x", "effective": "2030-01-01", **choices}
    with pytest.raises(Refusal) as refused:
        read_setup({**SETUP, "rules_submissions": [told]})
    assert (refused.value.code, refused.value.cite) == ("seed_too_small", "§ 670a.12(d)(1)-(2)")
    assert refused.value.path == "rules_submissions[0].progressive[0].reset"
