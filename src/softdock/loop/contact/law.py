"""What a contact law says of itself: how it pushes, and what orbit and the analyses need to know.

A law is one file that ends in `LAW = ContactLaw(...)` and one line in laws.py. Its numbers stand in
`Law`; which keys of a pair they come from, the law says in `numbers`. A law of more numbers than
others have: a field of `Law` and a cell of `NUMBER_CELLS`, both here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from softdock.compile.cells import Cell, Cells


class Law(NamedTuple):
    """The numbers of a pair's law."""

    kind: int  # index of laws.LAWS
    stiffness: float  # N/m, or N/m^exponent
    damping: float  # Ns/m; for hunt_crossley lambda, s/m
    exponent: float
    at: int  # of its table in the vector
    rows: int
    rubs: bool  # there is friction
    friction: float
    slip_speed: float  # m/s


NUMBER_CELLS = (  # those that a law's keys give, in the order of `ContactLaw.numbers`
    Cell("stiffness", 1, "N/m", "or N/m^exponent"),
    Cell("damping", 1, "Ns/m", "of hunt_crossley lambda, s/m"),
    Cell("exponent", 1, "-", "of the depth"),
)
LAW_CELLS = Cells(  # of a prepared pair in `mem`
    "law",
    *NUMBER_CELLS,
    Cell("at", 1, "-", "first float of its table in the parameter vector"),
    Cell("rows", 1, "-", "of its table"),
    Cell("friction", 1, "-", "Coulomb coefficient"),
    Cell("slip_speed", 1, "m/s", "sliding speed at which friction is at 71 %"),
)


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
    # keys that its stiffness, damping, exponent (`NUMBER_CELLS`) come from; empty, or not said: 1
    numbers: tuple[str, ...]
    elastic: Any  # (vector, law, depth) -> N, the part that the stored energy gives back
    damped: Any  # (law, elastic, rate) -> N, before the clamp at zero
    stored: Any  # (vector, law, depth) -> J
    # (vector, law, row, depth) -> N: elastic, smoothly continued below depth 0 and beyond its row
    continued: Any
    row: Any  # (vector, law, depth) -> number of the row of its table; 0: it has none
    steepest: Any  # (vector, law) -> N/m, largest slope of the elastic part
    # (vector, law, steepest, depth, speed, mobility, outside) -> 1/s^2, 1/s (reference/step_length.py)
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
