"""A reconstructed round as frames to step through: pure, from what the reconstruction tells.

A frame is one thing that happened at the table: the wagers at "no more bets", the deal, the hands
as they were set, the reveal, each position's turn. It knows what the meters stood at before and
after it, and what happened in words.
"""

from collections.abc import Iterable
from decimal import Decimal
from itertools import groupby
from typing import Any, NamedTuple

from tables.rules.plain import (
    WAGER_WORDS,
    hand_words,
    money,
    paragraph,
    reading_words,
    what_happened,
    with_article,
)

Step = dict[str, Any]

#: How the second frame of the cards is called, by the game's chapter.
PLAYED = {
    "670a": "Hands set",
    "645a": "Hands set",
    "671a": "Decisions and draws",
    "672a": "Hands played",
}


class Move(NamedTuple):
    """One movement of a meter."""

    meter: str
    kind: str
    amount: str
    before: str
    after: str
    sequence: int
    table: str
    position: int | None


class Strip(NamedTuple):
    """A meter beside a frame: what it stood at before and after."""

    meter: str
    before: str
    after: str

    @property
    def changed(self) -> bool:
        """Whether the frame moved it."""
        return self.before != self.after


class Told(NamedTuple):
    """A line of the outcome in words."""

    line: Step
    what: str
    why: str
    cite: str
    reading: str


class Frame(NamedTuple):
    """One thing that happened."""

    number: int
    key: str
    title: str
    position: int | None
    when: str
    log: Step
    notes: list[str]
    lines: list[Told]
    moves: list[Move]
    strips: list[Strip]


class Payment(NamedTuple):
    """What a wager came to, and what the dealer paid; ``paid`` None: not reported."""

    position: int
    player: str
    wager: str
    stake: str
    result: str
    due: str
    paid: str | None
    by_claim: bool

    @property
    def wrong(self) -> Decimal:
        """By how much too much was paid."""
        if self.paid is None or self.by_claim:
            return Decimal(0)
        return Decimal(self.paid) - Decimal(self.due)


class Matrix(NamedTuple):
    """Envy Bonuses: a row for each hand that earned them, a column for each position."""

    wager: str
    positions: list[int]
    rows: list[tuple[int, str, list[str | None]]]  # None: the hand's own position


class Story(NamedTuple):
    """A round, ready to be shown."""

    told: Step
    chapter: str
    frames: list[Frame]
    payments: list[Payment]
    envies: list[Matrix]
    rack: list[Step]
    flags: list[Step]
    others: list[Step]  # what else the log tells: claims, refusals, what the watch found

    @property
    def first(self) -> Step:
        """The lock-out, where the round has one."""
        return step_named(self.told, "no_more_bets")

    @property
    def dealt(self) -> Step:
        """How the cards were dealt, or what a void round left as evidence."""
        return step_named(self.told, "dealt") or evidence_of(self.told)

    @property
    def dealer(self) -> Step:
        """The dealer's hand."""
        return step_named(self.told, "dealer")

    @property
    def versions(self) -> list[Step]:
        """The amendments that stand beside the first outcome, in their order."""
        return [step for step in self.told["steps"] if step["step"] == "amended"]

    def frame(self, key: str) -> int:
        """Return the number of the first frame of this key; one after the last where none is."""
        return next((f.number for f in self.frames if f.key == key), len(self.frames))


def step_named(told: Step, name: str) -> Step:
    """Return the first step of this name, empty where there is none."""
    return next((step for step in told["steps"] if step["step"] == name), {})


def evidence_of(told: Step) -> Step:
    """Return a void round's evidence in the form of a deal."""
    void = step_named(told, "void")
    evidence = void.get("evidence") or {}
    hands = [hand for hand in evidence.get("positions", ()) if hand]
    return {"hands": hands, "dealer_hand": evidence.get("dealer_hand")} if hands else {}


def story_of(told: Step, chapter: str, readings: dict[str, str]) -> Story:
    """Return the round as frames. ``readings``: what holds of each reading, by its id."""
    teller = Teller(chapter, readings)
    for step in told["steps"]:
        teller.tell(step)
    teller.finish()
    end = step_named(told, "end")
    settled = [step for step in told["steps"] if step["step"] == "settled"]
    amended = [step["lines"] for step in told["steps"] if step["step"] == "amended"]
    settled = amended[-1] if amended else settled
    hands = step_named(told, "dealt").get("hands", [])
    return Story(
        told,
        chapter,
        teller.frames,
        payments_of(settled, hands),
        matrices_of(settled, hands),
        end.get("rack", []),
        [flag for step in told["steps"] for flag in step.get("flags", ())],
        teller.others,
    )


