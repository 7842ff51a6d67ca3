"""Envy Bonuses are ticked off once, and a round closes with the last thing that was open in it."""

import threading
import time
from decimal import Decimal
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from django.db import DatabaseError, connection, connections, transaction
from django.test import Client

from audit.models import AuditEvent, User
from progressives import errors
from progressives.models import EnvyPayment, EnvyPayout, JackpotClaim, RoundClosing
from progressives.services import rounds
from progressives.services.claims import pay_claim, refuse_claim
from progressives.services.envies import drop_envy, pay_envy
from tests.databases import CommittedDatabase
from tests.make import TODAY, documented, make_claim, make_user, staff, validated

CITE = "§ 670a.13(k)"


def make_envy(claim: JackpotClaim, position: int = 2, **changes: Any) -> EnvyPayout:
    """Owe a player an Envy Bonus for the claim's hand."""
    told: dict[str, Any] = {
        "lane": claim.lane,
        "lane_number": claim.lane_number,
        "round_id": claim.round_id,
        "table": claim.table,
        "round": claim.round,
        "wager": "progressive",
        "position": position,
        "from_position": claim.position,
        "hand": claim.hand,
        "stake": Decimal("1.00"),
        "amount": Decimal("50.00"),
        "cite": "§ 670a.12(d)(4)",
        "dealer": claim.dealer,
        "gaming_day": TODAY,
        **changes,
    }
    return EnvyPayout.objects.create(**told)


def pay(claim: JackpotClaim) -> JackpotClaim:
    officer = staff("A551", "accounting")
    return pay_claim(claim_id=claim.pk, officer=officer, checks=["documents", "source"])


def closings(claim: JackpotClaim) -> int:
    return RoundClosing.objects.filter(round_id=claim.round_id).count()


@pytest.mark.django_db
def test_670a_11_h_3_ii_an_envy_is_paid_after_its_hand_is_validated_and_closes_the_round() -> None:
    claim = make_claim(percent=10)
    envy, other = make_envy(claim), make_envy(claim, 6)
    officer = staff("F252", "floorperson")
    with pytest.raises(errors.EnvyTooEarly, match="position 4"):
        pay_envy(envy_id=envy.pk, officer=officer)
    documented(claim)
    pay_envy(envy_id=envy.pk, officer=officer)
    with pytest.raises(errors.EnvyTicked, match="F252 ticked"):
        pay_envy(envy_id=envy.pk, officer=officer)
    with pytest.raises(errors.EnvyStillOwed):
        drop_envy(envy_id=other.pk, officer=officer, reason="No.")
    pay(claim)
    assert closings(claim) == 0, "closed with an Envy Bonus unpaid"
    pay_envy(envy_id=other.pk, officer=officer)
    assert closings(claim) == 1
    told = list(AuditEvent.objects.values_list("action", flat=True))
    assert told[-2:] == ["progressives.envy_paid", "progressives.round_closed"]
    assert told.count("progressives.envy_paid") == 2


@pytest.mark.django_db
def test_the_envies_of_a_refused_hand_are_not_owed() -> None:
    claim = make_claim(percent=10)
    envy, officer = make_envy(claim), staff("F252", "floorperson")
    refuse_claim(claim_id=claim.pk, officer=officer, cite=CITE, reason="Seven cards.")
    with pytest.raises(errors.EnvyNotOwed):
        pay_envy(envy_id=envy.pk, officer=officer)
    with pytest.raises(errors.ReasonMissing):
        drop_envy(envy_id=envy.pk, officer=officer, reason=" ")
    assert closings(claim) == 0
    drop_envy(envy_id=envy.pk, officer=officer, reason="The hand has seven cards.")
    assert envy.payment.kind == "not_owed"
    assert closings(claim) == 1


@pytest.mark.django_db
def test_who_may_not_tick_an_envy_off() -> None:
    claim = validated(make_claim())
    envy = make_envy(claim)
    with pytest.raises(errors.NotAllowed):
        pay_envy(envy_id=envy.pk, officer=staff("S451", "surveillance"))
    with pytest.raises(errors.NotAllowed):
        pay_envy(envy_id=envy.pk, officer=make_user("B1", None, is_superuser=True))
    with pytest.raises(errors.DealerOfTheRound):
        pay_envy(envy_id=envy.pk, officer=make_user("d100"))
    with pytest.raises(errors.NoStaffCode):
        pay_envy(envy_id=envy.pk, officer=make_user(None))
    with pytest.raises(errors.EnvyUnknown):
        pay_envy(envy_id=0, officer=make_user())
    assert not EnvyPayment.objects.exists()


