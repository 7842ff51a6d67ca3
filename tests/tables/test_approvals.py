"""The watch over the approvers: sums by side, odd times, and three people who meet too often."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from math import exp
from typing import Any

import pytest
from django.test import Client

from audit.models import AuditEvent
from progressives.models import JackpotClaim
from progressives.services.claims import refuse_claim
from tables.approvals import Approval, poisson_tail, watch
from tables.services.approvals import watched
from tables.services.filing import file_rounds
from tests.documents import STRAIGHT, Sender, seat
from tests.make import make_user, staff, validated

DAY = date(2026, 3, 14)
NOON = datetime(2026, 3, 14, 16, tzinfo=UTC)


def approval(number: int, dealer: str, supervisor: str, player: str, **changes: Any) -> Approval:
    told = {"day": DAY, "shift": 0, "seconds": 20.0} | changes
    seconds = told.pop("seconds")
    return Approval(
        *(number, "T-1", number, 2, dealer, player, supervisor, Decimal("3.00")),
        **{"hour": 12, "opened_at": NOON, "manual": False, "changed": False, **told},
        validated_at=NOON + timedelta(seconds=seconds),
    )


def test_the_tail_of_poisson_is_what_the_formula_says() -> None:
    assert poisson_tail(0, 2.0) == 1.0
    assert poisson_tail(1, 2.0) == pytest.approx(1 - exp(-2))
    assert poisson_tail(3, 1.0) == pytest.approx(1 - exp(-1) * (1 + 1 + 0.5))
    assert poisson_tail(40, 1.0) == pytest.approx(4.6e-49, rel=0.02)  # no "1 minus" can tell it
    assert poisson_tail(5, 500.0) == pytest.approx(1.0)


def shift(day: int, supervisors: list[str], *, cheat: bool) -> list[Approval]:
    """Return a shift of 40 payouts: four dealers, ten players, the supervisors in turn."""
    found = []
    for n in range(40):
        dealer, player = f"D{n % 4}", f"P{n % 10}"
        supervisor = supervisors[(n // 4 + day) % len(supervisors)]
        if cheat and (dealer, player) == ("D1", "P1"):
            supervisor = supervisors[0]
        found.append(approval(day * 100 + n, dealer, supervisor, player,
                              day=DAY + timedelta(days=day)))  # fmt: skip
    return found


def test_three_who_meet_too_often_stand_out_and_nobody_else() -> None:
    names = ["F1", "F2", "F3", "F4"]
    honest = [one for day in range(10) for one in shift(day, names, cheat=False)]
    assert watch(honest).triples == []

    found = watch([one for day in range(10) for one in shift(day, names, cheat=True)])
    [triple] = found.triples
    assert (triple.dealer, triple.supervisor, triple.player) == ("D1", "F1", "P1")
    assert (triple.seen, len(triple.claims)) == (20, 20)
    assert triple.expected == pytest.approx(5.5, abs=1)
    assert triple.probability == pytest.approx(
        poisson_tail(20, triple.expected) * found.triples_looked_at
    )


def test_people_of_one_shift_meet_often_and_that_is_no_wonder() -> None:
    """All of a night's payouts are F9's: whoever looks at the days together would accuse him."""
    days = [one for day in range(10) for one in shift(day, ["F1", "F2"], cheat=False)]
    nights = [approval(9000 + n, "D9", "F9", "P9", shift=2, day=DAY + timedelta(days=n % 10))
              for n in range(40)]  # fmt: skip
    assert watch(days + nights).triples == []
    mixed = [approval(9000 + n, "D9", "F9", "P9", day=DAY + timedelta(days=n % 10))
             for n in range(40)]  # fmt: skip
    assert [triple.player for triple in watch(days + mixed).triples] == ["P9"]


def test_odd_times_are_those_beyond_the_fences() -> None:
    usual = [approval(n, "D1", "F1", f"P{n}", seconds=15 + n) for n in range(20)]
    slow, fast = (approval(90, "D1", "F1", "P", seconds=900),
                  approval(91, "D1", "F1", "P", seconds=0.6))  # fmt: skip
    found = watch([*usual, slow, fast])
    assert [one.claim for one in found.outliers] == [91, 90]
    assert found.whole.median_seconds == pytest.approx(24.5)
    assert watch(usual[:7]).outliers == []


def test_page_and_api_tell_what_happened_at_the_tables(floor: Any, client: Client) -> None:
    sender = Sender()
    won = seat(2, STRAIGHT, player="P-7")
    floor.play(*[sender.whole(won, dealer=dealer) for dealer in ("D1", "D1", "D2")])
    file_rounds()
    first, second, third = JackpotClaim.objects.order_by("round")
    for claim, code in ((first, "F251"), (second, "F252"), (third, "F251")):
        validated(claim, staff(code, "floorperson"))
    refuse_claim(
        claim_id=third.pk, officer=staff("F252", "floorperson"), cite="§ 670a.13(e)", reason="Seen."
    )
    found = watched(DAY, DAY)
    assert found is not None
    assert [(g.name, g.number, g.changed_percent) for g in found.supervisors] == [
        ("F251", 2, Decimal("50.0")), ("F252", 1, Decimal("0.0"))]  # fmt: skip
    assert [(g.name, g.amount) for g in found.dealers] == [
        ("D1", Decimal("6.00")), ("D2", Decimal("3.00"))]  # fmt: skip
    assert [g.name for g in found.positions] == ["2"]
    assert found.whole.manual_percent == Decimal("0.0")
    assert watched(DAY + timedelta(days=1), DAY + timedelta(days=2)).whole.number == 0  # type: ignore[union-attr]

    page, days = "/admin/tables/round/approvals/", {"first": "2026-03-01", "last": "2026-03-14"}
    for role in ("floorperson", "pit manager"):
        client.force_login(make_user(f"Z-{role}", role))
        assert client.get(page).status_code == 403
        assert client.get("/api/v1/claims/approvals/").status_code == 403
    client.force_login(make_user("S400", "surveillance"))
    text = client.get(page, days).content.decode()
    assert "3 payouts validated" in text
    assert "None of 3 triples stands out." in text
    told = client.get("/api/v1/claims/approvals/", days).json()
    assert [(g["name"], g["number"]) for g in told["supervisors"]] == [("F251", 2), ("F252", 1)]
    assert (told["triples"], told["triples_looked_at"]) == ([], 3)
    assert AuditEvent.objects.filter(action="audit.page_read").count() == 6  # also the refused
