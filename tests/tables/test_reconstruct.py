"""A round told from the log alone, step by step."""

from typing import Any

import pytest

from tables.models import Round
from tables.services.reconstruct import NotInTheLog, find_round, reconstruct
from tables.services.reconstruct_text import as_text
from tests.documents import NOTHING, OTHER_ROYAL, ROYAL, Sender, seat


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
