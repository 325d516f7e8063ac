"""Every reason for which a rig stops has something that provokes it: the registry is walked, and a
reason without a provoker fails. Those that limits and faults provoke are in test_rig_virtual.py
(TRIPPED); here are the others, each a short run in virtual time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from rig_altered import AlteredRig, fields
from rig_runs import fly, quick
from test_rig_virtual import IN_CONTACT, TRIPPED

from softdock import load_scenario
from softdock.rig.drivers.emulation import Faults, Window
from softdock.rig.drivers.links import SensorLink
from softdock.rig.emulated_rig import VirtualRig, compute_start_poses, make_emulation
from softdock.rig.supervisor import layout, reasons
from softdock.rig.supervisor.layout import ROBOT_VALUE
from softdock.rig.wire.emulated_robot import NEXT_NS, ROB_IPOC, START
from softdock.rig.wire.links import OTHER_PORT, OTHER_SENDERS, SENDER_PORT
from softdock.rig.wire.virtual_queue import NEVER

# torques from nowhere turn a satellite that no contact of epos_1d would turn
TURNED = {"emulate.noise_Nm": 2.0, "limits.torque_Nm": 1000.0}
LIMIT = layout.LIMIT


def limited(changes, **options):
    """A run with limits that it breaks."""
    return lambda: fly(changes, **options)[0]


def turning_run_up():
    """A satellite that turns faster than the limit: seen where the run-up would begin to."""
    scenario = load_scenario("epos_1d", {"chaser.rate_rad_per_s": [0.0, 0.0, 0.02]})
    return fly({"limits.rate_rad_per_s": 0.01}, scenario=scenario)[0]


def stopped_controller():
    """The scenario's own limit of force, by the measured one."""
    return fly(scenario=load_scenario("epos_1d", {"stop.force_N": 1.0}))[0]


def asked():
    rig = VirtualRig(quick())
    rig.run(1.5)
    rig.program.arrays.request[0] = layout.STOP_REQUEST
    rig.run(10.0)
    return rig


def test_the_operator_is_heard_where_the_master_is_silent():
    """While arming, with the chaser's controller gone: a stop that is asked for is the reason."""
    rig = VirtualRig(quick())
    rig.run(0.1)
    rig.peers.robots[0].arrays.whole[NEXT_NS] = NEVER
    rig.run(0.12)
    rig.program.arrays.request[0] = layout.STOP_REQUEST
    rig.run(0.2)
    assert (rig.program.reason, rig.program.state) == ("operator", "stopped")


def test_robots_that_fall_silent_while_arming_are_the_reason():
    """Nobody sends any more before anything has moved: the wait ends with its patience, and says
    who was not heard for how long, where it stood in `arming` without a reason."""
    rig = VirtualRig(quick())
    rig.run(0.1)
    for robot in rig.peers.robots:
        robot.arrays.whole[NEXT_NS] = NEVER
    patience = rig.program.arrays.plan[layout.PLAN.patience]
    rig.run(0.99 * patience)
    assert (rig.program.reason, rig.program.state) == ("none", "arming")
    rig.run(patience + 0.1)
    assert (rig.program.reason, rig.program.state) == ("robot_not_heard", "stopped")
    assert rig.program.why == f"the chaser's robot was not heard for {patience - 0.1:.3g} s"


def pressed_button():
    rig = VirtualRig(quick())
    rig.run(1.5)
    rig.peers.robots[1].show(1.0, "DiL")
    rig.run(10.0)
    return rig


def pose_from_elsewhere():
    rig = VirtualRig(quick())
    rig.run(1.5)
    rig.peers.robots[1].arrays.settings[START + 1] += 20.0  # mm
    rig.run(10.0)
    return rig


def no_number():
    """An attitude that is none, where a planned way begins."""
    rig = VirtualRig(quick())
    rig.run(0.6)
    assert rig.program.state == "to the start"
    rig.program.arrays.robot_values[0, ROBOT_VALUE.path_start + 3 : ROBOT_VALUE.path_start + 7] = (
        np.nan
    )
    rig.run(10.0)
    return rig


def slow_answers():
    """Virtual time computes in no time: that is too slow where less than none is allowed."""
    rig = VirtualRig(quick())
    rig.program.arrays.limits[LIMIT.compute] = -1.0
    rig.run(10.0)
    return rig


def moved_by_itself():
    rig = VirtualRig(quick())
    rig.run(0.1)
    rig.peers.robots[0].arrays.settings[START] += 0.5  # mm
    rig.run(10.0)
    return rig


def silent_robot():
    """The target's controller never says anything."""
    rig = VirtualRig(quick())
    rig.peers.robots[1].arrays.whole[NEXT_NS] = NEVER
    rig.run(30.0)
    return rig


