"""Where everything lies on the drawn table: pure geometry, drawn as SVG by a template tag.

Seen from the players' side: the dealer above, his right hand to the left, so that settlement goes
from left to right. Each thing knows from which frame of the story on it lies there, until which
one, and from which one it is taken up.
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from tables.story import Story

Step = Mapping[str, Any]

CARD_WIDTH, CARD_HEIGHT = 30, 40
STEP = 32  # from one card to the next
TIGHT = 15  # where many lie in a row
CHIP_CELL = 62
FULL = 4  # chips side by side, at most
CHIP_HEIGHT = 72
ROW = 50
LONG = 8  # letters of a result: more are written smaller

SHORT = {
    "main": "Main", "double_down": "Double", "fortune_bonus": "Fortune", "insurance": "Insurance",
    "progressive": "Progr.", "emperors_treasure": "Emperor", "pai_gow_insurance": "PG insur.",
    "queens_dragon": "Dragon", "dynasty_bonus": "Dynasty", "protection": "Protect.",
    "red_black": "Red/Black", "ante": "Ante", "super": "Super", "super_on": "Super on",
    "bet": "Bet", "options_fee": "Fee", "push_22": "Push 22",
}  # fmt: skip
LAMMERS = {"from_split": "split", "double": "double"}
LATER = {"double_down", "insurance", "bet", "options_fee"}  # placed once cards are seen


class Card(NamedTuple):
    """A card at a place of its own."""

    x: float
    y: float
    code: str
    joker_as: str
    since: int
    until: int | None
    taken: int | None
    sideways: bool = False


class Chip(NamedTuple):
    """A wager: a chip with its kind and amount, and what became of it from a frame on."""

    x: float
    y: float
    kind: str
    label: str
    amount: str
    since: int
    results: list[tuple[str, str, int]]  # words, won or lost, from which frame on
    lammer: bool = False


class Words(NamedTuple):
    """Words at a place."""

    x: float
    y: float
    text: str
    style: str
    since: int
    until: int | None = None
    anchor: str = "middle"


class Lamp(NamedTuple):
    """The light of a position's progressive wager."""

    x: float
    y: float
    state: str  # lit, dark, not told
    since: int


class Spot(NamedTuple):
    """A position's place on the layout."""

    x: float
    y: float
    width: float
    height: float
    position: int
    empty: bool


class Felt(NamedTuple):
    """The whole drawing."""

    width: int
    height: int
    spots: list[Spot]
    things: list[Card | Chip | Words | Lamp]


class Frames(NamedTuple):
    """When things happen, by the numbers of the story's frames."""

    wagered: int
    dealt: int
    played: int
    reveal: int
    turns: dict[int, int]  # a position's last turn

    def taken(self, position: int) -> int | None:
        """Return from which frame on a position's cards are taken up: after its turn."""
        turn = self.turns.get(position)
        return None if turn is None else turn + 1


def frames_of(story: Story) -> Frames:
    """Return when things happen in a story; a void round shows its evidence at the void."""
    void = story.frame("void")
    turns = {f.position: f.number for f in story.frames if f.key == "turn" and f.position}
    if void < len(story.frames):
        return Frames(0, void, void, void, {})
    return Frames(
        story.frame("no_more_bets"),
        story.frame("dealt"),
        story.frame("played"),
        story.frame("reveal"),
        turns,
    )


def lay_out(story: Story, positions: int, columns: int) -> Felt:
    """Lay a round out on a table with so many positions, so many of them side by side."""
    frames = frames_of(story)
    seats = seats_of(story)
    cell = 200 if columns > 3 else 262
    width = cell * columns
    order = list(range(max([positions, *seats]), 0, -1))  # from the dealer's right
    drawn = {n: Place(seats[n], frames, story, cell).draw() for n in order if n in seats}
    dealer, top = draw_dealer(story, frames, width)
    tallest = max([150, *(height for _, height in drawn.values())])
    spots: list[Spot] = []
    things: list[Card | Chip | Words | Lamp] = list(dealer)
    rows = [order[start : start + columns] for start in range(0, len(order), columns)]
    for row, numbers in enumerate(rows):
        for column, number in enumerate(numbers):
            x = column * cell
            y = top + row * (tallest + 26) + bend(column, len(numbers), columns)
            spots.append(Spot(x + 6, y, cell - 12, tallest, number, number not in seats))
            if number in drawn:
                things += [thing._replace(x=thing.x + x, y=thing.y + y) for thing in
                           drawn[number][0]]  # fmt: skip
    height = top + len(rows) * (tallest + 26) + (34 if columns > 3 else 0)
    return Felt(width, int(height), spots, things)


