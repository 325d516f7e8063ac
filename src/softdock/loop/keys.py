"""Keys of the loop itself: clock, random numbers, limits, schedules, and the sizes of `mem`."""

from __future__ import annotations

from softdock.loop.parameters import Group, Parameter

TIME = Group(
    "time",
    "The clock.",
    Parameter(
        "cycle", "cycle_ms", "control cycle T", 4.0, unit="ms", low=0.01, high=1000.0, scale=1e-3
    ),
    Parameter(
        "duration", "duration_s", "simulated time", None, unit="s", low=0.0, high=1e5, open_low=True
    ),
    Parameter(
        "plant_steps",
        "plant_steps",
        "steps of the plant in one cycle, for the contact's work and the robots",
        1,
        low=1,
        high=1000,
        kind="integer",
    ),
)
RANDOM = Group(
    "random",
    "Random numbers: Philox, the same on every machine.",
    Parameter(
        "seed", "seed", "key of all random numbers", 0, low=0, high=2**32 - 1, kind="integer"
    ),
    Parameter(
        "run",
        "run",
        "index of the run, the second half of the key",
        0,
        low=0,
        high=2**32 - 1,
        kind="integer",
    ),
)
STOP = Group(
    "stop",
    "Limits that end a run with a status.",
    Parameter(
        "force",
        "force_N",
        "largest true contact force; 0: no limit",
        0.0,
        unit="N",
        low=0.0,
        high=1e9,
    ),
    Parameter(
        "torque",
        "torque_Nm",
        "largest true contact torque about either centre of mass; 0: no limit",
        0.0,
        unit="Nm",
        low=0.0,
        high=1e9,
    ),
)
SCHEDULE = Group(
    "schedule",
    "A wrench over time, about the centre of mass; linear between rows, zero outside. Rows "
    "here, or in a CSV file named by `csv`.",
    Parameter(
        "rows",
        "rows",
        "rows of time_s, fx_N, fy_N, fz_N, tx_Nm, ty_Nm, tz_Nm",
        (),
        unit="s, N, Nm",
        size=2,
        kind="schedule",
    ),
    Parameter("frame", "frame", "axes of the wrench", "world", choices=("world", "body")),
)
MEMORY = Group(
    "memory",
    "Sizes of the parts of `mem`. Written by softdock.",
    Parameter("pair_count", "pair_count", "number of contact pairs", 0),
    Parameter("latch_count", "latch_count", "number of latches", 0),
    Parameter("slots", "slots", "set-points kept per robot", 0),
    Parameter("sample_slots", "sample_slots", "force samples kept", 1),
    Parameter("pose_slots", "pose_slots", "poses kept per mock-up", 0),
    Parameter("command_slots", "command_slots", "commands kept per robot that carries a tool", 0),
    Parameter("robot_floats", "robot_floats", "per robot, for accelerations and planning", 0),
    Parameter("report_floats", "report_floats", "for filters, a second reading and late poses", 0),
    Parameter(
        "orbit_networks",
        "orbit_networks",
        "where the list of networks that orbit has stands: how it has each, and where its "
        "method's keys begin",
        0,
    ),
    Parameter("orbit_network_count", "orbit_network_count", "how many", 0),
    Parameter(
        "orbit_servicer",
        "orbit_servicer",
        "where the keys of a servicer with an arm begin; 0: none",
        0,
    ),
    Parameter("size", "size", "floats in all", 0),
    Parameter(
        "orbit_done",
        "orbit_done",
        "of a batch compared with orbit: when orbit has done with its contacts [s]; 0: it is "
        "not compared",
        0,
    ),
    Parameter("tip_floats", "tip_floats", "for bristles at the tips of contact pairs", 0),
    Parameter("orbit_first", "orbit_first", "when orbit first touches [s]; infinite: never", 0),
    Parameter("settle", "settle", "how long after the last contact it is compared again [s]", 0),
)
