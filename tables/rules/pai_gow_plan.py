"""A certificate holder's submission for Pai Gow Poker, read into paytables and checked.

§ 645a.13 is not known here, so that every figure is the submission's; § 645a.11 says which hands
a wager must pay and which it must not, and a submission that says otherwise is refused.
"""

import json
import re
from collections.abc import Mapping, Sequence
from decimal import ROUND_DOWN, ROUND_HALF_UP, ROUND_UP, Decimal
from typing import Any

from tables.rules import shapes
from tables.rules.hands import CATEGORIES
from tables.rules.pai_gow_hands import OF_SEVEN, lowest_of
from tables.rules.pai_gow_shapes import KINDS_HERE, OPTIONAL
from tables.rules.paytables import EnvySchedule, Line, Paytable, ProgressiveTerms, worth
from tables.rules.refusals import Refusal
from tables.rules.shapes import Check, shape
from tables.rules.six_card_plan import ranking
from tables.rules.wagers import AMOUNTS, CENT, Fixed, ForOne, PercentOfMeter, Terms, ToOne

ENVY_KINDS = ("fortune_bonus", "emperors_treasure", "dynasty_bonus")

#: What each wager wins on, in the order of § 645a.11(h); an envy by (1)(ii), (2)(ii), (6)(ii).
WON = {
    "fortune_bonus":     "§ 645a.11(h)(1)(i)(B)",
    "emperors_treasure": "§ 645a.11(h)(2)(i)(B)",
    "pai_gow_insurance": "§ 645a.11(h)(3)(ii)",
    "progressive":       "§ 645a.11(h)(4)(ii)(D)",
    "queens_dragon":     "§ 645a.11(h)(5)",
    "dynasty_bonus":     "§ 645a.11(h)(6)(i)(B)",
    "protection":        "§ 645a.11(h)(7)",
    "red_black":         "§ 645a.11(h)(8)",
}  # fmt: skip
ENVY = {
    "fortune_bonus":     "§ 645a.11(h)(1)(ii)",
    "emperors_treasure": "§ 645a.11(h)(2)(ii)",
    "dynasty_bonus":     "§ 645a.11(h)(6)(ii)",
}  # fmt: skip

HIGHS = ("nine_high", "ten_high", "jack_high", "queen_high", "king_high", "ace_high")
FROM_STRAIGHT = ("four_of_a_kind", "full_house", "flush", "straight")
RANKED = (*OF_SEVEN, *reversed(CATEGORIES[1:]))

#: The hands that § 645a.11(h) has each wager win on: a paytable must have a line for every one.
#: What is higher than these and has no line of its own is paid as the highest that has one.
MUST_PAY = {
    "fortune_bonus":     FROM_STRAIGHT,
    "emperors_treasure": FROM_STRAIGHT,
    "pai_gow_insurance": HIGHS,
    "progressive":       ("four_of_a_kind", "full_house"),
    "queens_dragon":     ("queens_dragon",),
    "dynasty_bonus":     (*FROM_STRAIGHT, "three_of_a_kind"),
    "protection":        HIGHS,
    "red_black":         ("four_or_more",),
}  # fmt: skip
#: The lowest hand that wins by the wager's own order: its last line (PG-8).
LOWEST = {
    "fortune_bonus": "straight",
    "emperors_treasure": "straight",
    "progressive": "full_house",
}
NAMES = {"queens_dragon": {"queen_high": "queens_dragon"}}  # the dealer's hand that it is

_ODDS = re.compile(r"([1-9][0-9]{0,6}) (to|for) ([1-9][0-9]{0,2})|([1-9][0-9]?|100)% of meter")
ROUNDINGS = {"down": ROUND_DOWN, "half_up": ROUND_HALF_UP, "up": ROUND_UP}


