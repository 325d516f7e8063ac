"""ATI Net F/T, raw data transfer (RDT): the request of 8 bytes and the record of 36, big-endian.

Request: 0x1234, command, sample count. Record: rdt_sequence (from 1 per start), ft_sequence (the
sensor's own counter), status word, six counts Fx Fy Fz Tx Ty Tz. A datagram of the buffered mode
holds several records. Force = count / counts per unit of force, in the unit that the sensor's
page states. Holds for what public drivers send and read; the buffered packing is unverified.
"""

from __future__ import annotations

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled
from softdock.loop.spatial.motion import WRENCH
from softdock.recording.event_text import STATUS_ERROR, STATUS_LATCHED, STATUS_SATURATED
from softdock.rig.wire.numbers import NO_ROOM, read_signed, read_word, write_word

REQUEST_BYTES, RECORD_BYTES, MOST_RECORDS = 8, 36, 40
MAGIC = 0x1234
STOP, START_REALTIME, START_BUFFERED, START_MULTI, RESET_LATCH, BIAS = 0, 2, 3, 4, 0x41, 0x42
DOCKING = 0x68  # softdock's own, to an emulated sensor alone: the docking begins with this sample
COMMANDS = (STOP, START_REALTIME, START_BUFFERED, START_MULTI, RESET_LATCH, BIAS, DOCKING)
WORD = 1 << 32  # sequences count modulo this
LARGEST_COUNT = (1 << 31) - 1
OK, WRONG_SIZE, WRONG_MAGIC, WRONG_COMMAND = 0, 1, 2, 3
REASONS = ("ok", "wrong size", "wrong magic number", "unknown command")
RECORD = Cells(
    "rdt_record",
    Cell("rdt_sequence", 1, "-", "number of the record in its stream, from 1"),
    Cell("ft_sequence", 1, "-", "the sensor's own counter"),
    Cell("status", 1, "-", "status word"),
    Cell("counts", 3, "-", "of the force"),
    Cell("torque_counts", 3, "-", "of the torque"),
)
RDT_SEQUENCE, FT_SEQUENCE, STATUS, COUNTS, TORQUE_COUNTS = RECORD.at
RECORD_COLUMNS = RECORD.size
FORCE, TORQUE = WRENCH.at


@compiled
def write_request(out, command, samples):
    """Returns the request's size, or NO_ROOM."""
    if out.shape[0] < REQUEST_BYTES:
        return NO_ROOM
    write_word(out, 0, 2, MAGIC)
    write_word(out, 2, 2, command)
    write_word(out, 4, 4, samples)
    return REQUEST_BYTES


@compiled
def read_request(data, size):
    """Status, command and sample count (0: until stopped)."""
    if size != REQUEST_BYTES or data.shape[0] < size:
        return WRONG_SIZE, 0, 0
    if read_word(data, 0, 2) != MAGIC:
        return WRONG_MAGIC, 0, 0
    command = read_word(data, 2, 2)
    if command not in COMMANDS:
        return WRONG_COMMAND, command, 0
    return OK, command, read_word(data, 4, 4)


@compiled
def write_record(out, at, record):
    """A record (int64, RECORD_COLUMNS) at a byte of the datagram: the end, or NO_ROOM."""
    if at < 0 or at + RECORD_BYTES > out.shape[0] or record.shape[0] < RECORD_COLUMNS:
        return NO_ROOM
    for i in range(RECORD_COLUMNS):
        if i >= COUNTS and abs(record[i]) > LARGEST_COUNT:
            return NO_ROOM
        write_word(out, at + 4 * i, 4, record[i])
    return at + RECORD_BYTES


@compiled
def count_records(data, size):
    """How many whole records a datagram holds; 0 if its size fits none."""
    if size <= 0 or size > data.shape[0] or size % RECORD_BYTES != 0:
        return 0
    number = size // RECORD_BYTES
    return number if number <= MOST_RECORDS else 0


@compiled
def read_record(data, size, index, record):
    """Record number `index` of a datagram into `record`; returns OK or WRONG_SIZE."""
    if index < 0 or index >= count_records(data, size) or record.shape[0] < RECORD_COLUMNS:
        return WRONG_SIZE
    at = index * RECORD_BYTES
    for i in range(RECORD_COLUMNS):
        record[i] = read_word(data, at + 4 * i, 4) if i < COUNTS else read_signed(data, at + 4 * i)
    return OK


@compiled
def is_fault(status):
    """Whether a status word says that the record must not be used."""
    is_error = status & STATUS_ERROR != 0 and status != STATUS_LATCHED
    return is_error or status & STATUS_SATURATED != 0


@compiled
def convert_counts(record, per_force, per_torque, wrench):
    """Six values in the units of the scale, from counts and counts per unit."""
    for i in range(3):
        wrench[FORCE + i] = record[COUNTS + i] / per_force
        wrench[TORQUE + i] = record[TORQUE_COUNTS + i] / per_torque
