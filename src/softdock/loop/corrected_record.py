"""The corrected channels of a recorded run: both satellites' motion and the contact's force on the
chaser, in their past as a method has recomputed it since.

A row is written with what was applied; the rows of a past that is taken over are written again.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled, noinline
from softdock.loop.method.corrected import CORRECTED_CELLS, corrected_at, past_at
from softdock.loop.spatial.motion import Motion
from softdock.loop.spatial.rigid_body import motion_of

if TYPE_CHECKING:
    from softdock.loop.method.interface import Satellites
    from softdock.loop.params import Params

CORRECTED = Cells(
    "corrected_record",
    Cell("chaser", Motion, "", "the chaser satellite"),
    Cell("target", Motion, "", "the target satellite"),
    Cell("force", 3, "N", "of the contact on the chaser satellite, mean over the cycle that ended"),
    Cell("peak", float, "N", "its largest in that cycle"),
)


@compiled
def _store(row, at, params: Params, satellites: Satellites, force, squared):
    s = CORRECTED(row, at)
    s.chaser = motion_of(params.chaser, satellites.chaser)
    s.target = motion_of(params.target, satellites.target)
    s.force = force
    s.peak = math.sqrt(squared)


@compiled
def record_corrected(row, at, params: Params, mem, satellites: Satellites):
    """The cycle that has just ended; the channels begin at `at`."""
    corrected = CORRECTED_CELLS(mem, corrected_at(params.methods)[0])
    _store(row, at, params, satellites, corrected.force, corrected.peak)


@noinline
def rewrite_past(record, at, params: Params, mem, row):
    """The past that this cycle took over into the rows before `row`, the one of its end."""
    count = int(mem[corrected_at(params.methods)[1]])
    for stamp in range(row - count, min(row, record.shape[0])):
        past = past_at(params.methods, mem, stamp)
        _store(record[stamp], at, params, past.satellites, past.force, past.largest)
