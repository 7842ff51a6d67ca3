"""Freeze a round's evidence as the log tells it now."""

from audit import footage
from audit.casebook import CaseRefused
from audit.models import Case, FootageHold, PreservedRound, User
from tables.models import Round
from tables.services.reconstruct import NotInTheLog, reconstruct


def preserve_round(
    *, table: str, number: int, by: User, reason: str, case: Case | None
) -> tuple[PreservedRound, list[FootageHold]]:
    """Keep a round's reconstruction and hold its footage. Raises CaseRefused."""
    found = Round.objects.filter(table__code=table, number=number).first()
    if found is None:
        raise CaseRefused("unknown_round", "round", f"There is no round {number} at {table}.")
    try:
        evidence = reconstruct(table, number)
    except NotInTheLog as missing:
        raise CaseRefused("not_in_the_log", "round", str(missing)) from missing
    return footage.preserve(
        by=by,
        round_id=found.pk,
        table=table,
        round=number,
        occurred_at=found.occurred_at,
        evidence=evidence,
        reason=reason,
        case=case,
    )
