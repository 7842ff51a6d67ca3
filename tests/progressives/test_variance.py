"""Each planted fault is named, on days of chance: the comparison is pure, and so are these."""

from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st

from progressives.retold import Move
from progressives.variance import explain

RATE = Decimal("21")
OPEN = Decimal("20000.00")


@st.composite
def played(draw: st.DrawFn) -> list[Move]:
    """Draw a day of rounds at two tables: wagers of one unit, some voids, an award now and then."""
    unit = draw(st.sampled_from([Decimal("1.00"), Decimal("5.00")]))
    moves: list[Move] = []
    value = OPEN
    for number in range(1, draw(st.integers(6, 30)) + 1):
        table = draw(st.sampled_from(["T-1", "T-2"]))
        facts = {"dealer": "D100", "lane_number": number, "at": f"2026-03-14T12:{number:02}:00Z"}
        seats = draw(st.lists(st.integers(1, 6), min_size=1, max_size=6, unique=True))
        for position in sorted(seats, reverse=True):
            added = unit * RATE / 100
            moves.append(
                Move("contribution", table, number, position, added, unit, **facts)  # type: ignore[arg-type]
            )
            value += added
        fate = draw(st.integers(0, 9))
        if fate == 0:
            for position in sorted(seats, reverse=True):
                moves.append(
                    Move("reversal", table, number, position, -unit * RATE / 100, None, **facts)  # type: ignore[arg-type]
                )
        elif fate == 1:
            paid = (value / 10).quantize(Decimal("0.01"))
            moves.append(Move("award", table, number, seats[0], -paid, unit, **facts))  # type: ignore[arg-type]
            value -= paid
    return moves


def end_of(moves: list[Move]) -> Decimal:
    return OPEN + sum((moved.amount for moved in moves), Decimal(0))


def rounds_of(moves: list[Move]) -> list[tuple[str, int | None]]:
    return sorted({(m.table, m.round) for m in moves}, key=str)


def named(log: list[Move], ledger: list[Move], reading: Decimal | None = None) -> list[tuple]:
    """Explain a ledger whose sign shows what it says, unless something else was read."""
    published = end_of(ledger)
    shown = published if reading is None else reading
    causes = explain(log, ledger, percent=RATE, reading=shown, published=published)
    assert sum((cause.amount for cause in causes), Decimal(0)) == shown - end_of(log)
    return [(cause.kind, cause.rounds) for cause in causes]


@settings(max_examples=80)
@given(played())
def test_a_sound_day_has_no_variance(log: list[Move]) -> None:
    assert named(log, list(log)) == []


@settings(max_examples=80)
@given(played(), st.data())
def test_a_lost_round_is_named(log: list[Move], data: st.DataObject) -> None:
    gone = data.draw(st.sampled_from(rounds_of(log)))
    ledger = [m for m in log if (m.table, m.round) != gone]
    assert named(log, ledger) == [("missing_round", (gone,))]


@settings(max_examples=80)
@given(played(), st.data())
def test_a_doubled_round_is_named(log: list[Move], data: st.DataObject) -> None:
    twice = data.draw(st.sampled_from(rounds_of(log)))
    again = [m for m in log if (m.table, m.round) == twice]
    assert named(log, log + again) == [("duplicate", (twice,))]


@settings(max_examples=80)
@given(played(), st.data())
def test_a_wrong_rate_for_an_hour_is_named_with_its_rounds(
    log: list[Move], data: st.DataObject
) -> None:
    numbers = sorted({m.lane_number for m in log})
    first = data.draw(st.sampled_from(numbers))
    last = data.draw(st.sampled_from([n for n in numbers if n >= first]))
    wrong = data.draw(st.sampled_from([Decimal("20"), Decimal("20.5"), Decimal("25")]))
    ledger = [
        m._replace(amount=m.stake * wrong / 100)
        if m.stake and m.kind == "contribution" and first <= m.lane_number <= last
        else m
        for m in log
    ]
    [(kind, rounds)] = named(log, ledger)
    assert kind == "wrong_rate"
    assert (rounds[0][1], rounds[-1][1]) == (first, last)
    [cause] = explain(log, ledger, percent=RATE)
    assert f"went on at {wrong.normalize():f}%, not 21%" in cause.sentence


@settings(max_examples=80)
@given(played(), st.sampled_from([Decimal(1), Decimal(-1), Decimal(10), Decimal("-100")]))
def test_a_reading_whole_dollars_off_is_named_first(log: list[Move], off: Decimal) -> None:
    causes = explain(log, log, percent=RATE, reading=end_of(log) + off, published=end_of(log))
    assert (causes[0].kind, causes[0].amount) == ("manual_entry", off)


@settings(max_examples=60)
@given(played(), st.integers(1, 4))
def test_a_sign_read_too_early_is_named(log: list[Move], count: int) -> None:
    lost = sum((m.amount for m in log[-count:]), Decimal(0))
    if all(m.kind == "contribution" for m in log[-count:]):
        early = end_of(log) - lost
        causes = explain(log, log, percent=RATE, reading=early, published=end_of(log))
        assert "late_event" in {cause.kind for cause in causes}


def test_exchanged_digits_are_said() -> None:
    [cause] = explain(
        [], [], percent=RATE, reading=Decimal("20001.24"), published=Decimal("20001.42")
    )
    assert cause.kind == "manual_entry"
    assert "exchanged" in cause.sentence


def test_an_entry_that_no_event_explains_is_a_manual_one() -> None:
    entry = Move("adjustment", "", None, None, Decimal(5), None, "", 3)
    assert named([], [entry]) == [("manual_entry", (("", None),))]


def test_a_round_counted_a_day_too_early_is_late() -> None:
    moved = Move("contribution", "T-1", 9, 2, Decimal("0.21"), Decimal(1), "", 3)
    causes = explain([], [moved], percent=RATE, after=[moved])
    assert [cause.kind for cause in causes] == ["late_event"]
