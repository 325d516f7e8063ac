"""Samples with several touches at once, kept for the joint fit (joint.py).

A sample is the measured wrench and its slope with their noise, and of each touch point, depth,
rate, sliding velocity and normal (m, m/s, N, Nm; world axes). When there is no room every second
sample is dropped, and from then on every second one is not taken.
"""

from __future__ import annotations

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import noinline
from softdock.loop.spatial.motion import WRENCH_FLOATS, store_wrench

MANY = 64  # samples kept
TOUCHES = 4  # at once; a sample with more is left out
TOUCH_CELLS = Cells(
    "touch",
    Cell("pair", 1, "-", "which pair"),
    Cell("depth", 1, "m", "of the mock-ups, as reported"),
    Cell("rate", 1, "m/s", "of the depth"),
    Cell("depth_2", 1, "m", "of a mean of several samples, at its second instant (samples.py)"),
    Cell("rate_2", 1, "m/s", "and there"),
    Cell("normal", 3, "-", "out of the target, world axes"),
    Cell("arm", 3, "m", "from the chaser's centre of mass"),
    Cell("sliding", 3, "m/s", "of the chaser's part over the target's"),
    Cell("slides", 1, "m/s", "along it, at the first instant"),
    Cell("slides_2", 1, "m/s", "and at the second"),
)
TOUCH, TOUCH_FLOATS = TOUCH_CELLS.at, TOUCH_CELLS.size
ROW_CELLS = Cells(
    "many_row",
    Cell("number", 1, "-", "of touches"),
    Cell("force_variance", 1, "N^2", "of a component of the force"),
    Cell("torque_variance", 1, "Nm^2", "of a component of the torque"),
    Cell("wrench", WRENCH_FLOATS, "N, Nm", "on the chaser, tared"),
    Cell("slope", WRENCH_FLOATS, "N/s, Nm/s", "of the wrench since the reading before"),
    Cell("touches", TOUCHES * TOUCH_CELLS.size, "", "a `touch` each"),
)
ROW, ROW_FLOATS = ROW_CELLS.at, ROW_CELLS.size
MANY_CELLS = Cells(
    "many",
    Cell("count", 1, "-", "samples kept"),
    Cell("seen", 1, "-", "samples in all"),
    Cell("due", 1, "-", "samples, of single touches too, at which they are fitted again"),
    Cell("stride", 1, "-", "every so many samples one is kept"),
    Cell("largest", 1, "N", "largest force"),
    Cell("left_out", 1, "-", "samples of more touches than are kept"),
    Cell("misfit", 1, "-", "root mean square of what the laws leave, of the largest force"),
    Cell("rows", MANY * ROW_CELLS.size, "", "the samples"),
)
KEPT = MANY_CELLS.at


@noinline
def keep_many(mem, at, scratch, number, wrench, slope, noise):
    """A sample more, of `number` touches that stand at `scratch`; when there is no room, every
    second one is given up, and from then on only every second is kept."""
    if number > TOUCHES:
        mem[at + KEPT.left_out] += 1.0
        return
    f = wrench.force
    mem[at + KEPT.largest] = max(mem[at + KEPT.largest], abs(f[0]) + abs(f[1]) + abs(f[2]))
    seen = int(mem[at + KEPT.seen])
    mem[at + KEPT.seen] = seen + 1.0
    stride = max(int(mem[at + KEPT.stride]), 1)
    if seen % stride != 0:
        return
    count = int(mem[at + KEPT.count])
    if count == MANY:
        count = MANY // 2
        for i in range(1, count):
            for j in range(ROW_FLOATS):
                mem[at + KEPT.rows + i * ROW_FLOATS + j] = mem[
                    at + KEPT.rows + 2 * i * ROW_FLOATS + j
                ]
        mem[at + KEPT.stride] = 2.0 * stride
    row = at + KEPT.rows + count * ROW_FLOATS
    mem[row + ROW.number] = float(number)
    mem[row + ROW.force_variance] = noise[0] * noise[0]
    mem[row + ROW.torque_variance] = noise[1] * noise[1]
    store_wrench(mem, row + ROW.wrench, wrench)
    store_wrench(mem, row + ROW.slope, slope)
    for i in range(number * TOUCH_FLOATS):
        mem[row + ROW.touches + i] = mem[scratch + i]
    mem[at + KEPT.count] = count + 1.0
