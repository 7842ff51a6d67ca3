"""One house with a table of each game, and a full round of each: what a page has to show."""

from copy import deepcopy
from datetime import timedelta
from typing import Any
from uuid import uuid5

from tables.rules.samples import read_sample
from tables.services.batch import ROUNDS
from tests.documents import NOON, SETUP

SIX, PAI, LUNAR, FREE = (
    "six_card_fortune_pai_gow",
    "pai_gow",
    "lunar_poker",
    "free_bet_blackjack",
)
CODES = {SIX: "SC-1", PAI: "PG-1", LUNAR: "LP-1", FREE: "FB-1"}
POSITIONS = {SIX: 6, PAI: 6, LUNAR: 5, FREE: 6}


def setup() -> dict[str, Any]:
    """Return the set-up: two linked tables of chapter 670a, and one of each other game."""
    made = deepcopy(SETUP)
    made["rules_submissions"] = [
        {"game": SIX, "version": "t-1", "effective": "2026-01-01"},
        {"game": LUNAR, "version": "t-1", "effective": "2026-01-01"},
        {"game": FREE, "version": "t-1", "effective": "2026-01-01"},
        {key: value for key, value in read_sample("645a").items() if key != "spec"},
    ]
    pai_gow = {"code": "P-2", "wager_unit": "1.00", "levels": [
        {"code": "grand", "initial": "10000.00", "reset": "10000.00", "increment_percent": "22"}
    ]}  # fmt: skip
    made["progressives"].append(pai_gow)
    linked = {SIX: "P-1", PAI: "P-2"}
    made["tables"] = [
        {"code": code, "pit": "1", "game": game, "positions": POSITIONS[game]}
        | ({"progressive": linked[game]} if game in linked else {})
        for game, code in [*CODES.items(), (SIX, "SC-2")]
    ]
    return made


def event(game: str, table: str, sequence: int, round_: int, type_: str, **told: Any) -> Any:
    """Return one event of a table."""
    moment = NOON + timedelta(minutes=3 * round_, seconds=25 * sequence)
    return {
        "spec": "round/1",
        "event_id": str(uuid5(ROUNDS, f"{table}:{sequence}")),
        "table": table,
        "sequence": sequence,
        "type": type_,
        "round": round_,
        "occurred_at": moment.isoformat(),
        "game": game,
        "dealer": "D117",
        "floorperson": "F204",
        **told,
    }


