"""A robot model and a sensor fault, each added as CONTRIBUTING says to a copy of the package, are
picked up by the simulation, the checks, the stability analysis, the causes, the log of events and
the reference page."""

from __future__ import annotations

import pytest
from recipe import follow

SHARE = 0.5  # of the way to the set-point that is left after a step
ROBOT = """
import math
from softdock.compile.jit import compiled
from softdock.loop.robots.delay import delay_set_point
from softdock.loop.robots.keys import ROBOT
from softdock.loop.robots.model import Linear, RobotModel
from softdock.loop.spatial.motion import Motion
from softdock.loop.spatial.vectors import add_scaled, subtract

AT = ROBOT.at

@compiled
def _creep(vector, carrier, robot, mem, motion, t0, t1):
    u = delay_set_point(robot, carrier, mem, t1)
    left = vector[carrier.follower.at + AT.left]
    return Motion(add_scaled(u.p, left, subtract(motion.p, u.p)), u.q, u.v, u.w)

CREEPING_MODEL = RobotModel(
    "creeping", follow=_creep, words="creep",
    linear=lambda robot: Linear(left_out="it creeps, which no second-order lag does"),
    strongest=lambda robot: 3.0,
)
"""
ROBOT_KEYS = """    Parameter(
        "left",
        "way_left",
        "share of the way that is left after a step",
        0.0,
        low=0.0,
        high=1.0,
        when=("model", ("creeping",)),
    ),
"""
RUN_ROBOT = """
import json, sys
import numpy as np
import softdock
from softdock.results.causes import list_causes
from softdock.results.why import switch_off
from scenario_page import scenario_reference
from softdock.studies.stability.from_scenario import loops_of
changes, bad = json.load(sys.stdin)
scenario = softdock.load_scenario("epos_1d", changes)
run = softdock.run_loop(scenario)
try:
    softdock.load_scenario("epos_1d", bad)
    refused = ""
except softdock.BadInput as error:
    refused = str(error)
cause = next(c for c in list_causes(scenario) if "creep" in c.name)
json.dump({
    "robot": run.series["mock_up.chaser.position"][:80, 0].tolist(),
    "ideal": run.series["command.chaser.position"][:80, 0].tolist(),
    "cause": cause.name, "off": cause.off,
    "without": switch_off(scenario, [cause]).tables["robots"]["chaser"]["model"],
    "notes": [note for point in loops_of(scenario) for note in point.notes],
    "listed": "way_left" in scenario_reference(), "refused": refused,
}, sys.stdout)
"""


def test_a_robot_model_is_one_file_its_keys_and_one_entry(tmp_path):
    """Nothing else names it: simulation, checks, causes, stability and reference ask the
    declaration. The robot is where its law says, from step to step."""
    changes = {"robots.chaser.model": "creeping", "robots.chaser.way_left": SHARE}
    changes["robots.chaser.delay_ms"] = 0.0
    found = follow(
        tmp_path,
        {"loop/robots/creeping.py": ROBOT},
        {
            "loop/robots/keys.py": [
                (")\nEXTRAPOLATE", ', "creeping"'),
                ('    Parameter(\n        "reach_centre",', ROBOT_KEYS),
            ],
            "loop/robots/models.py": [
                (
                    "from softdock.loop.robots.delay import",
                    "from softdock.loop.robots.creeping import CREEPING_MODEL\n",
                ),
                (")\nif tuple(", "    CREEPING_MODEL,\n"),
            ],
        },
        RUN_ROBOT,
        [changes, {**changes, "robots.chaser.way_left": 2.0}],
    )
    assert "creep" in found["cause"]
    assert found["off"]["robots.chaser.way_left"] is None
    assert found["without"] == "delay"
    assert any("it creeps" in note for note in found["notes"])
    assert found["listed"]
    assert "way_left" in found["refused"]
    behind = [b - a for a, b in zip(found["ideal"], found["robot"])]
    assert behind[60] == pytest.approx(0.02 * 0.004 * SHARE / (1.0 - SHARE), rel=0.01)


FAULT_KEYS = """    Parameter(
        "dead_at", "dead_at_s", "a fault: from when on the sensor gives zeros", 0.0, "s", 0.0, 1e5
    ),
    Parameter("dead_for", "dead_for_s", "how long it does; 0: never", 0.0, "s", 0.0, 1e9),
"""
DEAD_VALUES = """        dead_at=keys.dead_at,
        dead_until=keys.dead_at + keys.dead_for,
"""
DEAD_DOES = """    if sensor.dead_at <= t < sensor.dead_until:
        force, torque = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
"""
DEAD_SAID = """
def _died(sensor: Sensor, last: float) -> Told | None:
    at, until = sensor["dead_at_s"], min(sensor["dead_at_s"] + sensor["dead_for_s"], last)
    if sensor["dead_for_s"] == 0.0 or at > last:
        return None
    return at, until, f"the sensor was dead from t = {at:.3f} to {until:.3f} s"


"""
RUN_FAULT = """
import json, sys
import numpy as np
import softdock
from softdock.results.causes import list_causes
from softdock.results.faults import KINDS
from scenario_page import scenario_reference
changes = json.load(sys.stdin)
scenario = softdock.load_scenario("epos_1d", changes)
run = softdock.run_loop(scenario)
force = np.abs(run.series["measured.chaser.force"][:, 0])
true = np.abs(run.series["true.chaser.force"][:, 0])
time = run.series["time"]
dead = (time >= 0.8) & (time < 0.9)
cause = next(c for c in list_causes(scenario) if "faults" in c.name)
json.dump({
    "dead": float(force[dead].max()), "true": float(true[dead].min()),
    "after": float(np.abs(force - true)[~dead].max()),
    "events": [(e["what"], e["from_s"], e["to_s"], e["text"]) for e in run.events],
    "kind": "died" in KINDS, "cause": cause.what, "off": cause.off,
    "listed": "dead_for_s" in scenario_reference(),
}, sys.stdout)
"""


def test_a_sensor_fault_is_its_keys_what_it_does_and_what_is_said_of_it(tmp_path):
    """Three files, none of which lists faults for another: the readings are those of the fault, the
    log of the run and the causes name it, and the reference page has its keys."""
    found = follow(
        tmp_path,
        {},
        {
            "loop/sensor/keys.py": [('    Parameter(\n        "threshold",', FAULT_KEYS)],
            "loop/sensor/force_torque.py": [
                ("    jump: Wrench\n", "    dead_at: float  # s\n    dead_until: float  # s\n"),
                (
                    "    noisy = keys.",
                    "    plain = plain and keys.dead_for == 0.0\n",
                ),
                ("        jump=jump,\n", DEAD_VALUES),
                ("    if sensor.keep > 0.0:\n", DEAD_DOES),
            ],
            "results/faults.py": [
                ("SENSOR_FAULTS = (\n", DEAD_SAID),
                (
                    '    SensorFault("froze"',
                    '    SensorFault("died", {"dead_for_s": 0.0}, _died),\n',
                ),
            ],
        },
        RUN_FAULT,
        {"sensor.dead_at_s": 0.8, "sensor.dead_for_s": 0.1, "time.duration_s": 1.2},
    )
    assert found["dead"] == 0.0
    assert found["true"] > 0.5
    assert found["after"] == 0.0
    assert found["events"][0][0] == "died"
    assert found["events"][0][1:3] == [0.8, pytest.approx(0.9)]
    assert found["kind"]
    assert "died" in found["cause"]
    assert found["off"]["sensor.dead_for_s"] == 0.0
    assert found["listed"]
