"""What no two people may change: what a game's chapter fixes, and what its submission sets."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from progressives.control_errors import ParameterWrong
from progressives.models import Meter
from tables.models import GamingTable, SubmissionApproval
from tables.rules.choices import progressives_in
from tables.rules.games import definition_of


def must_be_lawful(meter: Meter, after: Mapping[str, Any]) -> None:
    """Refuse a rate or reset amount that a chapter of the linked games does not allow.

    § 670a.12(d)(1)-(2) fix the rate of progression and the least reset amount. Where an approved
    rules submission names either, it holds at the tables and is changed there.
    """
    games = GamingTable.objects.filter(progressive_id=meter.progressive_id)
    for game in sorted(set(games.values_list("game", flat=True))):
        must_follow_the_chapter(game, meter, after)
        must_not_meet_a_submission(game, meter, after)


def must_follow_the_chapter(game: str, meter: Meter, after: Mapping[str, Any]) -> None:
    """Refuse what the chapter of this game fixes otherwise."""
    definition = definition_of(game)
    terms = None if definition is None else definition.progressive
    if terms is None:
        return
    rate, reset = after.get("increment_percent"), after.get("reset")
    if rate is not None and Decimal(rate) != terms.increment_percent:
        raise ParameterWrong(
            "increment_percent",
            f"{terms.cite} fixes the rate of progression at {terms.increment_percent} percent.",
        )
    least = terms.lowest_reset(meter.progressive.wager_unit)
    if reset is not None and Decimal(reset) < least:
        raise ParameterWrong("reset", f"{terms.cite}: the reset amount is at least ${least:,.2f}.")


def must_not_meet_a_submission(game: str, meter: Meter, after: Mapping[str, Any]) -> None:
    """Refuse what the game's last approved submission sets for this wager."""
    approved = SubmissionApproval.objects.filter(
        game=game, kind=SubmissionApproval.Kind.APPROVED
    ).select_related("submission")
    last = approved.order_by("effective").last()
    for told in () if last is None else progressives_in(last.submission.choices):
        if Decimal(told["wager_unit"]) != meter.progressive.wager_unit:
            continue
        for name in ("increment_percent", "reset"):
            if name in after and name in told:
                raise ParameterWrong(
                    name,
                    f"Rules submission {last.submission.version} sets this for {game}: propose "  # type: ignore[union-attr]
                    "another submission.",
                )
