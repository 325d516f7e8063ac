"""Why a method does not compile: Numba's message, cut to what a person can use."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path

from numba.core.errors import NumbaError

from softdock.errors import BadInput, Problem
from softdock.loop.method.method import NotItsNamedTuple
from softdock.scenario.method_sources import FILES, OPTION

OURS = Path(__file__).parents[1]
TELLING = re.compile(
    r"Unknown attribute|Untyped global|not supported|Cannot unify|[Nn]o "
    r"matching|NameError|No implementation|prepare must return|Invalid use|cannot determine"
)


def why_not_compiled(error: Exception) -> str:
    """What is wrong, and where in the user's file."""
    lines = [
        line.strip()
        for line in re.sub(r"\x1b\[[0-9;]*m", "", str(error)).splitlines()
        if line.strip()
    ]
    telling = [i for i, line in enumerate(lines) if TELLING.search(line)]
    at = telling[-1] if telling else 0
    where = _place(lines[at:]) or _place(lines)
    cause = lines[at] if lines else type(error).__name__
    return f"it does not compile: {cause}{where}"


def _place(lines: list[str]) -> str:
    """The first line of a file that is not softdock's; if there is none, of any."""
    found = [place for line in lines if (place := re.match(r'File "([^"<]+)", line (\d+)', line))]
    foreign = [place for place in found if not Path(place[1]).is_relative_to(OURS)]
    for place in foreign or found:
        return f" ({Path(place[1]).name}:{place[2]})"
    return ""


@contextlib.contextmanager
def refusing_what_does_not_compile() -> Iterator[None]:
    """With methods of the user's: a method that does not compile is bad input, with line and
    cause. Without: an error of ours, as it is."""
    try:
        yield
    except (NumbaError, NotItsNamedTuple) as error:
        if not FILES:
            raise
        given = ", ".join(sorted({file.path for file in FILES.values()}))
        raise BadInput(Problem(OPTION, given, why_not_compiled(error))) from None
