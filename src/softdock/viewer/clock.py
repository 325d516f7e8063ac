"""The time of the scene: plays, pauses, and by itself slows down in contacts."""

from __future__ import annotations

from collections.abc import Sequence

CONTACT_S = 3.0  # a contact takes at least this long on the screen
SLOWEST = 1.0 / 200.0
AROUND = 0.15  # of a contact's length, before and after it
SPEEDS = {"auto": None, "1": 1.0, "1/4": 0.25, "1/10": 0.1, "1/100": 0.01}


class Clock:
    """Seconds of the run against seconds of the person who looks."""

    def __init__(self, end: float = 0.0, contacts: Sequence[tuple[float, float]] = ()) -> None:
        self.time = 0.0
        self.playing = False
        self.speed = "auto"
        self.set_run(end, contacts)

    def set_run(self, end: float, contacts: Sequence[tuple[float, float]]) -> None:
        """Another run: the time stays where it is, as far as that run goes."""
        self.end = end
        self.slow = [
            (start - AROUND * (stop - start) - 0.01, stop + AROUND * (stop - start) + 0.01)
            for start, stop in contacts
        ]
        self.time = min(self.time, end)

    def rate(self) -> float:
        """Seconds of the run for a second."""
        fixed = SPEEDS[self.speed]
        if fixed is not None:
            return fixed
        here = [b - a for a, b in self.slow if a <= self.time < b]
        return min(max(min(here) / CONTACT_S, SLOWEST), 1.0) if here else 1.0

    def advance(self, seconds: float) -> float:
        """Let the clock go on; it starts again from the end, and never jumps into a contact."""
        if not self.playing:
            return self.time
        if self.time >= self.end:
            self.time = 0.0
        left = seconds
        for _ in range(8):
            if left <= 0.0:
                break
            rate = self.rate()
            edges = [edge for window in self.slow for edge in window if edge > self.time + 1e-9]
            until = min([self.time + left * rate, self.end, *edges])
            left -= max(until - self.time, 1e-12) / rate
            self.time = until
            if until >= self.end:
                break
        return self.time
