"""A round as it is typed from a paper form, and the answer of the person who compares the two."""

import json
from decimal import Decimal, InvalidOperation
from typing import Any

from django.utils import timezone

from audit.web.fields import Keyed, Moment, Text, Whole
from audit.web.forms import Form, Mistyped
from tables.models import GamingTable
from tables.rules.games import definition_of

BY_OTHER_MEANS = frozenset("super_on red_black bet options_fee".split())  # typed under "more"
CENT = Decimal("0.01")


def wagers_of(table: GamingTable) -> list[tuple[str, str]]:
    """Return the wagers of a table's game that are one sum, with their names."""
    definition = definition_of(table.game)
    if definition is None:
        return []
    return [
        (wager.kind, wager.name.removesuffix(" Wager"))
        for wager in definition.wagers
        if wager.kind not in BY_OTHER_MEANS
    ]


class EntryForm(Form):
    """A round: its own fields, and for each position those named ``player:3``, ``cards:3`` …

    ``arrange`` makes a round document of it; the rules themselves say what is wrong with that.
    """

    round = Whole(required=True, longest=12, code="incomplete")
    occurred_at = Moment(required=True, code="incomplete")
    cite = Text()
    dealer_cards = Text()
    dealer_low = Text()
    dealer = Text()
    floorperson = Text()
    player = Keyed()
    cards = Keyed()
    low = Keyed()
    more = Keyed()

    def __init__(self, *args: Any, table: GamingTable, **options: Any) -> None:
        super().__init__(*args, **options)
        self.kinds = [kind for kind, _ in wagers_of(table)]
        self.places = [str(position) for position in range(1, table.positions + 1)]
        self.fields.update({kind: Keyed() for kind in self.kinds})

    def seats(self) -> list[dict[str, Any]]:
        """Return the table's positions with what was typed for each."""
        typed = self.choices()
        return [
            {
                "position": int(place),
                **{key: typed[key].get(place, "") for key in ("player", "cards", "low", "more")},
                "wagers": [(kind, typed[kind].get(place, "")) for kind in self.kinds],
            }
            for place in self.places
        ]

    def arrange(self, typed: dict[str, Any]) -> dict[str, Any]:
        document: dict[str, Any] = {
            "type": "void" if typed["cite"] else "round",
            "round": typed["round"],
            "occurred_at": timezone.localtime(typed["occurred_at"]).isoformat(),
        }
        positions = [seat for place in self.places if (seat := self.seat(typed, place))]
        if typed["cite"]:
            document["irregularity"] = {"cite": typed["cite"]}
        if positions or not typed["cite"]:
            document["positions"] = positions
        if dealer := cards_of(typed["dealer_cards"]):
            document["dealer_hand"] = {"cards": dealer}
            if low := cards_of(typed["dealer_low"]):
                document["dealer_hand"]["low"] = low
        document |= {key: typed[key] for key in ("dealer", "floorperson") if typed[key]}
        return {"document": document}

    def seat(self, typed: dict[str, Any], place: str) -> dict[str, Any]:
        """Return one position of the document; nothing for an empty one."""
        words = {key: texts.get(place, "").strip() for key, texts in typed.items()
                 if isinstance(texts, dict)}  # fmt: skip
        seat: dict[str, Any] = {}
        more = more_of(words["more"], place)
        wagers = {kind: dollars_of(words[kind]) for kind in self.kinds if words[kind]}
        for key in ("cards", "low"):
            if cards := cards_of(words[key]):
                seat[key] = cards
        if words["player"]:
            seat["player"] = words["player"]
        if wagers or more.get("wagers"):
            seat["wagers"] = {**wagers, **more.pop("wagers", {})}
        seat |= more
        return {"position": int(place), **seat} if seat else {}


def more_of(text: str, place: str) -> dict[str, Any]:
    """Read what the fields do not hold, as the round document writes it."""
    if not text:
        return {}
    try:
        more = json.loads(text)
    except (ValueError, RecursionError):  # the second: brackets in brackets, thousands of them
        more = None
    if not isinstance(more, dict) or not isinstance(more.get("wagers", {}), dict):
        sentence = f"Position {place}: what is more is a JSON object."
        raise Mistyped("incomplete", f"positions[{place}]", sentence)
    return more


def cards_of(text: str) -> list[str]:
    """Read cards as people write them: as KS 10d jk."""
    words = text.upper().replace(",", " ").replace("JOKER", "JK").split()
    return ["T" + word[2:] if word[:2] == "10" else word for word in words]


def dollars_of(text: str) -> str:
    """Write a sum as the format does; what is no sum stays for the rules to refuse."""
    try:
        amount = Decimal(text.removeprefix("$").replace(",", ""))
        exact = amount.quantize(CENT)
    except InvalidOperation:
        return text
    return str(exact) if exact == amount else text


class AnswerForm(Form):
    """Confirm the entry (``deed`` is "confirm"), or send it back with a reason."""

    deed = Text()
    reason = Text()
