"""Two clocks against this computer's monotonic one: its own wall clock, and a peer's clock.

A peer's clock: from the stamps it sends and when they arrive, without its jitter. In: stamps of the
peer and arrivals on our clock [ns, int64]. A datagram is never early, so the smallest difference
arrival - stamp of a block of BLOCK arrivals is nearly free of jitter; a line through the minima of
the last LINES blocks follows the drift. Out: when a stamp is on our clock, with the path's own
shortest latency (which nobody can tell from an offset), and the drift [ppm]. A block that is far
off the line is a clock that has jumped: the line begins again.
"""

from __future__ import annotations

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled

# The wall clock is read anew with every receive. The kernel stamps datagrams by the wall clock,
# which may be set at any time and is slewed; everything here counts by the monotonic clock. In: one
# look at the wall clock between two at ours, and stamps. Out: when a datagram arrived on our clock,
# and by how much the wall clock was set. A look costs three readings of clocks; a step that it
# cannot tell from a reading that took long is followed and not reported.

WALL = Cells(
    "wall_clock",
    Cell("offset", 1, "ns", "wall clock less ours"),
    Cell("before", 1, "ns", "the same at the look before"),
    Cell("looked_ns", 1, "ns", "when it was looked at, on ours"),
    Cell("steps", 1, "-", "times that it was set"),
    Cell("step_ns", 1, "ns", "the last time: above 0 forward, below 0 back"),
    Cell("unfit", 1, "-", "stamps that fit no reading of it: those arrived when they were read"),
    Cell("emptied_ns", 1, "ns", "nothing was waiting then; the loop writes it"),
)
OFFSET, BEFORE, LOOKED_NS, STEPS, STEP_NS, UNFIT, EMPTIED_NS = WALL.at
WALL_COLUMNS = WALL.size
SLEWED = 0.1  # of the time between two looks: what is slewed may move it by so much
LEAST_NS = 50_000  # a smaller step is not said; it is followed all the same


@compiled
def update_wall_clock(wall, earlier, clock, later):
    """The wall clock was at `clock` between two instants of ours."""
    offset = wall[OFFSET]
    nearest = min(max(offset, clock - later), clock - earlier)
    allowed = LEAST_NS + SLEWED * (later - wall[LOOKED_NS])
    if wall[LOOKED_NS] != 0 and abs(nearest - offset) > allowed:
        wall[STEPS] += 1
        wall[STEP_NS] = nearest - offset
    wall[BEFORE], wall[OFFSET], wall[LOOKED_NS] = offset, nearest, later


@compiled
def convert_arrival(wall, stamp, since, now):
    """A kernel's stamp on our clock: not before `since`, when nothing was waiting, nor after `now`.

    A stamp from before a step of the wall clock fits the look before it. The later of two instants
    that fit is taken: late is jitter, early would move a peer's clock.
    """
    a, b = stamp - wall[OFFSET], stamp - wall[BEFORE]
    at = max(a, b)
    if at > now + LEAST_NS:
        at = min(a, b)
    if not since - LEAST_NS <= at <= now + LEAST_NS:
        wall[UNFIT] += 1
        return now
    return min(at, now)


BLOCK, LINES = 50, 12
WHOLES = Cells(
    "peer_clock_wholes",
    Cell("heard", 1, "-", "arrivals"),
    Cell("jumps", 1, "-", "times that the peer's clock jumped"),
    Cell("first_stamp", 1, "ns", "the peer's; stamps count from here"),
    Cell("first_offset", 1, "ns", "arrival - stamp of the first; offsets count from here"),
    Cell("in_block", 1, "-", "arrivals in this block"),
    Cell("blocks", 1, "-", "minima kept so far, in all"),
    Cell("jumped_by", 1, "ns", "the last jump: above 0, the peer's clock was set back"),
)
CLOCK_HEARD, CLOCK_JUMPS, FIRST_STAMP, FIRST_OFFSET, IN_BLOCK, BLOCKS, JUMPED_BY = WHOLES.at
CLOCK_WHOLES = WHOLES.size
MINIMUM = Cells(
    "peer_clock_minimum",
    Cell("stamp", 1, "ns", "of the arrival with the least delay in a block"),
    Cell("offset", 1, "ns", "its arrival - stamp"),
)
NUMBERS = Cells(
    "peer_clock_numbers",
    Cell("block_stamp", 1, "ns", "of the least in this block so far"),
    Cell("block_offset", 1, "ns", "its arrival - stamp"),
    Cell("block_least", 1, "ns", "the same less the drift"),
    Cell("mean_stamp", 1, "ns", "of the line"),
    Cell("mean_offset", 1, "ns", "of the line"),
    Cell("slope", 1, "-", "of the line"),
    Cell("minima", LINES * MINIMUM.size, "ns", "of the last blocks: a `peer_clock_minimum` each"),
)
BLOCK_STAMP, BLOCK_OFFSET, BLOCK_LEAST, MEAN_STAMP, MEAN_OFFSET, SLOPE, MINIMA = NUMBERS.at
CLOCK_NUMBERS, PAIR, LEAST = NUMBERS.size, MINIMUM.size, MINIMUM.at


