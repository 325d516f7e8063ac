"""The energy reference of `delay_passivity`: work in transit [J], which the contact will still do
while the mock-ups move to where the satellites already are.

In: the newest paired wrench and its slope along the path, mock-ups and satellites (world axes).
"""

from __future__ import annotations

from softdock.compile.jit import compiled, noinline
from softdock.loop.spatial.motion import POSE_FLOATS, displacement
from softdock.loop.spatial.vectors import dot, load3, load4, norm
from softdock.methods.delay_passivity.cells import ATTITUDE, CELL

COUPLED, PER_AXIS = 0, 1


SHORTEST = 1e-7  # m or rad; a shorter way tells no slope


@compiled
def port_of(method, i):
    """The port that component i of twelve belongs to."""
    return 0 if method.coupling == COUPLED else i % 6


@noinline
def transit_work(method, mem, satellites, port):
    """Work [J] that the contact will still do at a port until the mock-ups are where the satellites
    are now."""
    at = method.memory
    chaser, target = satellites.chaser, satellites.target
    a = displacement(
        load3(mem, at + CELL.poses), load4(mem, at + CELL.poses + ATTITUDE), chaser.p, chaser.q
    )
    b = displacement(
        load3(mem, at + CELL.poses + POSE_FLOATS),
        load4(mem, at + CELL.poses + POSE_FLOATS + ATTITUDE),
        target.p,
        target.q,
    )
    ahead = (a.translation, a.rotation, b.translation, b.rotation)
    work, past = 0.0, 0.0
    for j in range(4):
        for i in range(3):
            c = 3 * j + i
            if port_of(method, c) == port:
                work += mem[at + CELL.now + c] * (
                    ahead[j][i] + mem[at + CELL.way + c] - mem[at + CELL.now_way + c]
                )
                past += mem[at + CELL.now + c] * (
                    mem[at + CELL.now_way + c] - mem[at + CELL.then_way + c]
                )
    force, before = load3(mem, at + CELL.now), load3(mem, at + CELL.then)
    if method.coupling == COUPLED:
        size = norm(force)
        size_before = dot(force, before) / size if size > 0.0 else 0.0
    elif port < 3:
        size = abs(force[port])
        size_before = before[port] * force[port] / size if size > 0.0 else 0.0
    else:
        return work  # torques of two bodies have no one way: to first order
    if size <= method.threshold:
        return (
            work if method.deviations == 0.0 else min(work, 0.0)
        )  # with a confidence asked for, a force that noise may have made promises nothing
    if size_before > method.threshold and abs(past) > SHORTEST * size:
        slope = (size_before - size) * size / past  # N/m, > 0: a spring
        mem[at + CELL.slope + port] = max(slope, 0.0)
    slope, way = mem[at + CELL.slope + port], work / size
    if slope == 0.0:
        return work
    if size < slope * way:  # the contact will end before
        return 0.5 * size * size / slope
    return work - 0.5 * slope * way * way
