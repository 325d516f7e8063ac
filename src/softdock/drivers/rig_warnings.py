"""What a run of a rig should be told of although nothing had to stop: sentences from its program.

Clocks that were set, programs that meddle, counts that began anew, and a sensor's zero that is not
where it was: in free flight a sensor should feel nothing.
"""

from __future__ import annotations

import math

import numpy as np

from softdock.core.instants import NS
from softdock.core.rig import layout
from softdock.core.rig.zero import WINDOW_S
from softdock.core.wire.senders import OTHER, OTHERS, PORT
from softdock.core.wire.wall_clock import UNFIT
from softdock.drivers.event_text import filled
from softdock.drivers.rig_program import NAMES, RigProgram

S, V = layout.STAND.at, layout.SEEN.at
SS, SV = layout.SENSOR_STAND.at, layout.SENSOR_SEEN.at
OF_TOUCH = 0.1  # of limits.touch_N: a zero that is further off is said
SPREADS = 4.0  # of the difference of two means: what noise alone may show
APART_S = 0.5  # between two windows, for a rate of drift


def warnings_of(program: RigProgram) -> tuple[str, ...]:
    """All of them, as far as this run has come."""
    said = [*_of_this_computer(program)]
    for which in program.names:
        said += _of_robot(program, which)
    for which in program.sensors:
        said += _of_sensor(program, which)
    return tuple(said)


def _of_this_computer(program: RigProgram) -> list[str]:
    times, step = int(program.arrays.stand[S.wall_set]), float(program.arrays.seen[V.wall_step])
    said, unfit = [], int(program.arrays.wall[UNFIT])
    if unfit:
        said.append(
            f"{unfit} time stamps of this computer's kernel fit no reading of its wall clock; "
            "those datagrams count from when they were read"
        )
    if not times:
        return said
    how = filled("{a:set}", step, 0.0)
    often = f"{times} times, the last time {how}" if times > 1 else how
    return [
        f"this computer's wall clock was set {often}; the run counts by its monotonic clock and "
        "does not depend on it",
        *said,
    ]


def _of_robot(program: RigProgram, which: str) -> list[str]:
    said, sender = [], program.arrays.senders[NAMES.index(which)]
    if sender[OTHERS]:
        said.append(
            f"a second program sent {sender[OTHERS]} telegrams from the address of the {which}'s "
            f"robot, the last from port {sender[OTHER]}; only port {sender[PORT]} was answered"
        )
    if program.robots[which].counts_telegrams:
        cycle = program.on.rig.clock.cycle_ms
        said.append(
            f"IPOC of the {which}'s robot steps by 1 every {cycle:g} ms: it counts telegrams, not "
            "ms as a KUKA controller does, and was taken so"
        )
    return said


def _of_sensor(program: RigProgram, which: str) -> list[str]:
    at = NAMES.index(which)
    stand, said = program.arrays.sensor_stand[at], []
    if stand[SS.renewed]:
        said.append(f"the count of the {which}'s sensor began anew {stand[SS.renewed]} times")
    return said + _of_zero(program, which)


def _of_zero(program: RigProgram, which: str) -> list[str]:
    """A zero that is off: by the mean forces of the first and the last window of free flight."""
    at = NAMES.index(which)
    stand, seen = program.arrays.sensor_stand[at], program.arrays.sensor_seen[at]
    if not stand[SS.first_ns]:
        return []
    cells = layout.SENSOR_SEEN
    first, last = (np.array(seen[cells.slice_of(n)]) for n in ("first_free", "last_free"))
    samples = max(1.0, WINDOW_S / program.on.rig.cycle_s)
    noise = SPREADS * float(seen[SV.spread]) * math.sqrt(2.0 / samples)
    most = max(OF_TOUCH * program.on.rig.limits.touch_N, noise)
    sizes = [float(np.linalg.norm(f)) for f in (first, last, last - first)]
    if max(sizes) <= most:
        return []
    after = [NS * float(stand[a] - stand[SS.zero_ns]) for a in (SS.first_ns, SS.last_ns)]
    text = (
        f"the zero of the {which}'s sensor is off: in free flight, where it should feel nothing, "
    )
    text += f"{sizes[0]:.3g} N {after[0]:.2f} s after it was taken"
    if after[1] - after[0] >= APART_S:
        rate = sizes[2] / (after[1] - after[0])
        text += f" and {sizes[1]:.3g} N after {after[1]:.2f} s: {rate:.2g} N/s"
    return [text]
