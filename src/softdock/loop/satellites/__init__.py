"""Stage 1, the satellites: wrench held over a cycle in, state one cycle later out. The list of
integrators stands here.

In: `Wrench` on each body (N, Nm, world axes, about its centre of mass), constant over [t_k,
t_{k+1}). Out: `Body` at t_{k+1}.
"""

from __future__ import annotations

from typing import NamedTuple

from softdock.compile.jit import compiled
from softdock.loop.parameters import Group, Parameter
from softdock.loop.satellites.exact_hold import exact_hold
from softdock.loop.satellites.forward_euler import forward_euler
from softdock.loop.satellites.lie_midpoint import lie_midpoint
from softdock.loop.satellites.lie_rk4 import lie_rk4
from softdock.loop.satellites.lie_split import lie_split
from softdock.loop.satellites.symplectic_euler import symplectic_euler


class Integrator(NamedTuple):
    """What an integrator states about itself; tests measure both."""

    name: str
    order: int  # of the rotation's error in T
    effective_delay: float  # in cycles, added to the loop's delay in a contact


SYMPLECTIC_EULER, FORWARD_EULER, EXACT_HOLD, LIE_RK4, LIE_MIDPOINT, LIE_SPLIT = range(6)
INTEGRATORS = (
    Integrator("symplectic_euler", 1, 0.0),
    Integrator("forward_euler", 1, 1.0),
    Integrator("exact_hold", 2, 0.5),
    Integrator("lie_rk4", 4, 0.5),
    Integrator("lie_midpoint", 2, 0.5),
    Integrator("lie_split", 2, 0.5),
)

SATELLITES = Group(
    "satellites",
    "How the satellites are integrated.",
    Parameter(
        "integrator",
        "integrator",
        "how the satellites' motion is integrated",
        "exact_hold",
        choices=tuple(i.name for i in INTEGRATORS),
    ),
)


@compiled
def integrate(integrator, params, T, body, wrench):
    """One body over one cycle T [s] under a held wrench."""
    if params.fixed:
        return body
    if integrator == SYMPLECTIC_EULER:
        return symplectic_euler(params, T, body, wrench)
    if integrator == FORWARD_EULER:
        return forward_euler(params, T, body, wrench)
    if integrator == EXACT_HOLD:
        return exact_hold(params, T, body, wrench)
    if integrator == LIE_MIDPOINT:
        return lie_midpoint(params, T, body, wrench)
    if integrator == LIE_SPLIT:
        return lie_split(params, T, body, wrench)
    return lie_rk4(params, T, body, wrench)
