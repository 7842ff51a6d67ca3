"""Whatever senders do, the intake keeps its promises: properties over a real database.

Each example plays two linked tables of a lane of its own. Their events are repeated, contradicted,
spoilt, lost, shuffled and sent in lists of any length, while the lane is applied in between; then
what is missing is sent, and the lane must have come to what its own log says, by arithmetic that
is not the product's (``tests.faults.refold``).
"""

import itertools
import json
from dataclasses import dataclass, field
from typing import Any
from uuid import NAMESPACE_OID, uuid5

import pytest
from hypothesis import HealthCheck, Phase, event, given, settings
from hypothesis import strategies as st

from audit.canonical import canonical
from audit.models import AuditEvent
from audit.verify import verify_chains
from progressives.models import JackpotClaim, Lane, Meter, MeterEntry
from tables import rules
from tables.models import AccessKey, AppliedEvent, GamingTable, TableEvent
from tables.services import accept, numbering
from tables.services.accept import accept_events
from tables.services.apply import apply_lane
from tables.services.drain import Drained, drain_lane
from tables.services.keys import make_key
from tables.services.setup import load_setup
from tests.databases import CommittedDatabase
from tests.documents import FIVE_ACES, NOTHING, OTHER_ROYAL, ROYAL, SETUP, STRAIGHT, Sender, seat
from tests.faults.mutants import changes
from tests.faults.refold import Told

Document = dict[str, Any]
numbers = itertools.count(1)


