"""What a contact law says of itself: how it pushes, and what orbit and the analyses need to know.

A law is one file that ends in `LAW = ContactLaw(...)` and one line in laws.py. Its numbers stand in
`Law`; which keys of a pair they come from, the law says in `numbers`. A law of more numbers than
others have: a field of `Law` before `at`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

from softdock.compile.cells import Cells, layout_of


class Law(NamedTuple):
    """The numbers of a pair's law."""

    kind: int  # index of laws.LAWS
    stiffness: Annotated[float, "N/m", "or N/m^exponent"]
    damping: Annotated[float, "Ns/m", "of hunt_crossley lambda, s/m"]
    exponent: Annotated[float, "-", "of the depth"]
    at: Annotated[int, "-", "first float of its table in the parameter vector"]
    rows: Annotated[int, "-", "of its table"]
    rubs: bool  # there is friction
    friction: Annotated[float, "-", "Coulomb coefficient"]
    slip_speed: Annotated[float, "m/s", "sliding speed at which friction is at 71 %"]
    bristle: Annotated[float, "N/m", "stiffness of friction before it slips; 0: none"] = 0.0
    patch: Annotated[float, "m", "radius of the disc that touches"] = 0.0


# of a prepared pair in `mem`; which law, and whether it rubs, are bits of the pair's kind
LAW_CELLS = Cells("law", *(cell for cell in layout_of(Law) if cell.name not in ("kind", "rubs")))
# fields that a law's keys give, in the order of `ContactLaw.numbers`
NUMBERS = tuple(itertools.takewhile(lambda name: name != "at", LAW_CELLS.at._fields))


class Tangent(NamedTuple):
    """A law as a spring and a damper at a depth."""

    stiffness: float  # N/m
    damping: float  # Ns/m
    depth: float  # m; NaN: at every depth the same


@dataclass(frozen=True)
class ContactLaw:
    """One contact law. Compiled functions, but for the last two; `law`: a `Law`."""

    name: str
    # keys of a pair that it has, of stiffness, damping, exponent, lambda, table
    keys: tuple[str, ...]
    # keys that its stiffness, damping, exponent (`NUMBERS`) come from; empty, or not said: 1
    numbers: tuple[str, ...]
    elastic: Any  # (vector, law, depth) -> N, the part that the stored energy gives back
    damped: Any  # (law, elastic, rate) -> N, before the clamp at zero
    stored: Any  # (vector, law, depth) -> J
    # (vector, law, row, depth) -> N: elastic, smoothly continued below depth 0 and beyond its row
    continued: Any
    row: Any  # (vector, law, depth) -> number of the row of its table; 0: it has none
    steepest: Any  # (vector, law) -> N/m, largest slope of the elastic part
    # (vector, law, steepest, depth, speed, mobility, outside) -> 1/s^2, 1/s
    # (reference/step_length.py)
    pace: Any
    pulls: bool = False  # it is not clamped at zero
    # stiffness times depth and damping times rate, in N/m and Ns/m: one stiffness at every depth
    is_linear: bool = False
    graded: bool = False  # its slope begins at zero: orbit's steps follow the depth
    # plain Python: (keys of the law's table, effective mass, speed, depth or None) -> Tangent
    tangent: Callable[..., Tangent] | None = None
    linearised: str = "linearised at a depth of"  # what the tangent is, before a depth in words
    # plain Python: (vector, its stiffness, its table's entry) -> N/m that decides how long a touch
    # lasts; 0: no stiffness does
    lasting: Callable[..., float] | None = None
