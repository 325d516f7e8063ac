"""From bonds and causality to the Dirac structure, and from there to J, R, G and H.

    (x', r_in, -y) = D (dH/dx, r_out, u)    Franken eq. 22
    D is skew: what flows in is what is stored and dissipated
    x' = (J - R) dH/dx + G u,   y = C dH/dx + Y u,   y . u: power into the network

Dampers whose causality is free feed each other: r_in = D_rx dH/dx + D_rr r_out + ..., an algebraic
loop, solved here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softdock.errors import BadInput, Problem
from softdock.networks.causality import Causality, is_admittance
from softdock.networks.elements import (
    FORCE,
    Damper,
    Junction,
    Mass,
    Parts,
    Port,
    Spring,
    Transformer,
)

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Dirac:
    """The skew matrix with its names; ordered stores, dampers, ports, each as they were added."""

    matrix: Matrix
    stores: tuple[str, ...]
    dampers: tuple[str, ...]
    ports: tuple[str, ...]
    rows: tuple[str, ...]  # what the matrix gives
    columns: tuple[str, ...]  # what it is given

    def block(self, a: str, b: str) -> Matrix:
        """The part that gives `a` (x, r or u) from `b`."""
        n, m, p = len(self.stores), len(self.dampers), len(self.ports)
        at = {"x": slice(0, n), "r": slice(n, n + m), "u": slice(n + m, n + m + p)}
        return self.matrix[at[a], at[b]]


@dataclass(frozen=True)
class PortHamiltonian:
    """x' = (J - R) e + G u, y = C e + Y u with e = dH/dx; `dampings`: the coefficients that R, G,
    C, Y were made with."""

    J: Matrix
    R: Matrix
    G: Matrix
    C: Matrix
    Y: Matrix
    stiffness: Matrix  # of linear stores: N/m or 1/kg; nan where the store is not linear


def dirac_structure(network: str, parts: Parts, causality: Causality) -> Dirac:
    """Follow the causality from what is given (stores' and dampers' outputs, ports' inputs) through
    the junctions. Whole numbers stay whole."""
    stores = [e.name for e in parts.of(Spring, Mass)]
    dampers = [e.name for e in parts.of(Damper)]
    ports = [e.name for e in parts.of(Port)]
    given = [*stores, *dampers, *ports]
    unit = np.eye(len(given))
    effort: dict[int, Matrix] = {}
    flow: dict[int, Matrix] = {}
    for j, name in enumerate(given):
        (i,) = parts.at(name)
        (effort if causality.effort_from[i] == name else flow)[i] = unit[j]
    while len(effort) + len(flow) < 2 * len(parts.bonds):
        before = len(effort) + len(flow)
        for element in [*parts.of(Junction), *parts.of(Transformer)]:
            _pass_on(parts, element, effort, flow)
        if len(effort) + len(flow) == before:
            raise BadInput(
                Problem(
                    f"{network}.bonds",
                    None,
                    "junctions that do not form a loop among themselves; simplify the junctions",
                )
            )
    rows = []
    for name in given:
        (i,) = parts.at(name)
        inward = 1.0 if parts.bonds[i].head == name else -1.0
        answer = flow[i] if causality.effort_from[i] == name else effort[i]
        rows.append(inward * answer)
    gives, given_names = _labels(parts, causality, stores, dampers, ports)
    matrix = np.array(rows) + 0.0  # no negative zeros
    if not np.allclose(matrix, -matrix.T, rtol=1e-12, atol=1e-12):
        raise BadInput(
            Problem(
                f"{network}.bonds",
                None,
                "a structure that keeps power; the bonds' directions contradict each other",
            )
        )
    return Dirac(
        matrix=matrix,
        stores=tuple(stores),
        dampers=tuple(dampers),
        ports=tuple(ports),
        rows=gives,
        columns=given_names,
    )


def _pass_on(
    parts: Parts,
    element: Junction | Transformer | object,
    effort: dict[int, Matrix],
    flow: dict[int, Matrix],
) -> None:
    """What an element lets follow from what is known at its bonds."""
    assert isinstance(element, (Junction, Transformer))
    bonds = parts.at(element.name)
    if isinstance(element, Transformer):
        before = next(i for i in bonds if parts.bonds[i].head == element.name)
        behind = next(i for i in bonds if i != before)
        for known, a, b, factor in (
            (flow, before, behind, element.ratio),
            (flow, behind, before, 1 / element.ratio),
        ):
            if a in known and b not in known:
                known[b] = factor * known[a]
        for known, a, b, factor in (
            (effort, behind, before, element.ratio),
            (effort, before, behind, 1 / element.ratio),
        ):
            if a in known and b not in known:
                known[b] = factor * known[a]
        return
    same, adding = (flow, effort) if element.kind == 1 else (effort, flow)
    shared = next((same[i] for i in bonds if i in same), None)
    if shared is not None:
        for i in bonds:
            same.setdefault(i, shared)
    missing = [i for i in bonds if i not in adding]
    if len(missing) == 1:
        sign = {i: 1.0 if parts.bonds[i].head == element.name else -1.0 for i in bonds}
        total = sum(
            (sign[i] * adding[i] for i in bonds if i != missing[0]),
            np.zeros_like(next(iter([*effort.values(), *flow.values()]))),
        )
        adding[missing[0]] = -sign[missing[0]] * total


def _labels(
    parts: Parts, causality: Causality, stores: list[str], dampers: list[str], ports: list[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    rows, columns = [], []
    for name in stores:
        state = "x" if isinstance(parts.elements[name], Spring) else "p"
        rows.append(f"{state}'_{name}")
        columns.append(f"dH/d{state}_{name}")
    for name in dampers:
        got, answer = ("F", "v") if is_admittance(causality, parts, name) else ("v", "F")
        rows.append(f"{got}_{name}")
        columns.append(f"{answer}_{name}")
    for name in ports:
        port = parts.elements[name]
        got, answer = (
            ("F", "v") if isinstance(port, Port) and port.causality == FORCE else ("q'", "F")
        )
        rows.append(f"{answer}_{name}" if answer == "F" else f"-{answer}_{name}")
        columns.append(f"{got}_{name}")
    return tuple(rows), tuple(columns)


def conductances(parts: Parts, causality: Causality, coefficients: Matrix) -> Matrix:
    """r_out over r_in of each damper: b where it is given the flow, 1/b where it is given the
    force."""
    dampers = [e.name for e in parts.of(Damper)]
    return np.array(
        [
            1.0 / b if is_admittance(causality, parts, n) else b
            for n, b in zip(dampers, coefficients)
        ]
    )


def close_dampers(dirac: Dirac, conductance: Matrix) -> tuple[Matrix, Matrix, Matrix, Matrix]:
    """S = J - R, G, C, Y with the dampers' loop solved."""
    w = np.diag(conductance)
    if len(conductance):
        w = w @ np.linalg.inv(np.eye(len(conductance)) - dirac.block("r", "r") @ w)
    xr, ur = dirac.block("x", "r") @ w, dirac.block("u", "r") @ w
    S = dirac.block("x", "x") + xr @ dirac.block("r", "x")
    G = dirac.block("x", "u") + xr @ dirac.block("r", "u")
    C = -(dirac.block("u", "x") + ur @ dirac.block("r", "x"))
    Y = -(dirac.block("u", "u") + ur @ dirac.block("r", "u"))
    return S, G, C, Y


def port_hamiltonian(
    network: str, parts: Parts, causality: Causality, dirac: Dirac
) -> PortHamiltonian:
    """Matrices with the dampers' constant coefficients b; what depends on speed or state is added
    by the nonlinear step."""
    dampers = [d for d in parts.of(Damper) if isinstance(d, Damper)]
    loose = [
        d.name for d in dampers if d.damping == 0.0 and is_admittance(causality, parts, d.name)
    ]
    if loose:
        allowed = (
            "> 0 [Ns/m]: it is given the force and answers with a speed, which must stay finite "
            "when the other coefficients vanish"
        )
        raise BadInput(
            [Problem(f"{network}.{name}.damping_Ns_per_m", 0.0, allowed) for name in loose]
        )
    S, G, C, Y = close_dampers(
        dirac, conductances(parts, causality, np.array([d.damping for d in dampers]))
    )
    stiffness = np.array([_stiffness(e) for e in parts.of(Spring, Mass)])
    return PortHamiltonian(
        J=0.5 * (S - S.T) + 0.0, R=0.0 - 0.5 * (S + S.T), G=G, C=C, Y=Y + 0.0, stiffness=stiffness
    )


def _stiffness(store: object) -> float:
    if isinstance(store, Mass):
        return 1.0 / store.mass
    assert isinstance(store, Spring)
    return store.stiffness if store.linear else float("nan")
