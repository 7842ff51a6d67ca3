"""Numbered paper forms: issued, voided, entered by one person, confirmed by another."""

from collections.abc import Callable
from datetime import datetime
from functools import wraps
from typing import Any, ParamSpec, TypeVar
from uuid import UUID, uuid4

from django.db import DatabaseError, transaction
from django.db.models import Exists, Max, OuterRef, Q, QuerySet

from audit.canonical import canonical
from audit.models import User
from audit.services import SYSTEM, log_event, record
from progressives.errors import refusal_of
from tables import rules
from tables.downtime_errors import (
    DocumentRefused,
    EntryDecided,
    FormNotFree,
    MayNotRun,
    NoCode,
    NotDown,
    OwnEntry,
    Said,
    TableUnknown,
)
from tables.models import (
    Downtime,
    FormDecision,
    FormEntry,
    FormVoid,
    GamingTable,
    PaperForm,
    TableCursor,
    TableEvent,
)
from tables.services.accept import Answer, accept_from_paper
from tables.services.terms import TermsBook

RUN, CONFIRM = "tables.run_downtime", "tables.confirm_formentry"
MOST_FORMS = 100  # in one pad

P = ParamSpec("P")
T = TypeVar("T")


def guarded(deed: Callable[P, T]) -> Callable[P, T]:
    """Say in words what the database itself refuses."""

    @wraps(deed)
    def done(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return deed(*args, **kwargs)
        except DatabaseError as error:
            refusal = refusal_of(error)
            if refusal is None:
                raise
            raise refusal from error

    return done


def must_be_allowed(by: User, permission: str, deed: str) -> None:
    """Refuse whoever has no role for it, or no staff code to sign with."""
    if not by.is_active or not by.has_perm(permission):
        raise MayNotRun(deed)
    if not by.staff_code:
        raise NoCode


def table_held(code: str) -> GamingTable:
    """Return a table, held until the transaction ends, as every deed with its paper holds it."""
    found = GamingTable.objects.select_for_update(no_key=True, of=["self"]).filter(code=code)
    table = found.select_related("lane").first()
    if table is None:
        raise TableUnknown
    return table


def open_downtimes() -> QuerySet[Downtime]:
    """Return the downtimes that have not ended."""
    return Downtime.objects.filter(end__isnull=True).select_related("table", "by")


def with_state(forms: QuerySet[PaperForm]) -> QuerySet[PaperForm]:
    """Tell of each form whether it was entered, and whether an entry waits for a second person."""
    entries = FormEntry.objects.filter(form=OuterRef("pk"))
    return forms.annotate(
        entered=Exists(entries.filter(decision__kind=FormDecision.Kind.CONFIRMED)),
        waits=Exists(entries.filter(decision__isnull=True)),
    ).select_related("table", "void__by", "by")


def forms_of(table: GamingTable) -> QuerySet[PaperForm]:
    """Return a table's forms that are neither entered nor void."""
    open_ones = with_state(PaperForm.objects.filter(table=table, void__isnull=True))
    return open_ones.filter(Q(entered=False)).order_by("number")


@guarded
@transaction.atomic
def issue_forms(*, table: str, number: int, by: User) -> list[PaperForm]:
    """Issue a pad of forms to a table; PostgreSQL numbers them, after all that were ever issued."""
    must_be_allowed(by, RUN, "issue paper forms")
    if not 0 < number <= MOST_FORMS:
        raise Said("number", f"A pad has 1 to {MOST_FORMS} forms.")
    held = table_held(table)
    keys = [PaperForm.objects.create(table=held, by=by).pk for _ in range(number)]
    made = list(PaperForm.objects.filter(pk__in=keys).order_by("number"))
    facts = {"first": made[0].number, "last": made[-1].number}
    record(SYSTEM, [log_event("tables.forms_issued", table, facts, by=by)])
    return made


@guarded
@transaction.atomic
def void_forms(*, numbers: list[int], by: User, reason: str) -> list[FormVoid]:
    """Void forms: each keeps its number and the reason. All of them, or none."""
    must_be_allowed(by, RUN, "void paper forms")
    if not reason.strip():
        raise Said("reason", "Say why: not used, spoiled, torn.")
    forms = [free_form(number) for number in sorted(set(numbers))]
    if not forms:
        raise Said("numbers", "Choose at least one form.")
    made = [FormVoid.objects.create(form=form, by=by, reason=reason.strip()) for form in forms]
    record(
        SYSTEM,
        [
            log_event(
                "tables.form_voided",
                form.table.code,
                {"form": form.number, "reason": reason.strip()},
                by=by,
            )
            for form in forms
        ],
    )
    return made


def free_form(number: int) -> PaperForm:
    """Return a form that nothing has become of yet, its table held."""
    code = PaperForm.objects.filter(number=number).values_list("table__code", flat=True).first()
    if code is None:
        raise FormNotFree(number, "was never issued")
    table_held(code)
    form = PaperForm.objects.select_related("table").get(number=number)
    entries = FormEntry.objects.filter(form=form)
    if FormVoid.objects.filter(form=form).exists():
        raise FormNotFree(number, "is void")
    if entries.filter(decision__kind=FormDecision.Kind.CONFIRMED).exists():
        raise FormNotFree(number, "is entered already")
    if entries.filter(decision__isnull=True).exists():
        raise FormNotFree(number, "has an entry that waits for a second person")
    return form


@guarded
@transaction.atomic
def enter_form(*, number: int, document: dict[str, Any], by: User) -> FormEntry:
    """Enter a round from its form: what the paper says, checked as a controller's would be.

    ``document`` is the round without its place in the intake: type, round, occurred_at, positions,
    dealer_hand and whatever else the format admits. Nothing is settled before another person
    confirms it.
    """
    must_be_allowed(by, RUN, "enter paper forms")
    form = free_form(number)
    downtime = open_downtimes().filter(table=form.table).first()
    if downtime is None:
        raise NotDown
    whole = document_of(form, downtime, document, by, None)
    check(form.table, whole)
    kept = {key: value for key, value in whole.items() if key not in ("event_id", "sequence")}
    made = FormEntry.objects.create(form=form, downtime=downtime, document=kept, by=by)
    facts = {"document": kept, "downtime": downtime.pk, "entry": made.pk, "form": number}
    record(SYSTEM, [log_event("tables.form_entered", form.table.code, facts, by=by)])
    return made


def document_of(
    form: PaperForm, downtime: Downtime, told: dict[str, Any], by: User, second: User | None
) -> dict[str, Any]:
    """Return the round document of a form, marked manual with who entered and who confirmed it."""
    manual = {"downtime": downtime.pk, "entered_by": by.staff_code, "form": form.number}
    if second is not None:
        manual["confirmed_by"] = second.staff_code
    return {
        "type": "round",
        **told,
        "spec": "round/1",
        "event_id": str(uuid4()),
        "table": form.table.code,
        "sequence": next_sequence(form.table),
        "game": form.table.game,
        "_manual": manual,
    }


def next_sequence(table: GamingTable) -> int:
    """Return the sequence that a table's next event must have: a new controller asks for it too."""
    last = TableEvent.objects.filter(table=table).aggregate(of=Max("sequence"))["of"] or 0
    expected = TableCursor.objects.filter(table=table).values_list("expected", flat=True).first()
    return max(last + 1, expected or 1)


def check(table: GamingTable, document: dict[str, Any]) -> None:
    """Refuse, with the place, what a controller's document would be refused for."""
    if document["type"] not in ("round", "void"):
        raise Said("type", "A form tells a whole round, or a void one.")
    try:
        read = rules.read_json(canonical(document))
        rules.check_envelope(read)
        occurred_at = datetime.fromisoformat(read["occurred_at"])
        rules.check_event(read, TermsBook([table]).at(table, occurred_at))
    except rules.Refusal as refusal:
        raise DocumentRefused(refusal.code, refusal.path, refusal.detail) from None


@guarded
@transaction.atomic(durable=True)
def confirm_entry(*, entry_id: int, by: User) -> tuple[FormDecision, int]:
    """Put another person's entry into the intake, where it is applied as any event is.

    Decision and event are written together or not at all. Returns the decision and the lane whose
    bell is to be rung.
    """
    entry = waiting_entry(entry_id, by)
    form, table = entry.form, entry.form.table
    document = document_of(form, entry.downtime, entry.document, entry.by, by)
    answer: Answer = accept_from_paper(document, table=table.code, name=f"paper form {form.number}")
    if answer.status != "accepted":
        raise DocumentRefused(answer.code, answer.path, answer.detail)
    made = FormDecision.objects.create(
        entry=entry, kind=FormDecision.Kind.CONFIRMED, event_id=UUID(document["event_id"]), by=by
    )
    facts = {"entry": entry.pk, "event_id": document["event_id"], "form": form.number,
             "sequence": document["sequence"]}  # fmt: skip
    record(SYSTEM, [log_event("tables.form_confirmed", table.code, facts, by=by)])
    return made, table.lane_id


@guarded
@transaction.atomic
def reject_entry(*, entry_id: int, by: User, reason: str) -> FormDecision:
    """Send an entry back: the form is to be entered again, or voided."""
    entry = waiting_entry(entry_id, by)
    if not reason.strip():
        raise Said("reason", "Say what differs from the paper.")
    made = FormDecision.objects.create(
        entry=entry, kind=FormDecision.Kind.REJECTED, by=by, reason=reason.strip()
    )
    facts = {"entry": entry.pk, "form": entry.form.number, "reason": reason.strip()}
    record(SYSTEM, [log_event("tables.form_sent_back", entry.form.table.code, facts, by=by)])
    return made


def waiting_entry(entry_id: int, by: User) -> FormEntry:
    """Return an entry that waits, its table held, for a person who may decide on it."""
    must_be_allowed(by, CONFIRM, "confirm what was entered from paper forms")
    found = FormEntry.objects.select_related("form__table", "downtime", "by").get(pk=entry_id)
    table_held(found.form.table.code)
    if FormDecision.objects.filter(entry=found).exists():
        raise EntryDecided
    if found.by_id == by.pk:
        raise OwnEntry
    return found
