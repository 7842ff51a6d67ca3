"""Golden rounds: facts, the reason, the paragraph, and the lines that the round must come to.

A line is ``position | wager | result | hand | terms | pays X | returned Y [| hand_index N] [| on
TARGET] [| vigorish V] [| from N] [| at METER] [| second_combination] | cite [| reading ID]``. ``*``
stands for anything and ``-`` for a part that the line has not; a reading is compared where the
golden line names one. ``unordered`` leaves the order of the lines open.
"""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from tables.rules import SUPPORTED_GAMES, Refusal
from tables.rules.samples import read_sample
from tables.rules.shell import outcome_of

FOLDER = Path(__file__).parent / "rounds"
ROUNDS = sorted(path for game in SUPPORTED_GAMES for path in (FOLDER / game).rglob("*.toml"))
AS_IS = "irregularity discarded left_count chip_count start type stub bank meter submission".split()


#: What a line may have between its sums and its cite, with the word that tells it.
BETWEEN = {
    "hand_index": "hand_index",
    "on": "on",
    "vigorish": "vigorish",
    "from_position": "from",
    "meter_at_turn": "at",
}


def cards(told: str | list[str]) -> list[str]:
    return told.split() if isinstance(told, str) else told


def position_of(told: dict[str, Any]) -> dict[str, Any]:
    position = {"wagers": {}, **with_lists(told, "cards", "low")}
    if "decision" in told:
        position["decision"] = with_lists(told["decision"], "discard", "draw")
    if "hands" in told:
        plain = {"from_split": None, "double": None}
        position["hands"] = [{**plain, **with_lists(hand, "cards")} for hand in told["hands"]]
    return position


def with_lists(told: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {**told, **{key: cards(told[key]) for key in keys if key in told}}


def over(base: dict[str, Any], told: dict[str, Any]) -> dict[str, Any]:
    """``base`` with what is told laid over it, objects inside it too."""
    found = dict(base)
    for key, value in told.items():
        inner = found.get(key)
        both = isinstance(value, dict) and isinstance(inner, dict)
        found[key] = over(inner, value) if both else value
    return found


def document_of(case: dict[str, Any]) -> dict[str, Any]:
    document: dict[str, Any] = {"spec": "round/1", "game": case["game"]}
    document.update({key: case[key] for key in AS_IS if key in case})
    if case["game"] == "pai_gow":  # settled under the sample, but for what a round changes in it
        document["submission"] = over(read_sample("645a"), case.get("submission", {}))
    document["positions"] = [position_of(told) for told in case.get("positions", ())]
    if "dealer" in case:
        document["dealer_hand"] = {"cards": cards(case["dealer"])}
        if "dealer_low" in case:
            document["dealer_hand"]["low"] = cards(case["dealer_low"])
    return document


def parts_of(line: dict[str, Any]) -> list[str]:
    """The line's parts in the golden order, without the reading."""
    parts = [str(line["position"]), line["wager"], line["result"]]
    parts += [line.get("hand", "-"), line.get("terms", "-")]
    parts += [f"pays {line['pays']}", f"returned {line['returned']}"]
    parts += [f"{word} {line[key]}" for key, word in BETWEEN.items() if key in line]
    parts += ["second_combination"] if "second_combination" in line else []
    return [*parts, line["cite"]]


def told_like(golden: str, line: dict[str, Any]) -> str:
    """The line as the golden one tells it: wild parts wild, its reading only if asked for."""
    wanted = golden.split(" | ")
    parts = parts_of(line)
    if wanted[-1].startswith("reading "):
        parts.append(f"reading {line.get('reading', '-')}")
    wild = ["*" if want == "*" else part for part, want in zip(parts, wanted, strict=False)]
    return " | ".join([*wild, *parts[len(wild) :]])


def in_order_of(golden: list[str], lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The lines in the order of the golden ones that tell them; those that none tells last."""
    waiting, found = list(lines), []
    for want in golden:
        for line in waiting:
            if told_like(want, line) == want:
                waiting.remove(line)
                found.append(line)
                break
    return found + waiting


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
    if expect.get("unordered"):
        lines = in_order_of(golden, lines)
    told = [told_like(want, line) for want, line in zip(golden, lines, strict=False)]
    told += [" | ".join(parts_of(line)) for line in lines[len(golden) :]]
    assert told == golden


def test_there_are_golden_rounds() -> None:
    assert ROUNDS, "no golden rounds found: the test above would pass by testing nothing"
