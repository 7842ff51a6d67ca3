"""A built-in simulator of Six-Card Fortune Pai Gow Poker tables: real shuffles, made-up people.

Pure and repeatable: one seed, one day. What it yields are ``round/1`` events as a table sends
them, in the order of their times; whoever plays them decides where they go.
"""

from tables.simulator.play import Start, play

__all__ = ["Start", "play"]
