"""What the methods of a run did, cycle by cycle and axis by axis, from its recorded series: energy
put in or taken out, and motion that was corrected.

    taken = wrench_work(run)          # {"chaser.force.x": J per cycle, ...}: < 0 is energy that
                                      # methods took from the satellites
    shifted = output_correction(run)  # {"chaser.x": m/s, ...}: the state's velocity less the one
                                      # that moves the set-point, v_pc of a passive integrator
    axes = work_by_axis(run.series, "energy_ledger")
                                      # what that method removed and returned, when, on which axis;
                                      # also in run.method_books
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from softdock.core.spatial.arrays import turns
from softdock.runs.run import Run

AXES = "xyz"


def work_by_axis(series: Mapping[str, np.ndarray], method: str) -> list[dict[str, Any]]:
    """What a method took from the satellites and put into them, from its channels `work.*`; axes on
    which it did nothing are left out."""
    time, found = series["time"], []
    for name in series:
        if name.startswith(f"{method}.work."):
            step = np.diff(series[name])
            acted = np.flatnonzero(step)
            if len(acted):
                found.append(
                    {
                        "axis": name.removeprefix(f"{method}.work."),
                        "removed_J": float(-step[step < 0.0].sum()),
                        "returned_J": float(step[step > 0.0].sum()),
                        "first_s": float(time[acted[0] + 1]),
                        "last_s": float(time[acted[-1] + 1]),
                    }
                )
    return found


def wrench_work(run: Run) -> dict[str, np.ndarray]:
    """(F_sat - F_meas) . dx of every cycle [J], by body, force or torque, and world axis; the sum
    over all is the growth of the ledger's row `adaptation` where no method books virtual or
    designed work. Element k belongs to the cycle that ends at row k; element 0 is zero. One sensor,
    on the chaser."""
    if run.scenario.tables["sensor"]["on"] != "chaser":
        raise ValueError("wrench_work reads the chaser's sensor: the run has another")
    s, found = run.series, {}
    arm = s["chaser.position"] - s["target.position"]
    force, torque = s["measured.chaser.force"], s["measured.chaser.torque"]
    measured = {"chaser": (force, torque), "target": (-force, -(torque + np.cross(arm, force)))}
    for body in ("chaser", "target"):
        moves = (np.diff(s[f"{body}.position"], axis=0), turns(s[f"{body}.attitude"]))
        for kind, held, moved in zip(("force", "torque"), measured[body], moves, strict=True):
            work = (s[f"satellite.{body}.{kind}"][1:] - held[:-1]) * moved
            for i, axis in enumerate(AXES):
                found[f"{body}.{kind}.{axis}"] = np.concatenate([[0.0], work[:, i]])
    return found


def output_correction(run: Run) -> dict[str, np.ndarray]:
    """The state's new velocity less the mean velocity of its set-point over the cycle [m/s], by
    body and world axis."""
    T, found = 1e-3 * run.scenario.tables["time"]["cycle_ms"], {}
    for body in ("chaser", "target"):
        shift = (
            run.series[f"{body}.velocity"][1:]
            - np.diff(run.series[f"command.{body}.position"], axis=0) / T
        )
        for i, axis in enumerate(AXES):
            found[f"{body}.{axis}"] = np.concatenate([[0.0], shift[:, i]])
    return found
