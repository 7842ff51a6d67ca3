"""Golden rounds: facts, the reason, the paragraph, and the lines that the round must come to.

A line is ``position | wager | result | hand | terms | pays X | returned Y [| from N] [| at METER]
| cite [| reading ID]``. ``*`` stands for anything and ``-`` for a part that the line has not; a
reading is compared where the golden line names one.
"""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from tables.rules import SUPPORTED_GAMES, Refusal
from tables.rules.shell import outcome_of

FOLDER = Path(__file__).parent / "rounds"
ROUNDS = sorted(path for game in SUPPORTED_GAMES for path in (FOLDER / game).rglob("*.toml"))
AS_IS = ("irregularity", "discarded", "left_count", "chip_count", "start", "type", "stub")


def cards(told: str | list[str]) -> list[str]:
    return told.split() if isinstance(told, str) else told


def position_of(told: dict[str, Any]) -> dict[str, Any]:
    hands = {key: cards(told[key]) for key in ("cards", "low") if key in told}
    return {"wagers": {}, **told, **hands}


def document_of(case: dict[str, Any]) -> dict[str, Any]:
    document: dict[str, Any] = {"spec": "round/1", "game": case["game"]}
    document.update({key: case[key] for key in (*AS_IS, "meter", "submission") if key in case})
    if "dealer" in case:
        document["dealer_hand"] = {"cards": cards(case["dealer"])}
        if "dealer_low" in case:
            document["dealer_hand"]["low"] = cards(case["dealer_low"])
    document["positions"] = [position_of(told) for told in case["positions"]]
    return document


def parts_of(line: dict[str, Any]) -> list[str]:
    """The line's parts in the golden order, without the reading."""
    parts = [str(line["position"]), line["wager"], line["result"]]
    parts += [line.get("hand", "-"), line.get("terms", "-")]
    parts += [f"pays {line['pays']}", f"returned {line['returned']}"]
    parts += [f"from {line['from_position']}"] if "from_position" in line else []
    parts += [f"at {line['meter_at_turn']}"] if "meter_at_turn" in line else []
    return [*parts, line["cite"]]


def told_like(golden: str, line: dict[str, Any]) -> str:
    """The line as the golden one tells it: wild parts wild, its reading only if asked for."""
    wanted = golden.split(" | ")
    parts = parts_of(line)
    if wanted[-1].startswith("reading "):
        parts.append(f"reading {line.get('reading', '-')}")
    wild = ["*" if want == "*" else part for part, want in zip(parts, wanted, strict=False)]
    return " | ".join([*wild, *parts[len(wild) :]])


@pytest.mark.parametrize("path", ROUNDS, ids=lambda path: path.stem)
def test_golden_round(path: Path) -> None:
    case = tomllib.loads(path.read_text(encoding="utf-8"))
    expect = case["expect"]
    if "refused" in expect:
        with pytest.raises(Refusal) as refusal:
            outcome_of(document_of(case))
        assert {"code": refusal.value.code, "path": refusal.value.path} == expect["refused"]
        return

    lines = outcome_of(document_of(case))["lines"]

    only = expect.get("only")
    lines = [line for line in lines if only is None or line["wager"] in only]
    golden = expect["lines"]
    told = [told_like(want, line) for want, line in zip(golden, lines, strict=False)]
    told += [" | ".join(parts_of(line)) for line in lines[len(golden) :]]
    assert told == golden


def test_there_are_golden_rounds() -> None:
    assert ROUNDS, "no golden rounds found: the test above would pass by testing nothing"
