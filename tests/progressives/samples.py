"""The shipped samples, set up as a house sets them up, and played by movements."""

import json
from collections.abc import Callable
from decimal import Decimal
from itertools import count
from typing import Any
from uuid import uuid4

from django.db import transaction

from config.supervisor import BASE_DIR
from progressives.models import Lane, Meter, Progressive
from progressives.services.feeding import Feed, Paid
from progressives.services.ledger import Ledger, RoundFacts
from tables.services.setup import load_setup
from tests.make import TODAY

SAMPLES = BASE_DIR / "progressives" / "samples"
FACILITY = {"name": "Test Casino", "time_zone": "America/New_York", "gaming_day_starts": "06:00"}
rounds = count(1)


def sample(name: str) -> Any:
    """Return a shipped sample as the file has it."""
    return json.loads((SAMPLES / f"{name}.json").read_text(encoding="utf-8"))


def set_up(*progressives: Any, tables: Any = ()) -> Progressive:
    """Make a house with these progressives; return the first."""
    document = {"spec": "setup/1", "facility": FACILITY, "progressives": list(progressives)}
    load_setup({**document, "rules_submissions": [], "tables": list(tables)})
    return Progressive.objects.get(code=progressives[0]["code"])


class Play:
    """A table that plays a progressive: one transaction a round."""

    def __init__(self, progressive: Progressive, paytable: str, decks: int = 1) -> None:
        self.progressive, self.paytable, self.decks = progressive, paytable, decks
        self.told: list[Any] = []

    @transaction.atomic
    def round(self, deed: Callable[[Feed, RoundFacts], Any]) -> Any:
        """Do something with the feed under the lane's lock, and store the ledger."""
        lane = Lane.objects.select_for_update(no_key=True).get(pk=self.progressive.lane_id)
        lane.number += 1
        lane.save(update_fields=["number"])
        ledger = Ledger(lane.pk)
        feed = Feed(ledger, self.progressive, paytable=self.paytable, decks=self.decks)
        facts = RoundFacts(lane.number, TODAY, uuid4(), "T-1", next(rounds), "D100")
        done = deed(feed, facts)
        self.told = ledger.take_told(self.progressive.pk)
        ledger.store()
        return done

    def wager(self, *positions: int) -> list[dict[str, Decimal]]:
        """One round in which these positions wager and nobody wins."""
        stake = self.progressive.wager_unit
        return list(
            self.round(lambda feed, facts: [feed.contribute(facts, p, stake) for p in positions])
        )

    def hand(self, hand: str, position: int = 1) -> Paid:
        """One round in which a hand is paid, without its wager."""
        stake = self.progressive.wager_unit
        paid: Paid = self.round(
            lambda feed, facts: feed.award(facts, position=position, stake=stake, hand=hand)
        )
        return paid


def stand(progressive: Progressive) -> dict[str, Decimal]:
    """What each meter stands at, by its name."""
    return {meter.name: meter.value for meter in Meter.objects.filter(progressive=progressive)}
