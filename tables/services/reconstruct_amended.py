"""Tell an amendment in a reconstruction: the next version of the outcome beside the first."""

from collections.abc import Iterator, Mapping
from typing import Any

AMENDED = "tables.round_amended"
PROPOSED, REFUSED = "tables.amendment_proposed", "tables.amendment_refused"


def amended_steps(told: Mapping[str, Any], facts: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the amendment with its outcome, then what it moved on the meter."""
    document = facts["document"]
    yield {
        "step": "amended",
        "version": facts["version"],
        "by": told["by"],
        "proposed_by": facts["proposed_by"],
        "reason": facts["reason"],
        "corrected_hands": document["positions"],
        "corrected_dealer_hand": document.get("dealer_hand"),
        "dealer": facts["outcome"]["dealer"],
        "lines": facts["outcome"]["lines"],
        "claims": facts["claims"],
        "effects": facts["effects"],
    }
    yield from ({"step": "meter", **entry} for entry in facts["entries"])


def write_amended(step: dict[str, Any]) -> Iterator[str]:
    """Write who amended the round, and each line that is another now."""
    yield (
        f"Amended to version {step['version']} by {step['by']}, proposed by {step['proposed_by']}:"
        f" {step['reason']}"
    )
    yield from differences(step["effects"]["differences"])
    for told in step["effects"]["taken_back"]:
        yield f"  payout of position {told['position']} void: ${told['amount']}"
    for told in step["effects"]["opened"]:
        yield f"  payout of position {told['position']} opened: ${told['amount']}"
    for told in step["effects"]["overpaid"]:
        yield f"  position {told['position']} was paid ${told['paid']}, ${told['due']} was due"


def write_proposed(step: dict[str, Any]) -> Iterator[str]:
    """Write what somebody proposed or refused."""
    facts = step["facts"]
    what = "proposed" if step["step"] == PROPOSED else "refused"
    yield f"Version {facts['version']} {what} by {step['by']}: {facts['reason']}"
    if what == "proposed":
        yield from differences(facts["differences"])


def differences(found: list[dict[str, Any]]) -> Iterator[str]:
    """Write each line that changes: what it was, what it is."""
    for told in found:
        place = f"position {told['position']} {words(told['wager'])}"
        yield f"  {place}: {line(told['before'])} -> {line(told['after'])} ({told['change']})"


def line(told: Mapping[str, Any] | None) -> str:
    """Write an outcome line in short."""
    if told is None:
        return "nothing"
    hand = words(told["hand"] or told["result"])
    return f"{hand} ${told['pays']}" if told["result"] != "lose" else f"{hand} loses"


def words(code: str) -> str:
    return code.replace("_", " ")
