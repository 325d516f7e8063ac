"""A controller of your own as one file: come to a stop before the port and stay there, in attitude
too.

    softdock run my_mission.toml --method-file examples/own_controller.py

with `[guidance] controller = "stand_off"` in a copy of the preset vbar_docking (`softdock show`).

In: a navigation sample. Out: force and torque on the chaser, chaser axes. Navigation, thrusters,
page and campaigns are softdock's; only the law is here. Copy it and change `steer`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from softdock.methods import (
    APPROACHES,
    Group,
    Parameter,
    Wanted,
    add_scaled,
    compiled,
    controller,
    register,
    rotate_back,
    scale,
    symmetric_times,
)

KEYS = Group(
    "stand_off",
    "Comes to a stop at a distance from the port.",
    Parameter("stop", "stop_m", "distance from the port", 1.0, unit="m", low=0.0, high=100.0),
    Parameter(
        "pace", "pace_rad_per_s", "of position and attitude", 0.05, unit="rad/s", low=0.0, high=1.0
    ),
)


class StandOff(NamedTuple):
    memory: int = 0
    guided: Any = 0  # navigation and thrusters, filled in by softdock
    stop: float = 0.0
    pace: float = 0.0


@compiled
def prepare(marker, vector, base, memory, guided):
    keys = KEYS(vector, base)
    return StandOff(memory, guided, keys.stop, keys.pace)


@compiled
def steer(m, mem, own, rig, seen):
    away = add_scaled(seen.position, -m.stop, m.guided.axis)
    w = m.pace
    a = add_scaled(scale(-w * w, away), -2.0 * w, seen.velocity)
    alpha = add_scaled(scale(-w * w, seen.turn), -2.0 * w, seen.rate)
    force = scale(rig.chaser.mass[0], rotate_back(seen.to_target, a))
    torque = symmetric_times(rig.chaser.inertia, rotate_back(seen.to_target, alpha))
    return Wanted(force, torque, APPROACHES)


register(
    controller(
        name="stand_off",
        summary="stops before the port and stays there",
        group=KEYS,
        marker=StandOff(),
        prepare=prepare,
        steer=steer,
        while_latched="it never docks",
    )
)
