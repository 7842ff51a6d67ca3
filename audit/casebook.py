"""Write in the casebook: cases, their entries, the daily log, and from whom a case is withheld.

The log learns of each entry by its number and digest and never by its text: a case may be withheld
from people who read the log (§ 465a.9).
"""

from datetime import datetime
from decimal import Decimal, InvalidOperation
from hashlib import sha256
from typing import Any

from django.contrib.auth.models import Group
from django.db import connection, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from audit.canonical import canonical
from audit.models import REGULATOR, Case, CaseEntry, User
from audit.services import SYSTEM, log_event, record, timestamp

Kind, Status = CaseEntry.Kind, Case.Status
LONGEST_NUMBER = 18  # digits
LONGEST_TITLE = 120
LINKS = ("round", "claim", "exception", "slip")
ROLES = ("patron", "dealer", "floorperson", "pit manager", "surveillance", "witness", "other")


class CaseRefused(Exception):
    """An entry that cannot be written: code, place, and a sentence for who writes it."""

    def __init__(self, code: str, path: str, detail: str) -> None:
        super().__init__(detail)
        self.code, self.path, self.detail = code, path, detail


def must_be(condition: object, path: str, detail: str, code: str = "incomplete") -> None:
    """Refuse what does not hold."""
    if not condition:
        raise CaseRefused(code, path, detail)


def withheld_entries(user: User) -> QuerySet[CaseEntry]:
    """Return the entries that keep a case from this person and are not lifted."""
    names = list(user.groups.values_list("name", flat=True))
    lifted = CaseEntry.objects.filter(kind=Kind.SHOWN, about=OuterRef("pk"))
    found = CaseEntry.objects.filter(Q(person=user) | Q(department__in=names), kind=Kind.WITHHELD)
    return found.exclude(Exists(lifted))


def cases_for(user: User) -> QuerySet[Case]:
    """Return the cases that this person may know of; a regulator knows of all."""
    if user.is_regulator:
        return Case.objects.all()
    return Case.objects.exclude(pk__in=withheld_entries(user).values("case"))


def status_of(case: Case) -> Case.Status:
    """Return a case's status: its last status entry's."""
    last = case.entries.filter(kind=Kind.STATUS).order_by("-number").first()
    return Status(last.facts["status"]) if last else Status.OPEN


@transaction.atomic
def open_case(
    *,
    by: User,
    type: str,  # noqa: A002 - the field's name
    title: str,
    occurred_from: datetime,
    occurred_until: datetime,
    reported_at: datetime,
    text: str,
) -> Case:
    """Open a case with its first entry. When it happened and when it was told are two things."""
    must_be(type in Case.Type.values, "type", "Choose what kind of case it is.")
    must_be(title.strip(), "title", "Give the case a title.")
    must_be(
        len(title.strip()) <= LONGEST_TITLE, "title", "A title is a line of a list: shorten it."
    )
    must_be(text.strip(), "text", "Write what happened.")
    must_be(occurred_until >= occurred_from, "occurred_until", "The end lies before the beginning.")
    must_be(
        reported_at >= occurred_from, "reported_at", "It cannot be reported before it happened."
    )
    case = Case.objects.create(
        opened_by=by,
        type=type,
        title=title.strip(),
        occurred_from=occurred_from,
        occurred_until=occurred_until,
        reported_at=reported_at,
    )
    case.refresh_from_db()
    write(by=by, case=case, kind=Kind.NOTE, text=text)
    return case


