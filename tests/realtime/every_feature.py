"""Robots that lag and a mock-up that weighs: run by test_emulators_with_all_features.py.

In plain Python, because compiling all features takes half a minute and says nothing more.
"""

from __future__ import annotations

import json
import struct

from rig_pieces import ethernet_file

import softdock
from softdock.loop.spatial.motion import Motion
from softdock.rig.drivers.emulated_robot import EmulatedRobot, RobotSettings
from softdock.rig.drivers.emulated_sensor import EmulatedSensor, SensorSettings
from softdock.rig.drivers.links import RobotLink, SensorLink
from softdock.rig.drivers.rsi_config import parse_ethernet_file

ZERO = (0.0, 0.0, 0.0)
STEP_MM = 4.0


def scenario():
    """epos_1d with a 10 kg tool below gravity and robots that follow with a lag of 5 Hz."""
    robot = {"robots.chaser.model": "lag", "robots.chaser.lag_Hz": 5.0}
    tool = {"mock_up.chaser.mass_kg": 10.0, "mock_up.chaser.centre_m": [0.1, 0.0, 0.0]}
    gravity = {"laboratory.gravity_m_per_s2": [0.0, 0.0, -9.81]}
    return softdock.load_scenario("epos_1d", {**robot, **tool, **gravity})


def main() -> None:
    built = scenario()
    file = parse_ethernet_file(ethernet_file(), "test.xml")
    robots = [EmulatedRobot(RobotSettings(file, which), built) for which in ("chaser", "target")]
    sensor = EmulatedSensor(SensorSettings(rate_Hz=1000, range_N=500.0), built, *robots)
    for robot, x in zip(robots, (0.5, 0.0)):
        robot.start(0, Motion((x, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), ZERO, ZERO))
    sensor.start(0)
    sensor.receive(SensorLink.request())
    link, path, forces = RobotLink(file, 4.0), [], []
    for _ in range(250):
        link.receive(robots[0].act()[0], robots[0].next_ns)
        robots[1].act()
        robots[0].receive(link.reply([0.0, 0.0, STEP_MM, 0.0, 0.0, 0.0]))
        path.append(float(link.measured[2]))
        while sensor.next_ns < robots[0].next_ns:
            for data in sensor.act():
                forces.append(struct.unpack("!IIIiiiiii", data)[3:])
    print(json.dumps({"path": path, "first": forces[0], "last": forces[-1], "forces": forces}))


if __name__ == "__main__":
    main()
