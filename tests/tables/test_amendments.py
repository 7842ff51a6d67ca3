"""A settled round changes only by two people: its outcome's next version, and what follows."""

import copy
import json
from decimal import Decimal
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction
from django.test import Client

from audit.canonical import parse
from audit.models import AuditEvent, ExceptionRecord, User
from progressives import errors
from progressives.models import (
    EnvyPayment,
    EnvyPayout,
    JackpotClaim,
    MeterEntry,
    RoundAdjustment,
)
from progressives.services.claims import pay_claim, refuse_claim
from progressives.services.claims_dispute import dispute_claim
from progressives.services.claims_return import return_refused_award
from progressives.services.close_retell import retell
from progressives.services.reconcile import reconcile
from progressives.services.rounds import closing_of
from tables.models import GamingTable, Round, RoundAmendment, TableProgressive
from tables.services.amended_round import find_original
from tables.services.amendments import approve_amendment, propose_amendment, refuse_amendment
from tables.services.disagreements import disagreements
from tables.services.reconstruct import reconstruct
from tables.services.reconstruct_text import as_text
from tables.services.unlogged import unlogged
from tables.services.verify_all import verify_all
from tests.documents import FIVE_ACES, NOTHING, OTHER_ROYAL, ROYAL, STRAIGHT, Sender, seat
from tests.make import documented, make_progressive, make_user, staff, validated

pytestmark = pytest.mark.django_db
STRAIGHT_OTHER = ("5C 6D 7H 8S 9D KC".split(), ["KC"])  # beside the other straight


def pit() -> User:
    return staff("P371", "pit manager")


def accountant(number: int = 571) -> User:
    return staff(f"A{number}", "accounting")


def corrected(found: Round, **hands: Any) -> dict[str, Any]:
    """Return the round's document with other hands or changes: ``p6=NOTHING``, ``p2={...}``."""
    document = copy.deepcopy(find_original(found).document)
    for name, change in hands.items():
        position = int(name[1:])
        [told] = [s for s in document["positions"] if s["position"] == position]
        told |= change if isinstance(change, dict) else {"cards": change[0], "low": change[1]}
    return document


def propose(found: Round, officer: User | None = None, **hands: Any) -> RoundAmendment:
    return propose_amendment(
        round_id=found.pk,
        document=corrected(found, **hands),
        officer=officer or pit(),
        reason="The cards were read wrongly; the recording shows others.",
    )


def approve(made: RoundAmendment, officer: User | None = None, **changes: Any) -> Any:
    told = {"officer": officer or accountant(), "digest": made.digest, "remark": ""} | changes
    return approve_amendment(amendment_id=made.pk, **told)


def amend(found: Round, **hands: Any) -> RoundAmendment:
    made = propose(found, **hands)
    approve(made)
    return made


def claims() -> list[tuple[int, int, str, str]]:
    found = JackpotClaim.objects.order_by("pk")
    return [(c.position, c.version, str(c.amount), c.state) for c in found]


def adjustments(floor: Any) -> list[tuple[int | None, str]]:
    found = MeterEntry.objects.filter(kind="adjustment").order_by("sequence")
    return [(e.position, str(e.amount)) for e in found]


def is_sound(floor: Any) -> None:
    """The ledger adds up, the log tells all of it, and telling it again comes to the same."""
    assert [line.faults for line in reconcile() if not line.ok] == []
    assert unlogged() == {}
    found = verify_all(jobs=1)
    assert [fault.detail for fault in found.faults] == []
    for number, table in Round.objects.values_list("number", "table__code"):
        assert disagreements(reconstruct(table, number)) == []
    told = retell(floor.lane.__class__.objects.get().gaming_day, None).retelling
    assert told.meters["P-1:grand"].value == floor.meter.value
    assert told.doubts == []


