"""Stage 4, the contact: poses and twists of the two mock-ups in, wrenches on both out.

In: `chaser` and `target` motions (pose, velocity in world axes, rate in body axes). Out: `Contact`, the equal and opposite wrenches about
each centre of mass in world axes, the energy stored and the power dissipated. Orbit's reference calls the same functions with the
satellites' own motion and the wanted law. Lists of models: `LAWS` in laws.py, `GEOMETRIES` in pairs.py.
"""

from __future__ import annotations

from typing import NamedTuple

from softdock.compiled import compiled
from softdock.contact.cone import touch_cone
from softdock.contact.laws import elastic_force, normal_force, stored_energy
from softdock.contact.pairs import CONE, LATCH, PAIR_FLOATS, SPHERE, load_pair
from softdock.contact.sphere import touch_sphere
from softdock.contact.touch import NO_TOUCH, NONE
from softdock.contact.wall import touch_wall
from softdock.spatial.rotations import rotate, rotate_back
from softdock.spatial.vectors import add, add_scaled, cross, dot, norm, scale, subtract


class Contact(NamedTuple):
    """The touch of two bodies at one instant."""

    force: tuple  # N on the chaser, world axes; the target gets the opposite
    torque_chaser: tuple  # Nm about the chaser's centre of mass, world axes
    torque_target: tuple  # Nm about the target's centre of mass, world axes
    stored: float  # J
    dissipated: float  # W
    depth: float  # m, the deepest; negative: the smallest gap
    pair: int  # index of the deepest pair
    peak: float  # N, largest normal force of any single pair


@compiled
def _touch(pair, latched, tip):
    if pair.geometry == CONE:
        return touch_cone(pair.shape, tip, pair.tip_radius, latched)
    if pair.geometry == SPHERE:
        return touch_sphere(pair.shape, tip, pair.tip_radius)
    return touch_wall(pair.shape, tip, pair.tip_radius)


@compiled
def _law_force(law, touch, rate):
    """Normal force [N], stored energy [J] and dissipated power [W] of one touch."""
    if touch.depth <= 0.0:
        return 0.0, 0.0, 0.0
    force = normal_force(law, touch.depth, rate)
    return force, stored_energy(law, touch.depth), (force - elastic_force(law, touch.depth)) * rate


@compiled
def tip_in_target(pair, chaser, target):
    """Tip centre from the chaser's centre of mass (world), from the target's (world), and the same relative to the shape (target axes)."""
    arm = rotate(chaser.q, pair.tip)
    from_target = add(subtract(chaser.p, target.p), arm)
    return arm, from_target, subtract(rotate_back(target.q, from_target), pair.origin)


@compiled
def tip_velocity(chaser, target, arm, from_target):
    """Velocity of the tip as seen in the target's turning frame, target axes [m/s]."""
    v_tip = add(chaser.v, cross(rotate(chaser.q, chaser.w), arm))
    v_surface = add(target.v, cross(rotate(target.q, target.w), from_target))
    return rotate_back(target.q, subtract(v_tip, v_surface))


@compiled
def touch_bodies(mem, at, pairs, chaser, target):
    """All pairs at one instant. Updates the latched sides in `mem`."""
    force, torque_chaser, torque_target = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    stored, dissipated, peak = 0.0, 0.0, 0.0
    depth, deepest = NO_TOUCH, 0
    for i in range(pairs):
        here = at + i * PAIR_FLOATS
        pair = load_pair(mem, here)
        arm, from_target, tip = tip_in_target(pair, chaser, target)
        touches = _touch(pair, int(mem[here + LATCH]), tip)
        deeper = max(touches.first.depth, touches.second.depth)
        if deeper > depth:
            depth, deepest = deeper, i
        if deeper <= 0.0:
            mem[here + LATCH] = float(NONE)
            continue
        mem[here + LATCH] = float(touches.side)
        v = tip_velocity(chaser, target, arm, from_target)
        f1, s1, d1 = _law_force(pair.law, touches.first, -dot(touches.first.normal, v))
        f2, s2, d2 = _law_force(pair.law, touches.second, -dot(touches.second.normal, v))
        f_T = add_scaled(scale(f1, touches.first.normal), f2, touches.second.normal)
        f_W = rotate(target.q, f_T)
        force = add(force, f_W)
        torque_chaser = add(torque_chaser, cross(arm, f_W))
        torque_target = subtract(torque_target, cross(from_target, f_W))
        stored += s1 + s2
        dissipated += d1 + d2
        peak = max(peak, norm(f_W))
    return Contact(force, torque_chaser, torque_target, stored, dissipated, depth, deepest, peak)


@compiled
def gap_rate(mem, at, index, chaser, target):
    """Rate of the gap of one pair [m/s], with its own normal at this instant; touching or not."""
    here = at + index * PAIR_FLOATS
    pair = load_pair(mem, here)
    arm, from_target, tip = tip_in_target(pair, chaser, target)
    touches = _touch(pair, int(mem[here + LATCH]), tip)
    normal = touches.first.normal
    if touches.second.depth > touches.first.depth:
        normal = touches.second.normal
    return dot(normal, tip_velocity(chaser, target, arm, from_target))
