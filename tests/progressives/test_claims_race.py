"""Two people decide on one claim in the same moment: exactly one of them does.

Both are made to wait at the claim's row by a third connection, and are let go together. The twin
of each race takes the lock away and must fail: then the second only notices at the database's
guards, and cannot be told who was first.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from django.db import connections, transaction

from audit.models import User
from progressives import errors
from progressives.models import ClaimStep, JackpotClaim
from progressives.selectors import changed_since, look_token
from progressives.services import claims, claims_approve, claims_return
from progressives.services.claims import refuse_claim, validate_claim
from progressives.services.claims_return import return_refused_award
from tests.databases import CommittedDatabase
from tests.make import PASSWORD, make_claim, make_user, meter_of, staff, validated

Deed = Callable[[], object]


@contextmanager
def held_row(database: CommittedDatabase, table: str, pk: int, waiting: int) -> Iterator[None]:
    """Hold a row until ``waiting`` others wait for it."""
    with psycopg.connect(database.database_url) as holder:
        holder.execute(f"SELECT 1 FROM {table} WHERE id = %s FOR UPDATE", [pk])
        yield
        deadline = time.monotonic() + 1.5  # the application gives up waiting after two seconds
        while time.monotonic() < deadline:
            blocked = holder.execute(
                "SELECT count(DISTINCT pid) FROM pg_locks WHERE NOT granted"
            ).fetchone()
            if blocked == (waiting,):
                break
            time.sleep(0.02)
        else:
            pytest.fail(f"{blocked} instead of {waiting} wait for the row: no race took place")


def race(database: CommittedDatabase, claim: JackpotClaim, deeds: list[Deed]) -> list[Any]:
    """Let the deeds loose on the claim together; return what each gave or was refused with."""
    results: list[Any] = [None] * len(deeds)

    def run(place: int, deed: Deed) -> None:
        try:
            results[place] = deed()
        except errors.ProgressiveError as refusal:
            results[place] = refusal
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(place, deed)) for place, deed in enumerate(deeds)]
    with held_row(database, "progressives_jackpotclaim", claim.pk, waiting=len(deeds)):
        for thread in threads:
            thread.start()
    for thread in threads:
        thread.join()
    return results


def validates(claim: JackpotClaim, officer: User) -> Deed:
    return lambda: validate_claim(claim_id=claim.pk, officer=officer)


def refuses(claim: JackpotClaim, officer: User) -> Deed:
    cite, reason = "§ 670a.13(e)", "A card of the dealer was exposed."
    return lambda: refuse_claim(claim_id=claim.pk, officer=officer, cite=cite, reason=reason)


def exactly_one_validates(database: CommittedDatabase) -> None:
    claim = make_claim()
    officers = [make_user("F200"), make_user("F201")]

    results = race(database, claim, [validates(claim, officer) for officer in officers])

    winners = [
        o
        for o, result in zip(officers, results, strict=True)
        if result and not isinstance(result, Exception)
    ]
    losses = [result for result in results if isinstance(result, Exception)]
    assert len(winners) == 1
    assert [type(loss) for loss in losses] == [errors.AlreadyValidated]
    assert f"by {winners[0].staff_code} at" in str(losses[0])
    assert claim.steps.get(kind="validated").by == winners[0]


def without_lock(claim_id: int) -> JackpotClaim:
    return JackpotClaim.objects.select_related("lane").get(pk=claim_id)


def test_of_two_supervisors_exactly_one_validates(committed_db: CommittedDatabase) -> None:
    exactly_one_validates(committed_db)


def test_without_the_lock_the_race_is_lost(
    committed_db: CommittedDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims, "lock_claim", without_lock)
    with pytest.raises(AssertionError):
        exactly_one_validates(committed_db)


def exactly_one_approves(database: CommittedDatabase) -> None:
    claim = validated(make_claim(percent=10))
    watcher = staff("S451", "surveillance")
    claims_approve.answer_claim(claim_id=claim.pk, officer=watcher, answer="verified")
    officers = [make_user(f"P30{n}", "pit manager", password=PASSWORD) for n in range(2)]
    deeds: list[Deed] = [
        lambda officer=officer: claims_approve.take_approval(
            claim_id=claim.pk, officer=officer, factors=["password"], checks=["seen"]
        )
        for officer in officers
    ]

    results = race(database, claim, deeds)

    losses = [result for result in results if isinstance(result, Exception)]
    assert [type(loss) for loss in losses] == [errors.AlreadyApproved]
    winner = claim.steps.get(kind="approved").by
    assert f"by {winner} at" in str(losses[0])


def test_of_two_second_approvers_exactly_one_approves(committed_db: CommittedDatabase) -> None:
    exactly_one_approves(committed_db)


def test_without_the_lock_the_second_approver_is_not_told_who_was_first(
    committed_db: CommittedDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims_approve, "lock_claim", without_lock)
    with pytest.raises(AssertionError):
        exactly_one_approves(committed_db)


def test_validated_and_refused_at_once_is_one_of_the_two(committed_db: CommittedDatabase) -> None:
    claim = make_claim()
    deeds = [validates(claim, make_user("F200")), refuses(claim, make_user("F201"))]

    results = race(committed_db, claim, deeds)

    claim.refresh_from_db()
    kinds = list(claim.steps.values_list("kind", flat=True))
    if claim.state == "refused":  # first refused, or first validated and then refused
        assert kinds in (["opened", "refused"], ["opened", "validated", "refused"])
        assert not isinstance(results[1], Exception)
    else:
        pytest.fail(f"a refusal was lost: {claim.state}, {results}")


def put_back_once(database: CommittedDatabase) -> None:
    claim = make_claim(percent=10)
    refuse_claim(
        claim_id=claim.pk, officer=make_user("F200"), cite="§ 670a.13(k)", reason="Seven cards."
    )
    deeds: list[Deed] = [
        lambda code=code: return_refused_award(
            claim_id=claim.pk, officer=User.objects.get(staff_code=code), reason="Agreed."
        )
        for code in [make_user(f"A50{n}", "accounting").staff_code for n in range(2)]
    ]

    results = race(database, claim, deeds)

    assert [type(r) for r in results if isinstance(r, Exception)] == [errors.AlreadyReturned]
    assert meter_of(claim.progressive).value == claim.meter_at_turn


def test_an_award_goes_back_once(committed_db: CommittedDatabase) -> None:
    put_back_once(committed_db)


def test_without_the_lock_the_second_return_is_not_told_who_was_first(
    committed_db: CommittedDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claims_return, "lock_claim", without_lock)
    with pytest.raises(AssertionError):
        put_back_once(committed_db)


def test_a_return_waits_for_the_lane_and_says_so_when_it_waits_too_long(
    committed_db: CommittedDatabase,
) -> None:
    """Only the lane's holder moves meters: while an applier holds it, nothing goes back."""
    claim = make_claim(percent=10)
    refuse_claim(claim_id=claim.pk, officer=make_user(), cite="§ 670a.13(k)", reason="Seven cards.")
    officer = make_user("A500", "accounting")
    with psycopg.connect(committed_db.database_url) as applier:
        applier.execute(
            "SELECT 1 FROM progressives_lane WHERE id = %s FOR NO KEY UPDATE", [claim.lane_id]
        )
        with pytest.raises(errors.Busy):
            return_refused_award(claim_id=claim.pk, officer=officer, reason="Agreed.")
    assert not claim.steps.filter(kind="returned").exists()

    return_refused_award(claim_id=claim.pk, officer=officer, reason="Agreed.")
    assert meter_of(claim.progressive).value == claim.meter_at_turn


