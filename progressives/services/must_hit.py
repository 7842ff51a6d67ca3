"""Draw, seal, commit and reveal the amounts of levels that must hit."""

import json
import secrets
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from audit.sealing import seal, unseal
from audit.services import LogEvent, log_event
from progressives.meters import CENT
from progressives.models import Meter, MustHitDraw, MustHitReveal
from progressives.must_hit import Draw, steps_between

SALT_BYTES = 32
WIDTH = 18  # of an amount before it is sealed: what is sealed must not tell its length


class Won(NamedTuple):
    """A level won: by which award, what its draw was, and what is drawn next."""

    sequence: int
    draw: Draw
    following: Draw


def draw_for(meter: Meter, number: int) -> Draw:
    """Draw an amount by the system's CSPRNG, each cent from bound to bound as likely."""
    low, high = meter.must_hit_from, meter.must_hit_by
    if low is None or high is None:
        raise ValueError(f"{meter} need not hit by any amount")
    low, high = low.quantize(CENT), high.quantize(CENT)
    value = low + CENT * secrets.randbelow(steps_between(low, high))
    name = f"{meter.progressive.code}:{meter.level}"
    return Draw(name, number, low, high, value, secrets.token_hex(SALT_BYTES))


def current_draw(meter: Meter) -> Draw:
    """Return the draw of a meter that is not revealed yet; only its lane's holder asks for it."""
    return made_of(meter, MustHitDraw.objects.get(meter=meter, reveal__isnull=True))


def draw_at(meter: Meter, sequence: int) -> Draw:
    """Return the draw that held after an entry: the first one that was won later, or the hidden."""
    draws = MustHitDraw.objects.filter(meter=meter, reveal__entry_sequence__gt=sequence)
    row = draws.order_by("number").first()
    return current_draw(meter) if row is None else made_of(meter, row)


def draw_numbered(meter: Meter, number: int) -> Draw:
    """Return a draw that was made."""
    return made_of(meter, MustHitDraw.objects.get(meter=meter, number=number))


def made_of(meter: Meter, row: MustHitDraw) -> Draw:
    """Return a stored draw with its secret."""
    value, salt = json.loads(unseal(row.sealed))
    name = f"{meter.progressive.code}:{meter.level}"
    return Draw(name, row.number, row.low, row.high, Decimal(value.strip()), salt)


def begin(meters: Sequence[Meter]) -> list[LogEvent]:
    """Make and store the first draw of new meters that must hit; return their commitments."""
    events = []
    for meter in meters:
        draw = draw_for(meter, 1)
        store_draw(meter.pk, draw)
        events.append(committed(draw))
    return events


def store_draw(meter_id: int, draw: Draw) -> None:
    """Store a draw: its hash, and itself sealed."""
    MustHitDraw.objects.create(
        meter_id=meter_id,
        number=draw.number,
        low=draw.low,
        high=draw.high,
        commitment=draw.commitment,
        sealed=sealed(draw),
    )


def sealed(draw: Draw) -> str:
    """Return a draw's secret sealed, as long for one amount as for another."""
    return seal(json.dumps([f"{draw.value:.2f}".rjust(WIDTH), draw.salt]))


def store_won(meter_id: int, won: Sequence[Won]) -> None:
    """Reveal what was won and store what is drawn next, in order; their entries are there."""
    for one in won:
        drawn = MustHitDraw.objects.get(meter=meter_id, number=one.draw.number)
        MustHitReveal.objects.create(
            draw=drawn, value=one.draw.value, salt=one.draw.salt, entry_sequence=one.sequence
        )
        store_draw(meter_id, one.following)


def committed(draw: Draw, **more: Any) -> LogEvent:
    """Return the event that tells a draw's hash."""
    return log_event("progressives.must_hit_committed", draw.meter, {**public(draw), **more})


def revealed(one: Won, subject: str, **more: Any) -> LogEvent:
    """Return the event that tells what a draw was, in the place of the round that won it."""
    secret = {"value": f"{one.draw.value:.2f}", "salt": one.draw.salt, "entry": one.sequence}
    facts = {**public(one.draw), **secret, **more}
    return log_event("progressives.must_hit_revealed", subject, facts)


def public(draw: Draw) -> dict[str, Any]:
    """Return what everybody may know of a draw before the hit."""
    return {
        "meter": draw.meter,
        "number": draw.number,
        "from": f"{draw.low:.2f}",
        "by": f"{draw.high:.2f}",
        "commitment": draw.commitment,
    }
