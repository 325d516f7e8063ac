"""The ledger's rows where robots have elastic joints: what the joints keep and lose stands apart.

The compiled ledger has one row `robot`, F_true . dx_cmd + W_real: set-points against mock-ups. With
elastic joints it is taken apart, each row from its own signals (J, positive: added by the loop):

    robot              F_true . dx_cmd + W_real + W_motor + W_contact: set-points against motors
    joints_stored      - energy that the joints store now
    joints_moving      - gain of kinetic energy of what moves behind them
    joints_dissipated  - what their damping took

W_motor and W_contact are the works of motors and contact on what moves behind the joints. An arm's
works equal what its joints keep and lose to rounding (loop/arms/links.py), so that the rows
go on summing to the added energy to 1e-9 of the turnover. The Cartesian joint of
loop/robots/joint.py takes its damper's work at the ends of a step of the plant, and what that
misses, of second order in the step, has a row of its own:

    joints_step        W_motor + W_contact less the three above, of Cartesian joints alone
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from softdock.loop.energy.ledger import ROWS
from softdock.loop.facility.joint_record import BOOKS
from softdock.results.series import Series

KEPT = {"joints_stored": "stored", "joints_moving": "kinetic", "joints_dissipated": "dissipated"}
WORKS = ("motor_work", "contact_work")
STEP = "joints_step"
JOINT_ROWS = (*KEPT, STEP)
JointBooks = Mapping[str, Mapping[str, float]]  # by robot: `motor_work_J`, `stored_J`, ...


def split_joint_rows(
    rows: Mapping[str, float], books: JointBooks, arms: Iterable[str]
) -> dict[str, float]:
    """The ledger's rows with those of elastic joints; as they are where no robot has one. `arms`:
    robots whose joints are an arm's."""
    if not books:
        return dict(rows)
    split = {row: -sum(own[f"{key}_J"] for own in books.values()) for row, key in KEPT.items()}
    given = sum(own[f"{key}_J"] for own in books.values() for key in WORKS)
    cartesian = [own for robot, own in books.items() if robot not in arms]
    if cartesian:
        split[STEP] = -sum(own["residual_J"] for own in cartesian)
    return {**rows, "robot": rows["robot"] + given, **split}


def compute_rows_over_time(series: Series) -> dict[str, np.ndarray]:
    """The same at every recorded instant. Of Cartesian joints nothing is recorded: they stay within
    `robot`."""
    rows = {row: np.asarray(series[f"energy.{row}"]) for row in ROWS}
    arms = [robot for robot in ("chaser", "target") if f"joints.{robot}.energy.stored" in series]
    if not arms:
        return rows
    gain = {
        key: sum(_compute_gain(series[f"joints.{robot}.energy.{key}"]) for robot in arms)
        for key in BOOKS
    }
    rows["robot"] = rows["robot"] + gain["motor_work"] + gain["contact_work"]
    return rows | {row: -np.asarray(gain[key]) for row, key in KEPT.items()}


def _compute_gain(values: np.ndarray) -> np.ndarray:
    return np.asarray(values - values[0])