class Plan:
    """A submission under its readings, worked out once for all its rounds.

    ``paytables`` and ``envies`` are by wager, of the wagers offered. ``minimums``: from what
    wager on it is a Qualifying Wager. ``vigorish``: percent of winnings, None where none is taken.
    """

    def __init__(self, readings: Mapping[str, str], choices: Mapping[str, Any]) -> None:
        check_own(choices)
        offered = [kind for kind in OPTIONAL if kind in choices.get("wagers", KINDS_HERE)]
        rows = _needed(choices, "paytable_rows") if offered else {}
        self.paytables = {kind: paytable(kind, rows) for kind in offered}
        told = _needed(choices, "envy") if set(ENVY_KINDS) & set(offered) else {}
        self.envies: dict[str, EnvySchedule] = {}
        self.minimums: dict[str, Decimal] = {}
        self.columns: dict[str, dict[str, Line]] = {}
        for kind in ENVY_KINDS:
            if kind in offered:
                self.minimums[kind] = minimum = AMOUNTS[_needed(told, kind, "envy.")[MINIMUM]]
                self.envies[kind] = schedule = envy_schedule(kind, told[kind], self.paytables[kind])
                self.columns[kind] = schedule.columns[minimum]
        self.lowest_envy = min((lowest_of(list(c)) for c in self.columns.values()), default=0)
        self.ranking = ranking(readings["SC-1"], readings["SC-4"])
        self.bars_surrender = OPTIONAL[:5] if readings["PG-5"] == "literal" else OPTIONAL
        self.ez: bool = choices.get("ez", False)
        self.vigorish = vigorish_of(choices)
        self._rounding = ROUNDINGS[choices.get("vigorish_rounding", "down")]
        limit = choices.get("payout_limit")
        self.limit = None if limit is None else AMOUNTS[limit]
        self.joker_color: str = choices.get("joker_color", "none")
        self._taken: dict[str, tuple[str, str]] = {}

    def after_vigorish(self, stake: str) -> tuple[str, str]:
        """Return what an even win pays once the vigorish is taken, and the vigorish (PG-10)."""
        taken = self._taken.get(stake)
        if taken is None:
            if len(self._taken) > 1024:
                self._taken.clear()
            winnings = AMOUNTS[stake]
            percent = self.vigorish or Decimal(0)
            vigorish = (winnings * percent / 100).quantize(CENT, rounding=self._rounding)
            taken = self._taken[stake] = (str(winnings - vigorish), str(vigorish))
        return taken

    def limit_payout(self, line: dict[str, Any]) -> None:
        """Cut the winnings of one wager paid at odds to the limit, where there is one (PG-14)."""
        if self.limit is not None and AMOUNTS[line["pays"]] > self.limit:
            line["pays"] = str(self.limit)
            line["reading"] = "PG-14"


_PLANS: dict[str, Plan] = {}


def plan(readings: Mapping[str, str], choices: Mapping[str, Any]) -> Plan | None:
    """Read the submission; without any choice there is none, and no round can be settled.

    A submission is asked for again and again, so that what was read of it is kept.
    """
    if not choices:
        return None
    key = json.dumps([readings, choices], sort_keys=True, default=str)
    made = _PLANS.get(key)
    if made is None:
        if len(_PLANS) > 64:
            _PLANS.clear()
        made = _PLANS[key] = Plan(readings, choices)
    return made


# ---- The submission's own shape ---------------------------------------------------------------

MINIMUM = "minimum_wager"


def _or_none(check: Check) -> Check:
    def check_told(value: Any) -> None:
        if value is not None:
            check(value)

    return check_told


def _row(value: Any) -> None:
    shapes.list_of(shapes.text())(value)
    if len(value) != 2:
        raise Refusal("bad_value", "", "A line is a hand and what it pays.")


_ROWS = shapes.list_of(_row, at_least=1)
_ENVY = shape({MINIMUM: shapes.money, "pays": _ROWS}, (MINIMUM, "pays"))
_VIGORISH = {
    "kind": shapes.one_of("vigorish"),
    "percent": shapes.percent,
    "on": shapes.one_of("winnings"),
}
_PROGRESSIVE = {
    "wager_unit": shapes.money,
    "initial": shapes.money,
    "reset": shapes.money,
    "increment_percent": shapes.percent,
}
_OWN: dict[str, Check] = {
    "commission": _or_none(shape(_VIGORISH, _VIGORISH)),
    "vigorish_rounding": shapes.one_of(*ROUNDINGS),
    "ez": shapes.flag,
    "paytable_rows": shape(dict.fromkeys(OPTIONAL, _ROWS)),
    "envy": shape(dict.fromkeys(ENVY_KINDS, _ENVY)),
    "progressive": shape(_PROGRESSIVE, _PROGRESSIVE),
    "payout_limit": _or_none(shapes.money),
    "house_way": _or_none(shapes.note),  # words for the player who asks (§ 645a.11(a)(1))
    "settlement": shapes.one_of("by_player"),
    "joker_color": shapes.one_of("none", "red", "black"),
}


def check_own(choices: Mapping[str, Any]) -> None:
    """Check the choices that only this game has; the others are checked for all games."""
    shape(_OWN)({key: value for key, value in choices.items() if key in _OWN})


def _needed(choices: Mapping[str, Any], key: str, place: str = "") -> Any:
    if key not in choices:
        raise Refusal("missing_key", place + key, f"A submission for this game has {key!r}.")
    return choices[key]


# ---- Paytables, envies, progressive, vigorish -------------------------------------------------


