"""Every exception of softdock.

SoftdockError
|- BadInput            a value a user gave is impossible; `problems` lists all of them
|- BadRunFolder        a stored run cannot be read
|- NoDevice            a GPU was asked for and none was found
`- CampaignStopped     a campaign could not go on; what it has is kept
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass


class SoftdockError(Exception):
    """Base of all errors that softdock raises on purpose."""


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with what a user gave."""

    key: str  # path of the key, e.g. contact[0].real.stiffness_N_per_m
    value: object  # what was given; None if nothing was
    allowed: str  # what is allowed
    where: str = ""  # file:line, when it came from a file
    suggestion: str = ""  # "did you mean ...?"

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        given = "nothing given" if self.value is None else f"given {_short(self.value)}"
        hint = f"; did you mean '{self.suggestion}'?" if self.suggestion else ""
        return f"{place}{self.key}: {given}; allowed: {self.allowed}{hint}"


class BadInput(SoftdockError):
    """Input that is refused before the clock starts. `problems` holds all that was found, not only
    the first."""

    def __init__(self, problems: Problem | Iterable[Problem]):
        self.problems = [problems] if isinstance(problems, Problem) else list(problems)
        super().__init__("\n".join(str(p) for p in self.problems))


class BadRunFolder(SoftdockError):
    """A run folder that is cut, foreign, or of a newer version."""


class NotFlown(SoftdockError):
    """A number was asked for that needs a flight nobody has flown; the message says which call
    flies it."""


class NoDevice(SoftdockError):
    """No usable GPU; the message says what was found."""


class CampaignStopped(SoftdockError):
    """A campaign that could not go on: a full disc, a scheduler that does not answer. What was
    written stays, and `--resume` goes on."""


def closest(word: str, known: Iterable[str]) -> str:
    """The known word most like the given one, or nothing."""
    found = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return found[0] if found else ""


def _short(value: object, most: int = 120) -> str:
    text = repr(value)
    return text if len(text) <= most else text[: most - 3] + "..."
