"""Chapter 670a under the readings that a submission chose, worked out once for all its rounds."""

from collections.abc import Mapping

from tables.rules.hands import SIX_CARD, Ranking
from tables.rules.house_way import HouseWay


class Plan:
    """The chapter under the readings of a submission, worked out once.

    ``other_rankings`` and ``other_ways`` take one reading the other way, to tell whether it
    decided a line.
    """

    def __init__(self, readings: Mapping[str, str]) -> None:
        joker, royal = readings["SC-1"], readings["SC-4"]
        keep_royal = readings["SC-5"] == "royal"
        keep_full_house = readings["SC-7"] == "full_house"
        self.ranking = ranking(joker, royal)
        self.way = HouseWay(self.ranking, keep_royal, keep_full_house)
        self.other_rankings = {
            "SC-1": ranking("highest_missing" if joker == "ace" else "ace", royal),
            "SC-4": ranking(joker, "narrow" if royal == "any" else "any"),
        }
        self.other_ways = {
            "SC-5": HouseWay(self.ranking, not keep_royal, keep_full_house),
            "SC-7": HouseWay(self.ranking, keep_royal, not keep_full_house),
        }
        self.one_dollar_envy = readings["SC-8"] == "table"
        self.side_wagers_stand = readings["SC-21"] == "side_wagers_stand"
        self.leavers_envy = readings["SC-22"] != "no_envy"


_RANKINGS = {("highest_missing", "any"): SIX_CARD}


def ranking(flush_joker: str, royal: str) -> Ranking:
    """Return § 670a.6 under two of its readings; submissions share what it has worked out."""
    made = _RANKINGS.get((flush_joker, royal))
    if made is None:
        made = _RANKINGS[flush_joker, royal] = Ranking("second", flush_joker, royal)
    return made
