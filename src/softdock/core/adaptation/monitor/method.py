"""Passivity observer: the energy that the rig adds, per axis and in total, from its own signals,
and what to do when it exceeds a bound (Zebenay eq. 114).

Per axis, in a frame of choice, and summed over both bodies: energy given to the satellites (wrench
on them, commanded motion) less energy that came back from the contact (measured wrench, measured
motion). Force and pose are paired by age: both are taken at the newest instant for which both have
arrived, and so is the energy given. > 0: the rig is active. List it last: it observes the wrench
and the set-points that leave it.

Above the bound: `log` notes when; `damp` adds a damper along the measured force until the energy is
below again; `stop` ends the run.
"""

from __future__ import annotations

import math
from typing import Any

from softdock.core.adaptation.interface import STOP_REQUEST, Wrenches
from softdock.core.adaptation.measured.frame import (
    axes_of,
    components,
)
from softdock.core.adaptation.measured.line_of_action import (
    mean_of,
    measured_force,
    parting_rate,
    plus_wrenches,
    satellite_motions,
)
from softdock.core.adaptation.measured.motions import (
    load_both,
    load_wrenches,
    store_both,
    store_wrenches,
)
from softdock.core.adaptation.measured.normal_damper import (
    book_damper,
    damper_wrenches,
)
from softdock.core.adaptation.measured.reading_ring import (
    keep,
    poses_at,
    readings,
    sums_at,
    wrenches_at,
)
from softdock.core.adaptation.method import Method
from softdock.core.adaptation.monitor.keys import (
    CELL,
    CELLS,
    DAMP,
    MONITOR,
    OBSERVED,
    RING_AT,
    STOP,
    Monitor,
    check,
    floats,
    prepare,
)
from softdock.core.machine.compiled import apart, compiled
from softdock.core.spatial.motion import (
    displacement,
    no_wrench,
)
from softdock.core.spatial.rotations import rotate
from softdock.core.spatial.vectors import add, load3, multiply, scale, store3, subtract


@compiled
def _products(axes, force, moved):
    """Axis by axis."""
    return multiply(components(axes, force), components(axes, moved))


@compiled
def _work_per_axis(axes, wrenches, before, after):
    c = displacement(before.chaser.p, before.chaser.q, after.chaser.p, after.chaser.q)
    t = displacement(before.target.p, before.target.q, after.target.p, after.target.q)
    forces = add(
        _products(axes, wrenches.chaser.force, c.translation),
        _products(axes, wrenches.target.force, t.translation),
    )
    return forces, add(
        _products(axes, wrenches.chaser.torque, c.rotation),
        _products(axes, wrenches.target.torque, t.rotation),
    )


@compiled
def _port_per_axis(axes, T, wrench, before, after):
    v, w = add(before.v, after.v), add(rotate(before.q, before.w), rotate(after.q, after.w))
    return scale(0.5 * T, _products(axes, wrench.force, v)), scale(
        0.5 * T, _products(axes, wrench.torque, w)
    )


@compiled
def _sum(a):
    return a[0] + a[1] + a[2]


@apart
def _observe(method, mem, rig, measured):
    """The energies of every axis at the newest instant for which both force and pose are here."""
    m, k, T = method.memory, rig.cycle, rig.T
    ring = readings(m + RING_AT, int(math.ceil(method.longest / T - 1e-9)) + 2)
    sums = load3(mem, m + CELL.given), load3(mem, m + CELL.given_turning)
    t, was = k * T - max(measured.force_age, measured.pose_age), mem[m + CELL.until]
    keep(mem, ring, k, k * T, measured, sums)
    if k == 0:
        mem[m + CELL.until] = t
        return
    if t > was:
        before, after = poses_at(mem, ring, k, was), poses_at(mem, ring, k, t)
        mean = mean_of(wrenches_at(mem, ring, k, was), wrenches_at(mem, ring, k, t))
        forces, torques = _work_per_axis(
            axes_of(method.frame, after, (1.0, 0.0, 0.0)), mean, before, after
        )
        store3(mem, m + CELL.back, add(load3(mem, m + CELL.back), forces))
        store3(mem, m + CELL.back_turning, add(load3(mem, m + CELL.back_turning), torques))
        mem[m + CELL.until] = t
    given, given_turning = sums_at(mem, ring, k, mem[m + CELL.until])
    store3(
        mem, m + CELL.forces, subtract(given, load3(mem, m + CELL.back))
    )  # Zebenay eq. 114, per axis
    store3(mem, m + CELL.torques, subtract(given_turning, load3(mem, m + CELL.back_turning)))
    mem[m + CELL.total] = _sum(load3(mem, m + CELL.forces)) + _sum(
        load3(mem, m + CELL.torques)
    )  # Zebenay eq. 114
    mem[m + CELL.age] = k * T - mem[m + CELL.until]


