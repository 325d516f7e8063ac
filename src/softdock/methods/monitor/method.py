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

from softdock.compile.jit import compiled, noinline
from softdock.loop.method.interface import STOP_REQUEST, Measured, Output, Rig, Satellites, Wrenches
from softdock.loop.method.method import Method
from softdock.loop.nominal import restore_set_points
from softdock.loop.spatial.motion import (
    Motion,
    Wrench,
    displacement,
    no_wrench,
)
from softdock.loop.spatial.rotations import rotate
from softdock.loop.spatial.vectors import add, multiply, scale, subtract
from softdock.methods.measured.frame import (
    components,
    compute_axes,
)
from softdock.methods.measured.line_of_action import (
    average,
    measured_force,
    parting_rate,
    plus_wrenches,
    satellite_motions,
)
from softdock.methods.measured.normal_damper import (
    compute_damper_wrenches,
    count_damper,
)
from softdock.methods.measured.reading_ring import (
    interpolate_motions,
    interpolate_sums,
    interpolate_wrenches,
    place_ring,
    store_reading,
)
from softdock.methods.monitor.keys import (
    DAMP,
    MONITOR,
    OBSERVED,
    STATE,
    STOP,
    Monitor,
    check,
    count_floats,
    prepare,
)


@compiled
def _multiply_axes(axes, force, moved):
    """Axis by axis."""
    return multiply(components(axes, force), components(axes, moved))


@compiled
def _compute_work(axes, wrenches: Wrenches, before: Output, after: Output):
    c = displacement(before.chaser.p, before.chaser.q, after.chaser.p, after.chaser.q)
    t = displacement(before.target.p, before.target.q, after.target.p, after.target.q)
    forces = add(
        _multiply_axes(axes, wrenches.chaser.force, c.translation),
        _multiply_axes(axes, wrenches.target.force, t.translation),
    )
    return forces, add(
        _multiply_axes(axes, wrenches.chaser.torque, c.rotation),
        _multiply_axes(axes, wrenches.target.torque, t.rotation),
    )


@compiled
def _compute_port_energy(axes, T, wrench: Wrench, before: Motion, after: Motion):
    v, w = add(before.v, after.v), add(rotate(before.q, before.w), rotate(after.q, after.w))
    return scale(0.5 * T, _multiply_axes(axes, wrench.force, v)), scale(
        0.5 * T, _multiply_axes(axes, wrench.torque, w)
    )


@compiled
def _sum(a):
    return a[0] + a[1] + a[2]


@noinline
def _observe(method: Monitor, mem, rig: Rig, measured: Measured):
    """The energies of every axis at the newest instant for which both force and pose are here."""
    s, k, T = STATE(mem, method.memory), rig.cycle, rig.T
    ring = place_ring(method.memory + STATE.size, int(math.ceil(method.longest / T - 1e-9)) + 2)
    t, was = k * T - max(measured.force_age, measured.pose_age), s.until
    store_reading(mem, ring, k, k * T, measured, (s.given, s.given_turning))
    if k == 0:
        s.until = t
        return
    if t > was:
        before, after = interpolate_motions(mem, ring, k, was), interpolate_motions(mem, ring, k, t)
        mean = average(
            interpolate_wrenches(mem, ring, k, was), interpolate_wrenches(mem, ring, k, t)
        )
        forces, torques = _compute_work(
            compute_axes(method.frame, after, (1.0, 0.0, 0.0)), mean, before, after
        )
        s.back = add(s.back, forces)
        s.back_turning = add(s.back_turning, torques)
        s.until = t
    given, given_turning = interpolate_sums(mem, ring, k, s.until)
    s.forces = subtract(given, s.back)  # Zebenay eq. 114, per axis
    s.torques = subtract(given_turning, s.back_turning)
    s.total = _sum(s.forces) + _sum(s.torques)  # Zebenay eq. 114
    s.age = k * T - s.until


@compiled
def _judge(method: Monitor, mem, rig: Rig):
    s = STATE(mem, method.memory)
    (x, y, z), (about_x, about_y, about_z) = s.forces, s.torques
    largest = max(x, y, z, about_x, about_y, about_z)
    above = s.total > method.bound or largest > method.axis_bound
    if above and not s.above:
        if s.times == 0:
            s.first = rig.cycle * rig.T
        s.times += 1
    s.highest = max(s.highest, s.total)
    s.above = above
    if above and method.action == STOP:
        mem[STOP_REQUEST] = 1.0
    step = rig.T / method.blend if method.action == DAMP else 0.0
    s.level = min(max(s.level + (step if above else -step), 0.0), 1.0)


@noinline
def wrench(
    method: Monitor, mem, rig: Rig, measured: Measured, satellites: Satellites, wrenches: Wrenches
):
    s, motions = STATE(mem, method.memory), satellite_motions(rig, satellites)
    virtual = Wrenches(no_wrench(), no_wrench())
    if rig.cycle == 0:
        s.command = motions
        count_damper(mem, s.damper, virtual, motions)
    _observe(method, mem, rig, measured)
    _judge(method, mem, rig)
    force = measured_force(measured)
    s.added = s.level * method.damping
    if s.added > 0.0 and force > method.threshold:
        push = -s.added * parting_rate(measured.wrenches, force, motions)
        virtual = compute_damper_wrenches(measured, wrenches, force, push)
    s.absorbed += count_damper(mem, s.damper, virtual, motions)
    s.held = plus_wrenches(wrenches, 1.0, virtual)
    return s.held


@noinline
def set_point(method: Monitor, mem, rig: Rig, satellites: Satellites, output: Output):
    """The energy given over the cycle that begins: held wrench and commanded motion."""
    s = STATE(mem, method.memory)
    now = restore_set_points(rig, mem, output)
    axes, held, before = compute_axes(method.frame, now, (1.0, 0.0, 0.0)), s.held, s.command
    chaser, turning = _compute_port_energy(axes, rig.T, held.chaser, before.chaser, now.chaser)
    target, target_turning = _compute_port_energy(
        axes, rig.T, held.target, before.target, now.target
    )
    s.given = add(s.given, add(chaser, target))
    s.given_turning = add(s.given_turning, add(turning, target_turning))
    s.command = now
    return output


def describe(mem: Any, values: dict[str, Any]) -> list[str]:
    """What happened, in words; `mem`: the method's slice at the end of a run."""
    s = STATE(mem)
    if s.times == 0:
        return []
    times = "once" if s.times == 1 else f"{s.times} times"
    bounds = f"{values['bound_J']:g} J in total" + (
        f" or {values['axis_bound_J']:g} J of one axis" if values["axis_bound_J"] else ""
    )
    done = {"log": "noted", "damp": "damped", "stop": "stopped"}[values["action"]]
    return [
        f"monitor: observed energy above {bounds} {times}, first at t = {s.first:.3f} s, "
        f"at most {s.highest:.3g} J; {done}"
    ]


METHOD = Method(
    name="monitor",
    summary="observes the energy that the rig adds, and acts above a bound",
    knows="no parameter",
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
    cells=STATE,
    memory=count_floats,
    check=check,
    report=describe,
    observes=OBSERVED,
    changes_wrench=False,  # what it adds above its bound is what it was asked for, wherever it is
    linear_part=lambda values, normals: ({}, []),  # it only watches, as long as the loop is stable
)
