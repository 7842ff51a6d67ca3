"""A made-up property: so many tables of every game, and the progressives that link them."""

from datetime import date
from typing import Any

from tables.rules.samples import read_sample

RULES_FROM = date(2026, 1, 1)
SIX_CARD = "six_card_fortune_pai_gow"
# Ten tables in turn: seven of ten feed a progressive, as on a floor that lives by them.
GAMES = [
    *[(SIX_CARD, "RIVER-1"), (SIX_CARD, "RIVER-1"), (SIX_CARD, "RIVER-5")],
    ("free_bet_blackjack", None),
    *[(SIX_CARD, "HARBOR-1"), (SIX_CARD, "RIVER-1")],
    ("pai_gow", None),
    *[(SIX_CARD, "HARBOR-2"), (SIX_CARD, "RIVER-5")],
    ("lunar_poker", None),
]
CODES = {SIX_CARD: "SC", "free_bet_blackjack": "FB", "pai_gow": "PG", "lunar_poker": "LP"}
POSITIONS = {"lunar_poker": 5}
# unit, initial, reset, percent: rates and units differ, so that one rule for all would show.
PROGRESSIVES = {
    "RIVER-1": ("1.00", "14250.00", "5000.00", "21"),
    "RIVER-5": ("5.00", "31875.50", "25000.00", "21"),
    "HARBOR-1": ("1.00", "8040.25", "5000.00", "23.5"),
    "HARBOR-2": ("5.00", "31999.99", "25000.00", "25"),
}


def property_setup(tables: int, first: date) -> dict[str, Any]:
    """Return the set-up file of a property of so many tables that opens on a day.

    It agrees with the sample set-up, so that both can be loaded into one house.
    """
    effective = min(first, RULES_FROM).isoformat()
    placed = [GAMES[number % len(GAMES)] for number in range(tables)]
    games = {game for game, _ in placed}
    codes = {code for _, code in placed if code}
    sample = {k: v for k, v in read_sample("645a").items() if k not in ("spec", "progressive")}
    choices: dict[str, dict[str, Any]] = {
        SIX_CARD: {
            "version": "sample-1",
            "wagers": ["main", "double_down", "fortune_bonus", "insurance", "progressive"],
        },
        "pai_gow": {**sample, "wagers": ["main", "fortune_bonus"]},
        "lunar_poker": {"version": "month-1"},
        "free_bet_blackjack": {"version": "month-1"},
    }
    return {
        "spec": "setup/1",
        "facility": {
            "name": "Two Rivers Casino (sample)",  # as the sample set-up: both go into one house
            "time_zone": "America/New_York",
            "gaming_day_starts": "06:00",
        },
        "progressives": [progressive_setup(code) for code in sorted(codes)],
        "rules_submissions": [
            {**choices[game], "game": game, "effective": effective} for game in sorted(games)
        ],
        "tables": [
            {
                "code": f"{CODES[game]}-{100 + number}",
                "pit": str(1 + (number - 1) // 8),
                "game": game,
                "positions": POSITIONS.get(game, 6),
                **({"progressive": code} if code else {}),
            }
            for number, (game, code) in enumerate(placed, 1)
        ],
    }


def progressive_setup(code: str) -> dict[str, Any]:
    """Return one progressive as a set-up file announces it."""
    unit, initial, reset, percent = PROGRESSIVES[code]
    level = {"code": "grand", "initial": initial, "reset": reset, "increment_percent": percent}
    return {"code": code, "name": code.title(), "wager_unit": unit, "levels": [level]}
