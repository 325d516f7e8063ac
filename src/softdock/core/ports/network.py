"""A network in a few readable lines: name the elements, join them, and everything else follows
(causality, Dirac structure, passive sampled step).

wall = Network("standard linear solid")
wall.port("hand", "position")
wall.spring("S1", 500.0)
wall.spring("S2", 50.0)
wall.damper("B1", 100.0)
wall.one("together").zero("in_series")
wall.connect("hand", "together")
wall.connect("together", "S1", "in_series")
wall.connect("in_series", "S2", "B1")
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from softdock.core.ports.causality import Causality, assign_causality
from softdock.core.ports.checks import check_network, problems_of_element
from softdock.core.ports.derivation_steps import six_steps
from softdock.core.ports.dirac import Dirac, PortHamiltonian, dirac_structure, port_hamiltonian
from softdock.core.ports.elements import (
    ONE_SIDED,
    POLYNOMIAL,
    TABLE,
    Bond,
    Damper,
    Element,
    Junction,
    Mass,
    Parts,
    Port,
    Spring,
    Transformer,
)
from softdock.core.ports.picture import bond_graph_svg
from softdock.errors import BadInput, Problem


class Network:
    """Elements and bonds, and what is derived from them (each derived once, when first asked
    for)."""

    def __init__(self, name: str):
        self.name = name
        self.parts = Parts()

    # ---- elements

    def spring(self, name: str, stiffness: float) -> Network:
        """V = k x^2 / 2, k in N/m."""
        return self._add(Spring(name, stiffness))

    def polynomial_spring(self, name: str, *coefficients: float) -> Network:
        """V = c2 x^2 + c3 x^3 + ..., in J/m^2, J/m^3, ..."""
        return self._add(Spring(name, kind=POLYNOMIAL, coefficients=tuple(coefficients)))

    def one_sided_spring(self, name: str, stiffness: float, exponent: float) -> Network:
        """Force k (-x)^n in compression (x < 0), none in tension; k in N/m^n."""
        return self._add(Spring(name, stiffness, ONE_SIDED, exponent=exponent))

    def potential_spring(
        self, name: str, potential: Callable[[float], float], stretch: tuple[float, float]
    ) -> Network:
        """A potential of one's own, V(x) [J] on a stretch of x [m]; beyond it the force goes on
        along its last slope."""
        return self._add(Spring(name, kind=TABLE, potential=potential, stretch=stretch))

    def mass(self, name: str, mass: float) -> Network:
        return self._add(Mass(name, mass))

    def damper(
        self,
        name: str,
        damping: float = 0.0,
        *,
        quadratic: float = 0.0,
        per_force: float = 0.0,
        of: str = "",
    ) -> Network:
        """Force (b + quadratic |v| + per_force |F_of|) v [N], b in Ns/m; `of`: the spring whose
        force counts (Hunt-Crossley)."""
        return self._add(
            Damper(name=name, damping=damping, quadratic=quadratic, per_force=per_force, of=of)
        )

    def transformer(self, name: str, ratio: float) -> Network:
        """Flow behind = ratio * flow before, along the arrows of its two bonds."""
        return self._add(Transformer(name, ratio))

    def one(self, name: str) -> Network:
        """A junction of one flow: what moves together."""
        return self._add(Junction(name, 1))

    def zero(self, name: str) -> Network:
        """A junction of one effort: what bears the same force."""
        return self._add(Junction(name, 0))

    def port(self, name: str, causality: str) -> Network:
        """`position`: given a position, answers with a force. `force`: given a force, answers with
        a motion."""
        return self._add(Port(name, causality))

    def connect(self, tail: str, *heads: str) -> Network:
        """A bond from `tail` to each of `heads`; power is positive that way."""
        for head in heads:
            unknown = [n for n in (tail, head) if n not in self.parts.elements]
            if unknown:
                raise BadInput(
                    [
                        Problem(f"{self.name}.bonds", n, "one of " + ", ".join(self.parts.elements))
                        for n in unknown
                    ]
                )
            self.parts.bonds.append(Bond(tail, head))
        return self._changed()

    def _add(self, element: Element) -> Network:
        found = problems_of_element(self.name, element, self.parts)
        if found:
            raise BadInput(found)
        self.parts.elements[element.name] = element
        return self._changed()

    def _changed(self) -> Network:
        for derived in ("causality", "dirac", "equations"):
            self.__dict__.pop(derived, None)
        return self

    # ---- what follows

    @cached_property
    def causality(self) -> Causality:
        """Which of effort and flow each element decides. Refuses derivative causality, naming the
        element."""
        check_network(self.name, self.parts)
        return assign_causality(self.name, self.parts)

    @cached_property
    def dirac(self) -> Dirac:
        return dirac_structure(self.name, self.parts, self.causality)

    @cached_property
    def equations(self) -> PortHamiltonian:
        """J, R, G and the energy: x' = (J - R) dH/dx + G u, with linear dampers."""
        return port_hamiltonian(self.name, self.parts, self.causality, self.dirac)

    @property
    def linear(self) -> bool:
        return all(
            e.linear for e in self.parts.of(Spring, Damper) if isinstance(e, (Spring, Damper))
        )

    @property
    def ports(self) -> list[Port]:
        return [e for e in self.parts.of(Port) if isinstance(e, Port)]

    def describe(self) -> str:
        """The paper's six steps for this network, in words."""
        return six_steps(self)

    def svg(self) -> str:
        """The bond graph with its causal strokes, as a picture."""
        return bond_graph_svg(self)