def test_a_missed_share_is_priced_at_its_turn_and_later_awards_stand(floor: Any) -> None:
    """§ 670a.12(d)(3): position 6 came first; a later round's award is not touched."""
    sender = Sender()
    floor.play(sender.whole(seat(6, NOTHING), seat(2, ROYAL)))
    floor.play(Sender("T-2").whole(seat(3, OTHER_ROYAL)))
    found = Round.objects.get(table__code="T-1")
    before, later = floor.meter.value, JackpotClaim.objects.get(position=3)
    made = amend(found, p6=OTHER_ROYAL)

    at_turn = Decimal("20000.42")
    first, second = Decimal("2000.04"), Decimal("1800.03")
    assert claims() == [
        (2, 1, "2000.04", "voided"),
        (3, 1, str(later.amount), "waiting"),
        (6, 2, str(first), "waiting"),
        (2, 2, str(second), "waiting"),
    ]
    fresh = JackpotClaim.objects.get(position=6)
    assert fresh.meter_at_turn == at_turn
    assert adjustments(floor) == [(2, "200.010000"), (6, "-2000.040000")]
    assert floor.meter.value == before + Decimal("200.01") - first
    lines = [line for line in made.outcome["lines"] if line.get("terms") == "10% of meter"]
    assert [line["pays"] for line in lines] == ["2000.04", "1800.03"]
    is_sound(floor)


def test_a_share_that_was_none_goes_back_and_its_payout_is_void(floor: Any) -> None:
    floor.play(Sender().whole(seat(6, ROYAL), seat(2, STRAIGHT)))
    found, before = Round.objects.get(), floor.meter.value
    claim = documented(JackpotClaim.objects.get(position=6))
    amend(found, p6=NOTHING)
    claim.refresh_from_db()
    assert (claim.state, claim.slip.void.reason) == ("voided", "Round amended, version 2")
    assert floor.meter.value == before + claim.amount
    assert claims()[1] == (2, 1, "3.00", "waiting"), "an untouched payout goes on as it was"
    assert list(EnvyPayment.objects.values_list("kind", flat=True)) == ["not_owed"]
    with pytest.raises(errors.AlreadyVoided):
        pay_claim(claim_id=claim.pk, officer=accountant(), checks=["documents", "source"])
    is_sound(floor)


def test_what_was_paid_stands_and_a_person_is_told(floor: Any) -> None:
    floor.play(Sender().whole(seat(6, STRAIGHT)))
    found, claim = Round.objects.get(), JackpotClaim.objects.get()
    validated(claim)
    pay_claim(claim_id=claim.pk, officer=accountant(572))
    assert closing_of(found.pk)
    made = amend(found, p6=NOTHING)
    assert made.effects["overpaid"] == [{"position": 6, "paid": "3.00", "due": "0"}]
    assert claims() == [(6, 1, "3.00", "paid")]
    told = ExceptionRecord.objects.get(kind="paid_above_amended")
    assert told.sentence.startswith("Position 6 was paid $3.00")
    assert closing_of(found.pk).version == 2  # type: ignore[union-attr]


def test_who_was_paid_too_little_gets_the_rest_by_a_payout_of_its_own(floor: Any) -> None:
    floor.play(Sender().whole(seat(6, STRAIGHT)))
    found, claim = Round.objects.get(), JackpotClaim.objects.get()
    validated(claim)
    pay_claim(claim_id=claim.pk, officer=accountant(572))
    amend(found, p6=ROYAL)
    assert claims() == [(6, 1, "3.00", "paid"), (6, 2, "1997.02", "waiting")]
    assert closing_of(found.pk) is None
    is_sound(floor)


def test_wagers_that_were_not_made_come_off_the_meter(floor: Any) -> None:
    sender, seats = Sender(), [seat(2, NOTHING), seat(6, STRAIGHT)]
    floor.play(sender.lockout(*seats), sender.settlement(*seats))
    before = floor.meter.value
    amend(Round.objects.get(), p2={"wagers": {"main": "25.00"}})
    assert adjustments(floor) == [(2, "-0.210000")]
    assert floor.meter.value == before - Decimal("0.21")
    amend(Round.objects.get(), p2={"wagers": {"main": "25.00", "progressive": "1.00"}})
    assert floor.meter.value == before
    assert [a.version for a in RoundAdjustment.objects.all()] == [2, 3]
    is_sound(floor)


