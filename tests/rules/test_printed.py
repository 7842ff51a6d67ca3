"""Printouts are committed: a change of law, of a figure or of a reading is a change one can read.

``./run manage print_rules GAME > tests/rules/printed/GAME.txt`` prints one anew, with ``--sign``
its sign; ``./run manage print_rules --readings > docs/readings.md`` the readings.
"""

from pathlib import Path

import pytest

from config.supervisor import BASE_DIR
from tables.rules import GAMES, Submission
from tables.rules.choices import choices_of
from tables.rules.explained import EXPLAINED
from tables.rules.games import definition_of
from tables.rules.paytables import GameDefinition
from tables.rules.printing import SAMPLE, WIDTH, readings_page, rules_text
from tables.rules.samples import read_sample
from tables.rules.signs import sign_text

PRINTED = Path(__file__).parent / "printed"


def game_of(game: str) -> tuple[GameDefinition, Submission]:
    definition = definition_of(game)
    assert definition is not None
    chosen = read_sample(definition.chapter) if definition.needs_submission else {}
    return definition, Submission.make(game, chosen)


@pytest.mark.parametrize("game", GAMES)
def test_a_games_printout_is_the_committed_one(game: str) -> None:
    definition, sample = game_of(game)
    printed = rules_text(definition, sample if definition.needs_submission else None)
    assert "\n".join(printed) + "\n" == (PRINTED / f"{game}.txt").read_text(encoding="utf-8")
    assert max(map(len, printed)) <= WIDTH


@pytest.mark.parametrize("game", GAMES)
def test_a_games_sign_is_the_committed_one(game: str) -> None:
    printed = sign_text(*game_of(game))
    assert "\n".join(printed) + "\n" == (PRINTED / f"{game}.sign.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("game", GAMES)
def test_every_figure_of_the_definition_is_printed(game: str) -> None:
    definition, _ = game_of(game)
    text = "\n".join(rules_text(definition)).replace(",", "")
    tables = [
        *definition.paytables.values(),
        *(table for by_letter in definition.lettered.values() for table in by_letter.values()),
    ]
    for table in tables:
        assert table.cite in text
        for line in table.lines:
            assert line.terms_text in text
    for schedule in definition.envies.values():
        assert schedule.cite in text
        for column in schedule.columns.values():
            assert all(line.terms_text.removeprefix("fixed ") in text for line in column.values())
    for reading in definition.readings:
        assert f"{reading.id} " in text
        assert reading.cite.replace(",", "") in text
    for cite in (*definition.void_paragraphs, *definition.refusal_cites.values()):
        assert cite in text


def test_a_sample_is_marked_first_on_every_printout() -> None:
    definition, sample = game_of("pai_gow")
    assert SAMPLE in rules_text(definition, sample)[0]
    assert SAMPLE in sign_text(definition, sample)[0]
    for game in set(GAMES) - {"pai_gow"}:
        assert SAMPLE not in "\n".join(sign_text(*game_of(game)))


# ---- the sign --------------------------------------------------------------------------------


def sign(game: str, **choices: object) -> str:
    definition, _ = game_of(game)
    return "\n".join(sign_text(definition, Submission.make(game, choices)))


def test_670a_2_b_9_only_wagers_on_offer_are_on_the_sign() -> None:
    text = sign("six_card_fortune_pai_gow", wagers=["main", "progressive"])
    assert "PROGRESSIVE PAYOUT WAGER" in text
    assert "100% of meter" in text
    assert "INSURANCE" not in text
    assert "FORTUNE" not in text.replace("SIX-CARD FORTUNE", "")
    assert "Double Down" not in text


def test_670a_12_b_2_the_sign_promises_no_envy_that_is_not_paid() -> None:
    game = "six_card_fortune_pai_gow"
    assert "with a wager of $5.00 or more" in sign(game)
    assert "from $1.00 to below $5.00" not in sign(game)
    assert "from $1.00 to below $5.00" in sign(game, readings={"SC-8": "table"})
    assert "with a wager of $5.00, for" not in sign(game, progressive_units=["1.00"])


def test_671a_2_b_6_both_notices() -> None:
    text = sign("lunar_poker", paytables={"instant": "B"})
    assert "ace-king or higher" in text
    assert "Instant payout" in text
    assert "INSTANT PAYTABLE B" in text
    assert "INSTANT PAYTABLE A" not in text


def test_672a_2_b_3_all_five_inscriptions() -> None:
    text = sign("free_bet_blackjack")
    for words in ("Blackjack pays", "3 to 2", "Insurance pays", "2 to 1", "stands on all 17s",
                  "has 22", "no surrender"):  # fmt: skip
        assert words in text


# ---- readings --------------------------------------------------------------------------------


def test_the_page_of_readings_is_the_committed_one() -> None:
    page = (BASE_DIR / "docs" / "readings.md").read_text(encoding="utf-8")
    assert "\n".join(readings_page()) + "\n" == page


def test_every_reading_of_every_game_is_on_the_page_with_all_its_choices() -> None:
    page = (BASE_DIR / "docs" / "readings.md").read_text(encoding="utf-8")
    used = set()
    for game in GAMES:
        definition, _ = game_of(game)
        for reading in definition.readings:
            used.add(reading.id)
            assert f"### {reading.id}, {reading.cite}" in page
            assert list(EXPLAINED[reading.id].choices) == [reading.default, *reading.alternatives]
            for name, sentence in EXPLAINED[reading.id].choices.items():
                assert f"| `{name}` | {sentence} |" in page
    assert used == set(EXPLAINED), "an explanation of nothing"


@pytest.mark.parametrize("game", GAMES)
def test_every_choice_is_explained_and_named_once(game: str) -> None:
    choices = choices_of(game_of(game)[0])
    assert all(choice.title and choice.sentence for choice in choices)
    assert len({choice.name for choice in choices}) == len(choices)
