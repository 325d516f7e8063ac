"""Linux system calls from compiled code: receive with the kernel's time stamp, send, poll, clock.

`types.ExternalFunction` names a C function that the process has anyway (libc), so the loop is kept
on disk like any other door; a ctypes or cffi pointer would not be. Buffers are int64 and uint8
arrays whose addresses the caller passes as numbers (`array.ctypes.data`): one `Wire` owns them.
Layouts are those of 64-bit Linux. Only in compiled code: plain Python has sockets of its own.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numba import types

from softdock.core.machine.compiled import compiled

_int, _long, _pointer = types.int32, types.int64, types.uintp
recvmsg = types.ExternalFunction("recvmsg", _long(_int, _pointer, _int))
sendto = types.ExternalFunction(
    "sendto", _long(_int, _pointer, _long, _int, _pointer, types.uint32)
)
ppoll = types.ExternalFunction("ppoll", _int(_pointer, types.uint64, _pointer, _pointer))
clock_gettime = types.ExternalFunction("clock_gettime", _int(_int, _pointer))

CLOCK_MONOTONIC = 1
MSG_DONTWAIT = 0x40
SOL_SOCKET, SO_TIMESTAMPNS = 1, 35
SECOND = 1_000_000_000  # ns
# words (int64) of a struct msghdr, and of the blocks behind it
NAME, NAME_SIZE, PARTS, PART_COUNT, CONTROL, CONTROL_SIZE, FLAGS = range(7)
HEADER_WORDS, PART_WORDS, CONTROL_WORDS, SOURCE_WORDS = 7, 2, 8, 2
POLLIN = 1


class Wire(NamedTuple):
    """Room for one datagram at a time, and for what the kernel says of it. One per loop."""

    header: Any  # int64: struct msghdr
    part: Any  # int64: struct iovec
    control: Any  # int64: struct cmsghdr and a timespec
    source: Any  # int64: struct sockaddr_in, of the last datagram
    reply: Any  # int64: the same, of the one that is answered
    data: Any  # uint8: the datagram received
    out: Any  # uint8: the datagram to send
    clock: Any  # int64: struct timespec
    timeout: Any  # int64: struct timespec
    addresses: Any  # int64: of all the above
    offset: Any  # int64, one: wall clock less monotonic clock [ns]


(
    AT_HEADER,
    AT_PART,
    AT_CONTROL,
    AT_SOURCE,
    AT_REPLY,
    AT_DATA,
    AT_OUT,
    AT_CLOCK,
    AT_TIMEOUT,
    ADDRESSES,
) = range(10)
PORT_BITS = 16


@compiled
def monotonic_ns(wire):
    clock_gettime(CLOCK_MONOTONIC, wire.addresses[AT_CLOCK])
    return wire.clock[0] * SECOND + wire.clock[1]


@compiled
def _arrival(wire, now):
    """The kernel's stamp on the monotonic clock; `now` where it gave none."""
    c = wire.control
    level, kind = c[1] & 0xFFFFFFFF, c[1] >> 32
    if wire.header[CONTROL_SIZE] >= 32 and level == SOL_SOCKET and kind == SO_TIMESTAMPNS:
        return min(now, c[2] * SECOND + c[3] - wire.offset[0])
    return now


@compiled
def receive(wire, descriptor):
    """The next datagram into `wire.data`: its size and when it arrived; size -1: there is none."""
    a, h = wire.addresses, wire.header
    h[NAME], h[NAME_SIZE] = a[AT_SOURCE], 8 * SOURCE_WORDS
    h[PARTS], h[PART_COUNT] = a[AT_PART], 1
    h[CONTROL], h[CONTROL_SIZE], h[FLAGS] = a[AT_CONTROL], 8 * CONTROL_WORDS, 0
    wire.part[0], wire.part[1] = a[AT_DATA], wire.data.shape[0]
    size = recvmsg(descriptor, a[AT_HEADER], MSG_DONTWAIT)
    if size < 0:
        return -1, 0
    return size, _arrival(wire, monotonic_ns(wire))


@compiled
def source_of(wire):
    """Address and port of the datagram just received, as one number."""
    return (wire.source[0] >> 16) & 0xFFFFFFFFFFFF


@compiled
def remember_source(wire):
    """The last datagram is the one to answer, whoever else sends something before that."""
    for i in range(SOURCE_WORDS):
        wire.reply[i] = wire.source[i]


@compiled
def answer(wire, descriptor, size):
    """Send `wire.out` to the remembered source: whether all of it left."""
    a = wire.addresses
    return sendto(descriptor, a[AT_OUT], size, MSG_DONTWAIT, a[AT_REPLY], 8 * SOURCE_WORDS) == size


@compiled
def is_from(wire, peer):
    """Whether the last datagram came from a peer; without a port: from its address."""
    source = source_of(wire)
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
    wire.timeout[0], wire.timeout[1] = left // SECOND, left % SECOND
    return ppoll(address, descriptors.shape[0], wire.addresses[AT_TIMEOUT], 0)


@compiled
def is_ready(descriptor):
    """Whether a struct pollfd says that there is something to receive."""
    return (descriptor >> 48) & POLLIN != 0