@dataclass
class Hall:
    """A lane with two tables and a key, made for one example."""

    key: AccessKey
    name: str = field(default_factory=lambda: f"H{next(numbers)}")
    answers: list[tuple[Document, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.tables = [f"{self.name}-1", f"{self.name}-2"]
        [progressive] = SETUP["progressives"]
        self.setup = {
            **SETUP,
            "progressives": [{**progressive, "code": self.name}],
            "tables": [
                {**made, "code": code, "progressive": self.name}
                for made, code in zip(SETUP["tables"], self.tables, strict=True)
            ],
        }
        load_setup(self.setup)
        self.key.tables.add(*GamingTable.objects.filter(code__in=self.tables))
        self.lane = Lane.objects.get(name=self.name)

    def send(self, documents: list[Document]) -> None:
        """Send documents as a list, through the strict reader."""
        read = rules.read_json_list(json.dumps(documents).encode(), 1000)
        answers = accept_events(read, key=self.key)
        self.answers += zip(documents, answers, strict=True)

    def apply(self, limit: int) -> None:
        """Apply all that can be applied now, in batches of a length, each before the next."""
        while apply_lane(lane_id=self.lane.pk, limit=limit):
            pass

    def drain(self, limit: int) -> None:
        """Apply all that can be applied now, each batch worked out while another is written."""
        run = drain_lane(lane_id=self.lane.pk, seconds=60, limit=limit)
        assert run._replace(done=0) == Drained(0)


@pytest.fixture
def key(committed_db: CommittedDatabase) -> AccessKey:
    """Return a gateway's key in a database of the test's own."""
    load_setup(SETUP)
    found, _ = make_key(name="gateway", kind=AccessKey.Kind.GATEWAY, tables=[])
    return found


# ---- what a table may tell ------------------------------------------------------------------

WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=16)
HANDS = st.one_of(
    st.permutations([NOTHING, STRAIGHT, ROYAL, OTHER_ROYAL]),
    st.permutations([NOTHING, STRAIGHT, FIVE_ACES]),
    st.just([FIVE_ACES, ROYAL, NOTHING]),  # two aces of spades: refused, and so a gap
)
STYLES = ["whole", "both", "both", "void", "open", "void alone", "settled twice"]


@st.composite
def seats(draw: st.DrawFn) -> list[Document]:
    """Seats of one round, with nothing, small wins, and a share of the meter or all of it."""
    places = draw(st.lists(st.integers(1, 6), min_size=1, max_size=3, unique=True))
    hands = draw(HANDS)
    return [
        seat(place, hand, progressive=draw(st.booleans()), player=draw(WORDS))
        for place, hand in zip(places, hands, strict=False)
    ]


@st.composite
def rounds(draw: st.DrawFn, table: str) -> list[Document]:
    """Tell a few rounds of a table, in the ways a table tells them."""
    sender, told = Sender(table), []
    for style in draw(st.lists(st.sampled_from(STYLES), min_size=1, max_size=4)):
        placed = draw(seats())
        if style == "whole":
            told.append(sender.whole(*placed, dealer=draw(WORDS)))
            continue
        if style == "void alone":
            sender.round += 1
            told.append(sender.void())
            continue
        told.append(sender.lockout(*placed))
        if style == "void":
            told.append(sender.void(_why=draw(WORDS)))
        if style in ("both", "settled twice"):
            told.append(sender.settlement(*placed))
        if style == "settled twice":
            told.append(sender.settlement(*placed))
    return [named(one, "first") for one in told]


def named(document: Document, story: str) -> Document:
    """Return the document under the id that a story of its place has, the same at each draw."""
    place = f"{document['table']}/{document['sequence']}/{story}"
    return {**document, "event_id": str(uuid5(NAMESPACE_OID, place))}


def spoilt(document: Document, how: int) -> Document:
    """Return the document with something wrong or odd in it, under an id of its own."""
    ways: list[Document] = [
        {"unknown": 1},
        {"round": 0},
        {"sequence": 0},
        {"sequence": "1"},
        {"table": "NOWHERE"},
        {"spec": "round/9"},
        {"occurred_at": "yesterday"},
        {"type": "party"},
        {"positions": []},
        {"positions": [{"position": 9, "wagers": {"main": "5.00"}}]},
        {"positions": [{"position": 1, "wagers": {"main": 5.0}}]},
        {"dealer_hand": {"cards": ["ZZ"]}},
        {"dealer": ""},
        {"chip_count": 99},
        {"_deep": [[[{"a": [1]}]]]},
    ]
    return {**named(document, f"spoilt {how}"), **ways[how]}


WAYS = 15
DEEDS = ["send"] * 6 + ["repeat", "repeat", "contradict", "rename", "spoil", "lose"]


@st.composite
def deliveries(draw: st.DrawFn, told: list[Document]) -> list[Document]:
    """Return what is sent of it: some twice, some otherwise, some not, in whatever order."""
    sent: list[Document] = []
    for document in told:
        deed = draw(st.sampled_from(DEEDS))
        event(deed)
        if deed == "lose":
            continue
        if deed == "spoil":
            sent.append(spoilt(document, draw(st.integers(0, WAYS - 1))))
        if deed == "contradict":
            sent.append({**document, "dealer": "D-other"})
        if deed == "rename":
            sent.append(named(document, "second"))
        sent += [document] * (2 if deed == "repeat" else 1)
    return list(draw(st.permutations(sent))) if draw(st.booleans()) else sent


# ---- what must hold -------------------------------------------------------------------------


def keep_promises(key: AccessKey, **how: Any) -> None:
    """Play examples until one breaks a promise; ``how`` says how many, and how to look."""

    @settings(
        deadline=None,
        print_blob=True,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        **how,
    )
    @given(data=st.data())
    def play(data: st.DataObject) -> None:
        hall = Hall(key)
        told = [one for table in hall.tables for one in data.draw(rounds(table))]
        sent = data.draw(deliveries(told))
        while sent:
            length = data.draw(st.integers(1, len(sent)))
            hall.send(sent[:length])
            sent = sent[length:]
            if data.draw(st.booleans()):
                hall.apply(limit=data.draw(st.integers(1, 5)))
        hall.send(told)  # what was lost comes now; the rest is repeated, or meets another
        hall.drain(limit=data.draw(st.integers(1, 5)))

        hold_answers(hall)
        hold_order(hall)
        hold_money(hall)

    play()
    assert verify_chains().ok  # of all examples: each walk takes as long as all before it


def test_whatever_is_sent_the_lane_comes_to_what_its_log_says(key: AccessKey) -> None:
    keep_promises(key, max_examples=60)


@pytest.mark.slow
def test_whatever_is_sent_two_thousand_times(key: AccessKey) -> None:
    keep_promises(key, max_examples=2000)


TWINS = [
    (numbering, "merge", changes.by_arrival),
    (numbering, "merge", changes.gap_jumped),
    (accept, "compare", changes.all_is_repeated),
]


@pytest.mark.parametrize(
    ("module", "name", "change"), TWINS, ids=["by_arrival", "gap_jumped", "all_is_repeated"]
)
def test_without_what_it_rests_on_a_promise_is_broken(
    key: AccessKey, monkeypatch: pytest.MonkeyPatch, module: Any, name: str, change: Any
) -> None:
    monkeypatch.setattr(module, name, getattr(module, name))  # put back afterwards
    change(module)
    once = {"phases": [Phase.generate], "report_multiple_bugs": False, "database": None}
    with pytest.raises(AssertionError):
        keep_promises(key, max_examples=200, **once)


def hold_answers(hall: Hall) -> None:
    """Each document was told the same each time; what was accepted is stored as it was sent."""
    first: dict[bytes, Any] = {}
    accepted: dict[str, bytes] = {}
    for document, answer in hall.answers:
        body = canonical(document)
        was = first.setdefault(body, answer.told())
        if was["status"] == "accepted":
            assert answer.told() == was
        if answer.status == "accepted":
            assert accepted.setdefault(answer.event_id, body) == body, "two stories of one event"
        else:
            assert answer.code
            assert answer.detail
    tables = GamingTable.objects.filter(code__in=hall.tables)
    stored = TableEvent.objects.filter(table__in=tables).values_list("event_id", "body")
    assert {str(event_id): bytes(body) for event_id, body in stored} == accepted


def hold_order(hall: Hall) -> None:
    """What no gap holds is applied, once, numbered without a gap, each table in its order."""
    rows = AppliedEvent.objects.filter(lane=hall.lane).order_by("number")
    fates = list(rows.values_list("number", "event__table__code", "event__sequence", "state"))
    assert [number for number, *_ in fates] == list(range(1, len(fates) + 1))
    for table in hall.tables:
        events = TableEvent.objects.filter(table__code=table).order_by("sequence")
        stored = enumerate(events.values_list("sequence", flat=True), start=1)
        reached = [place for place, sequence in stored if sequence == place]
        assert [sequence for _, code, sequence, _ in fates if code == table] == reached
    assert {state for *_, state in fates} <= {"applied", "refused"}
    hall.lane.refresh_from_db()
    assert hall.lane.number == len(fates)
    event(f"refused at their turn: {sum(state == 'refused' for *_, state in fates)}")


def hold_money(hall: Hall) -> None:
    """The meter, each of its movements and each claim are what the log comes to."""
    log = AuditEvent.objects.filter(chain__name=f"lane:{hall.name}").order_by("sequence")
    retold = Told()
    retold.set_up(hall.setup)
    for body in log.values_list("body", flat=True):
        retold.apply(hall.name, json.loads(bytes(body))["facts"])
    [progressive] = retold.progressives.values()

    meter = Meter.objects.get(progressive__code=hall.name)
    entries = MeterEntry.objects.filter(meter=meter).order_by("sequence")
    moved = list(entries.values_list("sequence", "kind", "amount", "before", "after"))
    assert [row[0] for row in moved] == list(range(1, len(moved) + 1))
    assert [(kind, amount, after) for _, kind, amount, _, after in moved] == progressive.movements
    assert (meter.value, meter.sequence) == (progressive.value, len(moved))
    claims = JackpotClaim.objects.filter(lane=hall.lane)
    opened = {(c.table, c.round, c.position): (c.hand, c.amount) for c in claims}
    assert len(opened) == len(claims)
    assert opened == retold.claims
    event(f"awards: {sum(kind == 'award' for _, kind, *_ in moved)}")
