"""Forces on the satellites that no contact explains: the velocity that they make in free flight,
and the hand's part, which is taken out of the contact force.

In: a run and its contacts. Out: m/s, N.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from softdock.analysis.corrected import is_corrected
from softdock.analysis.momenta import mass_properties
from softdock.analysis.when_apart import Contacts, merge_window
from softdock.core.spatial.arrays import matrices
from softdock.runs.run import Run

ENDS = ("chaser", "target")


def unexplained_speed(run: Run, loop: Contacts, reference: Contacts) -> float:
    """Relative velocity that the forces on both satellites make before the first touch of either,
    and in `verdict.settle_s` after the last contact that has ended: the sum of both sizes [m/s]."""
    time, tables = run.series["time"], run.scenario.tables
    bodies, settle = mass_properties(run.scenario.vector), float(tables["verdict"]["settle_s"])
    T = float(time[1] - time[0]) if len(time) > 1 else 0.0
    hands, push = hand_forces(run), np.zeros((len(time), 3))  # m/s in the cycle that ended there
    for sign, i in ((1.0, 0), (-1.0, 1)):
        if not bodies.fixed[i]:
            force = run.series[f"satellite.{ENDS[i]}.force"] - hands[ENDS[i]]
            push = push + sign * T * force / bodies.mass[i]
    first = min(loop.first, reference.first)
    early = merge_window(tables) / 2.0 if is_corrected(run.series) else 0.0
    before = time <= max(first - early, 0.0) if math.isfinite(first) else time <= time[-1]
    found = float(np.linalg.norm(np.sum(push[1:][before[1:]], axis=0)))
    ended = [one for one in loop.each if one.over is not None]
    if ended and ended[-1].over is not None:
        parted = float(time[ended[-1].over])
        following = [one.start for one in loop.each if one.start > ended[-1].end]
        until = min(parted + settle + 1e-9, *following, math.inf)
        after = (time > parted) & (time <= until)
        found += float(np.linalg.norm(np.sum(push[after], axis=0)))
    return found


def hand_forces(run: Run) -> dict[str, np.ndarray]:
    """What hands on the mock-ups give each satellite through the sensors, at every row [N], world
    axes; as old as the force was."""
    tables, time = run.scenario.tables, run.series["time"]
    nothing = np.zeros((len(time), 3))
    if not any(tables["hand"][body]["rows"] for body in ENDS):
        return {body: nothing for body in ENDS}
    when = np.concatenate([time[:1], (time - run.series["force_age"])[:-1]])  # of a cycle's begin
    felt = {body: _scheduled(tables["hand"][body], run, body, when) for body in ENDS}
    on = tables["sensor"]["on"]
    chaser = {
        "chaser": felt["chaser"],
        "target": -felt["target"],
        "both": 0.5 * (felt["chaser"] - felt["target"]),
    }[on]
    return {"chaser": chaser, "target": -chaser}


def _scheduled(schedule: Mapping[str, Any], run: Run, body: str, when: np.ndarray) -> np.ndarray:
    """Force of a schedule [N], world axes: linear between its rows, zero outside."""
    rows = np.asarray(schedule["rows"], float).reshape(-1, 7)
    if not len(rows):
        return np.zeros((len(when), 3))
    force = np.stack(
        [np.interp(when, rows[:, 0], rows[:, i], left=0.0, right=0.0) for i in (1, 2, 3)], axis=1
    )
    if schedule["frame"] == "body":
        force = np.einsum("nij,nj->ni", matrices(run.series[f"mock_up.{body}.attitude"]), force)
    return force


def contact_peak(run: Run) -> float:
    """Largest force of a contact on the chaser satellite, without hands [N]."""
    logged = max((float(c["peak_force_satellite_N"]) for c in run.contacts), default=0.0)
    hands = hand_forces(run)["chaser"]
    if not run.contacts or not np.any(hands) or is_corrected(run.series):
        return logged  # a recomputed contact has no hands in it
    time = run.series["time"]
    late = run.series["force_age"] + float(time[1] - time[0])
    sizes = np.linalg.norm(run.series["satellite.chaser.force"] - hands, axis=1)
    acting = np.zeros(len(time), bool)
    for c in run.contacts:
        acting |= (time >= c["start_s"]) & (time <= c["end_s"] + late)
    return float(np.max(sizes[acting], initial=0.0))
