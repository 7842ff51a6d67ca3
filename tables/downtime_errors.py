"""What is refused of paper forms and downtimes, each by name."""

from progressives.errors import Incomplete, ProgressiveError, WrongMoment, WrongPerson


class TableUnknown(ProgressiveError):
    code = "unknown_table"
    path = "table"
    sentence = "There is no such table."


class MayNotRun(WrongPerson):
    code = "not_allowed"

    def __init__(self, deed: str) -> None:
        super().__init__(f"Your role does not {deed}.")


class NoCode(WrongPerson):
    code = "no_staff_code"
    sentence = "Your account has no staff code to sign with."


class OwnEntry(WrongPerson):
    code = "own_entry"
    sentence = "You entered this form yourself. Another person compares it with the paper."


class DownAlready(WrongMoment):
    code = "table_down_already"
    sentence = "This table is down already."


class NotDown(WrongMoment):
    code = "table_not_down"
    sentence = "This table is not down. Forms are entered and meters read while it is."


class FormNotFree(WrongMoment):
    code = "form_not_free"

    def __init__(self, number: int, why: str) -> None:
        super().__init__(f"Form {number} {why}.")


class EntryDecided(WrongMoment):
    code = "entry_decided"
    sentence = "This entry is decided on already."


class Said(Incomplete):
    """Something that must be said is missing or cannot be read."""

    code = "incomplete"

    def __init__(self, path: str, sentence: str) -> None:
        super().__init__(sentence)
        self.path = path


class DocumentRefused(Incomplete):
    """The rules refuse the round as it was entered."""

    def __init__(self, code: str, path: str, detail: str) -> None:
        super().__init__(detail)
        self.code, self.path = code, path


class NotAccountedFor(WrongMoment):
    """A downtime that cannot end yet: everything that is missing, in one sentence each."""

    code = "downtime_not_accounted_for"

    def __init__(self, missing: list[str]) -> None:
        super().__init__(" ".join(missing))
        self.missing = missing


class RefusedByTheDatabase(WrongMoment):
    code = "refused"