class Teller:
    """Puts steps together to frames."""

    def __init__(self, chapter: str, readings: dict[str, str]) -> None:
        self.chapter, self.readings = chapter, readings
        self.frames: list[Frame] = []
        self.others: list[Step] = []
        self.stands: dict[str, str] = {}
        self._turn: list[Step] = []

    def tell(self, step: Step) -> None:
        """Add a step to the frame it belongs to, or begin one."""
        kind = step["step"]
        if self._turn and (kind != "settled" or turn_of(step) != turn_of(self._turn[0])):
            self.finish()
        if kind == "settled":
            self._turn.append(step)
        elif kind == "meter":
            self._moved([move_of(step)])
        elif kind == "elsewhere":
            self._begin("elsewhere", "Meanwhile at linked tables", step)
            self._moved([move_of(entry) for entry in step["moved"]])
        elif kind == "no_more_bets":
            notes = []
            if step.get("chip_count") is not None:
                notes.append(f"{step['chip_count']} progressive chips were counted.")
            self._begin("no_more_bets", "No more bets", step, notes)
        elif kind == "dealt":
            self._begin("dealt", "Deal", step, deal_notes(step))
            self._begin("played", PLAYED.get(self.chapter, "Hands"), step)
        elif kind == "dealer":
            self._begin("reveal", "Reveal", step, [dealer_note(step)])
        elif kind == "void":
            self._begin("void", "The round is void", step, void_notes(step))
        elif kind == "end":
            self._begin("end", "End of the round", step, end_notes(step))
        elif kind == "amended":
            title = f"Amended to version {step['version']}"
            told = [self._line(line) for line in step["lines"]]
            self._begin("amended", title, step, amended_notes(step), told)
        else:
            self.others.append(step)

    def finish(self) -> None:
        """Close a position's turn: its lines make one frame, its award moves the meter in it."""
        if not self._turn:
            return
        lines, self._turn = self._turn, []
        position = lines[0]["position"]
        envy = lines[0]["result"] == "envy"
        title = f"Envy Bonuses of position {position}" if envy else f"Position {position}"
        told = [self._line(line) for line in lines]
        self._begin("envy" if envy else "turn", title, lines[0], [], told, position)
        self._moved([move_of(entry) for line in lines for entry in line.get("meter", ())])

    def _line(self, line: Step) -> Told:
        reading = line.get("reading")
        words = reading_words(reading, self.readings.get(reading or ""))
        cite = line.get("cite") or ""
        return Told(line, what_happened(line), paragraph(cite), cite, words)

    def _begin(
        self,
        key: str,
        title: str,
        step: Step,
        notes: list[str] | None = None,
        lines: list[Told] | None = None,
        position: int | None = None,
    ) -> None:
        strips = [Strip(meter, value, value) for meter, value in self.stands.items()]
        when, log = step.get("occurred_at", ""), step.get("log", {})
        place = len(self.frames)
        self.frames.append(
            Frame(place, key, title, position, when, log, notes or [], lines or [], [], strips)
        )

    def _moved(self, moves: list[Move]) -> None:
        """Let the meters move in the frame that was begun last."""
        if not self.frames:
            return
        frame = self.frames[-1]
        before = {strip.meter: strip.before for strip in frame.strips}
        for move in moves:
            before.setdefault(move.meter, move.before)
            self.stands[move.meter] = move.after
        strips = [Strip(meter, value, self.stands[meter]) for meter, value in before.items()]
        self.frames[-1] = frame._replace(moves=[*frame.moves, *moves], strips=strips)


def turn_of(line: Step) -> tuple[int, bool]:
    """Return what one turn has in common: the position, and whether envies are paid."""
    return line["position"], line["result"] == "envy"


def move_of(entry: Step) -> Move:
    """Return a movement as the log tells it."""
    meter = " ".join(str(entry[key]) for key in ("progressive", "level") if entry.get(key))
    return Move(
        meter,
        entry["kind"],
        entry["amount"],
        entry["before"],
        entry["after"],
        entry["sequence"],
        entry.get("table", ""),
        entry.get("position"),
    )


# ---- what a frame says -------------------------------------------------------------------------


def deal_notes(step: Step) -> list[str]:
    """Say how the cards were dealt."""
    notes = []
    how = [str(step[key]).replace("_", " ") for key in ("dealing", "shuffle") if step.get(key)]
    if how:
        notes.append(f"Dealt by {' and '.join(how)}.")
    if step.get("deck"):
        notes.append(f"Deck {step['deck']}.")
    start = step.get("start")
    if start:
        first = "the dealer" if start.get("first") == 0 else f"position {start.get('first')}"
        dice = start.get("dice")
        drawn = f"dice {' + '.join(map(str, dice))}" if dice else f"{start.get('random_number')}"
        notes.append(f"First card to {first} ({drawn}).")
    if step.get("left_count") is not None:
        notes.append(f"{step['left_count']} cards were left.")
    notes += [f"{gone['card']} was out of the round (§ {gone['cite']})." for gone in
              step.get("discarded", ())]  # fmt: skip
    return notes


