"""What elastic joints did in a run: work of motors and contact on the moving mass, what is stored,
moving and dissipated. From the run's memory at its end.

The compiled ledger counts all of it in its row `robot`, the contact's work along the mock-up's own
path; these books take it apart (runs/joint_rows.py makes rows of them).
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from softdock.core.facility.joint_record import BOOKS
from softdock.core.machine.vector import CHASER_ROBOT_AT, TARGET_ROBOT_AT
from softdock.core.robots.joint import CONTACT_WORK, DISSIPATED, MOTOR_WORK, MOTORS
from softdock.core.robots.robot import ROBOT
from softdock.runs.arms import robot_part
from softdock.runs.series import Series

# of the works: joints that lose or gain more than this between their books are warned about
BALANCED_TO = 1e-3


def joint_books(vector: np.ndarray, mem: np.ndarray, series: Series) -> dict[str, dict[str, float]]:
    """By robot with an elastic joint, J. `residual_J`: works minus stored, kinetic (its gain) and
    dissipated; zero but for the plant's step."""
    found = {}
    for name, base in (("chaser", CHASER_ROBOT_AT), ("target", TARGET_ROBOT_AT)):
        K, mass = (
            float(vector[base + at]) for at in (ROBOT.at.joint_stiffness, ROBOT.at.moving_mass)
        )
        if K == 0.0:
            continue
        own = mem[robot_part(vector, name) :]
        p, v = series[f"mock_up.{name}.position"], series[f"mock_up.{name}.velocity"]
        books = {
            "motor_work_J": float(own[MOTOR_WORK]),
            "contact_work_J": float(own[CONTACT_WORK]),
            "dissipated_J": float(own[DISSIPATED]),
            "stored_J": 0.5 * K * float(np.sum((p[-1] - own[MOTORS : MOTORS + 3]) ** 2)),
            "kinetic_J": 0.5 * mass * float(v[-1] @ v[-1] - v[0] @ v[0]),
        }
        works = books["motor_work_J"] + books["contact_work_J"]
        found[name] = {
            **books,
            "residual_J": works - books["dissipated_J"] - books["stored_J"] - books["kinetic_J"],
        }
    return found


def arm_books(series: Series, robots: Iterable[str]) -> dict[str, dict[str, float]]:
    """The same of arms with elastic joints, from the series: of all six joints together."""
    found = {}
    for name in robots:
        at = f"joints.{name}.energy"
        if f"{at}.stored" not in series:
            continue
        gain = {key: series[f"{at}.{key}"][-1] - series[f"{at}.{key}"][0] for key in BOOKS}
        books = {f"{key}_J": float(gain[key]) for key in BOOKS}
        works = books["motor_work_J"] + books["contact_work_J"]
        kept = books["dissipated_J"] + books["stored_J"] + books["kinetic_J"]
        found[name] = {**books, "residual_J": works - kept}
    return found


def imbalances(books: dict[str, dict[str, float]]) -> list[str]:
    """Warnings of joints that the plant's step is too coarse for."""
    said = []
    for name, own in books.items():
        turnover = sum(
            abs(own[f"{key}_J"])
            for key in ("motor_work", "contact_work", "dissipated", "stored", "kinetic")
        )
        if abs(own["residual_J"]) > BALANCED_TO * turnover:
            said.append(
                f"robots.{name}: the elastic joint's books miss {own['residual_J']:.3g} J; "
                "more time.plant_steps would resolve it"
            )
    return said
