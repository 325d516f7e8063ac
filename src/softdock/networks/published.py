"""The published algorithm for a network of one position port: what crossed the port is shared out
among the elements, level by level.

Each sample, with all efforts held as they were (Franken eqs. 9 to 16, 23, 25, 26):

    H_I += -F dq                                          what crossed the port
    dx of the first spring from its balance:              k dx^2 / 2 + (efforts of all that moves
                                                          with the port) dx = -F dq, smallest root
    every other store i: dH_i = e_i (flow_i T + G_i dx)   what its neighbours hand on, held; new
                                                          state from its energy, same sign
    dampers given the force: F^2 T / b                    time-dependent
    no root: the last jump stands in for dx               eq. 26
    an empty store: next sample it starts with dx, and that energy is virtual   eq. 25

Virtual energy (from deadlocks and overdrafts) is a debt that switched damping pays back. Books: H_I
+ H_virtual = stored + dissipated + lost.

Limits, which the better step (linear_step.py) does not have: it lags the motion (5 % on the SLS at
1 kHz), is not passive without its controller at low rates, and diverges on networks with masses,
whose energy gain F^2 T^2 / 2m nothing accounts for.
"""

from __future__ import annotations

import math

from softdock.compile.jit import compiled, entry_point
from softdock.networks.published_net import (
    CONTROL_FORCE,
    FORCE,
    H_CONTROL,
    H_DISSIPATED,
    H_IN,
    H_LOST,
    H_VIRTUAL,
    IN_BOOKS,
    IN_CONTACT,
    JUMP,
    LATCHED,
    POSITION_AT,
    REARM,
    SCALARS,
    STORES_AT,
    create_published_memory,
    published_net,
)

__all__ = ["FORCE", "create_published_memory", "published_net"]


@compiled
def smallest_root(a, b, energy):
    """The d nearest 0 with a d^2 + b d = energy, without cancellation; nan if there is none."""
    disc = b * b + 4.0 * a * energy
    if disc < 0.0:
        return math.nan
    bottom = b + math.copysign(math.sqrt(disc), b)
    return 2.0 * energy / bottom if bottom != 0.0 else 0.0


@compiled
def share_out(net, mem, fed):
    """One sample in contact. Returns whether the first spring emptied."""
    x, T, first = SCALARS, net.T, net.first
    k = net.stiffness[first]
    effort = 0.0  # on the network at the port, all states held
    for i in range(net.n):
        effort += net.C[i] * net.stiffness[i] * mem[x + i]
    before = mem[x + first]
    jump = smallest_root(0.5 * k + net.Y / T, effort, fed)  # Franken eqs. 10 to 12
    handed = jump
    if math.isnan(jump):
        handed = mem[JUMP]
        rest = (effort - k * before) * handed + net.Y / T * handed * handed
        energy = 0.5 * k * before * before + fed - rest  # Franken eq. 26
        if energy < 0.0:
            mem[H_VIRTUAL] -= energy
            energy = 0.0
        after = -math.sqrt(2.0 * energy / k)
        emptied = energy <= 0.0
    else:
        after = before + jump
        emptied = after >= 0.0
    spent = (
        effort - k * before
    ) * handed + net.Y / T * handed * handed  # handed on by the first spring
    spent -= _share_of_others(net, mem, handed, after - before)
    mem[H_DISSIPATED] += spent
    mem[x + first] = after
    mem[JUMP] = after - before
    return emptied


@compiled
def _share_of_others(net, mem, handed, jump):
    """New states of all stores but the first, from the energy handed to each. Returns what they
    took in all [J]."""
    x, new, taken = SCALARS, SCALARS + net.n, 0.0
    for i in range(net.n):
        flow = 0.0
        for j in range(net.n):
            flow += net.S[i, j] * net.stiffness[j] * mem[x + j]
        step = flow * net.T + net.G[i] * handed
        if i == net.first:
            continue
        k, state = net.stiffness[i], mem[x + i]
        before = 0.5 * k * state * state
        handed_on = k * state * step  # Franken eqs. 13 to 16 with eq. 23
        energy = before + handed_on
        if net.is_mass[
            i
        ]:  # the force is held: momentum grows by F T, and the energy F^2 T^2 / 2m with it
            mem[new + i] = state + step
            mem[H_VIRTUAL] += 0.5 * k * step * step
        elif state == 0.0:  # deadlock, Franken eq. 25
            mem[new + i] = net.G[i] * jump + flow * net.T
            mem[H_VIRTUAL] += 0.5 * k * mem[new + i] * mem[new + i]
        elif energy <= 0.0:
            mem[H_VIRTUAL] -= energy
            mem[new + i] = 0.0
        else:
            mem[new + i] = math.copysign(math.sqrt(2.0 * energy / k), state)
        taken += handed_on
    for i in range(net.n):
        if i != net.first:
            mem[x + i] = mem[new + i]
    return taken


