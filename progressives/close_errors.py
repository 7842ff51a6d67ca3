"""What is refused at the close of a gaming day, each by name."""

from datetime import date

from progressives.errors import Incomplete, ProgressiveError, WrongMoment, WrongPerson


class CloseUnknown(ProgressiveError):
    code = "unknown_close"
    sentence = "This gaming day has not been ended yet."


class MayNotClose(WrongPerson):
    code = "not_allowed"

    def __init__(self, deed: str) -> None:
        super().__init__(f"Your role may not {deed}.")


class PreparerCannotReview(WrongPerson):
    code = "preparer_cannot_review"
    sentence = "You signed this close as its preparer. Another person must review it."


class DayNotReached(WrongMoment):
    code = "day_not_reached"
    path = "day"
    sentence = "No table has reached this gaming day yet."


class EarlierDayOpen(WrongMoment):
    code = "earlier_day_open"
    path = "day"

    def __init__(self, day: date) -> None:
        super().__init__(f"Gaming day {day} comes first: it has moved meters and is not closed.")


class DayBehindFence(WrongMoment):
    code = "day_behind_fence"
    path = "day"

    def __init__(self, day: date) -> None:
        super().__init__(f"Gaming day {day} is closed; what comes later joins the days after it.")


class AlreadyEnded(WrongMoment):
    code = "already_ended"
    sentence = "This gaming day was ended already."


class NotDraft(WrongMoment):
    code = "not_draft"
    sentence = "This close is signed already. The reviewer can send it back."


class NotPrepared(WrongMoment):
    code = "not_prepared"
    sentence = "The preparer has to sign this close first."


class FiguresChanged(WrongMoment):
    code = "figures_changed"
    sentence = "The figures are no longer those that the preparer signed. Send the close back."


class Blocked(Incomplete):
    code = "blocked"

    def __init__(self, sentences: list[str]) -> None:
        self.sentences = sentences
        more = f" and {len(sentences) - 3} more." if len(sentences) > 3 else ""
        super().__init__("The day cannot be signed: " + " ".join(sentences[:3]) + more)


class ReadingRefused(Incomplete):
    code = "reading_refused"
    path = "value"


class CountRefused(Incomplete):
    code = "count_refused"
    path = "counts"


class FileRefused(Incomplete):
    code = "file_refused"
    path = "file"
