"""In which cycles of a recorded motion something pushes the satellites: thrusters, a hand, a
schedule.

In: a run's or orbit's series. What pushes is seen in the momenta of the pair, which contact and
latches leave alone: the change within a cycle stands out from the usual one (a constant force and
the slow tide are usual, and only move the rest about which a pair swings). With a fixed body, or
masses that differ per axis, it is seen in the power of the external work.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from softdock.loop.method.hooks import any_external
from softdock.loop.spatial.arrays import matrices
from softdock.results.momenta import read_mass_properties

ENDS = ("chaser", "target")
SHARE_THAT_STANDS_OUT = 10.0  # of the usual (median) change within a cycle
# of the momentum in the swings: a change within a cycle that does not matter, and the most that is
# taken for the tide and for the loop's own imbalance
NEGLIGIBLE, USUAL = 1e-6, 1e-4


def is_pushed(scenario: Any) -> bool:
    """Whether a schedule or a method may push the satellites; the tide does not count."""
    tables = scenario.tables
    rows = any(tables[kind][body]["rows"] for kind in ("hand", "external") for body in ENDS)
    return bool(rows or any_external(scenario.markers.methods))


def find_unpushed(scenario: Any, series: Mapping[str, Any], first: int) -> np.ndarray:
    """Of every row behind `first`, whether nothing pushed in the cycle that ended there."""
    free = np.ones(max(len(series["time"]) - first - 1, 0), dtype=bool)
    if not is_pushed(scenario) or len(free) == 0:
        return free
    bodies = read_mass_properties(scenario.vector)
    if bodies.any_fixed or not bodies.is_isotropic:
        work = np.diff(series["energy.external"][first:])[:, None]
        return free & ~_find_outliers(work, float(np.abs(work).max(initial=0.0)))
    linear, angular, in_swings, about = _compute_momenta(bodies, series, first)
    free &= ~_find_outliers(np.diff(linear, axis=0), in_swings)
    return free & ~_find_outliers(np.diff(angular, axis=0), about)


def _find_outliers(changes: np.ndarray, scale: float) -> np.ndarray:
    """Where the usual change is more than USUAL of `scale`, a force that varies pushes all the
    time, and every cycle counts as pushed."""
    size = np.linalg.norm(changes - np.median(changes, axis=0), axis=1)
    usual = float(np.median(size))
    if usual > USUAL * scale:
        usual = 0.0
    return np.asarray(size > max(SHARE_THAT_STANDS_OUT * usual, NEGLIGIBLE * scale))


def _compute_momenta(
    bodies: Any, series: Mapping[str, Any], first: int
) -> tuple[np.ndarray, np.ndarray, float, float]:
    """Of the pair at every row, linear and about the common centre of mass, world axes; and what
    its bodies have against each other: RMS of the same of the chaser alone."""
    share = bodies.mass[:, 0] / bodies.mass[:, 0].sum()
    p, v = (
        np.stack([series[f"{body}.{part}"][first:] for body in ENDS])
        for part in ("position", "velocity")
    )
    p, relative = p - np.tensordot(share, p, 1), v - np.tensordot(share, v, 1)
    own = bodies.mass[:, :1, None] * relative
    whole = np.tensordot(bodies.mass[:, 0], v, 1)
    spins = np.stack(
        [
            np.einsum("kij,jl,kl->ki", matrices(series[f"{b}.attitude"][first:]), inertia, rate)
            for b, inertia in zip(ENDS, bodies.inertia, strict=True)
            for rate in (series[f"{b}.rate"][first:],)
        ]
    )
    about = np.sum(np.cross(p, own) + spins, axis=0)
    swinging = own[0] - own[0].mean(axis=0)
    turning = spins[0] - spins[0].mean(axis=0)
    arm = float(np.sqrt(np.mean(np.sum(p[0] ** 2, axis=1))))
    in_swings = float(np.sqrt(np.mean(np.sum(swinging**2, axis=1))))
    return whole, about, in_swings, arm * in_swings + float(np.sqrt(np.mean(turning**2)))
