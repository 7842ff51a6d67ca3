"""One object of a set-up file, read key by key; what is wrong is refused with its path."""

import re
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Any

from tables.rules import Refusal

CODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
MONEY = re.compile(r"\d{1,11}\.\d{2}")
PERCENT = re.compile(r"\d{1,3}(\.\d{1,4})?")
DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


class SetupRefused(Refusal):
    """A set-up file that cannot be loaded: why, where, and in words."""


class Part:
    """One object of the file: gives its values by kind and refuses keys nobody asked for."""

    def __init__(self, value: Any, path: str) -> None:
        if not isinstance(value, dict):
            raise SetupRefused("wrong_type", path, "An object belongs here.")
        self._value, self.path = value, path
        self._asked: set[str] = set()

    def at(self, key: str) -> str:
        """Return the JSON path of a key."""
        return f"{self.path}.{key}" if self.path else key

    def get(self, key: str, kind: type, default: Any = ...) -> Any:
        """Return a value of the kind; without a default the key must be there."""
        self._asked.add(key)
        found = self._value.get(key)
        if found is None and default is not ...:
            return default
        if key not in self._value:
            raise SetupRefused("missing_key", self.at(key), f"The key {key} is missing.")
        if not isinstance(found, kind) or isinstance(found, bool):
            names = {str: "A text", int: "A whole number", list: "A list", dict: "An object"}
            raise SetupRefused("wrong_type", self.at(key), f"{names[kind]} belongs here.")
        return found

    def text(self, key: str, longest: int) -> str:
        """Return a text that is not empty and not too long."""
        found = str(self.get(key, str))
        if not found.strip() or len(found) > longest:
            raise SetupRefused(
                "bad_value", self.at(key), f"A text of 1 to {longest} characters belongs here."
            )
        return found

    def maybe(self, key: str, longest: int) -> str | None:
        """Return a text that need not be there."""
        self._asked.add(key)
        return None if self._value.get(key) is None else self.text(key, longest)

    def code(self, longest: int) -> str:
        """Return the code by which everything else names this part."""
        found = self.text("code", longest)
        if not CODE.fullmatch(found):
            raise SetupRefused(
                "bad_value", self.at("code"), "A code is letters, digits, dots and hyphens."
            )
        return found

    def matching(self, key: str, pattern: re.Pattern[str], code: str, wanted: str) -> str:
        """Return a text of the pattern; numbers are refused under the same code as bad texts."""
        found: Any = self.get(key, object)
        if not isinstance(found, str) or not pattern.fullmatch(found):
            raise SetupRefused(code, self.at(key), f"{wanted} belongs here.")
        return str(found)

    def money(self, key: str) -> Decimal:
        """Return dollars and cents, more than zero."""
        amount = Decimal(self.matching(key, MONEY, "bad_money", 'An amount such as "5000.00"'))
        if not amount:
            raise SetupRefused("bad_money", self.at(key), "The amount must be more than zero.")
        return amount

    def percent(self, key: str) -> Decimal:
        """Return a percentage above zero and up to a hundred."""
        found = Decimal(self.matching(key, PERCENT, "bad_percent", 'A percentage such as "21"'))
        if not 0 < found <= 100:
            raise SetupRefused(
                "bad_percent", self.at(key), "The percentage must be above 0 and at most 100."
            )
        return found

    def share(self, key: str) -> Decimal:
        """Return a percentage up to a hundred, or nothing where the key is not there."""
        self._asked.add(key)
        if key not in self._value:
            return Decimal(0)
        found = Decimal(self.matching(key, PERCENT, "bad_percent", 'A percentage such as "1.5"'))
        if found > 100:
            raise SetupRefused("bad_percent", self.at(key), "The percentage is at most 100.")
        return found

    def maybe_money(self, key: str) -> Decimal | None:
        """Return dollars and cents that need not be there."""
        self._asked.add(key)
        return None if self._value.get(key) is None else self.money(key)

    def one_of(self, key: str, *words: str) -> str:
        """Return one of the words; the first where the key is not there."""
        found = self.maybe(key, 24) or words[0]
        if found not in words:
            raise SetupRefused(
                "bad_value", self.at(key), f"One of {', '.join(words)} belongs here."
            )
        return found

    def day(self, key: str) -> date:
        """Return a calendar day."""
        written = self.matching(key, DATE, "bad_value", 'A day such as "2026-01-31"')
        try:
            return date.fromisoformat(written)
        except ValueError:
            raise SetupRefused(
                "bad_value", self.at(key), f"There is no day {written} in the calendar."
            ) from None

    def parts(self, key: str, default: Any = ...) -> Iterator["Part"]:
        """Yield the objects of a list, each with its path."""
        for place, value in enumerate(self.get(key, list, default)):
            yield Part(value, f"{self.at(key)}[{place}]")

    def whole(self) -> dict[str, Any]:
        """Return the whole object, for a reader that judges its keys itself."""
        return dict(self._value)

    def done(self) -> None:
        """Refuse the first key that nobody asked for; keys with ``_`` are the writer's own."""
        for key in self._value:
            if key not in self._asked and not key.startswith("_"):
                raise SetupRefused("unknown_key", self.at(key), f"The key {key} is not known here.")