def test_a_returned_award_that_was_due_comes_off_again(floor: Any) -> None:
    floor.play(Sender().whole(seat(6, ROYAL)))
    claim, before = JackpotClaim.objects.get(), floor.meter.value
    refuse_claim(claim_id=claim.pk, officer=make_user(), cite="§ 670a.13(k)", reason="Seven.")
    amend(Round.objects.get(), p6=OTHER_ROYAL)
    assert claims() == [(6, 1, "2000.02", "refused")], "another royal pays the same: it stands"
    return_refused_award(claim_id=claim.pk, officer=accountant(573), reason="Agreed.")
    made = amend(Round.objects.get(), p6=STRAIGHT)
    assert claims() == [(6, 1, "2000.02", "voided"), (6, 3, "3.00", "waiting")]
    assert made.version == 3
    assert floor.meter.value == before + Decimal("2000.02")
    is_sound(floor)


def test_an_amendment_ends_the_disputes_of_its_round(floor: Any) -> None:
    floor.play(Sender().whole(seat(6, STRAIGHT), seat(2, NOTHING)))
    claim = JackpotClaim.objects.get()
    dispute_claim(claim_id=claim.pk, officer=make_user(), reason="He says it is a royal.")
    amend(Round.objects.get(), p6=ROYAL)
    assert claims() == [(6, 1, "3.00", "voided"), (6, 2, "2000.04", "waiting")]
    kinds = list(claim.steps.values_list("kind", flat=True))
    assert kinds == ["opened", "disputed", "proposed", "resolved", "void_asked", "voided"]
    is_sound(floor)


def test_envies_come_and_go_with_the_hands(floor: Any) -> None:
    floor.play(Sender().whole(seat(6, NOTHING), seat(2, STRAIGHT)))
    found = Round.objects.get()
    amend(found, p6=ROYAL)
    [envy] = EnvyPayout.objects.all()
    assert (envy.position, envy.from_position, str(envy.amount), envy.version) == (2, 6, "50.00", 2)
    amend(found, p6=NOTHING)
    assert envy.payment.kind == "not_owed"


def test_both_people_need_the_authority_and_are_two(floor: Any) -> None:
    floor.play(Sender().whole(seat(6, ROYAL)))
    found = Round.objects.get()
    for officer, refusal in [
        (make_user("B8", None, is_superuser=True), errors.NotAllowed),
        (make_user("F8"), errors.NotAllowed),
        (make_user("D100", "accounting"), errors.DealerOfTheRound),
        (make_user(None, "accounting"), errors.NoStaffCode),
    ]:
        with pytest.raises(refusal):
            propose(found, officer, p6=NOTHING)
    made = propose(found, accountant(), p6=NOTHING)
    with pytest.raises(errors.ProposerCannotApprove):
        approve(made)
    for officer in (pit(), User.objects.get(staff_code="B8")):
        with pytest.raises(errors.NotAllowed):
            approve(made, officer)
    decided = accountant(574)
    decided.groups.add(*make_user("F7").groups.all())
    validated(JackpotClaim.objects.get(), decided)
    with pytest.raises(errors.AlreadyActed):
        approve(made, decided)
    assert not RoundAdjustment.objects.exists()
    refuse_amendment(amendment_id=made.pk, officer=accountant(575), remark="The cards are right.")
    with pytest.raises(errors.AmendmentDecided, match="already refused by A575"):
        approve(made, accountant(575))


