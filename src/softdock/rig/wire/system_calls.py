"""Linux system calls from compiled code: receive with the kernel's time stamp, send, poll, clock.

One call receives all datagrams that wait, up to BATCH: a loop that drains a socket need not ask
once more to hear that nothing is left.

`types.ExternalFunction` names a C function that the process has anyway (libc), so the loop is kept
on disk like any other door; a ctypes or cffi pointer would not be. Buffers are int64 and uint8
arrays whose addresses the caller passes as numbers (`array.ctypes.data`): one `Wire` owns them.
Layouts are those of 64-bit Linux. Only in compiled code: plain Python has sockets of its own.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numba import types

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled
from softdock.loop.instants import SECOND
from softdock.rig.wire.clocks import convert_arrival, update_wall_clock

_int, _long, _pointer = types.int32, types.int64, types.uintp
recvmmsg = types.ExternalFunction("recvmmsg", _int(_int, _pointer, types.uint32, _int, _pointer))
sendto = types.ExternalFunction(
    "sendto", _long(_int, _pointer, _long, _int, _pointer, types.uint32)
)
ppoll = types.ExternalFunction("ppoll", _int(_pointer, types.uint64, _pointer, _pointer))
clock_gettime = types.ExternalFunction("clock_gettime", _int(_int, _pointer))

CLOCK_REALTIME, CLOCK_MONOTONIC = 0, 1
MSG_DONTWAIT = 0x40
SOL_SOCKET, SO_TIMESTAMPNS = 1, 35
BATCH = 8  # datagrams that one call receives at most
HEADER = Cells(
    "struct_mmsghdr",
    Cell("name", 1, "", "address of the peer's struct sockaddr_in"),
    Cell("name_size", 1, "-", "its bytes"),
    Cell("parts", 1, "", "address of a struct iovec"),
    Cell("part_count", 1, "-", "how many of them"),
    Cell("control", 1, "", "address of a struct cmsghdr"),
    Cell("control_size", 1, "-", "its bytes"),
    Cell("flags", 1, "-", "of the message"),
    Cell("length", 1, "-", "bytes received, in the lower half"),
)
NAME, NAME_SIZE, PARTS, PART_COUNT, CONTROL, CONTROL_SIZE, FLAGS, LENGTH = HEADER.at
PART = Cells(
    "struct_iovec",
    Cell("base", 1, "", "address of the bytes"),
    Cell("size", 1, "-", "room for them"),
)
TIMESPEC = Cells("struct_timespec", Cell("seconds", 1, "s"), Cell("nanoseconds", 1, "ns"))
MESSAGE = Cells(
    "struct_cmsghdr",
    Cell("size", 1, "-", "bytes, this head included"),
    Cell("kind", 1, "-", "level in the lower half, type in the upper"),
    Cell("stamp", TIMESPEC.size, "s, ns", "of the kernel: a struct timespec"),
    Cell("room", 4, "-", "for more than is asked for"),
)
SOURCE = Cells(
    "struct_sockaddr_in",
    Cell("peer", 1, "-", "family, port and address"),
    Cell("zero", 1, "-", "padding"),
)
HEADER_WORDS, PART_WORDS, CONTROL_WORDS = HEADER.size, PART.size, MESSAGE.size
SOURCE_WORDS, IN_PART, IN_MESSAGE, IN_TIME = SOURCE.size, PART.at, MESSAGE.at, TIMESPEC.at
BYTES = 8  # of a word
SOURCE_BYTES = BYTES * SOURCE.size
PEER_WORD = SOURCE.at.peer
STAMPED_BYTES = BYTES * MESSAGE.at.room  # of a struct cmsghdr with a stamp
POLLIN = 1


class Wire(NamedTuple):
    """Room for the datagrams of one call, and for what the kernel says of each. One per loop."""

    header: Any  # int64 (BATCH, HEADER_WORDS): struct mmsghdr
    part: Any  # int64 (BATCH, PART_WORDS): struct iovec
    control: Any  # int64 (BATCH, CONTROL_WORDS): struct cmsghdr and a timespec
    source: Any  # int64 (BATCH, SOURCE_WORDS): struct sockaddr_in
    reply: Any  # int64: the same, of the datagram that is answered
    data: Any  # uint8 (BATCH, bytes): the datagrams received
    out: Any  # uint8: the datagram to send
    clock: Any  # int64: struct timespec
    timeout: Any  # int64: struct timespec
    addresses: Any  # int64: of all the above
    wall: Any  # int64, rig/wire/clocks.py: WALL


AT = Cells("wire_addresses", *(Cell(name) for name in Wire._fields[:-2]))
AT_HEADER, AT_PART, AT_CONTROL, AT_SOURCE, AT_REPLY, AT_DATA, AT_OUT, AT_CLOCK, AT_TIMEOUT = AT.at
ADDRESSES = AT.size
PORT_BITS = 16


@compiled
def _read_clock(wire, which):
    clock_gettime(which, wire.addresses[AT_CLOCK])
    return wire.clock[IN_TIME.seconds] * SECOND + wire.clock[IN_TIME.nanoseconds]


@compiled
def monotonic_ns(wire):
    return _read_clock(wire, CLOCK_MONOTONIC)


@compiled
def read_clocks(wire):
    """Our clock [ns], and the wall clock beside it: before stamps of the kernel are read."""
    earlier, wall = monotonic_ns(wire), _read_clock(wire, CLOCK_REALTIME)
    later = monotonic_ns(wire)
    update_wall_clock(wire.wall, earlier, wall, later)
    return later


@compiled
def _make_room(wire):
    """What the kernel has written over since the last call."""
    a, h = wire.addresses, wire.header
    for i in range(BATCH):
        h[i, NAME], h[i, NAME_SIZE] = a[AT_SOURCE] + SOURCE_BYTES * i, SOURCE_BYTES
        h[i, PARTS], h[i, PART_COUNT] = a[AT_PART] + BYTES * PART_WORDS * i, 1
        h[i, CONTROL] = a[AT_CONTROL] + BYTES * CONTROL_WORDS * i
        h[i, CONTROL_SIZE], h[i, FLAGS] = BYTES * CONTROL_WORDS, 0
        wire.part[i, IN_PART.base] = a[AT_DATA] + wire.data.shape[1] * i
        wire.part[i, IN_PART.size] = wire.data.shape[1]


@compiled
def receive(wire, descriptor):
    """The datagrams that wait, at most BATCH, into the rows of `wire.data`: how many."""
    _make_room(wire)
    return max(recvmmsg(descriptor, wire.addresses[AT_HEADER], BATCH, MSG_DONTWAIT, 0), 0)


@compiled
def get_size(wire, i):
    """Bytes of a datagram just received."""
    return wire.header[i, LENGTH] & 0xFFFFFFFF


@compiled
def get_arrival(wire, i, since, now):
    """The kernel's stamp on the monotonic clock [ns]; `now` where it gave none. `since`: nothing
    was waiting then."""
    c = wire.control[i]
    level, kind = c[IN_MESSAGE.kind] & 0xFFFFFFFF, c[IN_MESSAGE.kind] >> 32
    if (
        wire.header[i, CONTROL_SIZE] >= STAMPED_BYTES
        and level == SOL_SOCKET
        and kind == SO_TIMESTAMPNS
    ):
        at = IN_MESSAGE.stamp
        stamp = c[at + IN_TIME.seconds] * SECOND + c[at + IN_TIME.nanoseconds]
        return convert_arrival(wire.wall, stamp, since, now)
    return now


@compiled
def get_source(wire, i):
    """Address and port of a datagram just received, as one number."""
    return (wire.source[i, PEER_WORD] >> 16) & 0xFFFFFFFFFFFF


@compiled
def get_port(source):
    """The port of a source."""
    return ((source & 0xFF) << 8) | ((source >> 8) & 0xFF)


@compiled
def remember_source(wire, i):
    """This datagram is the one to answer, whoever else sends something before that."""
    for word in range(SOURCE_WORDS):
        wire.reply[word] = wire.source[i, word]


@compiled
def send_reply(wire, descriptor, size):
    """Send `wire.out` to the remembered source: whether all of it left."""
    a = wire.addresses
    return sendto(descriptor, a[AT_OUT], size, MSG_DONTWAIT, a[AT_REPLY], SOURCE_BYTES) == size


@compiled
def is_from(wire, i, peer):
    """Whether a datagram came from a peer; without a port: from its address."""
    source = get_source(wire, i)
    if peer & ((1 << PORT_BITS) - 1) == 0:
        return source >> PORT_BITS == peer >> PORT_BITS
    return source == peer


@compiled
def wait_for(wire, descriptors, address, longest_ns):
    """Until one of the sockets has something, or some ns: how many have. `descriptors`: int64, a
    struct pollfd each, at `address`."""
    for i in range(descriptors.shape[0]):
        descriptors[i] = (descriptors[i] & 0xFFFFFFFF) | (POLLIN << 32)
    left = max(longest_ns, 0)
    wire.timeout[IN_TIME.seconds] = left // SECOND
    wire.timeout[IN_TIME.nanoseconds] = left % SECOND
    return ppoll(address, descriptors.shape[0], wire.addresses[AT_TIMEOUT], 0)


@compiled
def is_ready(descriptor):
    """Whether a struct pollfd says that there is something to receive."""
    return (descriptor >> 48) & POLLIN != 0
