"""The parameters of a level that people may change: read, written and compared.

Pure. Money is text of dollars, a percent is text, ``None`` is no limit. What a level does not have
(a reserve, a limit) reads as nothing.
"""

from collections.abc import Collection, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

from progressives.meters import cents, increment

MONEY, PERCENT, CHOICE, RATES = "money", "percent", "choice", "rates"
LARGEST = Decimal("999999999.99")
MOST_DECKS = 12


class ParameterRefused(ValueError):
    """A value that a parameter cannot have: which parameter, and why."""

    def __init__(self, path: str, detail: str) -> None:
        super().__init__(detail)
        self.path, self.detail = path, detail


class Parameter(NamedTuple):
    """One parameter: its name in a request, what people call it, what kind of value it takes."""

    name: str
    title: str
    kind: str
    hint: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    may_be_none: bool = False


PARAMETERS = (
    Parameter("increment_percent", "Increment rate", PERCENT, "percent of each wager"),
    Parameter("reserve_percent", "Reserve rate", PERCENT, "percent of each wager, kept hidden"),
    Parameter("reset", "Reset amount", MONEY, "what the display begins again with"),
    Parameter(
        "limit", "Limit", MONEY, "what the display may not exceed; empty: none", may_be_none=True
    ),
    Parameter("shown_to", "Shown to", MONEY, "signs round down to it"),
    Parameter(
        "reserve_at_reset",
        "Reserve at reset",
        CHOICE,
        choices=(("added", "added to the reset amount"), ("funds", "pays the reset amount")),
    ),
    Parameter(
        "overflow_at_reset",
        "Overflow at reset",
        CHOICE,
        choices=(("added", "added to the reset amount"), ("kept", "kept")),
    ),
    Parameter("rates", "Rates by paytable and decks", RATES, "paytable, decks, rate, reserve rate"),
)
BY_NAME = {parameter.name: parameter for parameter in PARAMETERS}


def read_changes(
    given: Mapping[str, Any], now: Mapping[str, Any], unit: Decimal
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return (before, after) of what differs, as a request keeps it.

    ``now`` holds every parameter of the level as ``told`` writes it. Raises ParameterRefused for
    what no level can have, and where nothing differs.
    """
    after: dict[str, Any] = {}
    for name, value in given.items():
        if name not in BY_NAME:
            raise ParameterRefused(name, f"A level has no parameter called {name}.")
        read = read_value(BY_NAME[name], value, unit)
        if name == "rates":
            read = [row for row in read if row not in now["rates"]]
            if not read:
                continue
        if read != now[name]:
            after[name] = read
    if not after:
        raise ParameterRefused("", "Nothing would change: these are the parameters as they stand.")
    must_fit({**now, **after})
    before = {
        name: rates_before(now["rates"], after["rates"]) if name == "rates" else now[name]
        for name in after
    }
    return before, after


def rates_before(now: Collection[list[Any]], after: Collection[list[Any]]) -> list[list[Any]]:
    """Return the rates that hold now of the cases that change."""
    cases = [(row[0], row[1]) for row in after]
    return [row for row in now if (row[0], row[1]) in cases]


def read_value(parameter: Parameter, value: Any, unit: Decimal) -> Any:
    """Return a value as requests keep it: the one form that two equal values share."""
    if parameter.kind == RATES:
        return read_rates(value, unit)
    text = "" if value is None else str(value).strip()
    if parameter.kind == CHOICE:
        if text not in dict(parameter.choices):
            known = " or ".join(word for word, _ in parameter.choices)
            raise ParameterRefused(parameter.name, f"{parameter.title} is {known}.")
        return text
    if not text and parameter.may_be_none:
        return None
    number = read_number(text, parameter.name, parameter.title)
    if parameter.kind == PERCENT:
        return read_percent(number, unit, parameter.name, parameter.title)
    if number != number.quantize(Decimal("0.01")):
        raise ParameterRefused(parameter.name, f"{parameter.title} is in whole cents.")
    if parameter.name == "shown_to" and not number:
        raise ParameterRefused(parameter.name, "Signs round down to more than nothing.")
    return cents(number)


def read_number(text: str, path: str, title: str) -> Decimal:
    """Return a number of at least zero as a person writes it."""
    try:
        number = Decimal(text.removeprefix("$").replace(",", ""))
    except InvalidOperation:
        raise ParameterRefused(path, f"{title}: {text!r} is not a number.") from None
    if not number.is_finite() or not 0 <= number <= LARGEST:
        raise ParameterRefused(path, f"{title}: {text!r} is no amount that a meter can have.")
    return number


def read_percent(number: Decimal, unit: Decimal, path: str, title: str) -> str:
    """Return a percent of the wager unit that six decimals can hold."""
    if number > 100:
        raise ParameterRefused(path, f"{title} is at most 100 percent.")
    try:
        increment(unit, number)
    except ValueError as error:
        raise ParameterRefused(path, f"{title}: {error}.") from None
    return plain(number)


def read_rates(rows: Any, unit: Decimal) -> list[list[Any]]:
    """Return rows of paytable, number of decks, rate and reserve rate; each case once."""
    if not isinstance(rows, list):
        raise ParameterRefused("rates", "Rates are rows of paytable, decks, rate, reserve rate.")
    found: list[list[Any]] = []
    for row in rows:
        if not isinstance(row, list | tuple) or len(row) != 4:
            raise ParameterRefused("rates", "A row has a paytable, decks, a rate, a reserve rate.")
        paytable, decks = str(row[0]).strip(), str(row[1]).strip()
        if not paytable or not decks.isdecimal() or not 0 < int(decks) <= MOST_DECKS:
            raise ParameterRefused("rates", "A row names a paytable and 1 to 12 decks.")
        shares = [
            read_percent(read_number(str(part).strip(), "rates", title), unit, "rates", title)
            for part, title in ((row[2], "Rate"), (row[3], "Reserve rate"))
        ]
        if [paytable, int(decks)] in [other[:2] for other in found]:
            raise ParameterRefused("rates", f"{paytable} with {decks} decks stands twice.")
        if sum(map(Decimal, shares)) > 100:
            raise ParameterRefused("rates", "The rates take more than the wager.")
        found.append([paytable, int(decks), *shares])
    return found


def must_fit(whole: Mapping[str, Any]) -> None:
    """Refuse terms that contradict each other."""
    if Decimal(whole["increment_percent"]) + Decimal(whole["reserve_percent"] or 0) > 100:
        raise ParameterRefused("increment_percent", "The rates take more than the wager.")
    if whole["limit"] is not None and Decimal(whole["reset"]) > Decimal(whole["limit"]):
        raise ParameterRefused("limit", "A limit is not below the reset amount.")


def plain(number: Decimal) -> str:
    """Write a percent without zeros that say nothing."""
    return f"{number.normalize():f}"


def worded(name: str, value: Any) -> str:
    """Write a parameter's value as people read it."""
    parameter = BY_NAME.get(name)
    if value is None:
        return "none"
    if parameter is None:
        return str(value)
    if parameter.kind == RATES:
        rows = (f"{t}, {d} decks: {r}% and {k}%" for t, d, r, k in value)
        return "; ".join(rows) or "none"
    if parameter.kind == CHOICE:
        return dict(parameter.choices).get(value, str(value))
    return f"{value}%" if parameter.kind == PERCENT else f"${Decimal(value):,.2f}"
