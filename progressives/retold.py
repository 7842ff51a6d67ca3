"""The meters told again from the log alone: pure, and without the ledger's code.

What a lane's chain says happened (documents, what they came to, what a person ordered) is enough to
know what each meter must stand at. The ledger's own entries are not read: they are what this is
compared with (§ 670a.12(d)).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import ROUND_DOWN, ROUND_HALF_UP, ROUND_UP, Decimal
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from progressives.chips import Chips
from progressives.evidence import Observer

NOTHING = Decimal(0)
CENT = Decimal("0.01")
SIX_PLACES = Decimal("0.000001")
ROUNDINGS = {"down": ROUND_DOWN, "half_up": ROUND_HALF_UP, "up": ROUND_UP}
HOUSE_MONEY = ("reset", "reset_returned")
FENCED = "progressives.day_fenced"
AMENDED = "tables.round_amended"
CHANGED = "progressives.control_effected"
SET_UP = "tables.setup_loaded"
PROPOSED, APPROVED = "tables.submission_proposed", "tables.submission_approved"
FLOOR = (SET_UP, PROPOSED, APPROVED)  # what the system's chain says of tables, meters and terms


class Move(NamedTuple):
    """One movement of one meter, by the log or by the ledger: what both can say of it."""

    kind: str
    table: str
    round: int | None
    position: int | None
    amount: Decimal
    stake: Decimal | None
    dealer: str
    lane_number: int
    late: bool = False
    at: str = ""


@dataclass
class MeterTold:
    """One meter as the set-up announced it, and what it stands at by now."""

    unit: Decimal
    percent: Decimal
    reset: Decimal
    value: Decimal
    opened: Decimal = NOTHING  # what it stood at before the day that is told
    seed: Decimal = NOTHING  # the house's own money in it; an award takes the players' first
    moves: list[Move] = field(default_factory=list)  # of the day
    after: list[Move] = field(default_factory=list)  # the first ones of the days that follow


class Retelling:
    """A fold over chains. ``state`` is what the next day's fold goes on from."""

    AFTER = 200  # movements kept of what follows the day: whoever read the sign late saw them

    def __init__(self, day: date, floor: Iterable[Mapping[str, Any]]) -> None:
        self.day = day.isoformat()
        self.meters: dict[str, MeterTold] = {}
        self.linked: dict[str, str | None] = {}  # table: its progressive
        self.plain: dict[str, str] = {}  # progressive: its one meter, which we derive
        self.choices: dict[tuple[str, str], Mapping[str, str]] = {}  # (game, version): readings
        self.terms: dict[str, list[tuple[str, Any]]] = {}  # game: (from day, its progressives)
        self.zone, self.day_starts = ZoneInfo("UTC"), timedelta(0)
        self.open: dict[tuple[str, int], list[tuple[int, Decimal]]] = {}
        self.lane_days: dict[str, str] = {}
        self.chips, self.observer = Chips(), Observer()
        self.doubts: list[str] = []
        proposed: dict[str, Any] = {}
        for page in floor:
            facts = page["facts"]
            if page["action"] == SET_UP:
                self._set_up(facts["document"])
            elif page["action"] == PROPOSED:
                proposed[facts["digest"]] = facts["choices"]
            elif facts["digest"] in proposed:
                self._submit(proposed[facts["digest"]], approved=True)

    def _set_up(self, setup: Mapping[str, Any]) -> None:
        if "facility" in setup:
            self.zone = ZoneInfo(setup["facility"]["time_zone"])
            hours, minutes = setup["facility"]["gaming_day_starts"].split(":")[:2]
            self.day_starts = timedelta(hours=int(hours), minutes=int(minutes))
        for made in setup.get("progressives", ()):
            self._announce(made)
        for table in setup.get("tables", ()):
            self.linked[table["code"]] = table.get("progressive")
        for chosen in setup.get("rules_submissions", ()):
            self._submit(chosen, approved=False)

    def _announce(self, made: Mapping[str, Any]) -> None:
        """Take a progressive in: one plain level is derived, of others the log tells each step."""
        code, levels = made["code"], made["levels"]
        for level in levels:
            for purpose in purposes_of(level):
                initial = Decimal(level["initial"]) if not purpose else NOTHING
                told = MeterTold(
                    Decimal(made["wager_unit"]),
                    Decimal(level["increment_percent"]),
                    Decimal(level["reset"]),
                    initial,
                    initial,
                    initial,
                )
                self.meters.setdefault(f"{code}:{level['code']}{purpose}", told)
        if len(levels) == 1 and not made.get("paytables") and purposes_of(levels[0]) == [""]:
            self.plain[code] = f"{code}:{levels[0]['code']}"

    def _derived(self, document: Mapping[str, Any]) -> MeterTold | None:
        """Return the one meter that a table's wagers feed, where we derive it ourselves."""
        code = self.linked.get(document.get("table", ""))
        return self.meters.get(self.plain.get(code or "", ""))

    def tables_of(self, code: str) -> list[str]:
        """Return the tables that feed a progressive."""
        return [table for table, linked in self.linked.items() if linked == code]

    def _submit(self, chosen: Mapping[str, Any], *, approved: bool) -> None:
        """Take a submission in: only one that two people agreed on names rates of its own."""
        key = chosen["game"], str(chosen.get("version", "default"))
        self.choices[key] = chosen.get("readings", {})
        told = chosen.get("progressive") if approved else None
        grown = [told] if isinstance(told, Mapping) else list(told or ())
        of_game = self.terms.setdefault(chosen["game"], [])
        of_game.append((chosen.get("effective", ""), grown))
        of_game.sort(key=lambda dated: dated[0])

    def _terms(self, meter: MeterTold, document: Mapping[str, Any]) -> tuple[Decimal, Decimal]:
        """Return the meter's rate and reset amount on the gaming day of an event's own moment."""
        dated = self.terms.get(document["game"], [])
        if any(grown for _, grown in dated):
            moment = datetime.fromisoformat(document["occurred_at"]).astimezone(self.zone)
            day = (moment.replace(tzinfo=None) - self.day_starts).date().isoformat()
            in_force = [grown for effective, grown in dated if effective <= day]
            for told in in_force[-1] if in_force else ():
                if Decimal(told["wager_unit"]) == meter.unit:
                    return (
                        Decimal(told.get("increment_percent", meter.percent)),
                        Decimal(told.get("reset", meter.reset)),
                    )
        return meter.percent, meter.reset

    # ---- going on from an earlier day ----------------------------------------------------

    def resume(self, state: Mapping[str, Any]) -> None:
        """Go on from where an earlier day's fold ended."""
        for name, (percent, reset) in state.get("terms", {}).items():
            meter = self._meter(name)
            if meter is not None:
                meter.percent, meter.reset = Decimal(percent), Decimal(reset)
        for name, value in state.get("meters", {}).items():
            if name in self.meters:
                meter = self.meters[name]
                meter.value = meter.opened = Decimal(value)
                meter.seed = Decimal(state.get("seeds", {}).get(name, value))
        for table, number, added in state.get("open", ()):
            self.open[table, number] = [(position, Decimal(amount)) for position, amount in added]
        self.chips.resume(state.get("laid", ()))
        self.observer.last.update(state.get("numbers", {}))
        self.lane_days.update(state.get("lane_days", {}))

    def state(self) -> dict[str, Any]:
        """Return what the next day goes on from, as JSON."""
        return {
            "laid": self.chips.state(),
            "numbers": self.observer.last,
            "lane_days": self.lane_days,
            "meters": {name: str(meter.value) for name, meter in sorted(self.meters.items())},
            "seeds": {name: str(meter.seed) for name, meter in sorted(self.meters.items())},
            "terms": {
                name: [str(meter.percent), str(meter.reset)]
                for name, meter in sorted(self.meters.items())
            },
            "open": [
                [table, number, [[position, str(amount)] for position, amount in added]]
                for (table, number), added in sorted(self.open.items())
            ],
        }

    # ---- the fold ------------------------------------------------------------------------

    def belongs(self, lane: str, page: Mapping[str, Any]) -> bool:
        """Whether an event of a lane's chain belongs to the day or to one before it."""
        told = page["facts"].get("gaming_day") if page["action"].startswith("tables.") else None
        current: str = told or self.lane_days.get(lane, "")
        return current <= self.day

    def tell(self, lane: str, page: Mapping[str, Any]) -> None:
        """Tell one event of a lane's chain again."""
        action, facts = page["action"], page["facts"]
        if action == FENCED:
            self.lane_days[lane] = facts["next_day"]
        elif action == AMENDED:
            self.lane_days[lane] = facts["gaming_day"]
            self._ordered(lane, page["subject"], facts)
        elif action.startswith("tables."):
            self.lane_days[lane] = facts.get("gaming_day") or self.lane_days.get(lane, "")
            if facts.get("state") == "applied":
                self._round(lane, facts)
        elif action == CHANGED:
            self._changed(lane, facts)
        elif facts.get("entries"):
            self._ordered(lane, page["subject"], facts)

    def peek(self, lane: str, page: Mapping[str, Any]) -> None:
        """Note what an event after the day would have added; nothing moves."""
        document = page["facts"].get("document")
        if not document or page["facts"].get("state") != "applied":
            return
        if page["facts"].get("late") and document["type"] in ("lockout", "round"):
            self.chips.came_late(document)
        meter = self._derived(document)
        if meter is None or document["type"] not in ("lockout", "round"):
            return
        if len(meter.after) < self.AFTER:
            meter.after += self._wagers(meter, document, page["facts"])

    def _wagers(
        self, meter: MeterTold, document: Mapping[str, Any], facts: Mapping[str, Any]
    ) -> list[Move]:
        """Return what the progressive wagers of a document put on the meter, in turn order."""
        seats = [s for s in document["positions"] if "progressive" in s.get("wagers", {})]
        percent, _ = self._terms(meter, document)
        found = []
        for seat in sorted(seats, key=lambda s: -int(s["position"])):
            stake = Decimal(seat["wagers"]["progressive"])
            added = (stake * percent / 100).quantize(SIX_PLACES)
            found.append(move_of("contribution", document, facts, seat["position"], added, stake))
        return found

    def _round(self, lane: str, facts: Mapping[str, Any]) -> None:
        document = facts["document"]
        if document["type"] not in ("lockout", "round", "settlement", "void"):
            return
        of_day = self.lane_days.get(lane) == self.day
        self.chips.tell(document, facts, of_day=of_day)
        self.observer.tell(document, of_day=of_day)
        meter = self._derived(document)
        self._steps(lane, document, facts, derived=meter is not None)
        if meter is None:
            return
        place = document["table"], document["round"]
        if document["type"] in ("lockout", "round"):
            added = self._wagers(meter, document, facts)
            self.open[place] = [(m.position or 0, m.amount) for m in added]
            for moved in added:
                self._move(lane, meter, moved)
        if document["type"] == "lockout":
            return
        outcome = facts.get("outcome", {})
        readings = self._readings(outcome)
        added_before = dict(self.open.pop(place, []))
        lines = [line for line in outcome.get("lines", ()) if line["wager"] == "progressive"]
        for line in lines:
            if line["result"] == "returned" and line["position"] in added_before:
                back = added_before[line["position"]]
                if readings.get("SC-23") == "not_below_reset":
                    back = min(back, max(meter.value - self._terms(meter, document)[1], NOTHING))
                if back:
                    moved = move_of("reversal", document, facts, line["position"], -back)
                    self._move(lane, meter, moved)
        for line in lines:
            if line["result"] == "win" and line.get("terms", "").endswith("% of meter"):
                self._award(lane, meter, document, facts, line, readings)

    def _award(
        self,
        lane: str,
        meter: MeterTold,
        document: Mapping[str, Any],
        facts: Mapping[str, Any],
        line: Mapping[str, Any],
        readings: Mapping[str, str],
    ) -> None:
        """Take off what was awarded, and doubt it where the share of our own value is another."""
        paid, position = Decimal(line["pays"]), line["position"]
        percent = int(line["terms"].partition("%")[0])
        how = ROUNDINGS[readings.get("SC-10", "down")]
        due = min(
            (meter.value * percent / 100).quantize(CENT, rounding=how),
            meter.value.quantize(CENT, rounding=ROUND_DOWN),
        )
        if due != paid and self.lane_days.get(lane) == self.day:
            self.doubts.append(
                f"{document['table']}, round {document['round']}, position {position}: "
                f"{line['terms']} was paid as {paid}; by the log it is {due}."
            )
        stake = Decimal(line["stake"])
        self._move(lane, meter, move_of("award", document, facts, position, -paid, stake))
        short = self._terms(meter, document)[1] - meter.value
        if percent == 100 or (readings.get("SC-12") == "top_up" and short > 0):
            self._move(lane, meter, move_of("reset", document, facts, position, short))

    def _readings(self, outcome: Mapping[str, Any]) -> Mapping[str, str]:
        """Return the readings of the submission that an outcome names."""
        rules = outcome.get("rules", "")
        engine, _, submission = rules.partition(" + ")
        key = engine.partition("/")[0], submission.rpartition(" ")[0]
        return self.choices.get(key, {})

    def _ordered(self, lane: str, subject: str, facts: Mapping[str, Any]) -> None:
        """Tell what a person ordered: a refused award put back, an adjustment."""
        table, _, number = subject.partition("/")
        for entry in facts["entries"]:
            code = entry.get("progressive") or facts.get("progressive") or self.linked.get(table)
            meter = self.meters.get(f"{code}:{entry['level']}")
            if meter is None:
                continue
            round_number = int(number) if number.isdecimal() else None
            amount, lane_number = Decimal(entry["amount"]), int(facts.get("lane_number", 0))
            told = entry["kind"], table, round_number, entry.get("position"), amount
            self._move(lane, meter, Move(*told, None, "", lane_number))

    def _changed(self, lane: str, facts: Mapping[str, Any]) -> None:
        """Tell what two people agreed on: other terms of a level, or movements of no round."""
        after, name = facts["after"], facts["meter"]
        meter = self._meter(name) if after else None
        if meter is not None:
            meter.percent = Decimal(after.get("increment_percent", meter.percent))
            meter.reset = Decimal(after.get("reset", meter.reset))
            kept = [after.get("reserve_percent"), *(row[3] for row in after.get("rates", ()))]
            if any(Decimal(percent or 0) for percent in kept):
                self._meter(f"{name}/reserve")
            if after.get("limit") is not None:
                self._meter(f"{name}/overflow")
        for entry in facts["entries"]:
            moved = self._meter(f"{entry['progressive']}:{entry['level']}")
            if moved is not None:
                amount, number = Decimal(entry["amount"]), int(facts["lane_number"])
                told = Move(entry["kind"], "", None, entry["position"], amount, None, "", number)
                self._move(lane, moved, told)

    def _meter(self, name: str) -> MeterTold | None:
        """Return a meter; a reserve or overflow that a change gave to a level begins with nothing.

        From then on the log tells each step of that progressive, and none is derived.
        """
        found, display = self.meters.get(name), self.meters.get(name.partition("/")[0])
        if found is None and display is not None:
            found = MeterTold(display.unit, NOTHING, NOTHING, NOTHING)
            self.meters[name] = found
            self.plain.pop(name.partition(":")[0], None)
        return found

    def _steps(
        self, lane: str, document: Mapping[str, Any], facts: Mapping[str, Any], *, derived: bool
    ) -> None:
        """Take the steps of a progressive of several meters as the log tells them.

        Of a table whose own progressive is derived only those of its further ones, which are named.
        """
        own = self.linked.get(document.get("table", ""))
        stakes = {
            seat["position"]: seat.get("wagers", {}).get("progressive")
            for seat in document.get("positions", ())
        }
        for entry in facts.get("entries", ()):
            code = entry.get("progressive") or (None if derived else own)
            meter = self.meters.get(f"{code}:{entry['level']}")
            if meter is not None:
                stake = None if "progressive" in entry else stakes.get(entry["position"])
                amount, wagered = Decimal(entry["amount"]), Decimal(stake) if stake else None
                moved = move_of(entry["kind"], document, facts, entry["position"], amount, wagered)
                self._move(lane, meter, moved)

    def _move(self, lane: str, meter: MeterTold, moved: Move) -> None:
        meter.value += moved.amount
        if moved.kind in HOUSE_MONEY:
            meter.seed += moved.amount
        meter.seed = max(min(meter.seed, meter.value), NOTHING)
        if self.lane_days.get(lane) == self.day:
            meter.moves.append(moved)
        else:
            meter.opened = meter.value


def purposes_of(level: Mapping[str, Any]) -> list[str]:
    """Return the meters that a level has beside its display, as its entries name them."""
    rates = [level, *level.get("rates", ())]
    hides = any(Decimal(rate.get("reserve_percent", "0")) for rate in rates)
    return [
        "",
        *(["/reserve"] if hides else []),
        *(["/overflow"] if level.get("limit") is not None else []),
    ]


def move_of(
    kind: str,
    document: Mapping[str, Any],
    facts: Mapping[str, Any],
    position: int,
    amount: Decimal,
    stake: Decimal | None = None,
) -> Move:
    """Return a movement with the facts of its round."""
    return Move(
        kind,
        document["table"],
        document["round"],
        position,
        amount,
        stake,
        document.get("dealer", ""),
        facts["lane_number"],
        bool(facts.get("late")),
        document.get("occurred_at", ""),
    )
