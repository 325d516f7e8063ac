"""The laws of stores and dampers as compiled code knows them: one row of numbers per element.

psi(x) = sign(x - x_0) sqrt(2 (V(x) - V_0)), with x_0 the lowest point: a store's energy is psi^2 /
2, whatever its potential. A linear spring has psi = sqrt(k) x, a mass psi = p / sqrt(m).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from softdock.compile.jit import compiled
from softdock.networks.elements import (
    LINEAR,
    MOST_COEFFICIENTS,
    ONE_SIDED,
    POLYNOMIAL,
    TABLE,
    Damper,
    Mass,
    Spring,
)
from softdock.networks.law_cells import (
    DAMPER_FLOATS,
    IN_DAMPER,
    IN_NODE,
    IN_STORE,
    NODE_FLOATS,
    STORE,
    STORE_FLOATS,
)

if TYPE_CHECKING:
    from softdock.networks.network import Network

NODES = 257  # of a tabulated potential


class Laws(NamedTuple):
    """The network as numbers: sizes, the Dirac matrix, a row per store and per damper, tables of
    potentials (V and dV/dx per node)."""

    n: int
    r: int
    m: int
    dirac: np.ndarray
    stores: np.ndarray
    dampers: np.ndarray
    tables: np.ndarray


def flatten_laws(network: Network) -> Laws:
    from softdock.networks.causality import is_admittance  # a run without a network needs none

    dirac, parts = network.dirac, network.parts
    n, r, m = len(dirac.stores), len(dirac.dampers), len(dirac.ports)
    network.equations  # noqa: B018 - refuses dampers that would not hold
    stores = np.zeros((n, STORE_FLOATS))
    tables: list[tuple[float, float]] = []
    for i, name in enumerate(dirac.stores):
        store = parts.elements[name]
        if isinstance(store, Mass):
            stores[i, IN_STORE.stiffness] = 1.0 / store.mass
        elif isinstance(store, Spring):
            _store_row(stores[i], store, tables)
    dampers = np.zeros((r, DAMPER_FLOATS))
    for i, name in enumerate(dirac.dampers):
        d = parts.elements[name]
        assert isinstance(d, Damper)
        row = dampers[i]
        row[IN_DAMPER.given_force] = float(is_admittance(network.causality, parts, name))
        row[IN_DAMPER.damping], row[IN_DAMPER.quadratic] = d.damping, d.quadratic
        row[IN_DAMPER.per_force] = d.per_force
        row[IN_DAMPER.of] = dirac.stores.index(d.of) if d.of else -1
    return Laws(
        n=n,
        r=r,
        m=m,
        dirac=np.ascontiguousarray(dirac.matrix),
        stores=stores,
        dampers=dampers,
        tables=np.array(tables) if tables else np.zeros((1, NODE_FLOATS)),
    )


def _store_row(row: np.ndarray, spring: Spring, tables: list[tuple[float, float]]) -> None:
    row[IN_STORE.kind], row[IN_STORE.stiffness], row[IN_STORE.exponent] = (
        spring.kind,
        spring.stiffness,
        spring.exponent,
    )
    given = spring.coefficients[:MOST_COEFFICIENTS]  # all behind are zeros (checks.py)
    row[STORE.slice_of("coefficients")][: len(given)] = given
    if spring.kind != TABLE:
        return
    assert spring.potential is not None
    low, high = spring.stretch
    x = np.linspace(low, high, NODES)
    v = np.array([spring.potential(float(a)) for a in x])
    slopes = np.gradient(v, x, edge_order=2)
    row[IN_STORE.table], row[IN_STORE.low], row[IN_STORE.high] = len(tables), low, high
    lowest = int(np.argmin(v))
    row[IN_STORE.lowest], row[IN_STORE.floor] = x[lowest], v[lowest]
    if 0 < lowest < NODES - 1:
        slopes[lowest] = 0.0  # the floor is where the energy is lowest, and psi changes sign there
    tables.extend(zip(v.tolist(), slopes.tolist()))


@compiled
def energy_and_effort(laws, i, x):
    """V - V_0 [J] and dV/dx [N] of store i."""
    row = laws.stores[i]
    kind = int(row[IN_STORE.kind])
    if kind == LINEAR:
        return 0.5 * row[IN_STORE.stiffness] * x * x, row[IN_STORE.stiffness] * x
    if kind == ONE_SIDED:
        if x >= 0.0:
            return 0.0, 0.0
        force = row[IN_STORE.stiffness] * math.pow(-x, row[IN_STORE.exponent])
        return force * -x / (row[IN_STORE.exponent] + 1.0), -force
    if kind == POLYNOMIAL:
        v, slope, power = 0.0, 0.0, x
        for j in range(MOST_COEFFICIENTS):
            slope += (j + 2) * row[IN_STORE.coefficients + j] * power
            power *= x
            v += row[IN_STORE.coefficients + j] * power
        return v, slope
    return _tabulated(laws, row, x)


@compiled
def _tabulated(laws, row, x):
    """Cubic between nodes; beyond the ends a parabola whose force goes on along the last slope (and
    never falls)."""
    at, low, high = int(row[IN_STORE.table]), row[IN_STORE.low], row[IN_STORE.high]
    h = (high - low) / (NODES - 1)
    if x < low or x > high:
        end = at if x < low else at + NODES - 1
        inner = at + 1 if x < low else at + NODES - 2
        beyond = x - (low if x < low else high)
        force = laws.tables[end, IN_NODE.slope]
        stiffness = abs(force - laws.tables[inner, IN_NODE.slope]) / h
        return laws.tables[end, IN_NODE.energy] - row[IN_STORE.floor] + (
            force + 0.5 * stiffness * beyond
        ) * beyond, force + stiffness * beyond
    j = min(int((x - low) / h), NODES - 2)
    s, here = (x - low) / h - j, at + j
    after = here + 1
    v0, v1 = laws.tables[here, IN_NODE.energy], laws.tables[after, IN_NODE.energy]
    d0, d1 = h * laws.tables[here, IN_NODE.slope], h * laws.tables[after, IN_NODE.slope]
    c2, c3 = 3.0 * (v1 - v0) - 2.0 * d0 - d1, 2.0 * (v0 - v1) + d0 + d1
    return max(v0 + s * (d0 + s * (c2 + s * c3)) - row[IN_STORE.floor], 0.0), (
        d0 + s * (2.0 * c2 + s * 3.0 * c3)
    ) / h


@compiled
def compute_psi(laws, i, x):
    row = laws.stores[i]
    if row[IN_STORE.kind] == LINEAR:
        return math.sqrt(row[IN_STORE.stiffness]) * x
    v, _ = energy_and_effort(laws, i, x)
    return math.copysign(math.sqrt(2.0 * max(v, 0.0)), x - row[IN_STORE.lowest])


@compiled
def psi_slope(laws, i, x):
    """d psi / dx where it exists; near the lowest point from a small step."""
    row = laws.stores[i]
    if row[IN_STORE.kind] == LINEAR:
        return math.sqrt(row[IN_STORE.stiffness])
    v, effort = energy_and_effort(laws, i, x)
    psi = math.sqrt(2.0 * max(v, 0.0))
    if psi > 1e-9:
        return (
            math.copysign(effort / psi, effort * (x - row[IN_STORE.lowest]))
            if row[IN_STORE.kind] != ONE_SIDED
            else abs(effort) / psi
        )
    step = 1e-7
    return (compute_psi(laws, i, x + step) - compute_psi(laws, i, x - step)) / (2.0 * step)


@compiled
def coefficient(laws, i, speed, force_of):
    """Force over speed of damper i [Ns/m]."""
    row = laws.dampers[i]
    return (
        row[IN_DAMPER.damping]
        + row[IN_DAMPER.quadratic] * abs(speed)
        + row[IN_DAMPER.per_force] * abs(force_of)
    )


@compiled
def solve(a, size, right, columns):
    """Gauss with row exchanges, in place: a (size x size) z = right (size x columns); z lies in
    `right` afterwards."""
    for p in range(size):
        best = p
        for i in range(p + 1, size):
            if abs(a[i, p]) > abs(a[best, p]):
                best = i
        if best != p:
            for j in range(p, size):
                a[p, j], a[best, j] = a[best, j], a[p, j]
            for j in range(columns):
                right[p, j], right[best, j] = right[best, j], right[p, j]
        for i in range(p + 1, size):
            factor = a[i, p] / a[p, p]
            if factor != 0.0:
                for j in range(p + 1, size):
                    a[i, j] -= factor * a[p, j]
                for j in range(columns):
                    right[i, j] -= factor * right[p, j]
    for j in range(columns):
        for i in range(size - 1, -1, -1):
            total = right[i, j]
            for k in range(i + 1, size):
                total -= a[i, k] * right[k, j]
            right[i, j] = total / a[i, i]
