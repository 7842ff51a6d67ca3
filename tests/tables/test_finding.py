"""A round is found by whatever is known of it, alone and together, filed or not filed yet."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection

from audit.canonical import parse
from audit.models import AuditEvent
from progressives.models import JackpotClaim
from progressives.services.claims import refuse_claim
from tables.findable import Asked
from tables.models import FiledRound, FilingCursor
from tables.rules import Refusal
from tables.services import finding
from tables.services.filing import file_again, file_rounds
from tables.services.finding import Result, find, search
from tests.documents import NOON, NOTHING, OTHER_ROYAL, ROYAL, STRAIGHT, Sender, seat
from tests.make import make_user

RIGHT, OVER = {"main": "25.00", "progressive": "3.00"}, {"main": "75.00", "progressive": "3.00"}


@pytest.fixture
def played(floor: Any) -> Any:
    """Return a house with five rounds at T-1, of which one is void, and three at T-2."""
    one, two = Sender(), Sender("T-2")
    floor.play(
        one.whole(seat(2, STRAIGHT, player="P-7", paid=RIGHT), seat(5, NOTHING, player="P-8"),
                  dealer="D1", floorperson="F1", deck="blue-1"),
        one.whole(seat(2, STRAIGHT, player="P-8", paid=OVER), dealer="D2", deck="red-1"),
        one.whole(seat(2, ROYAL, player="P-7"), seat(6, OTHER_ROYAL, player="P-9"), dealer="D2"),
        one.lockout(seat(3, NOTHING, player="P-7"), deck="blue-1", dealer="D1"),
        one.void(dealer="D1"),
        one.lockout(seat(4, NOTHING, player="P-4"), deck="green-9", dealer="D3"),
        one.settlement(seat(4, NOTHING, player="P-4"), dealer="D3"),
        two.whole(seat(1, NOTHING, player="P-7"), dealer="D1"),
        two.whole(seat(1, STRAIGHT, player="P-5"), dealer="D4"),
        two.whole(seat(1, NOTHING, progressive=False), dealer="D4", floorperson="F1"),
    )  # fmt: skip
    return floor


def places(result: Result) -> set[str]:
    return {f"{match.round.table.code}/{match.round.number}" for match in result.matches}


QUESTIONS: list[tuple[dict[str, Any], set[str]]] = [
    ({"table": "T-2"}, {"T-2/1", "T-2/2", "T-2/3"}),
    ({"player": "P-7"}, {"T-1/1", "T-1/3", "T-1/4", "T-2/1"}),
    ({"player": "P-7", "table": "T-1"}, {"T-1/1", "T-1/3", "T-1/4"}),
    ({"player": "P-7", "position": 2}, {"T-1/1", "T-1/3"}),
    ({"player": "P-8", "hand": "straight"}, {"T-1/2"}),  # at round 1 another had it
    ({"dealer": "D1", "floorperson": "F1"}, {"T-1/1"}),
    ({"dealer": "D4", "player": "P-7"}, set()),
    ({"hand": "royal_flush"}, {"T-1/3"}),
    ({"cards": ("AS", "KS", "QS")}, {"T-1/3"}),
    ({"cards": ("AS", "AH")}, set()),  # never at one position
    ({"cards": ("7D", "3S"), "position": 0, "table": "T-2"}, {"T-2/1", "T-2/2", "T-2/3"}),
    ({"cards": ("AS",), "player": "P-9"}, set()),
    ({"cards": ("AH",), "player": "P-9"}, {"T-1/3"}),
    ({"wagered": Decimal("26.00"), "position": 5}, {"T-1/1"}),
    ({"paid": Decimal("25.00"), "player": "P-7"}, {"T-1/1", "T-2/1"}),
    ({"paid": Decimal("28.00"), "player": "P-7"}, {"T-1/1"}),  # of two wagers together
    ({"paid": Decimal("75.00")}, {"T-1/2"}),  # what the dealer paid, and not what was due
    ({"paid_at_least": Decimal(1000)}, {"T-1/3"}),
    ({"paid_at_least": Decimal(26), "table": "T-2"}, {"T-2/2"}),
    ({"deck": "blue-1"}, {"T-1/1", "T-1/4"}),
    ({"deck": "green-9"}, {"T-1/5"}),  # told by the lock-out alone
    ({"flags": ("void",)}, {"T-1/4"}),
    ({"flags": ("void",), "wagered": Decimal("26.00"), "position": 3}, {"T-1/4"}),
    ({"flags": ("mispay",)}, {"T-1/2"}),
    ({"round": 3}, {"T-1/3", "T-2/3"}),
    ({"round": 3, "table": "T-2"}, {"T-2/3"}),
    ({"round": 3, "table": "T-2", "player": "P-7"}, set()),
    ({"meter": Decimal("20000.50")}, {"T-1/1", "T-1/2", "T-1/3"}),
    ({"since": NOON + timedelta(minutes=3), "table": "T-1"}, {"T-1/3", "T-1/4", "T-1/5"}),
    ({"until": NOON + timedelta(minutes=2), "table": "T-2"}, {"T-2/1"}),
]


def test_each_question_finds_its_rounds_filed_or_not(played: Any) -> None:
    before = [places(find(Asked(**asked))) for asked, _ in QUESTIONS]
    assert FiledRound.objects.count() == 0

    assert file_rounds() == 8
    after = [places(find(Asked(**asked))) for asked, _ in QUESTIONS]

    wanted = [found for _, found in QUESTIONS]
    assert before == wanted
    assert after == wanted


def test_claim_and_what_became_of_it(played: Any) -> None:
    file_rounds()
    first, other = JackpotClaim.objects.filter(table="T-1", round=3).order_by("-position")
    officer = make_user("F250", "pit manager")
    refuse_claim(claim_id=other.pk, officer=officer, cite="§ 670a.13(e)", reason="Not so.")
    assert places(find(Asked(claim=first.pk))) == {"T-1/3"}
    assert places(find(Asked(claim=first.pk, player="P-8"))) == set()
    assert places(find(Asked(claim=999_999_999))) == set()
    assert places(find(Asked(slip=12))) == set()

    assert places(find(Asked(flags=("refused",)))) == set()  # not filed yet
    file_rounds()
    assert places(find(Asked(flags=("refused",)))) == {"T-1/3"}


def test_page_after_page_newest_first_and_none_twice(played: Any) -> None:
    first_half = find(Asked(), page=3)
    file_rounds()
    found, after = list(first_half.matches), first_half.after
    while after is not None:
        result = find(Asked(), after=after, page=3)
        found, after = found + result.matches, result.after
    moments = [match.place for match in found]
    assert moments == sorted(moments, reverse=True)
    assert len(set(moments)) == len(moments) == 8


def test_what_is_rare_is_found_far_back_by_the_index(
    played: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    file_rounds()
    for name, value in (("GLANCE", 1), ("WALK", 1), ("CANDIDATES", 2)):
        monkeypatch.setattr(finding, name, value)
    for asked, wanted in QUESTIONS:
        result = find(Asked(**asked))
        if len(Asked(**asked).keys()) > len(Asked(table=asked.get("table", "")).keys()):
            assert places(result) == wanted, asked
            assert result.after is None


def test_a_search_that_did_its_share_says_how_far_it_looked(
    played: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    file_rounds()
    monkeypatch.setattr(finding, "GLANCE", 1)
    monkeypatch.setattr(finding, "WALK_FOR_CARDS", 2)
    found, after, looks = set(), None, 0
    while looks == 0 or after is not None:
        result = find(Asked(cards=("AS", "KS")), after=after)
        found |= places(result)
        assert (result.after is None) == (result.reached is None)
        after, looks = result.after, looks + 1
    assert (found, looks) == ({"T-1/3"}, 3)


def test_filing_twice_or_again_changes_nothing(played: Any) -> None:
    file_rounds()
    rows = list(FiledRound.objects.order_by("round").values())
    assert file_rounds() == 0
    file_again()
    assert file_rounds() == 8
    assert list(FiledRound.objects.order_by("round").values()) == rows
    assert FilingCursor.objects.get(name__startswith="lane").place == 10


def test_a_search_is_written_down_with_who_and_what(played: Any) -> None:
    by = make_user("S400", "surveillance")
    since = datetime(2026, 3, 14, tzinfo=UTC)
    search(Asked(since=since, player="P-7", cards=("AS",), paid=Decimal("5.00")), by=by)
    told = parse(bytes(AuditEvent.objects.get(action="tables.rounds_searched").body))
    assert told["by"] == "S400"
    assert told["facts"] == {
        "cards": ["AS"], "found": 0, "paid": "5.00", "player": "P-7", "rounds": [],
        "since": "2026-03-14T00:00:00.000000Z",
    }  # fmt: skip


def test_a_search_that_takes_too_long_says_so(played: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    file_rounds()
    monkeypatch.setattr(finding, "CARDS_SQL", "pg_sleep(1) IS NOT NULL")
    monkeypatch.setattr(finding, "TIMEOUT", "50ms")
    with pytest.raises(Refusal, match="takes too long"):
        search(Asked(cards=("AS",)), by=make_user("S400", "surveillance"))
    with connection.cursor() as cursor:  # the transaction goes on, its settings as they were
        cursor.execute("SHOW statement_timeout")
        assert cursor.fetchone()[0] != "50ms"
    assert AuditEvent.objects.filter(action="tables.rounds_searched").count() == 1