@transaction.atomic
def write(
    *,
    by: User,
    text: str,
    case: Case | None = None,
    kind: str = Kind.NOTE,
    facts: dict[str, Any] | None = None,
    about: CaseEntry | None = None,
    person: User | None = None,
    department: str = "",
    occurred_from: datetime | None = None,
    occurred_until: datetime | None = None,
) -> CaseEntry:
    """Write one entry into a case, or into the daily log where none is named."""
    must_be(text.strip(), "text", "Write something: an entry without words says nothing.")
    if case is not None:
        hold_case(case)
        must_be_open(case, kind)
    entry = CaseEntry.objects.create(
        by=by,
        case=case,
        kind=kind,
        text=text.strip(),
        facts=facts or {},
        about=about,
        person=person,
        department=department,
        occurred_from=occurred_from,
        occurred_until=occurred_until,
    )
    entry.refresh_from_db()
    note_entry(entry)
    return entry


def hold_case(case: Case) -> None:
    """Let one at a time write in a case: its row is written once, so nobody may lock it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext('audit_case'), %s)", [case.number])


def must_be_open(case: Case, kind: str) -> None:
    """Refuse to write into a closed case anything but a correction, a review, its reopening."""
    still = (Kind.STATUS, Kind.CORRECTION, Kind.REVIEW, Kind.WITHHELD, Kind.SHOWN)
    closed = status_of(case) == Status.CLOSED
    must_be(not closed or kind in still, "", "The case is closed; reopen it first.", "case_closed")


def note_entry(entry: CaseEntry) -> None:
    """Tell the log that an entry was written, by its digest."""
    place = "daily log" if entry.case is None else f"case/{entry.case.number}"
    facts = {"entry": entry.number, "kind": entry.kind, "digest": digest_of(entry)}
    record(SYSTEM, [log_event("audit.case_entry_written", place, facts, by=entry.by)])


def digest_of(entry: CaseEntry) -> str:
    """Return the SHA-256 of an entry's canonical bytes, by which the log holds it."""
    told = {
        "about": entry.about and entry.about.number,
        "at": timestamp(entry.at),
        "by": str(entry.by),
        "case": entry.case and entry.case.number,
        "department": entry.department,
        "facts": entry.facts,
        "kind": entry.kind,
        "number": entry.number,
        "occurred_from": entry.occurred_from and timestamp(entry.occurred_from),
        "occurred_until": entry.occurred_until and timestamp(entry.occurred_until),
        "person": entry.person and str(entry.person),
        "text": entry.text,
    }
    return sha256(canonical(told)).hexdigest()


def entry_of(number: int, case: Case | None, kind: str | None = None) -> CaseEntry:
    """Return an entry of the case, or of the daily log, by its number."""
    found = CaseEntry.objects.filter(number=number, case=case)
    entry = (found.filter(kind=kind) if kind else found).first()
    if entry is None:
        raise CaseRefused("unknown_entry", "about", f"There is no such entry {number} here.")
    return entry


def set_status(*, by: User, case: Case, status: str, text: str) -> CaseEntry:
    """Open, lay aside or close a case, with a reason."""
    must_be(status in Status.values, "status", "Choose a status.")
    must_be(status != status_of(case), "status", "The case has this status already.")
    return write(by=by, case=case, kind=Kind.STATUS, text=text, facts={"status": status})


def add_person(*, by: User, case: Case, role: str, name: str, text: str) -> CaseEntry:
    """Name a person of the case by his role: a staff code, a player's id, or a name."""
    must_be(role in ROLES, "role", "Choose the person's role.")
    must_be(name.strip(), "name", "Say who it is.")
    facts = {"role": role, "name": name.strip()}
    return write(by=by, case=case, kind=Kind.PERSON, text=text or f"{role}", facts=facts)


def add_link(*, by: User, case: Case, what: str, which: str, text: str) -> CaseEntry:
    """Link a round (table/number), claim, exception or slip as a fact."""
    must_be(what in LINKS, "what", "Choose what is linked.")
    which = which.strip()
    table, _, number = which.rpartition("/")
    is_round = 0 < len(table) <= 64 and is_a_number(number)
    if what == "round":
        must_be(is_round, "which", "Write a round as table/number, like T-1/204.")
    else:
        must_be(is_a_number(which), "which", "Write its number.")
    facts = {"what": what, "which": which}
    return write(by=by, case=case, kind=Kind.LINK, text=text or f"{what} {which}", facts=facts)


