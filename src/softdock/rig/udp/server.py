"""The rig's end of the UDP seam in Python: serves any `Facility`, on this or another computer.

In: set-points in order; a command that comes again is answered again and not carried out twice; one
that did not come is not made up: the facility stays where it is until softdock sends it again. A
rig with a clock of its own follows peer.c instead, which reports at every tick.
"""

from __future__ import annotations

import select
import socket
import time

import numpy as np

from softdock.loop.seam import REPORT, new_report
from softdock.results.driving import Facility
from softdock.rig.udp.packet import (
    A_REPORT,
    SET_POINTS,
    START,
    STOP,
    Packet,
    Refused,
    read_packet,
    write_packet,
)

LARGEST = 2048


def serve_facility(
    facility: Facility, wire: socket.socket, silence_s: float = 60.0
) -> dict[str, int]:
    """One run, until it is told to stop or nothing comes for `silence_s`; what was counted."""
    counts = {"commands": 0, "twice": 0, "out_of_order": 0, "refused": 0, "other_session": 0}
    report, answer = new_report(), b""
    session, done, heard_s = -1, -1, time.monotonic()
    while time.monotonic() - heard_s < silence_s:
        ready, _, _ = select.select([wire], [], [], 0.1)
        if not ready:
            continue
        data, source = wire.recvfrom(LARGEST)
        found = read_packet(data)
        if isinstance(found, Refused):
            counts["refused"] += 1
            continue
        if found.kind == START and found.session != session and done <= 0:
            session, done = found.session, -1
        if found.session != session:
            counts["other_session"] += 1
            continue
        heard_s = time.monotonic()
        if found.kind == STOP:
            facility.stop(int(found.values[0]))
            return counts
        if found.sequence == done:
            counts["twice"] += 1
        elif found.sequence == done + 1 and found.kind == (START if done < 0 else SET_POINTS):
            done = found.sequence
            counts["commands"] += 1
            if found.kind == START:
                facility.start(found.values, report)
            else:
                facility.exchange(done - 1, found.values, report)
            answer = _write_report(found, report)
        else:
            counts["out_of_order"] += 1
            continue
        wire.sendto(answer, source)
    facility.stop(0)
    return counts


def _write_report(found: Packet, report: np.ndarray) -> bytes:
    return write_packet(
        Packet(
            kind=A_REPORT,
            session=found.session,
            sequence=int(report[REPORT.at.cycle]),
            answers=found.sequence,
            sent_ns=time.monotonic_ns(),
            heard_ns=found.sent_ns,
            values=report,
        )
    )
