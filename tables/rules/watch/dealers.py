"""One dealer deals at one table at a time."""

from tables.rules.watch.state import State, moment, tell_once

APART_SECONDS = 60  # two controllers' clocks differ, and a dealer walks; no round is shorter


def overlap(
    state: State, dealer: str, other: str, here: list[list[int]], there: list[list[int]]
) -> str | None:
    """Return since when a dealer was at both tables at once, the first time it is seen.

    ``here`` and ``there``: his first and last event of each stay at the two tables.
    """
    for since, until in here:
        for began, ended in there:
            if since + APART_SECONDS <= ended and began + APART_SECONDS <= until:
                both = moment(max(since, began))
                if tell_once(state, f"two {dealer} {other} {both}", True):
                    return both
    return None
