"""A rig at the end of softdock's UDP seam, with the standard library alone: one robot that is some
cycles late, in front of a spring wall at x = 0. Put your own into `move` and `measure`.

    python peer.py 59160 4 1000 4          # port, cycles late, N/m, ms a cycle

The same as peer.c without `clock`: each report waits for its command. docs/udp.md.
"""

from __future__ import annotations

import socket
import struct
import sys
import time
import zlib

HEAD, TAIL = struct.Struct("<4sHHIIIIqq"), struct.Struct("<II")
START, COMMAND, STOP, REPORT = 1, 2, 3, 4
LARGEST, SILENCE_S = 2048, 60.0
# places in a command and in a report, bits of `present`: softdock_seam.h has them all
C_CHASER = 2
R_CYCLE, R_NOW, R_PRESENT, R_CHASER_STAMP, R_CHASER = 0, 1, 5, 6, 8
R_TARGET_STAMP, R_TARGET, R_FORCE_STAMP, R_FORCE_NUMBER, R_WRENCH = 21, 23, 36, 38, 39
CHASER_POSE, TARGET_POSE, CHASER_WRENCH, CHASER_REDUCED = 1, 4, 16, 64


class Rig:
    """The robot and the wall."""

    def __init__(self, late: int, stiffness: float, cycle_s: float) -> None:
        self.late, self.stiffness, self.cycle_s = late, stiffness, cycle_s
        self.set_points: list[float] = []
        self.speed = 0.0

    def move(self, k: int, command: tuple[float, ...]) -> None:
        """The set-point of cycle k arrives."""
        if k == 0:
            self.speed = command[C_CHASER + 7]
        self.set_points.append(command[C_CHASER])

    def measure(self, k: int) -> list[float]:
        """The report of cycle k."""
        j = k - self.late
        x = self.set_points[j] if j >= 0 else self.set_points[0] + self.speed * (j * self.cycle_s)
        report = [0.0] * 54
        now = float(round(k * self.cycle_s * 1e9))
        report[R_CYCLE], report[R_NOW] = float(k), now
        report[R_PRESENT] = float(CHASER_POSE | TARGET_POSE | CHASER_WRENCH | CHASER_REDUCED)
        report[R_CHASER_STAMP] = report[R_TARGET_STAMP] = now
        report[R_CHASER], report[R_CHASER + 3], report[R_TARGET + 3] = x, 1.0, 1.0
        report[R_FORCE_STAMP] = report[R_FORCE_NUMBER] = now
        report[R_WRENCH] = -self.stiffness * x if x < 0.0 else 0.0
        return report


def serve(rig: Rig, wire: socket.socket) -> str:
    """One run: what it came to."""
    wire.settimeout(SILENCE_S)
    session, done, answer = -1, -1, b""
    twice = refused = 0
    while True:
        data, source = wire.recvfrom(LARGEST)
        size = len(data) - TAIL.size
        whole = size >= HEAD.size and data[:4] == b"SDSM"
        if not whole or zlib.crc32(data[:size]) != TAIL.unpack_from(data, size)[0]:
            refused += 1
            continue
        _, version, kind, run, sequence, _, number, sent_ns, _ = HEAD.unpack_from(data)
        if version != 1 or number != 28:
            refused += 1
            continue
        if kind == START and done < 0:
            session = run
        if run != session:
            continue
        if kind == STOP:
            return f"stopped after cycle {done}: {twice} commands twice, {refused} refused"
        if sequence == done:
            twice += 1  # our report was lost: once more
        elif sequence == done + 1:
            done = sequence
            rig.move(done, struct.unpack_from("<28d", data, HEAD.size))
            head = HEAD.pack(
                b"SDSM", 1, REPORT, session, done, sequence, 54, time.monotonic_ns(), sent_ns
            )
            body = head + struct.pack("<54d", *rig.measure(done))
            answer = body + TAIL.pack(zlib.crc32(body), 0)
        else:
            continue
        wire.sendto(answer, source)


def main(words: list[str]) -> None:
    if len(words) < 4:
        raise SystemExit("usage: peer.py PORT CYCLES_LATE N_PER_M CYCLE_MS")
    wire = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    wire.bind(("127.0.0.1", int(words[0])))  # your network's address here
    print(wire.getsockname()[1], flush=True)
    print(serve(Rig(int(words[1]), float(words[2]), 1e-3 * float(words[3])), wire))


if __name__ == "__main__":
    main(sys.argv[1:])
