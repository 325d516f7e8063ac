"""What is said of the latches of a run: when they engaged, went hard or broke, what they bore, and
whether the latched pair grows.

In: a run with the reference beside it. Out: plain numbers, NaN where undefined. The growth is
measured, mode by mode (latches.py), from the satellites' motion since the last latch went hard, in
stretches that nothing pushes (decrement.py): sigma of amplitude exp(sigma t). The energy of a
growing pair doubles in ln 2 / (2 sigma). A pair that grows, and touches nothing while it swings,
acts as if late by (2 sigma + b) / w^2; where the tip reaches a contact, that contact is late too,
and the number would mean nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from softdock.loop.contact.latch import BROKEN, HARD, LATCH_CELLS, OPEN, STATES
from softdock.loop.spatial.arrays import matrices, matrix
from softdock.results.decrement import (
    ENDS,
    Swings,
    find_unpushed,
    fit_depth_swings,
    fit_oscillator_swings,
)
from softdock.results.momenta import PARTS, is_corrected
from softdock.results.run import Run

# A latched pair as oscillators: the modes of two bodies on the springs and dampers of all latches,
# in the docked pose.
#
# With xi the chaser's way and turn seen from the target at the first latch (target axes), W the
# bodies' mobility there (1/kg, 1/(kg m^2)) and K, B the sums over the latches, each mode of
# W K u = w^2 u is an oscillator of unit mass with stiffness w^2 and damping b = u' B u. On a rig
# that is late by h with a cycle T it grows at (w^2 (h + T/2) - b) / 2: a bounce ends after half a
# period, a latch does not. Dampers that are not a multiple of the springs couple the modes; that is
# left out.
#
# In: a scenario's tables. Out: numbers per mode; of a run's series the energy in each mode [J].

SOFTEST = 1e-9  # of the stiffest mode: softer ones are free
AXES = ("along x", "along y", "along z", "about x", "about y", "about z")


class Modes(NamedTuple):
    """Of a latched pair; columns of `shapes` are modes, in rising order of frequency."""

    squared: np.ndarray  # (n,) 1/s^2
    damping: np.ndarray  # (n,) 1/s, twice the decay without delay
    shapes: np.ndarray  # (6, n) xi of a unit of the mode
    seen: np.ndarray  # (n, 6) from xi to the modes
    names: list[str]  # what moves most

    @property
    def frequency(self) -> np.ndarray:
        """rad/s"""
        return np.asarray(np.sqrt(self.squared))

    def closed_form(self, late: float) -> np.ndarray:
        """Growth of the amplitude [1/s] with a whole delay of `late` [s], half a cycle included."""
        return np.asarray(0.5 * (self.squared * late - self.damping))


def get_latches(tables: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """The latches of a scenario's tables; empty: it has none."""
    found: Sequence[Mapping[str, Any]] = tables["capture"].get("latch", [])
    return found


