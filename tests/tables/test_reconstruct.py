"""A round told from the log alone, step by step."""

from io import StringIO
from itertools import pairwise
from typing import Any

import pytest
from django.core.management import call_command

from audit.access import READ
from audit.canonical import parse
from audit.models import AuditEvent
from tables.models import Round
from tables.services.reconstruct import NotInTheLog, find_round, reconstruct
from tables.services.reconstruct_text import as_text
from tables.services.submission_of import find_submission
from tests import four_games
from tests.documents import NOTHING, OTHER_ROYAL, ROYAL, Sender, seat
from tests.tables.conftest import Floor


def steps(told: dict[str, Any]) -> list[str]:
    return [step["step"] for step in told["steps"]]


def test_a_settled_round_shows_the_meter_at_each_turn(floor: Any) -> None:
    sender = Sender()
    seats = [seat(2, ROYAL), seat(6, OTHER_ROYAL)]
    floor.play(sender.lockout(*seats), sender.settlement(*seats))

    told = reconstruct(*find_round(Round.objects.get().pk))

    assert told["state"] == "settled"
    assert steps(told)[:5] == ["no_more_bets", "meter", "meter", "dealt", "dealer"]
    turns = [s for s in told["steps"] if s.get("meter_at_turn")]
    assert [(s["position"], s["meter_at_turn"], s["meter"][0]["after"]) for s in turns] == [
        (6, "20000.42", "18000.380000"),
        (2, "18000.38", "16200.350000"),
    ]
    assert told["steps"][-1]["meters"][0]["after"] == "16200.350000"


def test_it_is_told_from_the_log_and_not_from_the_tables(floor: Any) -> None:
    floor.play(Sender().whole(seat(2, ROYAL)))
    told = reconstruct("T-1", 1)
    assert {step["log"]["chain"] for step in told["steps"]} == {"lane:P-1"}


def test_a_void_round(floor: Any) -> None:
    sender = Sender()
    floor.play(sender.lockout(seat(2, NOTHING)), sender.void())
    told = reconstruct("T-1", 1)
    assert (told["state"], steps(told)) == (
        "void",
        ["no_more_bets", "meter", "void", "meter", "settled", "settled"],
    )


def test_an_open_round(floor: Any) -> None:
    floor.play(Sender().lockout(seat(2, NOTHING)))
    assert reconstruct("T-1", 1)["state"] == "open"


def test_a_refusal_at_its_turn_is_part_of_the_round(floor: Any) -> None:
    sender = Sender()
    floor.play(sender.lockout(seat(2, NOTHING)))
    floor.play(sender.settlement(seat(2, NOTHING, progressive=False)))
    last = reconstruct("T-1", 1)["steps"][-1]
    assert (last["step"], last["code"]) == ("refused", "wagers_changed_after_lockout")


def test_what_the_log_does_not_know(floor: Any) -> None:
    with pytest.raises(NotInTheLog):
        reconstruct("T-1", 99)


def test_the_printout_can_be_read(floor: Any) -> None:
    floor.play(Sender().whole(seat(6, ROYAL)))
    text = "\n".join(as_text(reconstruct("T-1", 1)))
    assert "T-1, round 1: settled" in text
    assert "position 6: AS KS QS JS TS | 4D" in text
    assert "meter grand #3: 20000.21 -2000.02 = 18000.19  award for position 6" in text


def test_rounds_of_all_four_games_in_words(db: None) -> None:
    floor = Floor(four_games.setup())
    floor.play(*four_games.all_rounds())

    def text(table: str, number: int = 1) -> str:
        return "\n".join(as_text(reconstruct(table, number)))

    six = text("SC-1")
    assert "position 2 (PL-0991): AS KS QS JS JK=TS | 3H (light lit)" in six
    assert "SC-2: 2 wagers, +0.42 on the meter" in six
    assert "mispay: Position 6, main: $25.00 was paid, $0.00 is due; overpaid by $25.00" in six
    assert "first to last: stub of 11 cards; position 5 8S 8D KD 7C 5D 2S" in six
    assert "AS AD QS 6C 2S | JK=an ace KS" in text("PG-1")
    lunar = text("LP-1")
    assert "position 4: 9H 8H 7H 6H 5H\n" in lunar
    assert "position 1 exchanged 9D 7C 3S; position 1 AS KC JC 6D 4S" in lunar
    assert "8D 2C 9D (free split, free double)" in text("FB-1")
    void = text("SC-1", 2)
    assert "position 4 lay: AS AD 4H 4S 9C ??" in void
    assert "position 2 (PL-12): main $40.00" in void


def test_what_moved_in_between_joins_the_rounds_own_movements(db: None) -> None:
    floor = Floor(four_games.setup())
    floor.play(*four_games.six_card())
    told = reconstruct("SC-1", 1)["steps"]
    moved = [step for step in told if step["step"] == "meter"]
    moved += next(step["moved"] for step in told if step["step"] == "elsewhere")
    moved += [
        entry for step in told if step["step"] == "settled" for entry in step.get("meter", ())
    ]
    for before, after in pairwise(moved):
        assert (after["sequence"], after["before"]) == (before["sequence"] + 1, before["after"])
    assert {entry.get("table") for entry in moved} == {None, "SC-2"}


def test_a_joker_is_not_told_by_rules_that_settled_another_round(db: None) -> None:
    """The submission is found by the digest that the log names, or not at all."""
    floor = Floor(four_games.setup())
    floor.play(*four_games.six_card())
    told = reconstruct("SC-1", 1)
    assert find_submission(told["game"], told["rules"]) is not None
    assert find_submission(told["game"], told["rules"][:-1] + "x") is None


def test_who_had_a_round_printed_is_in_the_log(floor: Any) -> None:
    floor.play(Sender().whole(seat(2, ROYAL)))
    call_command("reconstruct", "T-1", "1", stdout=StringIO())
    event = AuditEvent.objects.get(action=READ)
    facts = parse(bytes(event.body))["facts"]
    assert (event.chain.name, event.subject, facts) == (
        "system",
        "T-1/1",
        {"screen": "reconstruct"},
    )
    assert {step["log"]["chain"] for step in reconstruct("T-1", 1)["steps"]} == {"lane:P-1"}
