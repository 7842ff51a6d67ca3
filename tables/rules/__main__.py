"""``python -m tables.rules settle`` and ``python -m tables.rules rank``: see ``shell``."""

import os
import sys

from tables.rules.games import GAMES
from tables.rules.shell import rank_hand, rank_lines, settle_lines

USAGE = f"""usage: python -m tables.rules settle < documents
       python -m tables.rules rank --game GAME [CARD ...]

settle: one round document a line (or a single one), an outcome a line.
rank:   the best five of five to seven cards; without cards, one hand a line.
games:  {" ".join(GAMES)}
"""


def main(arguments: list[str]) -> int:
    """Do what the command line asks; return the exit status."""
    match arguments:
        case ["settle"]:
            return settle_lines(sys.stdin.buffer, sys.stdout)
        case ["rank", "--game", game, *cards] if game in GAMES:
            if cards:
                return rank_hand(game, cards, sys.stdout)
            return rank_lines(game, sys.stdin.buffer, sys.stdout)
        case ["-h" | "--help"]:
            sys.stdout.write(USAGE)
            return 0
    sys.stderr.write(USAGE)
    return 2


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    try:
        status = main(sys.argv[1:])
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 0
    sys.exit(status)
