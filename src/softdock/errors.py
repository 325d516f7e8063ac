"""Every exception of softdock.

SoftdockError
|- BadInput            a value a user gave is impossible; `problems` lists all of them
|  `- Unwritable       a file or folder cannot be written; an OSError too, with its errno
|- BadRunFolder        a stored run cannot be read
|- BadRecording        a recording is cut, foreign, or of a newer version
|- NoDevice            a GPU was asked for and none was found
`- CampaignStopped     a campaign could not go on; what it has is kept

KeyboardInterrupt
`- RunInterrupted      Ctrl-C while a run was under way; `run` holds everything up to there
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

MOST_SHOWN = 50  # problems in one message; all of them are in `problems`
LONGEST_SHOWN = 2000  # characters of a key or of what is allowed
LONGEST_WORD = 100  # characters; nothing that softdock knows is as long


class SoftdockError(Exception):
    """Base of all errors that softdock raises on purpose."""


@dataclass(frozen=True)
class Problem:
    """One problem of a user's input."""

    key: str  # path of the key, e.g. contact[0].real.stiffness_N_per_m
    value: object  # what was given; None if nothing was
    allowed: str  # what is allowed
    where: str = ""  # file:line, when it came from a file
    suggestion: str = ""  # "did you mean ...?"

    def __str__(self) -> str:
        place = f"{printable(self.where)}: " if self.where else ""
        hint = f"; did you mean '{self.suggestion}'?" if self.suggestion else ""
        key = printable(self.key) or '""'  # TOML allows a key without a letter
        allowed = printable(self.allowed)
        if self.value is None:
            return f"{place}{key}: missing; needed: {allowed}{hint}"
        return f"{place}{key}: given {_short(self.value)}; allowed: {allowed}{hint}"


class BadInput(SoftdockError):
    """Input that is refused before anything runs. `problems` holds all problems, not only the
    first."""

    def __init__(self, problems: Problem | Iterable[Problem]):
        try:
            given = [problems] if isinstance(problems, Problem) else list(problems)
        except TypeError:
            given = [problems]  # type: ignore[list-item]
        self.problems = [
            one if isinstance(one, Problem) else Problem("problems", one, "a Problem, or several")
            for one in given
        ]
        lines = [str(p) for p in self.problems[:MOST_SHOWN]]
        if len(self.problems) > MOST_SHOWN:
            lines.append(f"... and {len(self.problems) - MOST_SHOWN} more")
        super().__init__("\n".join(lines))


class Unwritable(BadInput, OSError):
    """A file or a folder that cannot be written. Also an `OSError`: callers that continue on a full
    disc check `errno`."""

    def __init__(self, key: str, path: object, what: str, error: BaseException):
        why = getattr(error, "strerror", None) or str(error)
        super().__init__(Problem(key, str(path), f"{what} that can be written ({why})"))
        self.errno = getattr(error, "errno", None)
        self.strerror = why

    def __str__(self) -> str:
        return "\n".join(str(problem) for problem in self.problems)


class BadRunFolder(SoftdockError):
    """A run folder that is cut, foreign, or of a newer version."""


class BadRecording(SoftdockError):
    """A recording (MCAP) or a ring that is cut, foreign, or of a newer version."""


class NotSimulated(SoftdockError):
    """A number that needs a simulation that was not run; the message names the call that runs
    it."""


class NoTruth(SoftdockError):
    """A number that only a simulation knows, asked of a run of a real facility."""


class NoDevice(SoftdockError):
    """No usable GPU; the message says what was found."""


class RunInterrupted(KeyboardInterrupt):
    """Ctrl-C during a run; `run` holds everything up to there."""

    def __init__(self, run: Any):
        super().__init__("interrupted")
        self.run = run


class CampaignStopped(SoftdockError):
    """A campaign that could not continue: a full disc, a scheduler that does not answer. Written
    results stay, and `--resume` continues."""


def printable(text: str, most: int = LONGEST_SHOWN) -> str:
    """Text for a terminal: control characters (which could move its cursor, colour it or make
    links) are escaped, line ends and tabs stay, and very long text is cut."""
    shown = "".join(c if c.isprintable() or c in "\n\t" else repr(c)[1:-1] for c in text[:most])
    return shown if len(text) <= most else shown + "..."


def closest(word: str, known: Iterable[str]) -> str:
    """The known word most similar to the given one; empty if there is none."""
    if len(word) > LONGEST_WORD:
        return ""
    found = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return found[0] if found else ""


def _short(value: object, most: int = 120) -> str:
    try:
        text = repr(value)
    except Exception:  # of a class that is not ours
        text = f"a {type(value).__name__}"
    return text if len(text) <= most else text[: most - 3] + "..."