def paytable(kind: str, rows: Mapping[str, Any]) -> Paytable:
    """Read a wager's paytable, in the order in which the wager ranks its hands (PG-8)."""
    place = f"paytable_rows.{kind}"
    lines = [
        read_line(kind, row, f"{place}[{number}]")
        for number, row in enumerate(_needed(rows, kind, "paytable_rows."))
    ]
    hands = [line.hand for line in lines]
    check_hands(kind, hands, place)
    if LOWEST.get(kind, hands[-1]) != hands[-1]:
        number = hands.index(LOWEST[kind]) + 1
        detail = f"A hand that is lower than a {spoken(LOWEST[kind])} loses: it has no line."
        raise Refusal("bad_value", f"{place}[{number}]", detail, WON[kind])
    if kind not in RANKED_KINDS:  # no hand is two of these: their order says nothing
        lines.sort(key=lambda line: worth(line.terms), reverse=True)
        hands = [line.hand for line in lines]
    try:
        return Paytable(cite=WON[kind], wager=kind, lines=tuple(lines), order=hands)
    except ValueError:
        detail = "A line pays more than one above it, and so it would be the higher hand."
        raise Refusal("bad_value", place, detail) from None


RANKED_KINDS = (*ENVY_KINDS, "progressive")


def check_hands(kind: str, hands: Sequence[str], place: str) -> None:
    """Refuse a hand that stands twice, that the wager cannot pay, or that it must and does not."""
    known = RANKED if kind in RANKED_KINDS else MUST_PAY[kind]
    for number, hand in enumerate(hands):
        if hand not in known or hand in ("two_pair", "pair"):
            detail = f"This wager knows no hand called {hand!r}."
            raise Refusal("bad_value", f"{place}[{number}]", detail, WON[kind])
        if hand in hands[:number]:
            raise Refusal("bad_value", f"{place}[{number}]", f"{hand!r} stands here twice.")
    for hand in MUST_PAY[kind]:
        if hand not in hands:
            detail = f"The hand {spoken(hand)} wins and must have a line."
            raise Refusal("missing_key", f"{place}.{hand}", detail, WON[kind])


def spoken(hand: str) -> str:
    """Return a hand's name as it is said."""
    return hand.replace("_", " ")


def read_line(kind: str, row: Sequence[str], place: str) -> Line:
    """Read one line: the progressive pays for one or of the meter, all others to one."""
    hand, odds = row
    found = _ODDS.fullmatch(odds)
    detail = 'Odds are written as "8000 to 1", "75 for 1" or "10% of meter".'
    if found is None:
        raise Refusal("bad_value", f"{place}[1]", detail)
    pays, word, per, percent = found.groups()
    terms: Terms
    if kind != "progressive":
        if word != "to":
            raise Refusal("bad_value", f"{place}[1]", "This wager pays odds to one.", WON[kind])
        terms = ToOne(int(pays), int(per))
    elif percent is not None:
        terms = PercentOfMeter(int(percent))
    elif word == "for" and per == "1":
        terms = ForOne(int(pays))
    else:
        detail = "A progressive wager pays so much for one, or a share of the meter."
        raise Refusal("bad_value", f"{place}[1]", detail, WON[kind])
    return Line(NAMES.get(kind, {}).get(hand, hand), terms)


def envy_schedule(kind: str, told: Mapping[str, Any], table: Paytable) -> EnvySchedule:
    """Read a wager's Envy Bonuses: fixed sums, the hands put in the wager's own order."""
    place = f"envy.{kind}.pays"
    lines = []
    for number, (hand, amount) in enumerate(told["pays"]):
        try:
            shapes.money(amount)
        except Refusal as refusal:
            raise refusal.under(1).under(number).under(place) from None
        if hand not in table.row:
            detail = f"{hand!r} has no line in this wager's paytable."
            raise Refusal("bad_value", f"{place}[{number}][0]", detail, ENVY[kind])
        lines.append(Line(hand, Fixed(AMOUNTS[amount])))
    order = list(table.row)
    lines.sort(key=lambda line: order.index(line.hand))
    try:
        columns = {told[MINIMUM]: tuple(lines)}
        return EnvySchedule(cite=ENVY[kind], wager=kind, columns=columns, order=order)
    except ValueError:
        detail = "A hand stands here twice."
        raise Refusal("bad_value", place, detail, ENVY[kind]) from None


def vigorish_of(choices: Mapping[str, Any]) -> Decimal | None:
    """Return the vigorish in percent of winnings; an EZ table takes none (§ 645a.11(f)(1)(v))."""
    if choices.get("ez", False):
        return None
    told = _needed(choices, "commission")
    return None if told is None else Decimal(told["percent"])


def progressive_of(choices: Mapping[str, Any]) -> ProgressiveTerms | None:
    """Return what the submission says of the progressive; None where it offers none."""
    if not choices or "progressive" not in choices.get("wagers", KINDS_HERE):
        return None
    told = _needed(choices, "progressive")
    return ProgressiveTerms(
        cite="§ 645a.13(e)",
        increment_percent=Decimal(told["increment_percent"]),
        seed_for_one=Decimal(0),
        reset_at_least=min(Decimal(told["initial"]), Decimal(told["reset"])),
        units=(Decimal(told["wager_unit"]),),
    )
