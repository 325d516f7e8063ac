"""The better step (linear_step.py) at a one-sided wall: linear networks of position ports, of which
the last is the normal, in contact at q < 0.

The wall only pushes. Its surface is the network's own: it stands at `surface`, and while nothing
touches it, it springs back under no force, D = -Dbar^-1 c. The other ports (of a three-axis wall)
stick while the normal one touches. When it parts they snap back to no force at the end of the
sample, D = -Dbar^-1 c / 2 (with no force in the mean they would ring for ever); nobody is there to
get that energy, and it counts as dissipated.
"""

from __future__ import annotations

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled, entry_point
from softdock.networks.linear_step import FED, PUT_IN, TANK, TOUCHING, cap, places, settle, stored

WALL_BOOKS = Cells(  # after a sample
    "wall_books",
    Cell("fed", 1, "J", "energy that crossed the port"),
    Cell("put_in", 1, "J", "put into the network"),
    Cell("stored", 1, "J", "in its springs and masses"),
    Cell("tank", 1, "J", "in the tank"),
)
IN_BOOKS = WALL_BOOKS.at


@compiled
def _free(net, mem, at, i):
    """How far port i goes under no force in one sample [m]: -Dbar^-1 c."""
    total = 0.0
    for j in range(net.m):
        total += net.Dinv[i, j] * mem[at.c + j]
    return -total


@compiled
def wall_step(net, mem, at):
    """One sample: where the ports are in `mem[at.now]`; `mem[at.y]` held, that of the normal <= 0
    (the force pushes out with -y)."""
    fed, normal = 0.0, net.m - 1
    for i in range(net.m):
        fed += mem[at.y + i] * (mem[at.now + i] - mem[at.position + i])
    free = mem[at.surface + normal] + _free(net, mem, at, normal)
    touching = mem[at.now + normal] < free
    if touching and mem[TOUCHING] == 0.0:
        _stick(net, mem, at, free)
    for i in range(net.m):
        free_way = _free(net, mem, at, i) if i == normal else 0.5 * _free(net, mem, at, i)
        mem[at.D + i] = mem[at.now + i] - mem[at.surface + i] if touching else free_way
    most = mem[TANK] + fed
    settle(net, mem, at, fed)
    if not touching:
        mem[TANK] = max(min(mem[TANK], most), 0.0)
    mem[TOUCHING] = 1.0 if touching else 0.0
    for i in range(net.m):
        mem[at.surface + i] = (
            mem[at.surface + i] + mem[at.D + i] if touching or i == normal else mem[at.now + i]
        )
        dq = mem[at.now + i] - mem[at.position + i]
        mem[at.predicted + i] = dq + net.extrapolate * (dq - mem[at.last + i])
        mem[at.last + i] = dq
        mem[at.position + i] = mem[at.now + i]
    hold_wall(net, mem, at, touching)


@compiled
def _stick(net, mem, at, free):
    """Where the other ports were when the normal one met the surface, within the sample that
    ended."""
    normal = net.m - 1
    moved = mem[at.now + normal] - mem[at.position + normal]
    share = min((mem[at.now + normal] - free) / moved, 1.0) if moved < 0.0 else 1.0
    for i in range(normal):
        mem[at.surface + i] = mem[at.now + i] - share * (mem[at.now + i] - mem[at.position + i])


@compiled
def hold_wall(net, mem, at, touching):
    """Steps 3 and 4 at a wall: one sample before the touch, the effort that does the touch's work
    over the whole sample."""
    normal = net.m - 1
    predicted = mem[at.predicted + normal]
    into = mem[at.now + normal] + predicted - mem[at.surface + normal]
    share = 1.0
    if not touching:
        share = into / predicted if predicted < 0.0 and into < 0.0 else 0.0
    for i in range(net.m):
        effort = mem[at.c + i] + net.Dbar[i, normal] * into
        for j in range(normal):
            effort += net.Dbar[i, j] * (
                mem[at.now + j] + share * mem[at.predicted + j] - mem[at.surface + j]
            )
        mem[at.y + i] = effort
    if mem[at.y + normal] >= 0.0:
        share = 0.0
    for i in range(net.m):
        mem[at.y + i] *= share
    cap(net, mem, at)


@compiled
def wall_sample(net, mem, q):
    """`wall_step` of one port at q [m]."""
    at = places(net.n, 1)
    mem[at.now] = q
    wall_step(net, mem, at)


@entry_point
def run_wall(net, mem, q, forces, books):
    """A motion against a wall of one port. `forces[k]`: pushes out during the sample that ends at
    q[k]; the first position only sets the start. `books[k]`: as `WALL_BOOKS`, at q[k]."""
    at = places(net.n, 1)
    mem[at.position] = q[0]
    for k in range(1, q.shape[0]):
        forces[k] = -mem[at.y]
        wall_sample(net, mem, q[k])
        book = books[k]
        book[IN_BOOKS.fed] = mem[FED]
        book[IN_BOOKS.put_in] = mem[PUT_IN]
        book[IN_BOOKS.stored] = stored(net, mem, at)
        book[IN_BOOKS.tank] = mem[TANK]
