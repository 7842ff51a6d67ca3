"""The command that prints the law: by the chapter, by a submission, as a sign."""

from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from config.supervisor import BASE_DIR
from tables.services.submissions import approve_submission, propose_submission, today
from tests.make import make_user
from tests.tables.conftest import Floor

pytestmark = pytest.mark.django_db

GAME = "six_card_fortune_pai_gow"
PRINTED = Path(__file__).parent.parent / "rules" / "printed"


def printed(*options: str) -> str:
    out = StringIO()
    call_command("print_rules", *options, stdout=out)
    return out.getvalue()


@pytest.mark.parametrize("game", [GAME, "pai_gow"])
def test_without_a_house_the_chapter_is_printed(game: str) -> None:
    assert printed(game) == (PRINTED / f"{game}.txt").read_text(encoding="utf-8")
    assert printed(game, "--sign") == (PRINTED / f"{game}.sign.txt").read_text(encoding="utf-8")


def test_all_games_and_all_readings() -> None:
    text = printed()
    for title in ("SIX-CARD FORTUNE", "PAI GOW POKER", "LUNAR POKER", "FREE BET BLACKJACK"):
        assert title in text
    assert printed("--readings") == (BASE_DIR / "docs" / "readings.md").read_text(encoding="utf-8")


def test_the_sign_is_that_of_the_submission_in_force(floor: Floor) -> None:
    made = propose_submission(
        game=GAME,
        version="2026-2",
        effective=today() + timedelta(days=1),
        choices={"wagers": ["main"], "minimum": "15.00"},
        by=make_user("P300", "pit manager"),
        reason="Main wagers only.",
    )
    assert "Rules Submission t-1" in printed(GAME, "--sign")
    assert "Rules Submission 2026-2" in printed(GAME, "--sign", "--submission", "2026-2")
    text = printed(GAME, "--submission", "2026-2")
    assert "Six-Card Fortune Pai Gow Poker Wager: minimum: $15.00" in text
    assert "Insurance Wager" not in text.partition("What this submission chooses")[0]
    approve_submission(submission_id=made.pk, by=make_user("A600", "accounting"))
    assert "Rules Submission t-1" in printed(GAME, "--sign"), "its day has not come"


def test_a_version_that_is_not_there() -> None:
    with pytest.raises(CommandError, match="no submission x"):
        printed(GAME, "--submission", "x")
    with pytest.raises(CommandError, match="belongs to a game"):
        printed("--submission", "x")
