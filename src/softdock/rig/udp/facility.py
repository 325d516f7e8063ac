"""softdock's end of the UDP seam: a rig of any make as a `Facility`.

    with softdock.UdpFacility(("192.168.7.5", 59160), bind="192.168.7.1") as rig:
        run = softdock.drive(scenario, rig)

In: the set-points stamped t_{k+1}; out: the report of t_{k+1}, which the rig sends at that instant:
the rig is the clock. A report that does not come is absent for its cycle (`lost`), and the
controller holds the wrench and coasts the poses. Everything that is wrong is counted by name
(`counts`); what ends the run stands in `reason`. This is no supervisor: limits are those of the
scenario's `[stop]` and of the rig itself.
"""

from __future__ import annotations

import ipaddress
import math
import secrets
import select
import socket
import time
from types import TracebackType
from typing import Any

import numpy as np

from softdock._arguments import (
    TEXT,
    check_arguments,
    finite_number,
    is_whole_number,
    whole_number,
)
from softdock.errors import BadInput, Problem
from softdock.loop.instants import MS, SECOND
from softdock.loop.seam import (
    COMMAND,
    LOST,
    PRESENT_BITS,
    REPORT,
    ROBOT_FAULT,
    SEAM_STATUSES,
    SENSOR_FAULT,
    new_command,
)
from softdock.results.stepper import refuse_exchange, refuse_rows
from softdock.rig.drivers.sockets import LOOPBACK
from softdock.rig.udp.packet import (
    A_REPORT,
    BAD_CHECKSUM,
    MALFORMED,
    SET_POINTS,
    START,
    STOP,
    VERSION,
    WRONG_VERSION,
    Packet,
    Refused,
    read_packet,
    write_packet,
)

R = REPORT.at
LARGEST = 2048  # bytes of a datagram that is looked at
TIMES = 3  # a stop is sent, for a datagram may be lost
COUNTED = {  # everything that is counted, in words
    "reports": "taken",
    "lost": "reports that did not come",
    "reordered": "reports that came after a newer one",
    "twice": "copies of a report that was taken",
    "sent_again": "commands sent again because nothing came",
    "commands_lost": "commands that the rig had not heard when it reported",
    MALFORMED: "datagrams that are no packets",
    BAD_CHECKSUM: "packets with a wrong checksum",
    WRONG_VERSION: "packets of another version",
    "other_session": "packets of another run",
    "foreign": "datagrams from another address",
}

LARGEST_PORT = 65535


def _peer(value: Any) -> str:
    """Rule: where a rig listens. Senders are compared with it, so it is no name of a computer."""
    words = f"(address, port), such as ('192.168.7.5', 59160); a port is 1 to {LARGEST_PORT}"
    if not (isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str)):
        return words
    try:
        ipaddress.IPv4Address(value[0])
    except ValueError:
        return words
    return "" if is_whole_number(value[1], 1, LARGEST_PORT) else words


def _above_zero(value: Any) -> str:
    return "a finite number above 0" if finite_number(0.0, above=True)(value) else ""


