"""Figs. 6 and 7 on two KR 16, the paper's own robot: the same dockings with `model = "arm"`.

Set-points become joints, the joints follow them within the arm's limits of speed and acceleration
and a limit of jerk, and the links give way where the joints are elastic (Lange eqs. 7, 8, 10, 11).
The re-mapping takes the robots as rigid, as the paper's section V does, or takes their stiffness at
the contact from joint stiffness and Jacobian (Lange eqs. 16, 22).
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from softdock.analysis.arm_limits import Use, arm_uses
from softdock.analysis.simulation import fly
from softdock.arms import load_arm
from softdock.arms.at_contact import robot_at_contact
from softdock.papers.lange.arm_places import CONE, IMPACT
from softdock.papers.lange.cone import DELAY_MS, start_later
from softdock.papers.lange.cone import LOOPS as CONE_LOOPS
from softdock.papers.lange.cone import OURS as CONE_OURS
from softdock.papers.lange.impact import NAIVE, OURS, PUBLISHED, SEEN_AT, SHARE, touch
from softdock.runs.run import Run
from softdock.scenario.files import load_scenario

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
    FILTER: "the same with the filter of IV-C, told the arms' stiffness, damping and mass",
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
def arm_impact(robots: str, loop: str, share: float = SHARE) -> Run:
    """The central impact of Fig. 6 at 12 ms, on the paper's time axis; `share`: of a cycle for
    which the satellites touch when that is first seen."""
    changes = touch(share, 12.0, SEEN_AT) | {
        "time.duration_s": SEEN_AT + 1.0,
        "robots": _robots(robots, JERK, 0.0),
        "facility": IMPACT,
        "methods": [IMPACT_LOOPS[loop]],
    }
    return fly(load_scenario("lange_impact_jerk").with_keys(changes))


@functools.cache
def arm_cone(robots: str, loop: str, later: float = 0.0) -> Run:
    """The bar in the cone of Fig. 7; `later`: part of a cycle by which everything happens later."""
    preset = load_scenario("lange_cone")
    changes = {
        "chaser.position_m": start_later(preset, later),
        "robots": _robots(robots, CONE_JERK, DELAY_MS),
        "facility": CONE,
        "methods": [CONE_ARM_LOOPS[loop]],
    }
    return fly(preset.with_keys(changes))


def stiffnesses(run: Run) -> dict[str, float]:
    """Of each arm at the contact along its normal, from joint stiffness and Jacobian [N/mm]."""
    names = {"chaser": "servicer", "target": "client"}
    return {
        f"{name}_along_the_normal_N_per_mm": 1e-3
        * robot_at_contact(run.scenario.tables, body).stiffness
        for body, name in names.items()
    }


def books(run: Run) -> dict[str, float]:
    """What the elastic joints did, and how far the ledger with their rows is from its sum."""
    rows, scale = run.ledger_rows, run.ledger["turnover"]
    each = [run.series[f"joints.{body}.energy.stored"] for body in ("chaser", "target")]
    return {
        "most_stored_in_joints_J": float(np.sum(each, axis=0).max()),
        "dissipated_by_joints_J": -rows["joints_dissipated"],
        "rows_less_sum_of_turnover": abs(sum(rows.values()) - run.energy_invented_J) / scale,
    }


def hardest(run: Run, what: str = "torque") -> Use:
    """The largest use of a limit of either arm."""
    uses = [use for use in arm_uses(run.scenario, run.series) if use.what == what]
    return max(uses, key=lambda use: use.share)


def assumed(jerk: float, why: str) -> tuple[str, ...]:
    """What of the arms is published, and what is not."""
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
