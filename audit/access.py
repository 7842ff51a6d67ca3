"""Who looked at which evidence: every such screen, answer and printout is itself in the log."""

from typing import Any

from audit.models import User
from audit.services import record_one

READ = "audit.evidence_read"
PRESERVED = "audit.round_preserved"
#: What the house did about a round and not what the round was: it stays in the house.
HOUSES_OWN = (READ, PRESERVED)


def note_reading(
    screen: str, subject: str, *, by: User | None, facts: dict[str, Any] | None = None
) -> None:
    """Write down that somebody read this; call it before anything is shown.

    ``screen`` names the page or command, ``subject`` what was looked at: ``T-1/49``. A command at
    a shell is read by nobody that the house knows (``by`` None).
    """
    record_one(READ, subject, {"screen": screen, **(facts or {})}, by=by)