class UdpFacility:
    """`peer`: where the rig listens; `bind`: this computer's address. A run ends at `lost_in_a_row`
    reports or commands lost, `bad_in_a_row` wrong checksums, `silence_ms` without a report, a pose
    or a force older than `stale_ms` when it was reported, another version, or a number that is not
    finite. `start_s`: for the rig to be at the set-points of t = 0; `again_ms`: without a report,
    until the command is sent again."""

    @check_arguments(
        peer=_peer,
        bind=TEXT,
        port=whole_number(0, LARGEST_PORT),
        lost_in_a_row=_above_zero,
        bad_in_a_row=_above_zero,
        silence_ms=_above_zero,
        stale_ms=_above_zero,
        again_ms=_above_zero,
        start_s=_above_zero,
    )
    def __init__(
        self,
        peer: tuple[str, int],
        bind: str = LOOPBACK,
        port: int = 0,
        *,
        lost_in_a_row: int = 3,
        bad_in_a_row: int = 3,
        silence_ms: float = 200.0,
        stale_ms: float = 50.0,
        again_ms: float = 20.0,
        start_s: float = 60.0,
    ) -> None:
        limits = {
            "lost_in_a_row": lost_in_a_row,
            "bad_in_a_row": bad_in_a_row,
            "silence_ms": silence_ms,
            "stale_ms": stale_ms,
            "again_ms": again_ms,
            "start_s": start_s,
        }
        self.peer, self.limits = peer, limits
        self.counts = dict.fromkeys(COUNTED, 0)
        self.reason = ""  # why the run was ended from here
        self.round_trip_us: list[float] = []  # from a command to its report
        self.session = 0  # of a run
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            self._socket.bind((bind, port))
        except (OSError, TypeError, ValueError) as error:  # a text that is no address
            self._socket.close()
            why = getattr(error, "strerror", None) or str(error)
            allowed = f"an address of this machine and a free port ({why})"
            raise BadInput(Problem("bind", f"{bind}:{port}", allowed)) from None
        self._socket.setblocking(False)
        self._forget()

    @property
    def address(self) -> tuple[str, int]:
        """Where this end listens."""
        host, port = self._socket.getsockname()
        return host, port

    def _forget(self) -> None:
        self._last = np.zeros(REPORT.size)
        self._ahead: Packet | None = None  # a report that came before its turn
        self._heard: Packet | None = None  # the newest
        self._missing: set[int] = set()
        self._lost_row = self._bad_row = 0
        self._sent = -1

    # the Facility protocol

    def start(self, command: np.ndarray, report: np.ndarray) -> int:
        """The set-points of t = 0 to the rig, until it reports that it is there."""
        refuse_rows(command=(command, COMMAND.size), report=(report, REPORT.size))
        self._forget()
        self.session, self.reason = secrets.randbits(32), ""
        return self._ask(START, 0, command, report, self.limits["start_s"])

    def exchange(self, k: int, command: np.ndarray, report: np.ndarray) -> int:
        """The set-points stamped t_{k+1} in, the report of t_{k+1} out."""
        refuse_exchange(k, command, report)
        return self._ask(SET_POINTS, k + 1, command, report, 1e-3 * self.limits["silence_ms"])

    @check_arguments(why=whole_number(0, len(SEAM_STATUSES) - 1))
    def stop(self, why: int) -> None:
        """The rig is told to come to rest."""
        command = new_command()
        command[0] = why
        for _ in range(TIMES):
            self._send(STOP, max(0, self._sent), command)

    # one exchange

    def _send(self, kind: int, sequence: int, command: np.ndarray) -> None:
        heard = self._heard
        packet = Packet(
            kind=kind,
            session=self.session,
            sequence=sequence,
            answers=0 if heard is None else heard.sequence,
            sent_ns=time.monotonic_ns(),
            heard_ns=0 if heard is None else heard.sent_ns,
            values=command,
        )
        try:
            self._socket.sendto(write_packet(packet), self.peer)
        except (BlockingIOError, ConnectionRefusedError):
            pass  # as lost as any datagram may be
        except OSError as error:
            self._end(f"{self.peer[0]}:{self.peer[1]} cannot be reached: {error.strerror}")

    def _ask(
        self, kind: int, number: int, command: np.ndarray, report: np.ndarray, seconds: float
    ) -> int:
        begun = again = time.monotonic_ns()
        self._send(kind, number, command)
        self._sent = number
        while not self.reason:
            if self._ahead is not None and self._ahead.sequence > number:
                return self._fill_lost(number, report)
            if self._ahead is not None and self._ahead.sequence == number:
                self.round_trip_us.append(1e-3 * (time.monotonic_ns() - begun))
                return self._fill(number, report)
            now = time.monotonic_ns()
            if now - begun > seconds * SECOND:
                self._end(f"no report for {1e3 * seconds:g} ms, from {self.peer[0]}:{self.peer[1]}")
                break
            if now - again > self.limits["again_ms"] * MS:
                again = now
                self.counts["sent_again"] += 1
                self._send(kind, number, command)
            wait = min(begun + seconds * SECOND, again + self.limits["again_ms"] * MS) - now
            select.select([self._socket], [], [], max(0.0, wait / SECOND))
            self._receive(number)
        return self._fill_end(number, report)

    def _receive(self, number: int) -> None:
        """All that has arrived, up to the first report that is not older than `number`."""
        while self._ahead is None or self._ahead.sequence < number:
            try:
                data, source = self._socket.recvfrom(LARGEST)
            except (BlockingIOError, ConnectionRefusedError):
                return
            if source != self.peer:
                self.counts["foreign"] += 1
                continue
            found = read_packet(data)
            if isinstance(found, Refused):
                self._refuse(found)
            else:
                self._take(found, number)

    def _refuse(self, found: Refused) -> None:
        self.counts[found.why] += 1
        if found.why == WRONG_VERSION:
            self._end(f"the rig speaks version {found.version} of the packet, this is {VERSION}")
        elif found.why == BAD_CHECKSUM:
            self._bad_row += 1
            if self._bad_row >= self.limits["bad_in_a_row"]:
                self._end(f"{self._bad_row} packets in a row with a wrong checksum")

    def _take(self, found: Packet, number: int) -> None:
        if found.session != self.session:
            self.counts["other_session"] += 1
            return
        if found.kind != A_REPORT or found.values[R.cycle] != found.sequence:
            self.counts[MALFORMED] += 1
            return
        self._bad_row = 0
        if found.sequence < number:
            late = found.sequence in self._missing
            self._missing.discard(found.sequence)
            self.counts["reordered" if late else "twice"] += 1
            return
        if found.sequence > number + self.limits["lost_in_a_row"]:
            self._end(f"report {found.sequence} came where {number} was due")
            return
        self._ahead = self._heard = found

    def _fill(self, number: int, report: np.ndarray) -> int:
        """The report whose turn it is."""
        found = self._ahead
        assert found is not None
        self._ahead, self._lost_row = None, 0
        self.counts["reports"] += 1
        report[:] = self._last[:] = found.values
        self._check(found, number)
        if self.reason:
            report[R.status] = int(_whole(report[R.status])) | ROBOT_FAULT
        return int(report[R.status])

    def _check(self, found: Packet, number: int) -> None:
        """Commands that the rig has not heard, and what it reports of its own."""
        behind = number - found.answers
        if behind > 0:
            self.counts["commands_lost"] += 1
        if behind >= self.limits["lost_in_a_row"]:
            self._end(f"{behind} commands in a row did not reach the rig")
        v, present = found.values, int(_whole(found.values[R.present]))
        for name, age, values in (
            ("chaser_pose", R.chaser_age, "chaser"),
            ("target_pose", R.target_age, "target"),
            ("chaser_wrench", R.chaser_force_age, "chaser_wrench"),
            ("target_wrench", R.target_force_age, "target_wrench"),
        ):
            if not present & PRESENT_BITS[name]:
                continue
            cells = v[REPORT.slice_of(values)]
            if name.endswith("pose") and not present & PRESENT_BITS[name[:6] + "_twist"]:
                cells = cells[:7]
            if not (np.isfinite(cells).all() and math.isfinite(v[age])):
                self._end(f"{name} of report {number} is not finite")
            elif 1e3 * v[age] > self.limits["stale_ms"]:
                most = self.limits["stale_ms"]
                self._end(f"{name} of report {number} is {1e3 * v[age]:.3g} ms old, limit {most:g}")

    def _fill_lost(self, number: int, report: np.ndarray) -> int:
        """A report that did not come, and will not: nothing is known of its instant but when it
        was."""
        assert self._ahead is not None
        self._missing.add(number)
        self._lost_row += 1
        self.counts["lost"] += 1
        report[:] = self._last
        report[R.cycle], report[R.lost] = number, 1.0
        report[R.now] = round(self._ahead.values[R.now] * number / self._ahead.sequence)
        report[R.present], report[R.status] = 0.0, LOST
        if self._lost_row >= self.limits["lost_in_a_row"]:
            self._end(f"{self._lost_row} reports in a row lost")
            report[R.status] = LOST | ROBOT_FAULT
        return int(report[R.status])

    def _fill_end(self, number: int, report: np.ndarray) -> int:
        report[:] = self._last
        report[R.cycle], report[R.present] = number, 0.0
        report[R.status] = ROBOT_FAULT | SENSOR_FAULT
        return int(report[R.status])

    def _end(self, reason: str) -> None:
        self.reason = self.reason or reason  # the first one

    def describe_counts(self) -> str:
        """What was counted, in words; what never happened is left out."""
        return ", ".join(f"{n} {COUNTED[name]}" for name, n in self.counts.items() if n)

    def close(self) -> None:
        self._socket.close()

    def __enter__(self) -> UdpFacility:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _whole(value: Any) -> float:
    return value if math.isfinite(value) else 0.0