@compiled
def _judge(method, mem, rig):
    m = method.memory
    largest = mem[m + CELL.forces]
    for i in range(1, 6):
        largest = max(largest, mem[m + CELL.forces + i])
    above = mem[m + CELL.total] > method.bound or largest > method.axis_bound
    if above and mem[m + CELL.above] == 0.0:
        if mem[m + CELL.times] == 0.0:
            mem[m + CELL.first] = rig.cycle * rig.T
        mem[m + CELL.times] += 1.0
    mem[m + CELL.highest] = max(mem[m + CELL.highest], mem[m + CELL.total])
    mem[m + CELL.above] = 1.0 if above else 0.0
    if above and method.action == STOP:
        mem[STOP_REQUEST] = 1.0
    step = rig.T / method.blend if method.action == DAMP else 0.0
    mem[m + CELL.level] = min(max(mem[m + CELL.level] + (step if above else -step), 0.0), 1.0)


@apart
def wrench(method, mem, rig, measured, satellites, wrenches):
    m, motions = method.memory, satellite_motions(rig, satellites)
    virtual = Wrenches(no_wrench(), no_wrench())
    if rig.cycle == 0:
        store_both(mem, m + CELL.command, motions)
        book_damper(mem, m + CELL.damper, virtual, motions)
    _observe(method, mem, rig, measured)
    _judge(method, mem, rig)
    force = measured_force(measured)
    mem[m + CELL.added] = mem[m + CELL.level] * method.damping
    if mem[m + CELL.added] > 0.0 and force > method.threshold:
        virtual = damper_wrenches(
            measured,
            wrenches,
            force,
            -mem[m + CELL.added] * parting_rate(measured.wrenches, force, motions),
        )
    mem[m + CELL.absorbed] += book_damper(mem, m + CELL.damper, virtual, motions)
    acting = plus_wrenches(wrenches, 1.0, virtual)
    store_wrenches(mem, m + CELL.held, acting)
    return acting


@apart
def set_point(method, mem, rig, satellites, output):
    """The energy given over the cycle that begins: held wrench and commanded motion."""
    m, before = method.memory, load_both(mem, method.memory + CELL.command)
    axes = axes_of(method.frame, output, (1.0, 0.0, 0.0))
    held = load_wrenches(mem, m + CELL.held)
    chaser, turning = _port_per_axis(axes, rig.T, held.chaser, before.chaser, output.chaser)
    target, target_turning = _port_per_axis(axes, rig.T, held.target, before.target, output.target)
    store3(mem, m + CELL.given, add(load3(mem, m + CELL.given), add(chaser, target)))
    store3(
        mem,
        m + CELL.given_turning,
        add(load3(mem, m + CELL.given_turning), add(turning, target_turning)),
    )
    store_both(mem, m + CELL.command, output)
    return output


def report(mem: Any, values: dict[str, Any]) -> list[str]:
    """What happened, in words; `mem`: the method's slice at the end of a run."""
    if mem[CELL.times] == 0.0:
        return []
    times = "once" if mem[CELL.times] == 1.0 else f"{mem[CELL.times]:.0f} times"
    bounds = f"{values['bound_J']:g} J in total" + (
        f" or {values['axis_bound_J']:g} J of one axis" if values["axis_bound_J"] else ""
    )
    done = {"log": "noted", "damp": "damped", "stop": "stopped"}[values["action"]]
    return [
        f"monitor: observed energy above {bounds} {times}, first at t = {mem[CELL.first]:.3f} s, "
        f"at most {mem[CELL.highest]:.3g} J; {done}"
    ]


METHOD = Method(
    name="monitor",
    summary="observes the energy that the rig adds, and acts above a bound",
    knows="nothing",
    while_latched="it observes: the pair grows as with the force passed on, until its bound acts",
    group=MONITOR,
    marker=Monitor(
        memory=0,
        frame=0,
        bound=0.0,
        axis_bound=0.0,
        action=0,
        damping=0.0,
        blend=0.0,
        threshold=0.0,
        longest=0.0,
    ),
    prepare=prepare,
    wrench=wrench,
    set_point=set_point,
    cells=CELLS,
    memory=floats,
    check=check,
    report=report,
    observes=OBSERVED,
    changes_wrench=False,  # what it adds above its bound is what it was asked for, wherever it is
    linear_part=lambda values, normals: ({}, []),  # it only watches, as long as the loop is stable
)
