"""The engine from a shell: plain Python, one document a line in, one outcome a line out."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.rules.made import DEALER, GAME, event, played, seat

ROOT = Path(__file__).parents[2]


def run(*arguments: str, told: str | bytes = b"") -> tuple[int, list[Any]]:
    """Run the module without site-packages, so that nothing installed can help it."""
    finished = subprocess.run(
        [sys.executable, "-I", "-S", "-c", PLAIN, *arguments],
        input=told.encode() if isinstance(told, str) else told,
        capture_output=True,
        cwd=ROOT,
        check=False,
        timeout=60,
    )
    assert finished.stderr == b"", finished.stderr.decode()
    return finished.returncode, [json.loads(line) for line in finished.stdout.splitlines()]


PLAIN = (
    "import runpy, sys; sys.path.insert(0, '.');"
    "runpy.run_module('tables.rules', run_name='__main__', alter_sys=True)"
)
REDUCED = {
    "spec": "round/1",
    "game": GAME,
    "positions": [seat(2, "AS KS QS JS TS 4D", progressive="1.00")],
    "dealer_hand": {"cards": DEALER.split()},
}


def test_settle_a_document_a_line() -> None:
    told = "\n".join(
        json.dumps(document) for document in (REDUCED, played(seat(2, "QS JH 9D 6C 4H 3S")))
    )
    status, outcomes = run("settle", told=f"{told}\n\n")

    assert status == 0
    assert [outcome["spec"] for outcome in outcomes] == ["outcome/1"] * 2
    assert list(outcomes[0]) == ["spec", "game", "rules", "dealer", "lines", "meters", "flags"]
    assert outcomes[0]["lines"][1] == {
        "position": 2,
        "wager": "progressive",
        "stake": "1.00",
        "result": "win",
        "hand": "royal_flush",
        "terms": "10% of meter",
        "pays": None,
        "returned": "0.00",
        "cite": "§ 670a.12(d)(1)",
    }


def test_settle_a_single_document_over_many_lines_and_price_it() -> None:
    document = {**REDUCED, "meter": {"value": "20000.00", "reset": "5000.00"}}
    status, (outcome,) = run("settle", told=json.dumps(document, indent=2))

    assert status == 0
    assert outcome["lines"][1]["pays"] == "2000.02"
    assert outcome["lines"][1]["meter_at_turn"] == "20000.21"
    assert outcome["meters"] == [
        {
            "level": "grand",
            "before": "20000.00",
            "contributed": "0.21",
            "paid": "2000.02",
            "after": "18000.19",
        }
    ]


def test_settle_with_a_submission_of_its_own() -> None:
    document = {**REDUCED, "submission": {"wagers": ["main"]}}
    status, (answer,) = run("settle", told=json.dumps(document))

    assert status == 2
    assert answer["error"]["code"] == "wager_not_offered"
    assert answer["error"]["path"] == "positions[0].wagers.progressive"


@pytest.mark.parametrize(
    ("change", "code", "path"),
    [
        ({"game": "lunar_roulette"}, "bad_value", "game"),
        ({"spec": "round/2"}, "bad_value", "spec"),
        ({"type": "operation"}, "bad_value", "type"),
        ({"meter": {"value": "1"}}, "bad_money", "meter.value"),
        ({"meter": {"value": "1.00"}}, "missing_key", "meter.reset"),
        ({"submission": []}, "wrong_type", "submission"),
        ({"submission": {"readings": {"SC-8": 1}}}, "bad_value", "submission.readings.SC-8"),
        (
            {"submission": {"progressive_units": ["2.00"]}},
            "bad_value",
            "submission.progressive_units[0]",
        ),
        (
            {"submission": {"progressive_units": ["5.00"]}},
            "progressive_unit",
            "positions[0].wagers.progressive",
        ),
    ],
)
def test_a_refused_line_does_not_stop_the_others(change: dict, code: str, path: str) -> None:
    told = "\n".join(map(json.dumps, ({**REDUCED, **change}, REDUCED)))
    status, (refused, outcome) = run("settle", told=told)

    assert status == 2
    assert set(refused["error"]) == {"code", "path", "detail", "cite"}
    assert (refused["error"]["code"], refused["error"]["path"]) == (code, path)
    assert outcome["spec"] == "outcome/1"


def test_settle_voids_and_lockouts() -> None:
    void = event("void", irregularity={"cite": "670a.13(e)"}, positions=[seat(2)])
    lockout = event("lockout", positions=[seat(2, progressive="1.00")])
    meter = {"value": "20000.00", "reset": "5000.00"}
    status, outcomes = run(
        "settle", told="\n".join(json.dumps({**each, "meter": meter}) for each in (void, lockout))
    )

    assert status == 0
    assert [line["result"] for line in outcomes[0]["lines"]] == ["returned"]
    assert outcomes[1]["lines"] == []
    assert outcomes[1]["meters"][0]["after"] == "20000.21"


@pytest.mark.parametrize(
    ("told", "errors"),
    [(b"{", 1), (b"nonsense\n{}\n", 2), (b"{\n 1\n}\n", 1), (b"\xff\n", 1), (b"[" * 50_000, 1)],
)
def test_input_that_is_no_document(told: bytes, errors: int) -> None:
    status, answers = run("settle", told=told)

    assert status == 2
    assert len(answers) == errors
    assert all("error" in answer for answer in answers)


def test_nothing_in_nothing_out() -> None:
    assert run("settle") == (0, [])


def test_rank_one_hand() -> None:
    status, answers = run("rank", "--game", GAME, *"AS KS QS JS JK 4D".split())

    assert status == 0
    assert answers == [
        {
            "hand": "royal_flush",
            "cards": ["AS", "KS", "QS", "JS", "JK"],
            "joker_as": "TS",
            "order": [9, 14, 0, 0, 0, 0],
        }
    ]


def test_rank_a_hand_a_line() -> None:
    told = "KS KH 9D 7C 5S\nKD KC 9S 7H 5D 2C\nAS\nAS AS 9D 7C 5S\n1S KH 9D 7C 5S\n"
    status, answers = run("rank", "--game", GAME, told=told)

    assert status == 2
    assert answers[0]["order"] == answers[1]["order"]
    assert [(a["error"]["code"], a["error"]["path"]) for a in answers[2:]] == [
        ("wrong_card_count", "cards"),
        ("duplicate_card", "cards[1]"),
        ("bad_card", "cards[0]"),
    ]


@pytest.mark.parametrize("arguments", [[], ["deal"], ["rank"], ["rank", "--game", "whist", "AS"]])
def test_a_wrong_command_line_tells_the_right_one(arguments: list[str]) -> None:
    finished = subprocess.run(
        [sys.executable, "-m", "tables.rules", *arguments],
        capture_output=True,
        cwd=ROOT,
        check=False,
        text=True,
    )

    assert finished.returncode == 2
    assert finished.stderr.startswith("usage:")


def test_the_engine_starts_quickly() -> None:
    """By processor time, so that a busy machine does not count."""

    def start() -> float:
        begun = os.times()
        run("rank", "--game", GAME, *"AS KS QS JS JK 4D".split())
        ended = os.times()
        return sum(ended[2:4]) - sum(begun[2:4])  # user and system time of children

    assert min(start() for _ in range(5)) < 0.2
