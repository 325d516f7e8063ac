"""A rig file's conversation in virtual time: the same callback as over sockets, no socket, no
clock."""

from __future__ import annotations

from virtual_time import VirtualTime

import softdock
from softdock.rig.conversation import Conversation
from softdock.rig.drivers.emulated_robot import EmulatedRobot
from softdock.rig.drivers.emulated_sensor import EmulatedSensor
from softdock.rig.drivers.links import RobotLink, SensorLink
from softdock.rig.drivers.net_ft_page import Calibration
from softdock.rig.emulated_rig import make_emulation, read_faults
from softdock.rig.file import load_rig
from softdock.rig.peers import RigPeers
from softdock.rig.scenario import put_on_rig
from softdock.rig.wire import rdt

SECOND = 1_000_000_000
SENSOR = "sensor.chaser"
SLOW_SENSOR = ("sensors.chaser.rate_Hz=1000", "sensors.chaser.sample_Hz=1000")


class NoPort:
    """Where a socket would be."""

    foreign, others = 0, (0, 0)


class Talk:
    """Peers, conversation and the queue between them."""

    def __init__(self, *changes, scenario_changes=(), file="emulated_pair"):
        rig = load_rig(file, [*SLOW_SENSOR, *changes])
        self.on = put_on_rig(rig, softdock.load_scenario("epos_1d", list(scenario_changes)))
        emulation, faults = make_emulation(self.on), read_faults(rig)
        windows, scenario = faults.window_rows(), self.on.scenario
        self.robots = [EmulatedRobot(r, scenario, windows) for r in emulation.robots]
        self.sensor = EmulatedSensor(emulation.sensors[0], scenario, *self.robots, windows)
        self.sensor.name = SENSOR
        for robot, motion, phase in zip(self.robots, emulation.motions, emulation.phases_ms):
            robot.start(round(1e6 * phase), motion)
        self.sensor.start(0)
        s = rig.sensors["chaser"]
        links = {w: RobotLink(rig.ethernet[w], rig.clock.cycle_ms) for w in rig.moving}
        page = Calibration(
            counts_per_N=s.counts_per_N,
            counts_per_Nm=s.counts_per_Nm,
            product="Net F/T",
            serial="FT1",
            calibration="cal",
            rate_Hz=1000,
            filter=0,
            bias=(),
        )
        peers = RigPeers(
            rig=rig,
            ports={name: NoPort() for name in (*links, SENSOR)},
            robots=links,
            sensors={"chaser": SensorLink(s.counts_per_N, s.counts_per_Nm, s.sample_Hz)},
            calibrations={"chaser": page},
        )
        self.conversation = Conversation(peers)
        self.time = VirtualTime(
            [*self.robots, self.sensor], self.conversation, faults, frozenset({SENSOR})
        )
        self.time.tell(SENSOR, SensorLink.request(rdt.START_REALTIME))
        self.conversation._wait = self.wait  # in virtual time a wait is a run of the queue

    def wait(self, seconds, until):
        at = self.time.now_ns
        end = at + round(seconds * SECOND)
        while at < end and not until():
            at = min(end, at + SECOND // 50)
            self.time.run(at)