def skew(v: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def _compute_mobility(body: Mapping[str, Any], R: np.ndarray, arm: np.ndarray) -> np.ndarray:
    """At a point `arm` from the centre of mass; R: target axes from body."""
    if body["fixed"]:
        return np.zeros((6, 6))
    inertia = np.asarray(body["inertia_kg_m2"], dtype=float)
    inertia = np.diag(inertia) if inertia.shape == (3,) else inertia.reshape(3, 3)
    mass = np.broadcast_to(np.asarray(body["mass_kg"], dtype=float), 3)
    inside = np.zeros((6, 6))
    inside[:3, :3], inside[3:, 3:] = np.diag(1.0 / mass), R @ np.linalg.inv(inertia) @ R.T
    G = np.eye(6)
    G[:3, 3:] = -skew(arm)
    return np.asarray(G @ inside @ G.T)


def compute_modes(tables: Mapping[str, Any], which: str = "real") -> Modes:
    """Of a scenario with latches, all of them hard. `which`: real or wanted."""
    latches = get_latches(tables)
    first = latches[0]
    R = matrix(first["attitude_wxyz"])
    place = np.asarray(first["place_m"], dtype=float)
    tip = np.asarray(tables["contact"][first["pair"]]["tip_m"], dtype=float)
    W = _compute_mobility(tables["chaser"], R, R @ tip) + _compute_mobility(
        tables["target"], np.eye(3), place
    )
    K, B = np.zeros((6, 6)), np.zeros((6, 6))
    for latch in latches:
        law = latch[which]
        A = np.eye(6)
        A[:3, 3:] = -skew(np.asarray(latch["place_m"], dtype=float) - place)
        K += A.T @ np.diag([*law["stiffness_N_per_m"], *law["stiffness_Nm_per_rad"]]) @ A
        B += A.T @ np.diag([*law["damping_Ns_per_m"], *law["damping_Nms_per_rad"]]) @ A
    values, vectors = np.linalg.eigh(W)
    root = vectors @ np.diag(np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    squared, U = np.linalg.eigh(root @ K @ root)
    noticeable = squared > SOFTEST * max(float(squared[-1]), 1e-300)
    shapes = root @ U[:, noticeable]
    seen = U[:, noticeable].T @ np.linalg.pinv(root)
    share = np.abs(np.linalg.pinv(root) @ shapes)
    return Modes(
        squared=squared[noticeable],
        damping=np.einsum("in,ij,jn->n", shapes, B, shapes),
        shapes=shapes,
        seen=seen,
        names=[AXES[int(i)] for i in np.argmax(share, axis=0)],
    )


def compute_deflections(
    tables: Mapping[str, Any], series: Mapping[str, np.ndarray], rest: np.ndarray, first: int
) -> tuple[np.ndarray, np.ndarray]:
    """xi and its rate from row `first` on, (rows, 6). `rest`: the latch's rest from its docked pose
    (way, turn)."""
    latch = get_latches(tables)[0]
    tip = np.asarray(tables["contact"][latch["pair"]]["tip_m"], dtype=float)
    c, t = (
        {
            key: series[f"{body}.{key}"][first:]
            for key in ("position", "attitude", "velocity", "rate")
        }
        for body in ("chaser", "target")
    )
    Rc, Rt = matrices(c["attitude"]), matrices(t["attitude"])
    arm = np.einsum("kij,j->ki", Rc, tip)
    apart = c["position"] - t["position"] + arm
    spin_c, spin_t = (np.einsum("kij,kj->ki", R, b["rate"]) for R, b in ((Rc, c), (Rt, t)))
    v = c["velocity"] + np.cross(spin_c, arm) - t["velocity"] - np.cross(spin_t, apart)
    to_target = np.swapaxes(Rt, 1, 2)
    x = np.einsum("kij,kj->ki", to_target, apart) - np.asarray(latch["place_m"]) - rest[:3]
    Q = to_target @ Rc @ matrix(latch["attitude_wxyz"]).T
    angle = rest[3:]
    turn = 0.5 * np.stack(
        [Q[:, 2, 1] - Q[:, 1, 2], Q[:, 0, 2] - Q[:, 2, 0], Q[:, 1, 0] - Q[:, 0, 1]], axis=1
    )  # small turns
    rate = np.einsum("kij,kj->ki", to_target, spin_c - spin_t)
    return (
        np.concatenate([x, turn - angle], axis=1),
        np.concatenate([np.einsum("kij,kj->ki", to_target, v), rate], axis=1),
    )


def compute_mode_energies(modes: Modes, xi: np.ndarray, rate: np.ndarray) -> np.ndarray:
    """Of every mode at every row, (rows, modes) [J]."""
    y, v = xi @ modes.seen.T, rate @ modes.seen.T
    return np.asarray(0.5 * (v * v + modes.squared * y * y))


AT = LATCH_CELLS.at
FEWEST_ROWS = 8
NOTICED = 1e-12  # J; a mode with less does not move
NOTICED_SHARE = 0.01  # of the energy of all modes


def summarise_times(states: np.ndarray) -> dict[str, float]:
    """Of all latches: the first that engaged, when the last went hard, the first that broke [s];
    what they bore, and what their drives gave."""
    now = states[:, AT.state]
    engaged = states[now != OPEN, AT.engaged_at]
    broken = states[now == BROKEN, AT.broken_at]
    is_hard = len(states) > 0 and bool((now == HARD).all())
    return {
        "soft_docked_at_s": float(engaged.min()) if len(engaged) else math.nan,
        "latched_at_s": float(states[:, AT.hard_at].max()) if is_hard else math.nan,
        "broken_at_s": float(broken.min()) if len(broken) else math.nan,
        "peak_force_N": math.sqrt(float(states[:, AT.peak_force].max(initial=0.0))),
        "peak_torque_Nm": math.sqrt(float(states[:, AT.peak_torque].max(initial=0.0))),
        "driven_J": float(states[:, AT.driven].sum()),
        "lost_J": float(states[:, AT.lost].sum()),
    }


def compute_latch_metrics(run: Run) -> dict[str, Any] | None:
    """Everything about the latches of a run; None: it has none."""
    tables = run.scenario.tables
    if not get_latches(tables):
        return None
    mine, orbits = summarise_times(run.latches), summarise_times(run.reference.latches)
    numbers: dict[str, Any] = {
        **mine,
        "states": [STATES[int(state)] for state in run.latches[:, AT.state]],
        "orbit": {key: orbits[key] for key in ("soft_docked_at_s", "latched_at_s", "peak_force_N")},
    }
    return numbers | compute_latch_growth(run.scenario, run.series, run.latches)


def compute_latch_growth(
    scenario: Any, series: Mapping[str, np.ndarray], states: np.ndarray
) -> dict[str, Any]:
    """Of the mode that grows most; NaN where nothing is latched, or too briefly."""
    growth = fit_mode_swings(scenario, series, states)
    swings, modes, i = growth or (Swings(), None, 0)
    sigma, late = swings.per_s, math.nan
    if modes is not None and swings.is_growing and not _is_touching(series, states):
        late = float((2.0 * sigma + modes.damping[i]) / modes.squared[i])
    return {
        "growth_per_s": sigma,
        "growth_error_per_s": swings.per_s_error,
        "growth_over_ten_swings": swings.growth,
        "growth_error_over_ten_swings": swings.error,
        "energy_doubles_in_s": math.log(2.0) / (2.0 * sigma) if swings.is_growing else math.nan,
        "late_by_s": late,
        "mode": modes.names[i] if modes is not None else "",
        "frequency_rad_per_s": float(modes.frequency[i]) if modes is not None else math.nan,
    }


def fit_mode_swings(
    scenario: Any, series: Mapping[str, np.ndarray], states: np.ndarray
) -> tuple[Swings, Modes, int] | None:
    """Swings of the mode that grows most beyond its standard error, of those that hold a noticeable
    share of the energy at the end, all modes, and its number; None: nothing is latched, or no mode
    has swung often enough."""
    tables, since = scenario.tables, summarise_times(states)["latched_at_s"]
    if math.isnan(since):
        return None
    first = int(np.searchsorted(series["time"], since))
    time = series["time"][first:]
    if len(time) < FEWEST_ROWS:
        return None
    modes = compute_modes(tables)
    xi, rate = compute_deflections(tables, series, _compute_rest(tables, states), first)
    late = compute_mode_energies(modes, xi, rate)[-max(len(time) // 10, 1) :].mean(axis=0)
    least, free = (
        max(NOTICED, NOTICED_SHARE * float(late.sum())),
        find_unpushed(scenario, series, first),
    )
    y, v = xi @ modes.seen.T, rate @ modes.seen.T
    found = [
        (fit_oscillator_swings(time, y[:, i], v[:, i], float(modes.frequency[i]), free), modes, i)
        for i in np.flatnonzero(late > least).tolist()
    ]
    told = [each for each in found if not math.isnan(each[0].growth)]
    return max(told, key=lambda each: each[0].growth - 2.0 * each[0].error, default=None)


def _is_touching(series: Mapping[str, np.ndarray], states: np.ndarray) -> bool:
    """Whether a contact is within reach of the swings: the tip touches once all latches are
    hard."""
    hard = series["time"] >= summarise_times(states)["latched_at_s"]
    return bool(np.any(series["contact.depth"][hard] > 0.0))


def _compute_rest(tables: Mapping[str, Any], states: np.ndarray) -> np.ndarray:
    """The first latch's rest from its docked pose: zero, unless it holds what it caught."""
    if get_latches(tables)[0]["pull_in_s"] > 0.0:
        return np.zeros(6)
    return np.asarray(states[0, AT.offset : AT.offset + 6])


# By how much the swing of a pair that is latched, or still touches, grows.
#
# In: a run with the reference beside it. Out: growth over ten swings (decrement.py), less what they
# do in the reference; NaN: too few swings to tell.


class Swing(NamedTuple):
    """Of a pair that still touches at the end; NaN: too few swings to tell."""

    growth: float  # of the amplitude over ten swings, less the reference's
    error: float  # standard error of it
    period: float  # s


def measure_swing(run: Run) -> Swing:
    """Growth and period of a pair that is latched, or still touches, at the end."""
    mine, orbits = fit_run_swings(run)
    return Swing(*compute_excess_growth(mine, orbits), mine.period_s)


def compute_excess_growth(own: Swings, orbits: Swings) -> tuple[float, float]:
    """Growth over ten swings beyond the reference's, and its standard error. A decay in the
    reference is not held against the rig, and the reference without swings counts as 0."""
    if not orbits.growth > 0.0:
        return own.growth, own.error
    return own.growth - orbits.growth, math.hypot(own.error, orbits.error)


def fit_run_swings(run: Run) -> tuple[Swings, Swings]:
    """Of the satellites, and of orbit: of the latches' modes once all are hard, else of a contact
    that is on at the end of the run. Corrected motion where the series have it."""
    start = math.nan
    if run.contacts and math.isnan(run.contacts[-1]["restitution"]):
        start = float(run.contacts[-1]["start_s"])
    scenario, orbit = run.scenario, run.reference
    return (
        fit_swings(scenario, use_corrected_motion(run.series), run.latches, start),
        fit_swings(scenario, orbit.series, orbit.latches, start),
    )


def use_corrected_motion(series: Mapping[str, Any]) -> Mapping[str, Any]:
    """A run's series with the satellites' corrected motion in place of what was applied at the
    time, where a method has recorded one."""
    if not is_corrected(series):
        return series
    names = [f"{body}.{part}" for body in ENDS for part in PARTS]
    kept = {name: series[name] for name in ("time", "contact.depth", "energy.external")}
    return kept | {name: series[f"corrected.{name}"] for name in names}


def fit_swings(
    scenario: Any, series: Mapping[str, Any], latches: np.ndarray, start: float = math.nan
) -> Swings:
    """Of a recorded motion: time, `contact.depth`, `energy.external`, and of both bodies position,
    attitude, velocity and rate, one row a cycle. `latches`: their states at the end; `start`: when
    the contact that is on at the end began [s], NaN: none is."""
    if get_latches(scenario.tables):
        swings = fit_mode_swings(scenario, series, latches)
        return swings[0] if swings else Swings()
    time = series["time"]
    if math.isnan(start) or not start < time[-1]:
        return Swings()
    first = int(np.searchsorted(time, start))
    free = find_unpushed(scenario, series, first)
    return fit_depth_swings(time[first:], series["contact.depth"][first:], free)
