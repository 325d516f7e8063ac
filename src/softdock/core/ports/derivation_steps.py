"""The six steps that the paper lists at the end of its section IV, for any network, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from softdock.core.ports.causality import is_admittance
from softdock.core.ports.elements import (
    FORCE,
    LINEAR,
    ONE_SIDED,
    POLYNOMIAL,
    Damper,
    Mass,
    Port,
    Spring,
)

if TYPE_CHECKING:
    from softdock.core.ports.network import Network


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