def test_what_is_not_this_round_is_refused_with_its_place(floor: Any) -> None:
    floor.play(Sender().whole(seat(6, ROYAL)))
    found = Round.objects.get()
    document = corrected(found)
    told = {"round_id": found.pk, "officer": pit(), "reason": "Wrong."}
    with pytest.raises(errors.NothingAmended):
        propose_amendment(document=document, **told)
    with pytest.raises(errors.DocumentRefused) as refused:
        propose_amendment(document={**document, "table": "T-2"}, **told)
    assert refused.value.path == "document.table"
    with pytest.raises(errors.DocumentRefused, match="positions"):
        propose_amendment(document=corrected(found, p6={"cards": ["AS"] * 6}), **told)
    with pytest.raises(errors.ReasonMissing):
        propose_amendment(document=document, **{**told, "reason": " "})


def test_an_amendment_is_approved_only_as_it_was_shown(floor: Any) -> None:
    floor.play(Sender().whole(seat(6, STRAIGHT)))
    found = Round.objects.get()
    made = propose(found, p6=NOTHING)
    with pytest.raises(errors.AmendmentOutdated):
        approve(made, digest="0" * 64)
    claim = validated(JackpotClaim.objects.get())
    pay_claim(claim_id=claim.pk, officer=accountant(572))
    with pytest.raises(errors.AmendmentOutdated):
        approve(made)
    approve(propose(found, p6=NOTHING))
    stale = propose(found, p6=ROYAL)
    approve(propose(found, p6=OTHER_ROYAL))
    with pytest.raises(errors.AmendmentOutdated):
        approve(stale)
    with pytest.raises(errors.AmendmentDecided):
        approve(RoundAmendment.objects.filter(version=2).latest("pk"))


def test_a_meter_that_does_not_hold_it_any_more_is_not_drawn_below_zero(floor: Any) -> None:
    floor.play(Sender().whole(seat(6, NOTHING)))
    floor.play(Sender("T-2").whole(seat(3, FIVE_ACES)))
    made = propose(Round.objects.get(table__code="T-1"), p6=FIVE_ACES)
    with pytest.raises(errors.MeterTooLow, match="bring"):
        approve(made)
    assert adjustments(floor) == []


def test_a_progressive_of_several_meters_is_mended_by_a_correction_instead(floor: Any) -> None:
    floor.play(Sender().whole(seat(6, ROYAL)))
    TableProgressive.objects.create(
        table=GamingTable.objects.get(code="T-1"),
        progressive=make_progressive(floor.lane, code="P-9"),
        wager="main",
    )
    with pytest.raises(errors.NotAmendable, match="correction"):
        propose(Round.objects.get(), p6=NOTHING)


def test_a_void_round_is_not_amended(floor: Any) -> None:
    sender = Sender()
    floor.play(sender.lockout(seat(2, NOTHING)), sender.void())
    with pytest.raises(errors.NotSettled):
        propose_amendment(
            round_id=Round.objects.get().pk, document={}, officer=pit(), reason="Wrong."
        )


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"approved_by": "P371"}, "may not approve"),
        ({"proposed_by": "F290"}, "may not propose"),
        ({"approved_by": "B9"}, "may not approve"),
        ({"approved_by": "same"}, "round_amended_by_two_people"),
        ({"dealer": "A571"}, "may not approve"),
        ({"version": 3}, "does not follow"),
        ({}, "no approved document"),
    ],
)
def test_postgresql_amends_nothing_but_by_two_authorities(
    floor: Any, changes: dict[str, Any], match: str
) -> None:
    floor.play(Sender().whole(seat(6, ROYAL)))
    people = {"P371": pit(), "A571": accountant(), "F290": make_user("F290")}
    people |= {"B9": make_user("B9", None, is_superuser=True), "same": accountant(576)}
    found = Round.objects.get()
    told: dict[str, Any] = {"proposed_by": "P371", "approved_by": "A571", "dealer": "D100"}
    told |= {"version": 2} | changes
    told["proposed_by"] = people["same" if told["approved_by"] == "same" else told["proposed_by"]]
    told["approved_by"] = people[told["approved_by"]]
    place = {"lane": floor.lane, "lane_number": 99, "table": "T-1", "round": found.number}
    with pytest.raises(DatabaseError, match=match), transaction.atomic():
        insert_adjustment(round_id=found.pk, digest="0" * 64, reason="By hand.", **place, **told)