def is_a_number(word: str) -> bool:
    """Whether a word is a whole number that PostgreSQL can hold."""
    return word.isascii() and word.isdecimal() and len(word) <= LONGEST_NUMBER


def correct(*, by: User, case: Case | None, about: int, text: str) -> CaseEntry:
    """Correct an entry: both stay."""
    return write(by=by, case=case, kind=Kind.CORRECTION, text=text, about=entry_of(about, case))


def take_over(*, by: User, case: Case | None, about: int, text: str) -> CaseEntry:
    """Take over what the shift before handed over; nobody takes over from himself."""
    handed = entry_of(about, case, Kind.HANDOVER)
    must_be(handed.by_id != by.pk, "about", "Another person takes it over.", "same_person")
    must_be_first(handed, Kind.TAKEN_OVER, "It was taken over already.")
    return write(by=by, case=case, kind=Kind.TAKEN_OVER, text=text or "Taken over.", about=handed)


def audit_dispute(
    *, by: User, case: Case, violation: str, dealer: str, supervisor: str, amount: str, text: str
) -> CaseEntry:
    """Say what a dispute came to: the violation, by whom, and what it saved or cost the house."""
    must_be(violation.strip(), "violation", "Say which procedure was not followed, or none.")
    dollars = "Write dollars: 75.00, or -75.00 for a loss."
    try:
        money = Decimal(amount.replace(",", "").replace("$", "").strip())
    except InvalidOperation:
        raise CaseRefused("bad_money", "amount", dollars) from None
    must_be(money.is_finite() and abs(money) < 10**12, "amount", dollars, "bad_money")
    facts = {
        "violation": violation.strip(),
        "dealer": dealer.strip(),
        "supervisor": supervisor.strip(),
        "amount": f"{money:.2f}",
    }
    return write(by=by, case=case, kind=Kind.VIOLATION, text=text, facts=facts)


def review(*, by: User, case: Case, about: int, agreed: bool, text: str) -> CaseEntry:
    """Review a dispute's audit as the second person."""
    audited = entry_of(about, case, Kind.VIOLATION)
    must_be(audited.by_id != by.pk, "about", "A second person reviews it.", "same_person")
    must_be_first(audited, Kind.REVIEW, "It was reviewed already.")
    return write(
        by=by, case=case, kind=Kind.REVIEW, text=text, about=audited, facts={"agreed": agreed}
    )


def must_be_first(about: CaseEntry, kind: str, detail: str) -> None:
    """Refuse a second answer of the same kind."""
    must_be(not about.answers.filter(kind=kind).exists(), "about", detail, "answered_already")


def withhold(*, by: User, case: Case, from_whom: str, text: str) -> CaseEntry:
    """Withhold a case from one employee (his staff code) or a department (a role's name)."""
    group = Group.objects.filter(name=from_whom).first()
    person = None if group else User.objects.filter(staff_code=from_whom).first()
    must_be(group or person, "from_whom", "Write a staff code or the name of a role.")
    regulator = (group and group.name == REGULATOR) or (person and person.is_regulator)
    must_be(not regulator, "from_whom", "Nothing is withheld from the regulator.", "never")
    own = by == person or (group and by.groups.filter(pk=group.pk).exists())
    must_be(not own, "from_whom", "You cannot withhold a case from yourself.", "never")
    department = group.name if group else ""
    return write(
        by=by, case=case, kind=Kind.WITHHELD, text=text, person=person, department=department
    )


def show_again(*, by: User, case: Case, about: int, text: str) -> CaseEntry:
    """Lift a withholding."""
    kept = entry_of(about, case, Kind.WITHHELD)
    must_be_first(kept, Kind.SHOWN, "It was lifted already.")
    return write(by=by, case=case, kind=Kind.SHOWN, text=text, about=kept)
