"""What every guided approach has, whatever its controller: keys of `[navigation]` and
`[thrusters]`, the row of a thruster behind the vector, and the cells that are recorded.

A controller's own keys stand behind these in the vector, its own cells behind these in `mem`. The
tables are at the top of a scenario (`TOP`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from softdock.compile.cells import Cell, Cells, many
from softdock.loop.method.declaration import AtTop
from softdock.loop.method.memory import recorded
from softdock.loop.parameters import REQUIRED, Group, OwnRows, Parameter

MOST_THRUSTERS, MOST_SAMPLES = 24, 16
AXES = ("x", "y", "z")
APPROACHES, DRIFTS, HOLDS = 0, 1, 2  # modes
FARTHEST = 1e3  # m, of a thruster

TOP = AtTop(
    kind="controller",
    tables=("guidance", "navigation", "thrusters"),
    meaning="A guided chaser ([guided_docking.md](guided_docking.md)); `guidance.controller` says "
    "who steers. Tip, port and axis that are not given are those of the first contact pair.",
    from_contact={
        "navigation.tip_m": "tip_m",
        "navigation.port_m": "origin_m",
        "navigation.axis": "axis",
    },
)


PLACES = Cells(
    "places",
    Cell("seed", int, "-", "of all random numbers: its place in the vector"),
    Cell("run", int, "-", "number of the run: its place"),
    Cell("orbit", int, "-", "first key of the orbit"),
)


def _make_navigation_key(name, key, meaning, default, unit="-", low=-1e3, high=1e3, **more):
    return Parameter(
        name, f"navigation.{key}", meaning, default, unit=unit, low=low, high=high, **more
    )


def _make_thruster_key(name, key, meaning, default, unit="-", low=0.0, high=1e6, **more):
    return Parameter(
        name, f"thrusters.{key}", meaning, default, unit=unit, low=low, high=high, **more
    )


def _refused(row: Any) -> str:
    """Why a row of six numbers is no thruster; empty: it is one."""
    if not np.linalg.norm(row[3:]) > 1e-9 or np.abs(row[:3]).max() > FARTHEST:
        return "has no direction, or is beyond 1 km"
    return ""


GUIDED = Group(
    "guided",
    "Navigation and thrusters.",
    _make_navigation_key(
        "tip", "tip_m", "of the probe, chaser axes", REQUIRED, "m", size=3, swept=False
    ),
    _make_navigation_key(
        "port", "port_m", "where the tip goes, target axes", REQUIRED, "m", size=3
    ),
    _make_navigation_key(
        "axis",
        "axis",
        "out of the port, target axes",
        (-1.0, 0.0, 0.0),
        size=3,
        kind="direction",
        swept=False,
    ),
    _make_navigation_key(
        "docked",
        "docked_wxyz",
        "attitude of the docked chaser, from its axes to the target's",
        (1.0, 0.0, 0.0, 0.0),
        size=4,
        kind="quaternion",
        swept=False,
    ),
    _make_navigation_key(
        "period", "period_ms", "between samples", 200.0, "ms", 1.0, 1e4, scale=1e-3
    ),
    _make_navigation_key(
        "delay", "delay_ms", "until a sample arrives", 200.0, "ms", 0.0, 1e5, scale=1e-3
    ),
    _make_navigation_key("noise_p", "noise_m", "of the position, one sigma", 0.0, "m", 0.0, 10.0),
    _make_navigation_key(
        "noise_v", "noise_m_per_s", "of the velocity, one sigma", 0.0, "m/s", 0.0, 10.0
    ),
    _make_navigation_key("noise_a", "noise_rad", "of attitudes, one sigma", 0.0, "rad", 0.0, 1.0),
    _make_navigation_key(
        "noise_w", "noise_rad_per_s", "of rates, one sigma", 0.0, "rad/s", 0.0, 1.0
    ),
    _make_navigation_key(
        "bias_p",
        "bias_m",
        "constant error of the position, target axes",
        (0.0, 0.0, 0.0),
        "m",
        -10.0,
        10.0,
        size=3,
    ),
    _make_navigation_key(
        "bias_a",
        "bias_rad",
        "constant error of the relative attitude, target axes",
        (0.0, 0.0, 0.0),
        "rad",
        -1.0,
        1.0,
        size=3,
    ),
    _make_thruster_key(
        "rows",
        "rows",
        "a thruster each: position [m] and direction of its force on the chaser, chaser axes; "
        "none: sixteen at arm_m (docs/guided_docking.md)",
        (),
        size=2,
        kind="own_rows",
        rows=OwnRows(
            width=6,
            most=MOST_THRUSTERS,
            allowed=f"up to {MOST_THRUSTERS} rows [x, y, z, direction x, y, z]: position [m] and "
            "direction, not zero, of the force on the chaser",
            refused=_refused,
        ),
    ),
    _make_thruster_key(
        "arm", "arm_m", "of the sixteen", 1.0, "m", 0.0, 100.0, open_low=True, swept=False
    ),
    _make_thruster_key("thrust", "thrust_N", "of one thruster", 10.0, "N", 0.0, 1e5, open_low=True),
    _make_thruster_key("least", "least_impulse_Ns", "minimum impulse bit", 0.05, "Ns", 0.0, 1e4),
    _make_thruster_key(
        "rise", "rise_ms", "time constant of rise and fall", 20.0, "ms", 0.0, 1e4, scale=1e-3
    ),
    _make_thruster_key(
        "plume_off",
        "plume_off_m",
        "tip nearer to the port than this: what blows at the target is off",
        0.5,
        "m",
        0.0,
        1e3,
    ),
    _make_thruster_key(
        "plume_cone",
        "plume_cone_deg",
        "half angle about the docking direction within which a plume hits the target",
        45.0,
        "deg",
        0.0,
        180.0,
        swept=False,
    ),
    _make_thruster_key(
        "isp", "specific_impulse_s", "of the propellant", 220.0, "s", 0.0, 1e5, open_low=True
    ),
    Parameter(
        "places", "places", "where others stand in the vector", size=PLACES.size, kind="places"
    ),
)

SAMPLE = Cells(
    "navigation_sample",
    Cell("position", 3, "m", "tip from port, target axes"),
    Cell("velocity", 3, "m/s", "of it, as seen from the target"),
    Cell("turn", 3, "rad", "of the chaser from its docked attitude, target axes"),
    Cell("rate", 3, "rad/s", "of the chaser against the target, target axes"),
    Cell("attitude", 4, "-", "of the chaser, world from body"),
    Cell("own_rate", 3, "rad/s", "of the chaser, its own axes"),
)

WISH = Cells(  # what a controller asks the thrusters for, chaser axes
    "wish",
    Cell("force", 3, "N or Ns", "along x, y, z"),
    Cell("torque", 3, "Nm or Nms", "about x, y, z"),
)
PER_COMMAND = Cells(  # thrust of one thruster for a unit of each part of a wish
    "thruster_commands",
    Cell("positive", WISH, "N", "for one newton, or newton metre, along or about +x, +y, +z"),
    Cell("negative", WISH, "N", "the same along or about -x, -y, -z"),
)
THRUSTER = Cells(  # a thruster behind the vector
    "thruster",
    Cell("place", 3, "m", "chaser axes"),
    Cell("direction", 3, "-", "of its force on the chaser, chaser axes"),
    Cell("far", PER_COMMAND, "N", "thrust for a unit of each command: `thruster_commands`"),
    Cell("near", PER_COMMAND, "N", "the same, with plumes off"),
    Cell("off", bool, "-", "it does not fire near the target"),
)

HEAD = (
    recorded("distance", "m", "of the tip from the port along its axis, as seen"),
    recorded("error", "m", "of navigation: position seen less true", frame="target", parts=AXES),
    recorded("force", "N", "of all thrusters", frame="chaser", parts=AXES),
    recorded("torque", "Nm", "of all thrusters", frame="chaser", parts=AXES),
    recorded("impulse", "Ns", "of all thrusters so far, sizes added"),
    recorded("mode", "-", "of the controller: 0 approaches, 1 drifts, 2 holds attitude"),
    Cell("taken", int, "-", "navigation samples so far"),
    Cell("served", int, "-", "samples that the controller has had"),
    Cell("near", bool, "-", "plumes are off"),
    Cell("samples", many(MOST_SAMPLES, SAMPLE), "", "the newest, in turn: `navigation_sample`"),
    Cell("owed", WISH, "Ns, Nms", "asked for and not fired yet, chaser axes: `wish`"),
    Cell("pulse", many(MOST_THRUSTERS), "Ns", "left of the pulse of each thruster"),
    Cell("level", many(MOST_THRUSTERS), "N", "thrust of each now"),
)
STATE = Cells("guided", *HEAD)
