"""The energy reference of `delay_passivity`: work in transit [J], which the contact will still do
while the mock-ups move to where the satellites already are.

In: the newest paired wrench and its slope along the path, mock-ups and satellites (world axes).
"""

from __future__ import annotations

from softdock.compile.jit import noinline
from softdock.loop.method.interface import Satellites
from softdock.loop.spatial.motion import displacement
from softdock.loop.spatial.vectors import dot, norm
from softdock.methods.delay_passivity.keys import COUPLED, DelayPassivity
from softdock.methods.delay_passivity.state import STATE, find_port

SHORTEST = 1e-7  # m or rad; a shorter way tells no slope


@noinline
def compute_transit_work(method: DelayPassivity, mem, satellites: Satellites, port):
    """Work [J] that the contact will still do at a port until the mock-ups are where the satellites
    are now."""
    s = STATE(mem, method.memory)
    poses, chaser, target = s.poses, satellites.chaser, satellites.target
    a = displacement(poses.chaser.p, poses.chaser.q, chaser.p, chaser.q)
    b = displacement(poses.target.p, poses.target.q, target.p, target.q)
    ahead = (a.translation, a.rotation, b.translation, b.rotation)
    now, way, now_way, then_way = s.now, s.way, s.now_way, s.then_way
    work, past = 0.0, 0.0
    for j in range(4):
        for i in range(3):
            if find_port(method, 3 * j + i) == port:
                work += now[j][i] * (ahead[j][i] + way[j][i] - now_way[j][i])
                past += now[j][i] * (now_way[j][i] - then_way[j][i])
    force, before = now[0], s.then[0]
    if method.coupling == COUPLED:
        size = norm(force)
        size_before = dot(force, before) / size if size > 0.0 else 0.0
    elif port < 3:
        size = abs(force[port])
        size_before = before[port] * force[port] / size if size > 0.0 else 0.0
    else:
        return work  # torques of two bodies have no one way: to first order
    if size <= method.threshold:
        # with a confidence asked for, a force that noise may have made promises nothing
        return work if method.deviations == 0.0 else min(work, 0.0)
    if size_before > method.threshold and abs(past) > SHORTEST * size:
        slope = (size_before - size) * size / past  # N/m, > 0: a spring
        s.slope[port] = max(slope, 0.0)
    slope, way_left = s.slope[port], work / size
    if slope == 0.0:
        return work
    if size < slope * way_left:  # the contact will end before
        return 0.5 * size * size / slope
    return work - 0.5 * slope * way_left * way_left
