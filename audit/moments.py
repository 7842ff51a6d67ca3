"""Days and moments that a house can mean: what lies outside breaks the calendar's arithmetic."""

from datetime import date

FIRST_YEAR, AFTER_YEAR = 2000, 2200


def in_range(day: date) -> bool:
    """Whether a day or a moment lies where dates can still be reckoned with."""
    return FIRST_YEAR <= day.year < AFTER_YEAR
