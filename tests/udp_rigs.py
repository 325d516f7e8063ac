"""Rigs at the end of the UDP seam, for tests: the reference peers as processes, the same rig in
this process, and a relay that meddles with datagrams."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import threading
from pathlib import Path

import softdock.rig.udp
from softdock.loop.seam import COMMAND, PRESENT_BITS, REPORT

FOLDER = Path(softdock.rig.udp.__file__).parent
R = REPORT.at
LATE, STIFFNESS, CYCLE_MS = 4, 1000.0, 4.0  # of epos_1d: 16 ms


class LateRobot:
    """What peer.c and peer.py do, as a facility in one process."""

    def __init__(self):
        self.set_points, self.stopped = [], None

    def start(self, command, report):
        self.speed = command[COMMAND.at.chaser + 7]
        self.set_points = [command[COMMAND.at.chaser]]
        return self.fill(0, report)

    def exchange(self, k, command, report):
        self.set_points.append(command[COMMAND.at.chaser])
        return self.fill(k + 1, report)

    def fill(self, k, report):
        j = k - LATE
        x = self.set_points[j] if j >= 0 else self.set_points[0] + self.speed * (j * 0.004)
        report[:] = 0.0
        report[R.cycle], report[R.now] = k, round(k * 0.004 * 1e9)
        for name in ("chaser_pose", "target_pose", "chaser_wrench", "chaser_reduced"):
            report[R.present] += PRESENT_BITS[name]
        report[R.chaser_stamp] = report[R.target_stamp] = report[R.now]
        report[R.chaser], report[R.chaser + 3], report[R.target + 3] = x, 1.0, 1.0
        report[R.chaser_force_stamp] = report[R.chaser_force_number] = report[R.now]
        report[R.chaser_wrench] = -STIFFNESS * x if x < 0.0 else 0.0
        return 0

    def stop(self, why):
        self.stopped = why


@contextlib.contextmanager
def running_peer(*words):
    """A reference peer as a process: its port, and the process; what it says at the end is read
    with `communicate`."""
    process = subprocess.Popen(
        [*map(str, words), "0", str(LATE), str(STIFFNESS), str(CYCLE_MS)],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield int(process.stdout.readline()), process
    finally:
        process.kill()
        process.communicate()


def python_peer():
    return running_peer(sys.executable, FOLDER / "peer.py")


class Relay:
    """Between softdock and a peer: `to_rig(number, data)` and `to_us(number, data)` give the
    datagrams that go on in the place of one."""

    def __init__(self, port, to_rig=lambda n, d: [d], to_us=lambda n, d: [d]):
        self.ours, self.theirs = (
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2)
        )
        for wire in (self.ours, self.theirs):
            wire.bind(("127.0.0.1", 0))
            wire.settimeout(0.05)
        self.peer, self.softdock, self.over = ("127.0.0.1", port), None, False
        self.address = self.ours.getsockname()
        self.threads = [
            threading.Thread(target=self.pass_on, args=(self.ours, to_rig, True)),
            threading.Thread(target=self.pass_on, args=(self.theirs, to_us, False)),
        ]

    def pass_on(self, wire, change, outward):
        number = 0
        while not self.over:
            try:
                data, source = wire.recvfrom(4096)
            except OSError:
                continue
            if outward:
                self.softdock = source
            for one in change(number, data):
                if outward:
                    self.theirs.sendto(one, self.peer)
                else:
                    self.ours.sendto(one, self.softdock)
            number += 1

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.over = True
        for thread in self.threads:
            thread.join()
        self.ours.close()
        self.theirs.close()
