"""A linear network for the better step: its matrices, and where its memory stands."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from softdock.core.machine.cells import Cell, Cells
from softdock.core.ports.network import Network
from softdock.errors import BadInput, Problem

HEAD = Cells(  # scalars at the head of `mem`
    "linear_head",
    Cell("tank", 1, "J", "what the network may give beyond what it was fed"),
    Cell("fed", 1, "J", "energy through the port"),
    Cell("put_in", 1, "J", "energy put into the network"),
    Cell("short", 1, "J", "what the tank could not pay"),
    Cell("touching", 1, "-", "1: the port touches"),
    Cell("cuts", 1, "-", "samples in which the cap cut the effort"),
    Cell("most_cut", 1, "N or m", "largest part of an effort that it cut"),
    Cell("most_wanted", 1, "N or m", "largest effort before the cap"),
)
TANK, FED, PUT_IN, SHORT, TOUCHING, CUTS, MOST_CUT, MOST_WANTED = HEAD.at
SCALARS = HEAD.size


class LinearNet(NamedTuple):
    """What a sample needs: sizes and precomputed matrices."""

    n: int  # states
    m: int  # ports
    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    Dbar: np.ndarray
    Dinv: np.ndarray  # pseudo-inverse of Dbar's symmetric part
    bound: np.ndarray  # per port, how far dq may be from its prediction [m or Ns]; inf: no cap
    stiffness: np.ndarray  # of the stores, N/m or 1/kg
    extrapolate: float  # prediction = last dq + extrapolate * (last dq - the one before)


class Places(NamedTuple):
    """Where in `mem` each vector begins."""

    x: int
    scratch: int
    y: int
    last: int
    c: int
    D: int
    predicted: int
    position: int  # of walls: where the ports were, and where the network's own surface stands
    surface: int
    now: int  # and where the ports are
    size: int


def places_of(n: int, m: int) -> Places:
    x, y = SCALARS, SCALARS + 2 * n
    return Places(
        x=x,
        scratch=x + n,
        y=y,
        last=y + m,
        c=y + 2 * m,
        D=y + 3 * m,
        predicted=y + 4 * m,
        position=y + 5 * m,
        surface=y + 6 * m,
        now=y + 7 * m,
        size=y + 8 * m,
    )


def midpoint_matrices(
    network: Network, T: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """A, B, C, Dbar of a linear network sampled at T."""
    if not network.linear:
        raise BadInput(
            Problem(
                f"{network.name}",
                "nonlinear",
                "a network of linear springs and dampers; the nonlinear step takes the others",
            )
        )
    eq = network.equations
    S, Q = eq.J - eq.R, np.diag(eq.stiffness)
    n = len(eq.stiffness)
    left = np.eye(n) - 0.5 * T * S @ Q
    A = np.linalg.solve(left, np.eye(n) + 0.5 * T * S @ Q)
    B = np.linalg.solve(left, eq.G)
    C = 0.5 * eq.C @ Q @ (np.eye(n) + A)
    Dbar = 0.5 * eq.C @ Q @ B + eq.Y / T
    return A, B, C, Dbar


def linear_net(
    network: Network, T: float, bound: float | np.ndarray = math.inf, extrapolate: float = 0.0
) -> LinearNet:
    """Precompute. `bound`: largest |dq - predicted| per port; for the last dq as prediction it is
    the largest acceleration times T^2."""
    A, B, C, Dbar = midpoint_matrices(network, T)
    n, m = B.shape
    Dinv = np.linalg.pinv(0.5 * (Dbar + Dbar.T), rcond=1e-12, hermitian=True)
    bounds = np.broadcast_to(np.asarray(bound, float), (m,))
    A, B, C, Dbar, Dinv, bounds = (np.ascontiguousarray(a) for a in (A, B, C, Dbar, Dinv, bounds))
    return LinearNet(
        n=n,
        m=m,
        A=A,
        B=B,
        C=C,
        Dbar=Dbar,
        Dinv=Dinv,
        bound=bounds,
        stiffness=network.equations.stiffness,
        extrapolate=float(extrapolate),
    )


def fresh_memory(net: LinearNet, tank: float) -> np.ndarray:
    """`mem` of a network at rest, with a preloaded tank [J]."""
    mem = np.zeros(places_of(net.n, net.m).size)
    mem[TANK] = tank
    return mem
