"""Read the log's chains and tell a gaming day's meters again from them alone."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache
from typing import Any

from django.db import connection, transaction

from audit.canonical import parse
from audit.chain import START, link_hash
from audit.models import AuditEvent
from audit.services import SYSTEM, chain_of_lane
from progressives.models import GamingDayClose, Lane
from progressives.retold import FLOOR, Retelling

Reached = tuple[int, bytes]
PEEKED = 400  # events looked at beyond the day: a sign read too late shows them


@dataclass(frozen=True)
class Told:
    """A day told again: its meters, how far each chain was read, and where a link is broken."""

    retelling: Retelling
    reached: dict[str, Reached]
    numbers: dict[str, int]  # the last lane number of the day, by lane
    broken: tuple[str, ...]


def floor_until(moment: datetime | None) -> list[Mapping[str, Any]]:
    """Return what the log says of tables, meters and their terms, in its order."""
    found = AuditEvent.objects.filter(chain__name=SYSTEM, action__in=FLOOR)
    if moment is not None:
        found = found.filter(recorded_at__lte=moment)
    bodies = found.order_by("sequence").values_list("body", flat=True)
    return [parse(bytes(body)) for body in bodies]


def links_of(chain: str, reached: Reached, broken: list[str]) -> Iterator[tuple[int, bytes, Any]]:
    """Yield a chain's events after ``reached``; note where one is not linked to its predecessor."""
    sequence, head = reached
    rows = AuditEvent.objects.filter(chain__name=chain, sequence__gt=sequence)
    columns = ("sequence", "previous", "hash", "body")
    for number, previous, digest, body in (
        rows.order_by("sequence").values_list(*columns).iterator(500)
    ):
        text = bytes(body)
        sound = number == sequence + 1 and bytes(previous) == head
        if not sound or link_hash(chain, number, head, text) != bytes(digest):
            broken.append(f"The chain {chain} is broken at {number}.")
        sequence, head = number, bytes(digest)
        yield number, head, parse(text)


@transaction.atomic
def retell(day: date, before: GamingDayClose | None, close: GamingDayClose | None = None) -> Told:
    """Fold every lane's chain over one gaming day, from where the day before it ended.

    With ``close`` up to its fence; without, up to the first event of a later day.
    """
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = '10min'")
    retelling = Retelling(day, floor_until(None if close is None else close.fenced_at))
    if before is not None and before.retold:
        retelling.resume(before.retold)
    reached: dict[str, Reached] = {}
    numbers: dict[str, int] = {}
    broken: list[str] = []
    for lane in Lane.objects.order_by("pk"):
        chain = chain_of_lane(lane.name)
        start = reached_in(before, chain)
        until = None if close is None else reached_in(close, chain)[0]
        reached[chain], number = start, (before.fence.get(lane.name, 0) if before else 0)
        peeked = 0
        for sequence, head, page in links_of(chain, start, broken):
            over = not retelling.belongs(lane.name, page) if until is None else sequence > until
            if over or peeked:
                peeked += 1
                retelling.peek(lane.name, page)
                if peeked > PEEKED:
                    break
                continue
            retelling.tell(lane.name, page)
            reached[chain] = sequence, head
            number = page["facts"].get("lane_number", number)
        numbers[lane.name] = number
    return Told(retelling, reached, numbers, tuple(broken))


def reached_in(close: GamingDayClose | None, chain: str) -> Reached:
    """Return where a chain stood when a day ended."""
    if close is None or chain not in close.chains:
        return 0, START
    sequence, digest = close.chains[chain]
    return sequence, bytes.fromhex(digest)


@lru_cache(maxsize=8)
def _kept(day: date, before_pk: int | None, close_pk: int, chains: str) -> Told:
    before = None if before_pk is None else GamingDayClose.objects.get(pk=before_pk)
    return retell(day, before, GamingDayClose.objects.get(pk=close_pk))


def retell_for_page(before: GamingDayClose | None, close: GamingDayClose) -> Told:
    """Return an ended day as it was told before: what lies behind a fence does not change.

    Only for looking. Whoever signs has it told anew.
    """
    chains = json.dumps([close.chains, before and before.chains], sort_keys=True)
    return _kept(close.gaming_day, before and before.pk, close.pk, chains)