def insert(model: type[Any], **told: Any) -> None:
    """Write a row past the services, as the application could."""
    with transaction.atomic():
        model.objects.create(**told)


def closing_of(claim: JackpotClaim, **changes: Any) -> dict[str, Any]:
    return {
        "lane": claim.lane,
        "round_id": claim.round_id,
        "table": claim.table,
        "round": claim.round,
        "by": staff("F251", "floorperson"),
        **changes,
    }


@pytest.mark.django_db
def test_postgresql_closes_no_round_with_anything_open() -> None:
    claim = make_claim()
    envy = make_envy(claim)
    with pytest.raises(DatabaseError, match="position 4 is waiting"):
        insert(RoundClosing, **closing_of(claim))
    validated(claim)
    with pytest.raises(DatabaseError, match="position 4 is validated"):
        insert(RoundClosing, **closing_of(claim))
    pay(claim)
    with pytest.raises(DatabaseError, match="Envy Bonus of position 2 is unpaid"):
        insert(RoundClosing, **closing_of(claim))
    with pytest.raises(DatabaseError, match="nothing that could close"):
        insert(RoundClosing, **closing_of(claim, round_id=uuid4()))
    pay_envy(envy_id=envy.pk, officer=staff("F251", "floorperson"))
    with pytest.raises(DatabaseError, match="round_closed_once"):
        insert(RoundClosing, **closing_of(claim))
    with pytest.raises(DatabaseError, match="nothing that could close"):
        insert(RoundClosing, **closing_of(claim, version=2))


@pytest.mark.django_db
def test_postgresql_keeps_who_ticks_and_when_and_what_is_written() -> None:
    claim = make_claim()
    envy = make_envy(claim)
    officer = staff("F251", "floorperson")
    with pytest.raises(DatabaseError, match="not validated yet"):
        insert(EnvyPayment, envy=envy, kind="paid", by=officer)
    validated(claim)
    with pytest.raises(DatabaseError, match="cannot be not_owed"):
        insert(EnvyPayment, envy=envy, kind="not_owed", by=officer, reason="Because.")
    with pytest.raises(DatabaseError, match="neither the dealer"):
        insert(EnvyPayment, envy=envy, kind="paid", by=make_user("D100", "dealer"))
    with pytest.raises(DatabaseError, match="neither the dealer"):
        insert(EnvyPayment, envy=envy, kind="paid", by=make_user(None))
    pay_envy(envy_id=envy.pk, officer=officer)
    with pytest.raises(DatabaseError, match="envy_id_key"):
        insert(EnvyPayment, envy=envy, kind="paid", by=officer)
    for change in ("UPDATE {} SET at = now()", "DELETE FROM {}", "TRUNCATE {}"):
        for table in ("progressives_envypayment", "progressives_roundclosing"):
            with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
                cursor.execute(change.format(table))


@pytest.mark.django_db
def test_cards_are_held_until_the_documents_are_complete(client: Client) -> None:
    """§ 670a.11(h)(3)(i)(B)(IV), and the house's practice for large fixed payouts."""
    small, share = make_claim(), make_claim(percent=10)
    large = make_claim(amount=Decimal("1500.00"))
    assert [small.cards_held, share.cards_held, large.cards_held] == [False, True, True]
    client.force_login(staff("F251", "floorperson"))
    assert client.get("/admin/progressives/jackpotclaim/queue/").content.count(b"cards held") == 2
    documented(share)
    share.refresh_from_db()
    assert not share.cards_held
    refuse_claim(
        claim_id=large.pk, officer=staff("F251", "floorperson"), cite=CITE, reason="Seven."
    )
    large.refresh_from_db()
    assert not large.cards_held


