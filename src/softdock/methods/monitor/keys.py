"""Keys of the monitor, its cells, what it refuses, and the NamedTuple that its hooks get."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled
from softdock.loop.method.interface import Output, Wrenches
from softdock.loop.method.memory import channels_of, recorded
from softdock.loop.method.method import METHODS
from softdock.loop.parameters import Group, Parameter
from softdock.methods.measured.frame import (
    CHASER_FRAME,
    TARGET_FRAME,
    WORLD_FRAME,
)
from softdock.methods.measured.line_of_action import (
    find_noise_warnings,
)
from softdock.methods.measured.normal_damper import (
    DAMPER,
)
from softdock.methods.measured.reading_ring import (
    READING,
)

LOG, DAMP, STOP = 0, 1, 2


_DAMP = ("action", ("damp",))


MONITOR = Group(
    "monitor",
    "Observes the energy that the rig adds, per axis and in total, and acts when it exceeds "
    "a bound. To be listed last.",
    Parameter(
        "frame", "frame", "axes of the energies", "world", choices=("world", "target", "chaser")
    ),
    Parameter(
        "bound",
        "bound_J",
        "observed energy in total above which it acts",
        1e-3,
        unit="J",
        low=0.0,
        high=1e9,
    ),
    Parameter(
        "axis_bound",
        "axis_bound_J",
        "observed energy of any one axis above which it acts; 0: none",
        0.0,
        unit="J",
        low=0.0,
        high=1e9,
    ),
    Parameter(
        "action", "action", "what to do above a bound", "log", choices=("log", "damp", "stop")
    ),
    Parameter(
        "damping",
        "damping_Ns_per_m",
        "damping added along the measured force",
        None,
        unit="Ns/m",
        low=0.0,
        high=1e8,
        when=_DAMP,
    ),
    Parameter(
        "blend",
        "blend_ms",
        "time in which it is added, and taken away",
        50.0,
        unit="ms",
        low=0.0,
        high=1e5,
        open_low=True,
        scale=1e-3,
        when=_DAMP,
    ),
    Parameter(
        "threshold",
        "contact_N",
        "measured force above which there is contact",
        0.0,
        unit="N",
        low=0.0,
        high=1e6,
        when=_DAMP,
    ),
    Parameter(
        "longest",
        "longest_age_ms",
        "readings are kept this long, to pair force and pose by age",
        100.0,
        unit="ms",
        low=0.0,
        high=2000.0,
        scale=1e-3,
    ),
)


STATE = Cells(
    "monitor",
    recorded(
        "forces",
        "J",
        "observed energy of force and translation",
        frame="the monitor's frame",
        parts="xyz",
        channel="force",
    ),
    recorded(
        "torques",
        "J",
        "observed energy of torque and rotation",
        frame="the monitor's frame",
        parts="xyz",
        channel="torque",
    ),
    recorded("total", "J", "observed energy, all axes"),
    recorded("age", "s", "how long ago the observed instant was"),
    recorded("above", "-", "1: above a bound", kind=bool),
    recorded("added", "Ns/m", "damping added", channel="damping"),
    recorded("absorbed", "J", "absorbed by the added damping so far"),
    Cell("first", float, "s", "when it was first above"),
    Cell("highest", float, "J", "largest total so far"),
    Cell("times", int, "-", "how often it rose above"),
    Cell("until", float, "s", "instant up to which energy is observed"),
    Cell("level", float, "-", "share of the damping that is blended in"),
    Cell("back", 3, "J", "work of the contact's force on the mock-ups, by axis"),
    Cell("back_turning", 3, "J", "work of its torque"),
    Cell("given", 3, "J", "energy given to the satellites by forces, by axis"),
    Cell("given_turning", 3, "J", "energy given by torques"),
    Cell("held", Wrenches, "N, Nm", "wrenches held over this cycle"),
    Cell("command", Output, "m, -, m/s, rad/s", "set-points of the last cycle"),
    Cell("damper", DAMPER, "", "of the added damper (methods/measured/normal_damper.py)"),
)


OBSERVED = tuple(
    name for name, unit, *_ in channels_of(STATE) if unit == "J" and name != "absorbed"
)


def count_slots(longest_s: float, T: float) -> int:
    """Cycles kept."""
    return math.ceil(longest_s / T - 1e-9) + 2


def count_floats(values: dict[str, Any], T: float) -> int:
    """Its state, and the ring of readings behind it."""
    return STATE.size + READING.size * count_slots(1e-3 * values["longest_age_ms"], T)


class Monitor(NamedTuple):
    memory: int
    frame: int
    bound: float  # J
    axis_bound: float  # J; 1e300: none
    action: int
    damping: float  # Ns/m
    blend: float  # s
    threshold: float  # N
    longest: float  # s


@compiled
def prepare(marker, vector, base, memory):
    keys = MONITOR(vector, base)
    choice = int(keys.frame)
    frame = WORLD_FRAME if choice == 0 else (TARGET_FRAME if choice == 1 else CHASER_FRAME)
    axis_bound = keys.axis_bound if keys.axis_bound > 0.0 else 1e300
    action = int(keys.action)
    return Monitor(
        memory=memory,
        frame=frame,
        bound=keys.bound,
        axis_bound=axis_bound,
        action=action,
        damping=keys.damping,
        blend=keys.blend,
        threshold=keys.threshold,
        longest=keys.longest,
    )


def check(values: dict[str, Any], tables: Any) -> Any:
    """Readings must be kept as long as the latest of them takes; and what follows the monitor it
    does not see."""
    problems, warnings = [], find_noise_warnings(values, tables)
    latest = max(
        tables["pose"]["delay_ms"] + tables["pose"]["period_ms"],
        tables["sensor"]["delay_ms"] + tables["sensor"]["period_ms"],
    )
    if values["longest_age_ms"] < latest:
        problems.append(
            (
                "longest_age_ms",
                values["longest_age_ms"],
                f"at least {latest:g}, the age of the scenario's latest readings",
            )
        )
    names = [m["name"] for m in tables["methods"]]
    # what is at the top of a scenario pushes from outside: no part of it
    if [name for name in names if name not in METHODS or not METHODS[name].at_top][-1] != "monitor":
        warnings.append(
            "monitor is not the last method: it does not observe what those after it do"
        )
    return problems, warnings
