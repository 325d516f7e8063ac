"""Figs. 6 and 7 on two KR 16, the paper's own robot: the same dockings with `model = "arm"`.

Set-points become joints, the joints follow them within the arm's limits of speed and acceleration
and a limit of jerk, and the links deflect where the joints are elastic (Lange eqs. 7, 8, 10, 11).
The re-mapping takes the robots as rigid, as the paper's section V does, or takes their stiffness at
the contact from joint stiffness and Jacobian (Lange eqs. 16, 22).
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from softdock.loop.arms import load_arm
from softdock.loop.arms.at_contact import robot_at_contact
from softdock.papers.lange.cone import DELAY_MS, delayed_start
from softdock.papers.lange.cone import LOOPS as CONE_LOOPS
from softdock.papers.lange.cone import OURS as CONE_OURS
from softdock.papers.lange.impact import NAIVE, OURS, PUBLISHED, SEEN_AT, SHARE, start_position
from softdock.results.arms import LimitUse, compute_arm_uses
from softdock.results.run import Run
from softdock.results.simulation import run_loop
from softdock.scenario.files import load_scenario

# Where the two KR 16 stand for Figs. 6 and 7: `[facility]` tables.
#
# Found by `softdock place` among 600 places for each arm, so that orbit's own motion keeps clear of
# joint ranges, singularities and volumes. Fig. 6: the servicer's whole way of 0.8 m; `softdock
# place lange_impact_jerk --set "chaser.position_m=[-0.804,0,0]" --set time.duration_s=9.04 --arm
# kr16`. Fig. 7: `softdock place lange_cone --arm kr16`. Without a described tool the contact of
# Fig. 6 is 0.3 m in front of the flange. The paper says nothing of where its robots stand.

IMPACT: dict[str, Any] = {
    "chaser": {
        "arm": "kr16",
        "base_m": [-1.187, 0.624, -1.794],
        "base_wxyz": [1.0, 0.0, 0.0, 0.0],
        "mock_up_m": [0.203, 0.0, -0.2208],
        "mock_up_wxyz": [0.915644185, 0.0, 0.40198971, 0.0],
        "joints_deg": [92.2, -107.6, 72.7, -132.5, 66.4, 63.4],
    },
    "target": {
        "arm": "kr16",
        "base_m": [0.88, -0.735, -1.872],
        "base_wxyz": [0.0, 0.0, 0.0, 1.0],
        "mock_up_m": [0.248, 0.0, 0.1744],
        "mock_up_wxyz": [0.301624248, 0.0, 0.953426879, 0.0],
        "joints_deg": [58.7, -82.7, 39.7, 79.4, -45.3, 61.5],
    },
}
CONE: dict[str, Any] = {
    "chaser": {
        "arm": "kr16",
        "base_m": [-1.85, -0.551, -1.682],
        "base_wxyz": [1.0, 0.0, 0.0, 0.0],
        "mock_up_m": [0.0, 0.0, 0.0],
        "mock_up_wxyz": [0.949672375, 0.0, 0.313244922, 0.0],
        "joints_deg": [-54.0, -97.0, 73.3, -61.4, -47.8, 90.3],
    },
    "target": {
        "arm": "kr16",
        "base_m": [0.985, 0.69, -0.942],
        "base_wxyz": [0.0, 0.0, 0.0, 1.0],
        "mock_up_m": [-0.3011, -0.0406, 0.2017],
        "mock_up_wxyz": [0.290793306, 0.0, -0.956785897, 0.0],
        "joints_deg": [-28.1, -47.1, 56.3, 42.2, 35.6, 127.0],
    },
}


ARM = "kr16"
JERK = 8.4  # rad/s^3, of each joint: with it stiff joints give the published 364 N at 12 ms
CONE_JERK = 100.0  # rad/s^3, about what 125 m/s^3 are on a lever of 1.2 m
DAMPING = 0.1  # ratio of each joint on its own inertia
CARTESIAN, STIFF, ELASTIC = "Cartesian", "KR 16, stiff", "KR 16, elastic"
NAIVE_LOOP, HELD, RIGID, SERIES, FILTER = "naive", "published", "rigid", "arm", "filter"
LOOP_WORDS = {
    NAIVE_LOOP: "the measured force straight to the satellites",
    HELD: "re-mapped, robots taken as rigid, the force held over a cycle as published",
    RIGID: "re-mapped in sub-steps with rewind, robots taken as rigid",
    SERIES: "the same with the arms' own stiffness in series with the contact's (16)",
    FILTER: "the same with the filter of IV-C, given the arms' six modes near the contact",
}
LOOPS = {  # of each kind of robots: what rigid ones have no use for is left out
    CARTESIAN: (NAIVE_LOOP, HELD, RIGID),
    STIFF: (NAIVE_LOOP, HELD, RIGID),
    ELASTIC: tuple(LOOP_WORDS),
}
_BY_ARM: dict[str, Any] = {"environment": "replaced_stiffness", "robot_stiffness": "arm"}
_BY_FILTER: dict[str, Any] = {"environment": "filter", "robot_stiffness": "arm"}


def _loops(held: dict[str, Any], ours: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {
        NAIVE_LOOP: NAIVE,
        HELD: held,
        RIGID: ours,
        SERIES: ours | _BY_ARM,
        FILTER: ours | _BY_FILTER,
    }


IMPACT_LOOPS = _loops(PUBLISHED, OURS)
CONE_ARM_LOOPS = _loops(CONE_LOOPS["both, held"], CONE_LOOPS[CONE_OURS])
WRONG = {0.9: "10 % too soft", 1.1: "10 % too stiff"}  # stiffness as believed, over the arms' own
for factor, words in WRONG.items():
    told = {"filter": {"arm_stiffness_factor": factor}}
    CONE_ARM_LOOPS[words] = CONE_ARM_LOOPS[FILTER] | told


def _robots(robots: str, jerk: float, delay_ms: float) -> dict[str, Any]:
    """Both robots; `jerk`: of each joint [rad/s^3]."""
    keys = {
        "model": "arm",
        "delay_ms": delay_ms,
        "joints": "limited",
        "joint_max_jerk_rad_per_s3": jerk,
        "elastic_joints": robots == ELASTIC,
        "joint_damping_ratio": DAMPING,
    }
    return {body: keys for body in ("chaser", "target")}


@functools.cache
def run_arm_impact(robots: str, loop: str, share: float = SHARE) -> Run:
    """The central impact of Fig. 6 at 12 ms, on the paper's time axis. `share`: age of the contact
    at the first sample that shows it, in cycles."""
    changes = start_position(share, 12.0, SEEN_AT) | {
        "time.duration_s": SEEN_AT + 1.0,
        "robots": _robots(robots, JERK, 0.0),
        "facility": IMPACT,
        "methods": [IMPACT_LOOPS[loop]],
    }
    return run_loop(load_scenario("lange_impact_jerk").replace(changes))


@functools.cache
def run_arm_cone(robots: str, loop: str, later: float = 0.0, noise_N: float = 0.0) -> Run:
    """The bar in the cone of Fig. 7. `later`: delay of the whole motion, in cycles; `noise_N`: of
    the sensor, with a threshold of four times as much."""
    preset = load_scenario("lange_cone")
    threshold = {"threshold_N": 4.0 * noise_N} if noise_N else {}
    changes = {
        "chaser.position_m": delayed_start(preset, later),
        "robots": _robots(robots, CONE_JERK, DELAY_MS),
        "facility": CONE,
        "methods": [CONE_ARM_LOOPS[loop] | threshold],
        "sensor.noise_N": noise_N,
    }
    return run_loop(preset.replace(changes))


def stiffnesses(run: Run) -> dict[str, float]:
    """Stiffness of each arm at the contact along its normal, from joint stiffness and Jacobian
    [N/mm]."""
    names = {"chaser": "servicer", "target": "client"}
    return {
        f"{name}_along_the_normal_N_per_mm": 1e-3
        * robot_at_contact(run.scenario.tables, body).stiffness
        for body, name in names.items()
    }


def joint_energies(run: Run) -> dict[str, float]:
    """Energies of the elastic joints, and the residual of the energy balance with their rows."""
    rows, scale = run.ledger_rows, run.ledger["turnover"]
    each = [run.series[f"joints.{body}.energy.stored"] for body in ("chaser", "target")]
    return {
        "most_stored_in_joints_J": float(np.sum(each, axis=0).max()),
        "dissipated_by_joints_J": -rows["joints_dissipated"],
        "rows_less_sum_of_turnover": abs(sum(rows.values()) - run.energy_added_J) / scale,
    }


def find_largest_use(run: Run, what: str = "torque") -> LimitUse:
    """The largest use of a limit of either arm."""
    uses = [use for use in compute_arm_uses(run.scenario, run.series) if use.what == what]
    return max(uses, key=lambda use: use.share)


def list_assumptions(jerk: float, why: str) -> tuple[str, ...]:
    """Which data of the arms are published, and which are assumed."""
    arm = load_arm(ARM)
    published = ", ".join(sorted(arm.published))
    stiffness = ", ".join(f"{1e-3 * k:g}" for k in arm.of_axes("stiffness")[1:])
    limits = ", ".join(f"{a:.3g}" for a in arm.of_axes("acceleration")[1:])
    return (
        f"Published of the {arm.name}: {published}. Everything else of the arm is assumed by "
        f"softdock, since its maker prints none of it: joint stiffness ({stiffness} kNm/rad from "
        f"the first joint to the last), masses and inertias of the links, torques, accelerations "
        f"({limits} rad/s\u00b2). Damping of the joints is published nowhere either: a ratio of "
        f"{DAMPING:g} of each joint on its own inertia.",
        f"The joints follow their set-points by the fastest motion within these limits and a jerk "
        f"of {jerk:g} rad/s\u00b3, {why}. Where the robots stand is not in the paper: the places "
        "are those that `softdock place` found for this motion, and the contact is 0.3 m or more "
        "in front of the flanges.",
        "Loops. " + "; ".join(f"{loop}: {words}" for loop, words in LOOP_WORDS.items()) + ".",
    )