@compiled
def begin_contact(net, mem, depth):
    """Deadlock at the touch: every spring that the port moves starts with a share alpha of the
    depth, and that energy is virtual. Franken eq. 25"""
    x = SCALARS
    for i in range(net.n):
        k, state = net.stiffness[i], mem[x + i]
        mem[H_LOST] += 0.5 * k * state * state
        mem[x + i] = 0.0 if net.is_mass[i] else net.alpha * net.G[i] * depth
        mem[H_VIRTUAL] += 0.5 * k * mem[x + i] * mem[x + i]
    mem[JUMP] = net.alpha * depth
    mem[IN_CONTACT] = 1.0


@compiled
def relax(net, mem):
    """Out of contact: dampers given the force go on emptying their springs."""
    x, new = SCALARS, SCALARS + net.n
    for i in range(net.n):
        mem[new + i] = mem[x + i]
        k, state = net.stiffness[i], mem[x + i]
        if net.is_mass[i] or i == net.first or state == 0.0:
            continue
        flow = 0.0
        for j in range(net.n):
            flow += net.S[i, j] * net.stiffness[j] * mem[x + j]
        energy = 0.5 * k * state * state + k * state * flow * net.T
        mem[H_DISSIPATED] -= k * state * flow * net.T
        if energy < 0.0:
            mem[H_VIRTUAL] -= energy
            energy = 0.0
        mem[new + i] = math.copysign(math.sqrt(2.0 * energy / k), state)
    for i in range(net.n):
        mem[x + i] = mem[new + i]


@compiled
def published_sample(net, mem, q):
    """One sample: position relative to the wall in (contact: q < 0), the force that pushes out in
    mem[FORCE] (with the controller's) held until the next."""
    dq = q - mem[POSITION_AT]
    virtual_force = mem[FORCE] - mem[CONTROL_FORCE]
    fed = -virtual_force * dq  # Franken eqs. 2 and 9
    mem[H_IN] += fed
    mem[H_CONTROL] -= mem[CONTROL_FORCE] * dq
    mem[POSITION_AT] = q
    if mem[IN_CONTACT] != 0.0:
        if share_out(net, mem, fed):
            first = SCALARS + net.first
            mem[H_LOST] += 0.5 * net.stiffness[net.first] * mem[first] * mem[first]
            mem[first] = 0.0
            mem[IN_CONTACT], mem[LATCHED] = 0.0, 1.0
    else:
        relax(net, mem)
    if q >= 0.0 or (net.after_empty == REARM and dq < 0.0):
        mem[LATCHED] = 0.0
    if mem[IN_CONTACT] == 0.0 and mem[LATCHED] == 0.0 and q < 0.0:  # Franken eq. 24
        begin_contact(net, mem, q)
    push(net, mem, dq)


@compiled
def push(net, mem, dq):
    """The force for the next sample: of the network, and of the switched damping that pays back the
    virtual energy."""
    effort = 0.0
    for i in range(net.n):
        effort += net.C[i] * net.stiffness[i] * mem[SCALARS + i]
    mem[CONTROL_FORCE] = 0.0
    if mem[IN_CONTACT] == 0.0:
        mem[FORCE] = 0.0
        return
    speed, debt = dq / net.T, mem[H_VIRTUAL] - mem[H_CONTROL]
    if net.damping_max > 0.0 and debt > 0.0 and speed != 0.0:
        mem[CONTROL_FORCE] = -min(net.damping_max, debt / (speed * speed * net.T)) * speed
    mem[FORCE] = -effort + mem[CONTROL_FORCE]


@compiled
def stored(net, mem):
    total = 0.0
    for i in range(net.n):
        total += 0.5 * net.stiffness[i] * mem[SCALARS + i] * mem[SCALARS + i]
    return total


@entry_point
def run_published(net, mem, q, forces, books):
    """A motion. `forces[k]`: held during the sample that ends at q[k]. `books[k]`: as
    `published_net.BOOKS`, then each store's energy."""
    for k in range(1, q.shape[0]):
        forces[k] = mem[FORCE]
        published_sample(net, mem, q[k])
        book = books[k]
        book[IN_BOOKS.fed] = mem[H_IN]
        book[IN_BOOKS.stored] = stored(net, mem)
        book[IN_BOOKS.dissipated] = mem[H_DISSIPATED]
        book[IN_BOOKS.lost] = mem[H_LOST]
        book[IN_BOOKS.virtual] = mem[H_VIRTUAL]
        book[IN_BOOKS.paid] = mem[H_CONTROL]
        for i in range(net.n):
            book[STORES_AT + i] = 0.5 * net.stiffness[i] * mem[SCALARS + i] * mem[SCALARS + i]