def silent_sensor():
    rig = VirtualRig(quick())
    rig.peers.sensor.receive(SensorLink.request(0))  # stop
    rig.run(30.0)
    return rig


def other_cycle():
    on = quick()
    slow = make_emulation(on)
    slow = replace(slow, robots=tuple(replace(r, cycle_ms=12.0) for r in slow.robots))
    rig = VirtualRig(on, emulation=slow)
    rig.run(10.0)
    return rig


def runaway_clock():
    drift = Window("drift", 1.2, 2.4, who=1, value=15_000.0)
    return fly({"limits.tracking_m": 0.05}, Faults(windows=(drift,)))[0]


def way_out(changes):
    """RSI on with the probe 3 mm in the wall, and the way out of it."""

    def run():
        on = quick(changes)
        chaser, target = compute_start_poses(on)
        pressed = make_emulation(on, motions=(chaser._replace(p=(-0.003, 0.0, 0.0)), target))
        rig = VirtualRig(on, emulation=pressed, task=layout.LEAVE)
        rig.run(20.0)
        return rig

    return run


def turned_from_elsewhere():
    """Attitudes of a robot that has not turned."""
    rig = VirtualRig(quick())
    rig.run(1.5)
    rig.peers.robots[1].arrays.settings[START + 3] += 5.0  # degrees
    rig.run(10.0)
    return rig


def other_count():
    """A controller that begins another count of IPOC in the middle of a docking."""
    rig = VirtualRig(quick())
    rig.run(2.0)
    rig.peers.robots[0].arrays.whole[ROB_IPOC] += 5_000_000
    rig.run(10.0)
    return rig


def two_senders():
    """A telegram from another port of a robot's address, while nothing has moved."""
    rig = VirtualRig(quick())
    rig.run(0.1)
    rig.program.arrays.senders[0, [SENDER_PORT, OTHER_SENDERS, OTHER_PORT]] = 40_000, 1, 40_001
    rig.run(10.0)
    assert rig.program.why.endswith("from its address and the ports 40000 and 40001")
    return rig


def stuck_values():
    """A sensor whose count goes on and whose values do not, in contact."""
    held = []

    def stuck(values, t):
        if t > IN_CONTACT:
            held.append(values[3:])
            values[3:] = held[0]

    return AlteredRig({"sensor": fields(stuck)})


PROVOKERS = {
    "completed": limited({}),
    "operator": asked,
    "stop_input": pressed_button,
    "torque": limited({**TURNED, "limits.torque_Nm": 0.5}),
    "rate": limited({**TURNED, "limits.rate_rad_per_s": 1e-3}),
    "turn_acceleration": limited({**TURNED, "limits.angular_acceleration_rad_per_s2": 0.02}),
    "angle": limited({**TURNED, "robots.chaser.max_angle_deg": 1e-3}),
    "tracking_angle": limited({**TURNED, "limits.tracking_deg": 1e-7}),
    "pose_jump": pose_from_elsewhere,
    "pose_turn": turned_from_elsewhere,
    "new_count": other_count,
    "second_sender": two_senders,
    "force_frozen": stuck_values,
    "clock": runaway_clock,
    "slow": slow_answers,
    "gate_angle": turning_run_up,
    "not_finite": no_number,
    "controller": stopped_controller,
    "wrong_cycle": other_cycle,
    "robot_not_heard": silent_robot,
    "sensor_not_heard": silent_sensor,
    "moved": moved_by_itself,
    "touch": limited({}, shift_m=(0.01, 0.0, 0.0)),
    "jammed": way_out({"stop.axis": [-1.0, 0.0, 0.0], "stop.retreat_force_N": 1.0}),
    "retreated": way_out({}),
}


def test_every_reason_is_provoked_by_something():
    """A reason that is added to the registry needs a provoker here or among the limits."""
    named = {one.name for one in reasons.REASONS} - {"none"}
    assert set(PROVOKERS) | set(TRIPPED) == named
    assert not set(PROVOKERS) & set(TRIPPED)


@pytest.mark.parametrize("name", PROVOKERS)
def test_a_reason_is_given_by_its_name(name):
    """What is provoked is what is said first; the robots stand, and every reply was a number within
    the speed limit of the one before."""
    rig = PROVOKERS[name]()
    assert rig.program.reason == name, rig.program.why
    assert rig.program.state == "stopped"
    assert rig.program.why
    seen = rig.program.arrays.robot_values
    assert np.isfinite(seen[:, ROBOT_VALUE.reply : ROBOT_VALUE.reply + 7]).all()
    limit = rig.program.on.rig.limits.speed_m_per_s * 0.004 * (1.0 + 1e-9)
    assert seen[:, ROBOT_VALUE.largest_step].max() <= limit
