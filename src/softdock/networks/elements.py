"""What a network is made of. Every element has one power port; junctions and transformers join
them.

Signs: a spring's state is its elongation x [m] (x < 0: compressed), its effort dV/dx [N]; a mass's
state is its momentum p [kg m/s], its flow p/m. A bond carries effort [N] and flow [m/s]; the power
effort * flow runs along the bond's arrow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from softdock.files.schema import OPTIONAL, file_key, own_key
from softdock.files.values import parse_numbers

LINEAR, POLYNOMIAL, ONE_SIDED, TABLE = 0, 1, 2, 3  # kinds of potential, as compiled code knows them
POSITION, FORCE = "position", "force"  # what a port is given; it answers with the other
CAUSALITIES = (POSITION, FORCE)
MOST_COEFFICIENTS = 7  # of a polynomial: up to x^8


@dataclass(frozen=True)
class Spring:
    """Stores V(x) [J]: k x^2 / 2; a polynomial; k (-x)^(n+1) / (n+1) for x < 0 and nothing else; or
    a function of one's own on a stretch of x."""

    name: str
    stiffness: float = 0.0  # N/m (one-sided: N/m^n)
    kind: int = LINEAR
    coefficients: tuple[float, ...] = ()  # of x^2, x^3, ...
    exponent: float = 1.0
    potential: Callable[[float], float] | None = None
    stretch: tuple[float, float] = (0.0, 0.0)  # m; where the function is known

    @property
    def linear(self) -> bool:
        return self.kind == LINEAR


@dataclass(frozen=True)
class Mass:
    name: str
    mass: float  # kg


@dataclass(frozen=True)
class Damper:
    """Force = (b + b_v |v| + lambda |F_of|) v: viscous, quadratic, or in proportion to a spring's
    force (Hunt-Crossley)."""

    name: str
    damping: float = 0.0  # b, Ns/m
    quadratic: float = 0.0  # b_v, Ns^2/m^2
    per_force: float = 0.0  # lambda, s/m
    of: str = ""  # the spring

    @property
    def linear(self) -> bool:
        return self.quadratic == 0.0 and self.per_force == 0.0


@dataclass(frozen=True)
class Transformer:
    """Flow behind = ratio * flow before; effort before = ratio * effort behind (before, behind:
    along the arrows)."""

    name: str
    ratio: float


@dataclass(frozen=True)
class Junction:
    """1: one flow, efforts add up. 0: one effort, flows add up."""

    name: str
    kind: int


@dataclass(frozen=True)
class Port:
    """Where the outside takes hold: given a position it answers with a force, given a force it
    answers with a motion."""

    name: str
    causality: str


Element = Spring | Mass | Damper | Transformer | Junction | Port
ONE_BOND = (Spring, Mass, Damper, Port)


@dataclass(frozen=True)
class Bond:
    tail: str
    head: str  # power is positive from tail to head


@dataclass
class Parts:
    """The lists behind a network."""

    elements: dict[str, Element] = field(default_factory=dict)
    bonds: list[Bond] = field(default_factory=list)

    def of(self, *kinds: type) -> list[Element]:
        return [e for e in self.elements.values() if isinstance(e, kinds)]

    def at(self, name: str) -> Sequence[int]:
        """Indices of the bonds at an element."""
        return [i for i, bond in enumerate(self.bonds) if name in (bond.tail, bond.head)]


# What a person may write of each kind of element; a file has tables of these names (tables.py).


def _is_ratio(value: Any) -> bool:
    return not isinstance(value, list) and any(parse_numbers(value))


CAUSALITY = file_key("causality", "what the port is given", choices=CAUSALITIES)
STIFFNESS = file_key("stiffness_N_per_m", "of a spring", OPTIONAL, unit="N/m", low=0, open_low=True)
EXPONENT = file_key("exponent", "of a one-sided spring", OPTIONAL, low=1, high=10)
COEFFICIENTS = own_key(
    "coefficients",
    "of a potential, of x^2, x^3, ...",
    f"1 to {MOST_COEFFICIENTS} finite numbers, of x^2, x^3, ..., not all zero",
    lambda value: True,  # checked as a potential (checks.py)
    OPTIONAL,
)
MASS = file_key("mass_kg", "of a mass", unit="kg", low=0, open_low=True)
DAMPING = file_key("damping_Ns_per_m", "viscous", 0.0, unit="Ns/m", low=0)
QUADRATIC = file_key("quadratic_Ns2_per_m2", "with its speed", 0.0, unit="Ns^2/m^2", low=0)
PER_FORCE = file_key("per_force_s_per_m", "with a spring's force", 0.0, unit="s/m", low=0)
OF = own_key("of", "that spring", "the name of a spring", lambda v: isinstance(v, str), "")
RATIO = own_key("ratio", "flow behind over flow before", "a finite number, not zero", _is_ratio)
KEYS = {
    "ports": (CAUSALITY,),
    "springs": (STIFFNESS, EXPONENT, COEFFICIENTS),
    "masses": (MASS,),
    "dampers": (DAMPING, QUADRATIC, PER_FORCE, OF),
    "transformers": (RATIO,),
}