def test_a_guard_that_speaks_only_at_commit_is_told_as_a_refusal(
    committed_db: CommittedDatabase,
) -> None:
    claim = make_claim()

    @claims.step
    def forgetful() -> None:
        JackpotClaim.objects.filter(pk=claim.pk).update(state="validated")

    with pytest.raises(errors.Guarded, match="without anybody having done it"):
        forgetful()
    claim.refresh_from_db()
    assert claim.state == "waiting"


def test_a_look_misses_nothing_that_was_written_before_and_committed_after(
    committed_db: CommittedDatabase,
) -> None:
    """A claim of a slow transaction has an older number than the look that did not see it."""
    early, late = make_claim(), make_claim()
    officer = make_user()
    begun, go_on = threading.Event(), threading.Event()

    def slow_writer() -> None:
        with transaction.atomic():
            ClaimStep.objects.create(claim=early, kind=ClaimStep.Kind.ESCALATED)
            begun.set()
            go_on.wait(5)
        connections.close_all()

    thread = threading.Thread(target=slow_writer)
    thread.start()
    begun.wait(5)
    validate_claim(claim_id=late.pk, officer=officer)  # a later transaction, committed first
    token = look_token()
    unseen = set(changed_since(token).values_list("pk", flat=True))
    go_on.set()
    thread.join()

    assert early.pk not in unseen
    assert early.pk in set(changed_since(token).values_list("pk", flat=True))
    assert changed_since(look_token()).count() == 0