@pytest.mark.django_db
def test_the_pages_of_envies_show_and_do_what_the_services_do(client: Client) -> None:
    claim = make_claim(percent=10)
    envy, other = make_envy(claim), make_envy(claim, 6)
    client.force_login(staff("F252", "floorperson"))
    desk, tick = "/admin/progressives/envypayout/desk/", "/admin/progressives/envypayout/{}/tick/"
    assert b"Waits until position 4 is validated" in client.get(desk).content
    assert client.post(tick.format(envy.pk), {"deed": "pay"}).status_code == 409
    validated(claim)
    assert b"Paid from the table inventory" in client.get(tick.format(envy.pk)).content
    answer = client.post(tick.format(envy.pk), {"deed": "pay"})
    assert answer.headers["Location"].endswith(f"/jackpotclaim/{claim.pk}/change/")
    shown = client.get(f"/admin/progressives/jackpotclaim/{claim.pk}/change/").content
    assert b"<b>Paid</b> by F252" in shown
    assert b"Open: it closes with its last payout" in shown
    refuse_claim(claim_id=claim.pk, officer=make_user("F9"), cite=CITE, reason="Seven.")
    client.post(tick.format(other.pk), {"deed": "drop", "reason": "Seven cards."})
    assert b"<b>Not owed</b>" in client.get(desk + "?done=1").content
    assert b"Nothing is owed" in client.get(desk).content
    client.force_login(staff("S451", "surveillance"))
    assert client.get(desk).status_code == 200
    assert client.post(tick.format(other.pk), {"deed": "pay"}).status_code == 403


def close_by_two(claim: JackpotClaim, envy: EnvyPayout) -> list[Any]:
    """Let one pay the payout and one the Envy Bonus, before what the first did is committed."""
    first_told, results = threading.Event(), []
    tells = rounds.close_round_if_done

    def slow(round_id: Any, officer: User) -> Any:
        closing = tells(round_id, officer)
        first_told.set()
        time.sleep(0.5)  # not committed yet: the other must wait, or looks at what was before
        return closing

    def run(deed: Any) -> None:
        try:
            results.append(deed())
        finally:
            connections.close_all()

    payer, ticker = staff("A551", "accounting"), staff("F252", "floorperson")
    pays = threading.Thread(target=run, args=(lambda: pay(claim),))
    ticks = threading.Thread(target=run, args=(lambda: pay_envy(envy_id=envy.pk, officer=ticker),))
    assert payer.pk
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("progressives.services.claims.close_round_if_done", slow)
        pays.start()
        assert first_told.wait(20)
        ticks.start()
        pays.join()
        ticks.join()
    return results


def test_of_two_last_steps_at_once_the_second_closes_the_round(
    committed_db: CommittedDatabase,
) -> None:
    claim = validated(make_claim())
    envy = make_envy(claim)
    assert len(close_by_two(claim, envy)) == 2
    assert closings(claim) == 1


def test_without_holding_the_round_two_last_steps_leave_it_open(
    committed_db: CommittedDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The mutant: nobody holds anything, neither claims nor the chain's head."""
    monkeypatch.setattr(
        "progressives.services.envies.hold_round",
        lambda round_id: list(JackpotClaim.objects.filter(round_id=round_id)),
    )
    monkeypatch.setattr("progressives.services.envies.record", lambda chain, events: None)
    owner_drops(committed_db, "envy_is_payable", "progressives_envypayment")
    claim = validated(make_claim())
    envy = make_envy(claim)
    close_by_two(claim, envy)
    assert closings(claim) == 0


def owner_drops(database: CommittedDatabase, trigger: str, table: str) -> None:
    """Take a guard away, as only the owner can."""
    with psycopg.connect(database.owner_url) as owner:
        owner.execute(f"DROP TRIGGER {trigger} ON {table}")


def test_an_envy_is_paid_once_by_two_people_at_once(committed_db: CommittedDatabase) -> None:
    claim = validated(make_claim())
    envy, other = make_envy(claim), make_envy(claim, 6)
    people = [staff("F252", "floorperson"), staff("F253", "floorperson")]
    results: list[Any] = []
    together = threading.Barrier(2)

    def run(person: User) -> None:
        try:
            together.wait()
            results.append(pay_envy(envy_id=envy.pk, officer=person))
        except errors.ProgressiveError as refusal:
            results.append(refusal)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(person,)) for person in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(isinstance(found, EnvyPayment) for found in results) == [False, True]
    assert EnvyPayment.objects.filter(envy=envy).count() == 1
    assert not EnvyPayment.objects.filter(envy=other).exists()