def insert_adjustment(**told: Any) -> None:
    """Write an agreement past the service, and let the checks of the commit speak."""
    RoundAdjustment.objects.create(**told)
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def test_postgresql_adjusts_no_meter_without_an_agreement(floor: Any) -> None:
    floor.play(Sender().whole(seat(6, ROYAL)))
    entry = MeterEntry.objects.order_by("-sequence").first()
    assert entry is not None
    entry.sequence, entry.kind, entry.before = entry.sequence + 1, "adjustment", entry.after
    entry.amount, entry.after = Decimal(-1), entry.after - 1
    with pytest.raises(DatabaseError, match="nobody agreed on an adjustment"), transaction.atomic():
        entry.save(force_insert=True)


def test_the_log_tells_both_versions(floor: Any) -> None:
    floor.play(Sender().whole(seat(6, ROYAL)))
    found = Round.objects.get()
    made = amend(found, p6=STRAIGHT)
    told = reconstruct("T-1", found.number)
    assert told["state"] == "settled"
    [step] = [step for step in told["steps"] if step["step"] == "amended"]
    assert (step["version"], step["by"], step["proposed_by"]) == (2, "A571", "P371")
    first = [s for s in told["steps"] if s["step"] == "settled" and s["wager"] == "progressive"]
    assert first[0]["hand"] == "royal_flush"
    assert [line["hand"] for line in step["lines"] if line["wager"] == "progressive"] == [
        "straight"
    ]
    text = "\n".join(as_text(told))
    assert "Amended to version 2 by A571, proposed by P371" in text
    assert "position 6 progressive: royal flush $2000.02 -> straight $3.00" in text
    bodies = [parse(bytes(e.body)) for e in AuditEvent.objects.filter(subject="T-1/1")]
    assert {"tables.amendment_proposed", "tables.round_amended"} <= {b["action"] for b in bodies}
    assert made.outcome["lines"] == next(
        b["facts"]["outcome"]["lines"] for b in bodies if b["action"] == "tables.round_amended"
    )


def test_the_pages_of_an_amendment(floor: Any, client: Client) -> None:
    floor.play(Sender().whole(seat(6, ROYAL), seat(2, STRAIGHT)))
    found = Round.objects.get()
    page = f"/admin/tables/roundamendment/propose/{found.pk}/"
    client.force_login(make_user("F291"))
    assert client.get(page).status_code == 403
    client.force_login(pit())
    shown = client.get(f"/admin/tables/round/{found.pk}/change/").content.decode()
    assert page in shown
    assert "royal_flush" not in client.get(page).content.decode()
    told = {"document": "{", "reason": "Wrong."}
    assert client.post(page, told).status_code == 409
    told["document"] = json.dumps(corrected(found, p6=STRAIGHT_OTHER))
    answer = client.post(page, told)
    assert answer.status_code == 302, answer.content.decode()
    address = answer.headers["Location"]
    shown = client.get(address).content.decode()
    assert "You proposed this amendment" in shown
    assert "position 6, cards" in shown
    assert "<b>Void</b> position 6" in shown
    made = RoundAmendment.objects.get()
    refused = client.post(address, {"approve": "1", "digest": made.digest})
    assert refused.status_code == 409
    client.force_login(accountant())
    assert "Approve: it takes effect now" in client.get(address).content.decode()
    assert client.post(address, {"refuse": "1", "remark": ""}).status_code == 409
    assert client.post(address, {"approve": "1", "digest": made.digest}).status_code == 302
    assert "Approved by A571" in client.get(address).content.decode()
    assert "waits" not in client.get("/admin/tables/roundamendment/").content.decode()