def dealer_note(step: Step) -> str:
    """Say what the dealer has."""
    hand = hand_words(step.get("hand"))
    if step.get("total") is not None:
        return f"The dealer has {step['total']}." if hand.isdigit() else f"The dealer has {hand}."
    if "qualifies" not in step:
        return f"The dealer's high hand: {hand}."
    ends = "qualifies" if step["qualifies"] else "does not qualify"
    return f"The dealer has {with_article(step.get('hand'))} and {ends}."


def end_notes(step: Step) -> list[str]:
    """Say what the meters came to."""
    return [
        f"Meter {meter['level']}: {money(meter['before'])} before the first turn,"
        f" {money(meter['paid'])} paid, {money(meter['after'])} after the round."
        for meter in step["meters"]
    ]


def amended_notes(step: Step) -> list[str]:
    """Say by whom and why a round was amended, and what is another now."""
    notes = [
        f"Proposed by {step['proposed_by']}, approved by {step['by']}: {step['reason']}",
    ]
    for change in step["effects"]["differences"]:
        wager = WAGER_WORDS.get(change["wager"], change["wager"])
        told = f"Position {change['position']}, {wager}: {in_short(change['before'])} became"
        notes.append(f"{told} {in_short(change['after'])}.")
    return notes


def in_short(line: Step | None) -> str:
    """Write an outcome line in a few words."""
    if line is None:
        return "nothing"
    hand = hand_words(line.get("hand")) or line["result"]
    return f"{hand}, lost" if line["result"] == "lose" else f"{hand}, {money(line['pays'])}"


def void_notes(step: Step) -> list[str]:
    """Say why a round is void."""
    irregular = step.get("irregularity") or {}
    found = []
    for one in irregular if isinstance(irregular, list) else [irregular]:
        cite = f"§ {one.get('cite', '?')}"
        said = [one.get("note") or "", paragraph(cite), f"({cite})"]
        found.append(" ".join(part for part in said if part))
    return found


# ---- tables ------------------------------------------------------------------------------------


def payments_of(lines: Iterable[Step], hands: Iterable[Step]) -> list[Payment]:
    """Return a row for each wager, in settlement order, with what the dealer reported as paid.

    Several lines of a wager (split hands, a second combination) are one payment, as envies are.
    """
    facts = {hand["position"]: hand for hand in hands}
    found: list[Payment] = []
    rows: dict[tuple[int, str], list[Step]] = {}
    for line in lines:
        kind = "envy" if line["result"] == "envy" else line["wager"]
        rows.setdefault((line["position"], kind), []).append(line)
    for (position, kind), told in rows.items():
        reported = facts.get(position, {}).get("paid")
        due = sum((Decimal(line["pays"] or 0) for line in told), Decimal(0))
        share = any(line.get("meter_at_turn") is not None for line in told)
        results = list(dict.fromkeys(line["result"] for line in told))
        stakes = [line["stake"] for line in told]
        found.append(
            Payment(
                position,
                facts.get(position, {}).get("player") or "",
                kind,
                stakes[0] if kind == "envy" else str(sum(map(Decimal, stakes))),
                " / ".join(results),
                str(due),
                None if reported is None else reported.get(kind, "0.00"),
                share,
            )
        )
    for position, hand in facts.items():  # paid for something that no line knows
        for kind, amount in (hand.get("paid") or {}).items():
            if (position, kind) not in rows and kind[:1] != "_":
                player = hand.get("player") or ""
                found.append(Payment(position, player, kind, "0.00", "none", "0.00", amount, False))
    return found


def matrices_of(lines: Iterable[Step], hands: Iterable[Step]) -> list[Matrix]:
    """Return the Envy Bonuses by wager: which hand earned which position how much."""
    envies = [line for line in lines if line["result"] == "envy"]
    positions = sorted((hand["position"] for hand in hands), reverse=True)
    found = []
    for wager, run in groupby(sorted(envies, key=lambda line: line["wager"]), by_wager):
        paid = list(run)
        donors = {line["from_position"]: line.get("hand") or "" for line in paid}
        amounts = {(line["from_position"], line["position"]): line["pays"] for line in paid}
        rows = [
            (
                donor,
                donors[donor],
                [None if to == donor else amounts.get((donor, to), "0.00") for to in positions],
            )
            for donor in sorted(donors, reverse=True)
        ]
        found.append(Matrix(wager, positions, rows))
    return found


def by_wager(line: Step) -> str:
    """Sort envies by the wager they are paid on."""
    return str(line["wager"])
