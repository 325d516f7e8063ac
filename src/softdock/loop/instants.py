"""Instants and clocks: when two instants are one, and what a clock counts.

The loop's time is a float64 in seconds, or in cycles where it is a number of stamps; clocks of
computers and of wires are whole nanoseconds.
"""

from __future__ import annotations

SAME_TIME = 1e-9  # s; instants closer than this coincide
SAME_CYCLE = 1e-9  # cycles; instants closer than this coincide
ON_STAMP = 1e-9  # cycles; nearer to a stamp than this is on it
NS = 1e-9  # s
US, MS, SECOND = 1_000, 1_000_000, 1_000_000_000  # ns
