"""What stands on a dossier's pages: facts from the reconstruction, in words."""

from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

from progressives.models import JackpotClaim
from tables.dossier.pdf import Pages
from tables.felt import lay_out
from tables.models import DossierRequest, Facility, TableEvent
from tables.rules.games import definition_of
from tables.rules.plain import WAGER_WORDS
from tables.services.reconstruct_text import as_text
from tables.services.submission_of import find_submission
from tables.story import Story, story_of

AROUND = timedelta(minutes=2)  # of video before the first moment and after the last


def pages_of(told: dict[str, Any], proven: list[dict[str, Any]], asked: DossierRequest) -> Pages:
    """Return everything that stands on the pages."""
    definition = definition_of(told["game"]) if told["game"] else None
    submission = find_submission(told["game"], told["rules"]) if told["rules"] else None
    readings = dict(submission.readings) if submission else {}
    story = story_of(told, definition.chapter if definition else "", readings)
    positions = definition.positions if definition else 6
    facility = Facility.objects.first()
    return Pages(
        title=f"{told['table']}, round {told['round']}",
        under=(
            f"{facility.name if facility else ''}. For {asked.recipient}: {asked.reason} "
            f"(request {asked.pk}, asked for by {asked.by})"
        ),
        felt=lay_out(story, positions, min(positions, 6)),
        facts=facts_of(told, definition.title if definition else ""),
        people=people_of(story),
        payments=payments_of(story),
        slips=slips_of(told["round_id"]),
        video=video_of(
            told["table"], told["round"], ZoneInfo(facility.time_zone) if facility else UTC
        ),
        timeline=list(as_text(told)),
        events=[(f"{e['chain']}, event {e['sequence']}", e["link"]) for e in proven],
    )


def facts_of(told: dict[str, Any], game: str) -> list[tuple[str, str]]:
    """Return what the round is."""
    facts = [("Game", game), ("State", told["state"]), ("Gaming day", told["gaming_day"] or "")]
    facts += [("Settled under", told["rules"] or ""), ("Round's id", told["round_id"])]
    return [(name, value) for name, value in facts if value]


def people_of(story: Story) -> list[tuple[str, str]]:
    """Return the staff and the players that somebody named, and who did something later."""
    at_table = {**story.first, **{k: v for k, v in story.dealt.items() if v}}
    people = [
        (role, at_table[key])
        for role, key in (("Dealer", "dealer"), ("Floorperson", "floorperson"))
        if at_table.get(key)
    ]
    seats = {seat["position"]: seat for seat in story.first.get("wagers", ())}
    seats |= {hand["position"]: hand for hand in story.dealt.get("hands", ())}
    for position, seat in sorted(seats.items(), reverse=True):
        people.append((f"Position {position}", seat.get("player") or "player not named"))
    for step in story.others:
        if step.get("by"):
            deed = step["step"].rpartition(".")[2].replace("_", " ")
            people.append((deed.capitalize(), f"{step['by']}, {step['log']['recorded_at']}"))
    return people


def payments_of(story: Story) -> list[tuple[str, ...]]:
    """Return what each wager came to, and what was paid."""
    rows: list[tuple[str, ...]] = []
    for row in story.payments:
        wager = WAGER_WORDS.get(row.wager, row.wager.replace("_", " "))
        paid = "by its claim" if row.by_claim else f"${row.paid}" if row.paid else "not reported"
        rows.append((str(row.position), wager, f"${row.stake}", row.result, f"${row.due}", paid))
    return rows


def slips_of(round_id: str) -> list[tuple[str, str]]:
    """Return the round's claims with their payout slips; never a payee's name."""
    found = []
    claims = JackpotClaim.objects.filter(round_id=round_id).select_related("slip")
    for claim in claims.order_by("-position"):
        told = f"{claim.hand.replace('_', ' ')}, {claim.terms}, ${claim.amount:,.2f}"
        told += f", {claim.get_state_display().lower()}"
        if slip := getattr(claim, "slip", None):
            told += f"; slip {slip}, issued {slip.issued_at:%Y-%m-%d %H:%M:%S} UTC"
            told += f", of claim digest {slip.digest[:16]}"
        found.append((f"Position {claim.position}", told))
    return found


def video_of(table: str, number: int, zone: tzinfo) -> list[tuple[str, str]]:
    """Return from when to when to look, and by how much the table's clock was seen to differ.

    An event cannot be accepted before it happened: the least difference between the house's clock
    at its arrival and the table's own at the event bounds how far the table's clock is ahead.
    """
    rows = TableEvent.objects.filter(table__code=table, round=number).order_by("sequence")
    moments = list(rows.values_list("type", "occurred_at", "accepted_at"))
    if not moments:
        return [("No table event", "The round's documents are not in the intake.")]
    first = min(at for _, at, _ in moments)
    last = max(at for _, at, _ in moments)
    late = [accepted - at for _, at, accepted in moments]
    found = [
        ("By the table's clock", f"{zoned(first - AROUND, zone)} to {zoned(last + AROUND, zone)}"),
        ("In UTC", f"{first - AROUND:%Y-%m-%d %H:%M:%S} to {last + AROUND:%Y-%m-%d %H:%M:%S}"),
        ("Clocks", clocks(min(late), max(late))),
    ]
    return found + [(f"At the {kind}", zoned(at, zone)) for kind, at, _ in moments]


def zoned(moment: datetime, zone: tzinfo) -> str:
    """Write a moment in the facility's zone."""
    return f"{moment.astimezone(zone):%Y-%m-%d %H:%M:%S %Z}"


def clocks(least: timedelta, most: timedelta) -> str:
    """Say how the table's clock was seen to differ from the house's."""
    told = f"events arrived {span(least)} to {span(most)} after the moment the table gave them"
    if least < timedelta(0):
        return f"{told}: its clock was at least {span(-least)} ahead of the house's; look earlier"
    return f"{told}; its clock was behind the house's by {span(least)} at the most"


def span(length: timedelta) -> str:
    """Write a length of time."""
    seconds = length.total_seconds()
    return f"{seconds:.1f} s" if abs(seconds) < 600 else str(timedelta(seconds=round(seconds)))