def wagered(*seats: dict[str, Any], only: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    """Return positions as a lock-out tells them; ``only``: wagers that come later are left out."""
    return [
        {
            **{key: seat[key] for key in ("position", "player") if key in seat},
            "wagers": {k: v for k, v in seat["wagers"].items() if k not in only},
        }
        for seat in seats
    ]


def six_card() -> list[dict[str, Any]]:
    """Two shares of the meter, envies, jokers, a fouled hand and wrong payments; others between."""
    seats = [
        {"position": 6, "player": "PL-0417", "cards": "AH KH QH JH TH 4C".split(), "low": ["4C"],
         "wagers": {"main": "25.00", "progressive": "1.00", "fortune_bonus": "5.00"}, "lamp": True,
         "paid": {"main": "25.00", "fortune_bonus": "1250.00"}},
        {"position": 5, "player": "PL-2210", "cards": "8S 8D KD 7C 5D 2S".split(), "low": ["KD"],
         "wagers": {"main": "15.00", "double_down": "15.00"}, "paid": {}},
        {"position": 4, "cards": "9S 8H 7D 6C 5S 2D".split(), "low": ["2D"], "lamp": True,
         "wagers": {"main": "100.00", "progressive": "1.00", "insurance": "5.00"},
         "paid": {"main": "0.00", "progressive": "3.00", "envy": "100.00"}},
        {"position": 2, "player": "PL-0991", "cards": "AS KS QS JS JK 3H".split(), "low": ["3H"],
         "wagers": {"main": "50.00", "progressive": "1.00"}, "lamp": True,
         "paid": {"main": "50.00", "envy": "50.00"}},
        {"position": 1, "player": "PL-0417", "cards": "4S 6H TD 8C KC 9D".split(), "low": ["KC"],
         "wagers": {"main": "25.00"}},
    ]  # fmt: skip
    dealer = {"cards": "QD QC 2C 9H 3S 7H".split()}
    start = {"dice": [4, 5, 6], "first": 0}
    other = [
        {"position": 3, "cards": "2S 2H 2C TS KH 5H".split(), "low": ["KH"],
         "wagers": {"main": "10.00", "progressive": "1.00"}},
        {"position": 1, "cards": "AD AC 6D 7D 9S JC".split(), "low": ["JC"],
         "wagers": {"main": "10.00", "progressive": "1.00"}},
    ]  # fmt: skip
    beside = {"cards": "8D 5C QS TC 3D 4H".split()}
    return [
        event(SIX, "SC-1", 1, 1, "lockout", chip_count=3,
              positions=wagered(*seats, only=("double_down",)),
              marks={"no_more_bets": NOON.isoformat()}),
        event(SIX, "SC-2", 1, 1, "round", positions=other, dealer_hand=beside),
        event(SIX, "SC-1", 2, 1, "settlement", positions=seats, dealer_hand=dealer, start=start,
              deck="blue-2", dealing="manual_shoe", left_count=11,
              video=[{"camera": "PTZ-14", "from": NOON.isoformat(),
                      "to": (NOON + timedelta(minutes=4)).isoformat()}]),
    ]  # fmt: skip


def pai_gow() -> list[dict[str, Any]]:
    """Every optional wager, a surrender, a joker low and one high, envies."""
    seats = [
        {"position": 5, "player": "PL-3301", "cards": "9S 9H 9D 9C KH 5D 3H".split(),
         "low": ["KH", "5D"], "lamp": True, "envy_lammer": ["fortune_bonus"],
         "wagers": {"main": "25.00", "fortune_bonus": "5.00", "emperors_treasure": "5.00",
                    "pai_gow_insurance": "5.00", "progressive": "1.00", "queens_dragon": "5.00",
                    "dynasty_bonus": "5.00", "protection": "5.00",
                    "red_black": {"amount": "5.00", "on": "red"}}},
        {"position": 3, "cards": "AS AD KS QS JK 6C 2S".split(), "low": ["JK", "KS"],
         "wagers": {"main": "200.00", "fortune_bonus": "5.00"}, "envy_lammer": ["fortune_bonus"]},
        {"position": 2, "surrender": True, "counted": 7, "wagers": {"main": "50.00"}},
        {"position": 1, "cards": "QH JH 8D 7S 5S 4H 3D".split(), "low": ["JH", "8D"],
         "wagers": {"main": "25.00", "progressive": "1.00"}, "lamp": False},
    ]  # fmt: skip
    dealer = {"cards": "KC JD TS 8C 6S 4D 2C".split(), "low": ["JD", "TS"]}
    return [
        event(PAI, "PG-1", 1, 1, "lockout", positions=wagered(*seats)),
        event(PAI, "PG-1", 2, 1, "settlement", positions=seats, dealer_hand=dealer),
    ]


def lunar() -> list[dict[str, Any]]:
    """An exchange and a fold, a bought card, a fold, an instant hand, Supers on others."""
    seats = [
        {"position": 1, "player": "PL-7", "cards": "AS KC 9D 7C 3S".split(),
         "wagers": {"ante": "10.00", "super": "10.00", "super_on": {"dealer": "5.00"}},
         "decision": {"action": "exchange", "discard": "9D 7C 3S".split(),
                      "draw": "JC 6D 4S".split(), "then": "fold"}},
        {"position": 2, "cards": "QS QH 9S 6C 3C".split(),
         "wagers": {"ante": "10.00", "super": "10.00",
                    "super_on": {"dealer": "10.00", "4": "5.00"}},
         "decision": {"action": "buy", "draw": ["4H"], "then": "bet"}},
        {"position": 3, "cards": "KS JD 8C 6S 2C".split(),
         "wagers": {"ante": "10.00", "super": "10.00"}, "decision": {"action": "fold"}},
        {"position": 4, "cards": "9H 8H 7H 6H 5H".split(),
         "wagers": {"ante": "25.00", "super": "25.00"}},
        {"position": 5, "player": "PL-9", "cards": "AD AH KH 7D 5C".split(),
         "wagers": {"ante": "10.00", "super": "10.00", "super_on": {"dealer": "15.00"}},
         "decision": {"action": "bet"}, "paid": {"ante": "0.00", "bet": "20.00"}},
    ]  # fmt: skip
    dealer = {"cards": "TD TC 8S 5S 2D".split()}
    return [
        event(LUNAR, "LP-1", 1, 1, "lockout", positions=wagered(*seats)),
        event(LUNAR, "LP-1", 2, 1, "settlement", positions=seats, dealer_hand=dealer),
    ]


def free_bet() -> list[dict[str, Any]]:
    """Four split hands with lammers and doubles, a Blackjack, a hand over 21, insurance."""
    plain = {"from_split": None, "double": None}
    seats = [
        {"position": 6, "player": "PL-55", "wagers": {"main": "25.00", "push_22": "5.00"},
         "hands": [
            {"cards": "8S 3H TD".split(), **plain, "double": "free"},
            {"cards": "8H TC".split(), **plain, "from_split": "free"},
            {"cards": "8D 2C 9D".split(), "from_split": "free", "double": "free"},
            {"cards": "8C 7D 6H".split(), **plain, "from_split": "free"}]},
        {"position": 5, "wagers": {"main": "50.00", "insurance": "25.00"}, "hands": [
            {"cards": "AS KD".split(), **plain}]},
        {"position": 3, "player": "PL-56", "wagers": {"main": "100.00"}, "hands": [
            {"cards": "TS 6D JH".split(), **plain}], "paid": {"main": "100.00"}},
        {"position": 1, "wagers": {"main": "20.00", "push_22": "5.00"}, "hands": [
            {"cards": "5D 7S 2H 3C".split(), **plain}]},
    ]  # fmt: skip
    dealer = {"cards": "AC 3D TH 4C".split()}
    return [
        event(FREE, "FB-1", 1, 1, "lockout", positions=wagered(*seats, only=("insurance",))),
        event(FREE, "FB-1", 2, 1, "settlement", positions=seats, dealer_hand=dealer),
    ]


def void() -> list[dict[str, Any]]:
    """A round that was locked out and then void, with what lay on the table as evidence."""
    seats = [
        {"position": 4, "wagers": {"main": "25.00", "progressive": "1.00"}},
        {"position": 2, "wagers": {"main": "40.00", "progressive": "1.00"}, "player": "PL-12"},
    ]
    shown = [{**seats[0], "cards": "AS AD 4H 4S 9C ??".split()}, seats[1]]
    return [
        event(SIX, "SC-1", 3, 2, "lockout", positions=seats),
        event(SIX, "SC-1", 4, 2, "void", positions=shown,
              irregularity={"cite": "670a.13(e)", "note": "The dealer's third card was exposed."},
              dealer_hand={"cards": "?? ?? 6D ?? ?? ??".split()}),
    ]  # fmt: skip


def all_rounds() -> list[dict[str, Any]]:
    """Return the events of all these rounds, in an order in which they can be sent."""
    return [*six_card(), *pai_gow(), *lunar(), *free_bet(), *void()]
