"""The pictures' figures: from edge to edge, no movement out of its place."""

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from progressives.charts import HEIGHT, WIDTH, bars_of, curve_of
from progressives.retold import Move

kinds = st.sampled_from(["contribution", "reversal", "award", "reset"])
moves = st.lists(
    st.builds(
        Move,
        kinds,
        st.sampled_from(["T-1", "T-2"]),
        st.integers(1, 50),
        st.integers(1, 6),
        st.decimals(-100, 100, places=2),
        st.none(),
        st.just("D100"),
        st.integers(1, 50),
        st.booleans(),
        st.sampled_from(["", "2026-03-14T12:00:00-04:00", "2026-03-14T13:00:00-04:00"]),
    ),
    min_size=2,
    max_size=600,
)


@given(moves)
def test_a_curve_stays_in_its_frame_and_goes_forward(day: list[Move]) -> None:
    curve = curve_of(Decimal(20000), day)
    assert curve is not None
    points = [tuple(map(float, point.split(","))) for point in curve.points.split()]
    assert all(0 <= x <= WIDTH and 0 <= y <= HEIGHT for x, y in points)
    assert [x for x, _ in points] == sorted(x for x, _ in points)
    assert len(curve.marks) == sum(m.kind in ("award", "reset") for m in day)


@given(moves)
def test_bars_come_to_what_was_contributed(day: list[Move]) -> None:
    fed = [m.amount for m in day if m.kind in ("contribution", "reversal")]
    assert sum((bar.amount for bar in bars_of(day)), Decimal(0)) == sum(fed, Decimal(0))
    assert all(0 <= float(bar.width) <= 720 for bar in bars_of(day))


def test_a_day_without_movements_has_no_curve() -> None:
    assert curve_of(Decimal(1), []) is None
    assert bars_of([]) == []
