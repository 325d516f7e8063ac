"""The datagram: little-endian, 40 bytes of head, float64 as in loop/seam.py, a CRC-32.

    offset  bytes  type    what
    0       4      bytes   "SDSM"
    4       2      uint16  version, 1
    6       2      uint16  kind: 1 start, 2 command, 3 stop (to the rig); 4 report (from the rig)
    8       4      uint32  session: chosen by softdock for a run, sent back in every report
    12      4      uint32  sequence: of a start 0, of a command k + 1; of a report its cycle k
    16      4      uint32  answers: sequence of the newest datagram heard from the other end
    20      4      uint32  number of doubles that follow: 28 to the rig, 54 from it
    24      8      int64   sent_ns: the sender's own clock
    32      8      int64   heard_ns: sent_ns of the datagram that `answers` names
    40      8 n    double  seam.COMMAND or seam.REPORT
    40+8n   4      uint32  CRC-32 (IEEE, as of zlib and Ethernet) of all bytes before
    44+8n   4      uint32  0

A command is 272 bytes, a report 480.
"""

from __future__ import annotations

import struct
import zlib
from typing import NamedTuple

import numpy as np

from softdock.loop.seam import COMMAND, REPORT

MAGIC, VERSION = b"SDSM", 1
START, SET_POINTS, STOP, A_REPORT = 1, 2, 3, 4
HEAD, TAIL = struct.Struct("<4sHHIIIIqq"), struct.Struct("<II")
DOUBLES = {START: COMMAND.size, SET_POINTS: COMMAND.size, STOP: COMMAND.size, A_REPORT: REPORT.size}
COMMAND_BYTES = HEAD.size + 8 * COMMAND.size + TAIL.size
REPORT_BYTES = HEAD.size + 8 * REPORT.size + TAIL.size
# why a datagram is none
MALFORMED, WRONG_VERSION, BAD_CHECKSUM = "malformed", "wrong_version", "bad_checksum"


class Packet(NamedTuple):
    kind: int
    session: int
    sequence: int
    answers: int
    sent_ns: int
    heard_ns: int
    values: np.ndarray


class Refused(NamedTuple):
    """What is no packet of this version."""

    why: str
    version: int = VERSION


def write_packet(packet: Packet) -> bytes:
    p = packet
    assert len(p.values) == DOUBLES[p.kind]
    head = HEAD.pack(
        MAGIC,
        VERSION,
        p.kind,
        p.session,
        p.sequence,
        p.answers,
        len(p.values),
        p.sent_ns,
        p.heard_ns,
    )
    body = head + np.asarray(p.values, "<f8").tobytes()
    return body + TAIL.pack(zlib.crc32(body), 0)


def read_packet(data: bytes) -> Packet | Refused:
    """A datagram, or why it is none. The version is looked at before the checksum, whose place
    another version may have changed."""
    if len(data) < HEAD.size + TAIL.size or data[:4] != MAGIC:
        return Refused(MALFORMED)
    _, version, kind, session, sequence, answers, number, sent_ns, heard_ns = HEAD.unpack_from(data)
    if version != VERSION:
        return Refused(WRONG_VERSION, version)
    size = len(data) - TAIL.size
    if zlib.crc32(data[:size]) != TAIL.unpack_from(data, size)[0]:
        return Refused(BAD_CHECKSUM)
    if DOUBLES.get(kind) != number or size != HEAD.size + 8 * number:
        return Refused(MALFORMED)
    values = np.frombuffer(data, "<f8", number, HEAD.size).astype(float)
    return Packet(kind, session, sequence, answers, sent_ns, heard_ns, values)