@compiled
def _fit_line(wholes, numbers):
    """A line by least squares through the kept minima."""
    count = min(wholes[BLOCKS], LINES)
    x, y = 0.0, 0.0
    for i in range(count):
        x += numbers[MINIMA + PAIR * i + LEAST.stamp] / count
        y += numbers[MINIMA + PAIR * i + LEAST.offset] / count
    xx, xy = 0.0, 0.0
    for i in range(count):
        dx = numbers[MINIMA + PAIR * i + LEAST.stamp] - x
        xx += dx * dx
        xy += dx * (numbers[MINIMA + PAIR * i + LEAST.offset] - y)
    numbers[MEAN_STAMP], numbers[MEAN_OFFSET] = x, y
    numbers[SLOPE] = xy / xx if count > 1 and xx > 0.0 else 0.0


@compiled
def _interpolate_offset(wholes, numbers, stamp):
    """arrival - stamp for a stamp (from the first one) [ns]."""
    if wholes[BLOCKS] == 0:
        return numbers[BLOCK_OFFSET]
    return numbers[MEAN_OFFSET] + numbers[SLOPE] * (stamp - numbers[MEAN_STAMP])


@compiled
def update_peer_clock(wholes, numbers, stamp, arrival, jump):
    """One arrival. Returns whether the peer's clock has jumped by more than `jump` [ns]."""
    if wholes[CLOCK_HEARD] == 0:
        wholes[FIRST_STAMP], wholes[FIRST_OFFSET] = stamp, arrival - stamp
    wholes[CLOCK_HEARD] += 1
    s = float(stamp - wholes[FIRST_STAMP])
    offset = float(arrival - stamp - wholes[FIRST_OFFSET])
    tilted = offset - numbers[SLOPE] * s  # or a block's minimum would stand at one of its ends
    if wholes[IN_BLOCK] == 0 or tilted < numbers[BLOCK_LEAST]:
        numbers[BLOCK_STAMP], numbers[BLOCK_OFFSET], numbers[BLOCK_LEAST] = s, offset, tilted
    wholes[IN_BLOCK] += 1
    if wholes[IN_BLOCK] < BLOCK:
        return False
    wholes[IN_BLOCK] = 0
    at, least = numbers[BLOCK_STAMP], numbers[BLOCK_OFFSET]
    off_line = least - _interpolate_offset(wholes, numbers, at)
    jumped = wholes[BLOCKS] > 0 and (off_line > jump or off_line < -jump)
    if jumped:
        wholes[CLOCK_JUMPS] += 1
        wholes[JUMPED_BY] = int(off_line)
        wholes[BLOCKS] = 0
    slot = MINIMA + PAIR * (wholes[BLOCKS] % LINES)
    numbers[slot + LEAST.stamp], numbers[slot + LEAST.offset] = at, least
    wholes[BLOCKS] += 1
    _fit_line(wholes, numbers)
    return jumped


@compiled
def reset_peer_clock(wholes, numbers):
    """Begin anew: the peer has begun a new count."""
    wholes[CLOCK_HEARD], wholes[IN_BLOCK], wholes[BLOCKS] = 0, 0, 0
    numbers[SLOPE] = 0.0


@compiled
def convert_stamp(wholes, numbers, stamp):
    """When a stamp of the peer is on our clock [ns]: as if its datagram had had no jitter."""
    s = stamp - wholes[FIRST_STAMP]
    offset = _interpolate_offset(wholes, numbers, float(s))
    nearest = int(offset + 0.5) if offset >= 0.0 else -int(0.5 - offset)
    return stamp + wholes[FIRST_OFFSET] + nearest


@compiled
def compute_drift_ppm(numbers):
    """How much faster than ours the peer's clock runs [parts per million]."""
    return -1e6 * numbers[SLOPE] / (1.0 + numbers[SLOPE])
