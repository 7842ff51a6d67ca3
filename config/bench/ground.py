"""The ground to measure on: one lane of linked tables, and clones of its database."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import psycopg
from django.db import connection, transaction
from psycopg import sql

from audit.services import chain_of_lane, lock_head
from config.bench.games import SIX_CARD
from config.house import House
from progressives.models import Lane
from tables.models import AccessKey, GamingTable
from tables.services.keys import make_key
from tables.services.setup import load_setup

SETUP: dict[str, Any] = {
    "spec": "setup/1",
    "facility": {
        "name": "Bench",
        "time_zone": "America/New_York",
        "gaming_day_starts": "06:00",
    },
    "progressives": [
        {
            "code": "BENCH",
            "wager_unit": "1.00",
            "levels": [
                {
                    "code": "grand",
                    "initial": "20000.00",
                    "reset": "5000.00",
                    "increment_percent": "21",
                }
            ],
        }
    ],
    "rules_submissions": [
        {
            "game": SIX_CARD,
            "version": "bench",
            "effective": "2020-01-01",
            "wagers": ["main", "double_down", "fortune_bonus", "insurance", "progressive"],
        }
    ],
    "tables": [
        {"code": code, "pit": "1", "game": SIX_CARD, "positions": 6, "progressive": "BENCH"}
        for code in ("B-1", "B-2", "B-3", "B-4", "B-5", "B-6")
    ],
}


@dataclass(frozen=True)
class Ground:
    """A house whose tables share one lane, and two copies of it from before its first round."""

    house: House
    lane: Lane
    tables: list[GamingTable]
    key: AccessKey
    plain_url: str
    copy_url: str


def make_ground(house: House) -> Ground:
    """Set the house up, then clone its database: schema, indexes, constraints and triggers."""
    load_setup(SETUP)
    tables = list(GamingTable.objects.select_related("lane"))
    key, _ = make_key(name="bench", kind=AccessKey.Kind.GATEWAY, tables=tables)
    lane = tables[0].lane
    with transaction.atomic():
        lock_head(chain_of_lane(lane.name))  # makes it, so that the clones have it too
    connection.close()
    return Ground(house, lane, tables, key, clone(house, "plain"), clone(house, "copy"))


def clone(house: House, name: str) -> str:
    """Copy the house's database as its owner; return how the application reaches the copy."""
    base = urlsplit(house.database_url)
    with psycopg.connect(house.owner_url, dbname="postgres", autocommit=True) as owner:
        owner.execute(
            sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(
                sql.Identifier(name), sql.Identifier(base.path.removeprefix("/"))
            )
        )
    return base._replace(path=f"/{name}").geturl()