def bend(column: int, among: int, columns: int) -> float:
    """Return how far down a place lies on the table's curve."""
    if columns <= 3:
        return 0
    middle = (among - 1) / 2
    return 34 * (1 - ((column - middle) / (middle or 1)) ** 2)


def seats_of(story: Story) -> dict[int, dict[str, Any]]:
    """Return each position with its wagers, and its cards where they are known."""
    seats: dict[int, dict[str, Any]] = {}
    for told in story.first.get("wagers", ()):
        seats[told["position"]] = {**told, "before": told["wagers"]}
    for told in story.dealt.get("hands", ()):
        known = seats.setdefault(told["position"], {"before": {}})
        wagers = {**known.get("wagers", {}), **told.get("wagers", {})}
        seats[told["position"]] = {**known, **told, "wagers": wagers}
    return seats


class Place:
    """Draws what lies at one position, from its own upper left corner."""

    def __init__(self, seat: Step, frames: Frames, story: Story, width: int) -> None:
        self.seat, self.frames, self.story, self.width = seat, frames, story, width
        self.position: int = seat["position"]
        self.taken = frames.taken(self.position)
        self.lines = [
            (frame.number, told.line)
            for frame in story.frames
            for told in frame.lines
            if told.line["position"] == self.position
        ]
        self.things: list[Card | Chip | Words | Lamp] = []
        self.y = 0.0

    def draw(self) -> tuple[list[Card | Chip | Words | Lamp], float]:
        """Return what lies here, and how high it is."""
        player = self.seat.get("player") or ""
        self._words(f"{self.position}", "number", 24, x=20, anchor="start")
        self._words(player, "player", 22, x=self.width - 16, anchor="end")
        self.y = 34
        if self.story.chapter == "672a":
            self._hands()
        else:
            self._cards()
        self._chips()
        self._envies()
        return self.things, self.y + 10

    def _words(self, text: str, style: str, y: float, **told: Any) -> None:
        if text:
            x = told.pop("x", self.width / 2)
            since = told.pop("since", 0)
            self.things.append(Words(x, y, text, style, since, **told))

    def _row(
        self, cards: list[str], since: int, until: int | None, joker_as: str = "", y: float = 0
    ) -> None:
        """Put cards side by side in the middle of the place."""
        step = STEP if len(cards) * STEP <= self.width - 24 else (self.width - 54) / (
            len(cards) - 1)  # fmt: skip
        x = (self.width - step * (len(cards) - 1) - CARD_WIDTH) / 2
        for place, code in enumerate(cards):
            at = x + place * step
            self.things.append(Card(at, self.y + y, code, joker_as, since, until, self.taken))

    def _cards(self) -> None:
        seat, frames = self.seat, self.frames
        cards = seat.get("cards") or []
        if not cards:
            word = "surrendered" if seat.get("surrender") else "no cards told"
            self._words(word, "quiet", self.y + 26, since=frames.dealt)
            self.y += ROW
            return
        shown, decision = seat.get("shown") or {}, seat.get("decision") or {}
        low = shown.get("low") or seat.get("low") or []
        if low and not seat.get("surrender"):
            self._set(cards, low, shown)
        elif decision.get("draw"):
            self._row(cards, frames.dealt, frames.played)
            gone = decision.get("discard") or []
            kept = [card for card in cards if card not in gone]
            self._row([*kept, *decision["draw"]], frames.played, None)
            said = "bought" if decision["action"] == "buy" else f"gave {' '.join(gone)}, drew"
            self.y += ROW
            self._words(f"{said} {' '.join(decision['draw'])}", "note", self.y + 4,
                        since=frames.played)  # fmt: skip
            self.y += 14
            self._decided(decision.get("then"))
        else:
            self._row(cards, frames.dealt, None, joker_of(shown))
            self.y += ROW
            self._decided(decision.get("action"))
            if seat.get("surrender"):
                self._decided("surrendered")

    def _decided(self, word: str | None) -> None:
        if word:
            said = {"bet": "bets", "fold": "folds"}.get(word, word)
            self._words(said, "note", self.y + 4, since=self.frames.played)
            self.y += 14

    def _set(self, cards: list[str], low: list[str], shown: Step) -> None:
        """Draw the low hand above the high one, as they lie before a player."""
        high = [card for card in cards if card not in low]
        self._row(cards, self.frames.dealt, self.frames.played, y=ROW / 2)
        self._row(low, self.frames.played, None, shown.get("low_joker", "") and "A")
        self._words("low", "side", self.y + 24, x=14, since=self.frames.played, anchor="start")
        self.y += ROW
        self._row(high, self.frames.played, None, shown.get("joker_as") or "")
        self.y += ROW
        stood_for = shown.get("joker_as") or shown.get("low_joker")
        notes = [shown["set_by"]] if shown.get("set_by") else []
        if stood_for and "JK" in cards:
            notes.append("joker low: an ace" if shown.get("low_joker") else f"joker = {stood_for}")
        if notes:
            self._words(", ".join(notes), "note", self.y + 4, since=self.frames.played)
            self.y += 14

    def _hands(self) -> None:
        """Draw blackjack hands below one another, each with its money or lammers."""
        hands = self.seat.get("hands") or []
        frames = self.frames
        first = [hand["cards"][0] for hand in hands[:2] if hand.get("cards")]
        if len(hands) == 1:
            first = (hands[0].get("cards") or [])[:2]
        self._row(first, frames.dealt, frames.played)
        if not hands:
            self._words("no cards told", "quiet", self.y + 26, since=frames.dealt)
            self.y += ROW
        for index, hand in enumerate(hands):
            cards = hand.get("cards") or []
            room = self.width - 100
            step = min(STEP - 4, (room - CARD_WIDTH) / max(len(cards) - 1, 1))
            shown = (self.seat.get("shown") or {}).get("hands") or []
            total = shown[index].get("total") if index < len(shown) else None
            for place, code in enumerate(cards):
                last = place == len(cards) - 1 and bool(hand.get("double"))
                self.things.append(Card(14 + place * step, self.y, code, "", frames.played, None,
                                        self.taken, sideways=last))  # fmt: skip
            self._money(index, hand, total)
            self.y += ROW

    def _money(self, index: int, hand: Step, total: int | None) -> None:
        """Say beside a hand what it counts, what lies at it and what became of it."""
        x, since = self.width - 12, self.frames.played
        if total is not None:
            self._words(f"{total}", "total", self.y + 13, x=x - 54, since=since, anchor="end")
        notes = [f"{hand[key]} {word}" for key, word in LAMMERS.items() if hand.get(key)]
        for place, note in enumerate(notes):
            self._words(note, "note", self.y + 28 + 13 * place, x=x, since=since, anchor="end")
        for number, line in self.lines:
            if line["wager"] == "main" and (line.get("hand_index") or 0) == index:
                words, style = outcome(line)
                self._words(words, style, self.y + 13, x=x, since=number, anchor="end")

    def _chips(self) -> None:
        """Draw the wagers as chips, as many side by side as there is room for."""
        cells = list(chips_of(self.seat["wagers"]))
        wide = any(outcome(line)[0][LONG:] for _, line in self.lines if line["result"] != "envy")
        across = max(int((self.width - 12) // CHIP_CELL), 1)
        if wide and across == FULL:  # the last one's words would reach over the place's edge
            across -= 1
        for place, (kind, label, amount, target) in enumerate(cells):
            row, column = divmod(place, across)
            in_row = min(len(cells) - row * across, across)
            x = self.width / 2 + (column - (in_row - 1) / 2) * CHIP_CELL
            y = self.y + 16 + row * CHIP_HEIGHT
            since = self.frames.wagered
            if kind in LATER and kind not in self.seat["before"]:
                since = self.frames.played
            results = [
                (*outcome(line), number)
                for number, line in self.lines
                if line["wager"] == kind and line["result"] != "envy"
                and (target is None or str(line.get("on")) == target)
                and not (kind == "main" and self.story.chapter == "672a")
            ]  # fmt: skip
            self.things.append(Chip(x, y, kind, label, amount, since, results))
            if kind == "progressive":
                self.things.append(Lamp(x + 19, y - 9, lamp_of(self.seat), since))
        rows = -(-len(cells) // across)
        self.y += rows * CHIP_HEIGHT + 4

    def _envies(self) -> None:
        for number, line in self.lines:
            if line["result"] == "envy":
                words = f"Envy +{dollars(line['pays'])} (pos. {line['from_position']})"
                self.y += 15
                self._words(words, "won", self.y, since=number)
        self.y += 4


def joker_of(shown: Step) -> str:
    """Return what a joker stood for among all of a position's cards."""
    return str((shown.get("best") or {}).get("joker_as") or "")


def lamp_of(seat: Step) -> str:
    """Return the state of a position's light."""
    return {True: "lit", False: "dark"}.get(seat.get("lamp"), "not told")  # type: ignore[arg-type]


def chips_of(wagers: Step) -> Iterable[tuple[str, str, str, str | None]]:
    """Yield each wager as (kind, label, amount, target) in the order of the layout."""
    for kind, label in SHORT.items():
        told = wagers.get(kind)
        if told is None:
            continue
        if not isinstance(told, Mapping):
            yield kind, label, told, None
        elif "amount" in told:
            yield kind, str(told.get("on", label)).capitalize(), told["amount"], None
        else:
            for target, amount in sorted(told.items()):
                if target[:1] != "_":
                    on = "dealer" if target == "dealer" else f"pos. {target}"
                    yield kind, f"S. {on}", amount, target


def outcome(line: Step) -> tuple[str, str]:
    """Return what became of a wager in a word or two, and how it is to look."""
    result, pays = line["result"], line.get("pays") or "0.00"
    if result in ("win", "instant"):
        words = f"+{dollars(pays)}"
        return words, "won long" if len(words) > LONG else "won"
    said = {"lose": "lost", "push": "tie", "returned": "returned", "fold": "folded",
             "surrender": "given up"}  # fmt: skip
    word = str(said.get(result, result))
    return word, "lost" if result in ("lose", "fold", "surrender") else "even"


def dollars(amount: str) -> str:
    """Write an amount as short as it can be read: $25, $1,250, $23.75."""
    whole, _, cents = amount.partition(".")
    return f"${int(whole):,}" + ("" if cents in ("", "00") else f".{cents}")


def draw_dealer(story: Story, frames: Frames, width: int) -> tuple[list[Card | Words], float]:
    """Draw the dealer's hand: face down until it is revealed, then high and low apart."""
    dealer = story.dealer or (story.dealt.get("dealer_hand") or {})
    cards = dealer.get("cards") or [*dealer.get("high", ()), *dealer.get("low", ())]
    things: list[Card | Words] = [Words(width / 2, 22, "DEALER", "place", 0)]
    place = Words(16, 22, "dealer’s right", "side", 0, None, "start")
    things += [place, place._replace(x=width - 16, text="dealer’s left", anchor="end")]
    down = ["??"] * len(cards)
    if story.chapter == "671a" and cards:
        down[-1] = cards[-1]  # the last one is dealt face up
    if story.chapter == "672a" and cards:
        down = [cards[0], "??"]
    middle = width / 2
    if story.dealer:
        things += in_a_row(down, middle, 34, frames.dealt, frames.reveal)
    high, low = dealer.get("high"), dealer.get("low") or []
    if high:
        span = len(low) * STEP + 26 + len(high) * STEP
        left = middle - span / 2
        joker = dealer.get("joker_as") or ""
        things += in_a_row(low, left + len(low) * STEP / 2, 34, frames.reveal, None,
                           dealer.get("low_joker", "") and "A")  # fmt: skip
        at = left + len(low) * STEP + 26 + len(high) * STEP / 2
        things += in_a_row(high, at, 34, frames.reveal, None, joker)
        things.append(Words(left - 8, 58, "low", "side", frames.reveal, None, "end"))
        things.append(Words(left + span + 8, 58, "high", "side", frames.reveal, None, "start"))
    elif cards:
        things += in_a_row(cards, middle, 34, frames.reveal, None)
    said = next((f.notes[0] for f in story.frames if f.key == "reveal" and f.notes), "")
    if said:
        things.append(Words(middle, 92, said, "note", frames.reveal))
    return things, 112


def in_a_row(
    cards: list[str], middle: float, y: float, since: int, until: int | None, joker: str = ""
) -> list[Card]:
    """Return cards side by side around a middle."""
    left = middle - len(cards) * STEP / 2
    return [
        Card(left + place * STEP, y, code, joker, since, until, None)
        for place, code in enumerate(cards)
    ]
