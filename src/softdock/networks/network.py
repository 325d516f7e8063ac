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

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.networks.causality import Causality, assign_causality, is_admittance
from softdock.networks.checks import check_network, problems_of_element
from softdock.networks.dirac import Dirac, PortHamiltonian, dirac_structure, port_hamiltonian
from softdock.networks.elements import (
    FORCE,
    LINEAR,
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
from softdock.networks.picture import bond_graph_svg

# The six steps that the paper lists at the end of its section IV, for any network, in words.


def six_steps(network: Network) -> str:
    """Continuous model, causality, energy functions, balances, hierarchy, bookkeeping."""
    return "\n".join(
        [
            f"{network.name}",
            "",
            "1. Continuous model",
            *_indent(_model(network)),
            "2. Causality",
            *_indent(_causality(network)),
            "3. Energy functions (change over a sample of length T)",
            *_indent(_energies(network)),
            "4. Balances",
            *_indent(_balances(network)),
            "5. Hierarchy",
            *_indent(hierarchy(network)),
            "6. Bookkeeping",
            *_indent(_books()),
        ]
    )


def _indent(lines: list[str]) -> list[str]:
    return ["   " + line for line in lines] + [""]


def _model(network: Network) -> list[str]:
    dirac = network.dirac
    lines = ["(" + ", ".join(dirac.rows) + ") = D (" + ", ".join(dirac.columns) + ")"]
    lines += ["D: " + "  ".join(f"{v:4g}" for v in row) for row in dirac.matrix]
    eq = network.equations
    for name, matrix in (("J", eq.J), ("R", eq.R), ("G", eq.G)):
        lines += [
            f"{name}: " + "  ".join(f"{v:8.4g}" for v in row) for row in np.atleast_2d(matrix)
        ]
    return [*lines, "H = " + " + ".join(_energy_of(network, name) for name in dirac.stores)]


def _energy_of(network: Network, name: str) -> str:
    store = network.parts.elements[name]
    if isinstance(store, Mass):
        return f"p_{name}^2 / (2 {store.mass:g})"
    assert isinstance(store, Spring)
    if store.kind == LINEAR:
        return f"{store.stiffness:g} x_{name}^2 / 2"
    if store.kind == ONE_SIDED:
        return (
            f"{store.stiffness:g} (-x_{name})^{store.exponent + 1:g} / {store.exponent + 1:g} [x "
            "< 0]"
        )
    if store.kind == POLYNOMIAL:
        return " + ".join(f"{c:g} x_{name}^{i}" for i, c in enumerate(store.coefficients, 2) if c)
    return f"V_{name}(x_{name})"


def _causality(network: Network) -> list[str]:
    lines = []
    for element in network.parts.of(Port, Spring, Mass, Damper):
        given, answer = (
            ("force", "motion")
            if is_admittance(network.causality, network.parts, element.name)
            else ("motion", "force")
        )
        if isinstance(element, Port):
            given, answer = (
                ("force", "motion") if element.causality == FORCE else ("position", "force")
            )
            lines.append(
                f"{element.name}: port, the network is given a {given} and answers with a {answer}"
            )
            continue
        kind = "admittance" if given == "force" else "impedance"
        what = type(element).__name__.lower()
        lines.append(
            f"{element.name}: {what}, given a {given}, answers with a {answer} ({kind})"
            + (", integral causality" if what != "damper" else "")
        )
    if network.causality.chosen:
        lines.append(
            "free to choose, and solved as an algebraic loop where they feed each other: "
            f"{', '.join(network.causality.chosen)}"
        )
    return lines


def _energies(network: Network) -> list[str]:
    lines = []
    for element in network.parts.of(Spring, Mass, Damper):
        late = is_admittance(network.causality, network.parts, element.name)
        if isinstance(element, Spring):
            lines.append(f"{element.name}: dH = V(x + dx) - V(x)")
        elif isinstance(element, Mass):
            lines.append(f"{element.name}: dH = ((p + F T)^2 - p^2) / 2m        TIME-DEPENDENT")
        elif isinstance(element, Damper) and late:
            lines.append(
                f"{element.name}: dH = F^2 T / {_damping(element)}                       "
                "TIME-DEPENDENT"
            )  # Franken eq. 23
        elif isinstance(element, Damper):
            lines.append(f"{element.name}: dH = {_damping(element)} dx^2 / T")
    return lines


def _damping(damper: Damper) -> str:
    """What stands for b: with its speed, or with a spring's force (Hunt-Crossley)."""
    words = ["b"] if damper.damping or damper.linear else []
    words += ["b_v |v|"] if damper.quadratic else []
    words += [f"lambda |F_{damper.of}|"] if damper.per_force else []
    return words[0] if len(words) == 1 else "(" + " + ".join(words) + ")"


def _balances(network: Network) -> list[str]:
    stores, dampers = network.dirac.stores, network.dirac.dampers
    lines = [
        f"dH_{port.name} = {'v' if port.causality == FORCE else '-F'} "
        f"{'impulse' if port.causality == FORCE else 'dq'}"
        for port in network.ports
    ]
    ports = " + ".join(f"dH_{p.name}" for p in network.ports)
    return [*lines, f"{ports} = " + " + ".join(f"dH_{name}" for name in (*stores, *dampers))]


def hierarchy(network: Network) -> list[str]:
    """Levels outwards from the ports: the balance of a level is solved once the level before has
    told what it hands on."""
    parts = network.parts
    level = {p.name: 0 for p in network.ports}
    frontier = list(level)
    while frontier:
        reached = []
        for name in frontier:
            for i in parts.at(name):
                for end in (parts.bonds[i].tail, parts.bonds[i].head):
                    if end not in level:
                        level[end] = level[name] + 1
                        reached.append(end)
        frontier = reached
    depths = sorted({level[e.name] for e in parts.of(Spring, Mass, Damper)})
    return [
        f"{i}: " + ", ".join(e.name for e in parts.of(Spring, Mass, Damper) if level[e.name] == d)
        for i, d in enumerate(depths, 1)
    ]


def _books() -> list[str]:
    return [
        "published: H_I + H_virtual = stored + dissipated + lost, every sample; switched "
        "damping pays H_virtual back",
        "better step: fed in + tank at the start = stored + dissipated + tank now, every "
        "sample; the tank is never below nought",
    ]


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
