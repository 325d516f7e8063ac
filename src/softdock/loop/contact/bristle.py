"""Friction with stiction: at each touch a bristle, a spring along the surface that is stretched
until it slips, and one about the normal.

With N the normal force, k the bristle's stiffness and r the radius of the patch that touches,

    drag  = -k s            s: stretch along the surface [m]
    twist = -k r^2/2 a      a: turn about the normal [rad]

    (drag / (mu N))^2 + (twist / (2/3 mu N r))^2 <= 1

s and a follow the way of the material points that touch, from the relative pose of the last instant
to this one, and stay within their common limit, an ellipse; the rest has slipped. A disc pressed
evenly slips at the twist 2/3 mu N r. Within the limit nothing is lost: k s^2 / 2 + k r^2 a^2 / 4 is
stored. Between two instants the way is taken as straight and the limit as that of the second:
exact where nothing slips, of the first order in their distance where something does.

All that is remembered is in `mem`: per pair the relative pose of the last instant, per tip the
bristles of its two touches. Friction without bristles: `drag`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled, noinline
from softdock.loop.contact.laws import friction_factor
from softdock.loop.spatial.rotations import inverse, logarithm, product, rotate, rotate_back
from softdock.loop.spatial.vectors import add, add_scaled, cross, dot, norm, scale, subtract

if TYPE_CHECKING:
    from softdock.loop.contact.pair import Pair
    from softdock.loop.contact.touch import Touch
    from softdock.loop.spatial.motion import Motion

BRISTLED = Cells(
    "bristled",
    Cell("place", 3, "m", "chaser's centre of mass from the target's at the last instant"),
    Cell("attitude", 4, "-", "of the chaser seen from the target; zeros: there was none"),
)
BRISTLE = Cells(
    "bristle",
    Cell("stretch", 3, "m", "target axes"),
    Cell("turn", float, "rad", "about the normal"),
)
POSE_FLOATS, TIP_FLOATS = BRISTLED.size, 2 * BRISTLE.size  # of a pair, of each of its tips


class Place(NamedTuple):
    """The chaser seen from the target, target axes."""

    p: tuple  # m, between the centres of mass
    q: tuple  # attitude


class Rubbed(NamedTuple):
    """What friction does at one touch, target axes."""

    force: tuple  # N, on the tip
    torque: tuple  # Nm, about the tip's centre
    stored: float  # J
    lost: float  # J, since the last instant


@compiled
def no_rub():
    return Rubbed((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0, 0.0)


@compiled
def place_of(chaser: Motion, target: Motion):
    return Place(
        rotate_back(target.q, subtract(chaser.p, target.p)), product(inverse(target.q), chaser.q)
    )


@compiled
def touch_at(states, tip, j):
    """Where the bristle of touch j of a tip stands; `states`: of the pair (`PAIR_CELLS`)."""
    return states + POSE_FLOATS + TIP_FLOATS * tip + BRISTLE.size * j


@noinline
def _follow_way(stretch, aside, slid, turned, most):
    """Stretch and turn, in m, after a straight way within the ball of the radius `most`: free in
    it; on its surface only what of the way lies along the surface, exactly: with the angle b
    between stretch and way, tan(b/2) falls with exp(-way / most)."""
    size = math.sqrt(dot(stretch, stretch) + aside * aside)
    if size > most:  # the normal force has fallen
        stretch, aside, size = scale(most / size, stretch), most / size * aside, most
    way = math.sqrt(dot(slid, slid) + turned * turned)
    onwards = dot(stretch, slid) + aside * turned
    if size * size + 2.0 * onwards + way * way <= most * most or way == 0.0:
        return add(stretch, slid), aside + turned
    if most == 0.0:
        return (0.0, 0.0, 0.0), 0.0
    free = (math.sqrt(onwards * onwards + way * way * (most * most - size * size)) - onwards) / (
        way * way
    )
    stretch, aside = add_scaled(stretch, free, slid), aside + free * turned
    cosine = min(max((onwards / way + free * way) / most, -1.0), 1.0)
    half = math.sqrt((1.0 - cosine) / (1.0 + cosine)) if cosine > -1.0 else math.inf
    half *= math.exp(-(1.0 - free) * way / most)
    share = 1.0 / (1.0 + half * half)
    # what of the stretch is square to the way, and by how much it has become shorter
    before = math.sqrt(max(1.0 - cosine * cosine, 0.0))
    left = 2.0 * half * share / before if before > 0.0 else 0.0
    ahead = most * ((1.0 - half * half) * share - left * cosine) / way
    return (
        add_scaled(scale(left, stretch), ahead, slid),
        left * aside + ahead * turned,
    )


@noinline
def rub(mem, states, at, pair: Pair, touch: Touch, normal, tip, here: Place, keeps):
    """One touch of a normal force `normal` [N]. `at`: its bristle (`touch_at`); `tip`: the tip's
    centre from the target's centre of mass, target axes; `keeps`: this instant is the last from now
    on, once `keep_place` has been called."""
    law, bristle, was = pair.law, BRISTLE(mem, at), BRISTLED(mem, states)
    k, r = law.bristle, law.patch
    twisting = 0.5 * k * r * r
    before, turn_before = bristle.stretch, bristle.turn
    held = 0.5 * (k * dot(before, before) + twisting * turn_before * turn_before)
    length = norm(touch.normal)
    if touch.depth <= 0.0 or normal <= 0.0 or length == 0.0:
        if keeps:
            bristle.stretch = (0.0, 0.0, 0.0)
            bristle.turn = 0.0
        return Rubbed((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0, held)
    n = scale(1.0 / length, touch.normal)
    arm = scale(0.5 * touch.depth - pair.tip_radius, touch.normal)
    slid, turned = (0.0, 0.0, 0.0), 0.0
    if was.attitude[0] != 0.0 or was.attitude[1] != 0.0 or was.attitude[2] != 0.0:
        there = add(tip, arm)
        on_chaser = rotate_back(here.q, subtract(there, here.p))
        slid = subtract(there, add(was.place, rotate(was.attitude, on_chaser)))
        turned = dot(n, logarithm(product(here.q, inverse(was.attitude))))
        slid = add_scaled(slid, -dot(n, slid), n)
    # turned with the surface, its length kept
    along = add_scaled(before, -dot(n, before), n)
    if norm(along) > 0.0:
        along = scale(norm(before) / norm(along), along)
    stretch, aside = _follow_way(
        along,
        turn_speed(law, turn_before),
        slid,
        turn_speed(law, turned),
        law.friction * normal / k,
    )
    turn = aside / turn_speed(law, 1.0) if r > 0.0 else 0.0
    drag = scale(-k, stretch)
    twist = scale(-twisting * turn, n)
    stored = 0.5 * (k * dot(stretch, stretch) + twisting * turn * turn)
    work = 0.5 * (k * dot(add(along, stretch), slid) + twisting * (turn_before + turn) * turned)
    if keeps:
        bristle.stretch = stretch
        bristle.turn = turn
    return Rubbed(drag, add(cross(arm, drag), twist), stored, held + work - stored)


@compiled
def keep_place(mem, states, here: Place):
    """The relative pose of the last instant, once all touches of a pair have been looked at."""
    was = BRISTLED(mem, states)
    was.place = here.p
    was.attitude = here.q


@compiled
def turn_speed(law, turn):
    """What a turn about the normal counts for beside a way along the surface, in the ellipse."""
    return 0.75 * law.patch * turn


@compiled
def twist_arm(law):
    """Torque over N f turn, where drag is N f v [m^2]."""
    return 0.5 * law.patch * law.patch


@compiled
def sliding_at(pair: Pair, touch: Touch, v, spin):
    """The middle of the overlap from the tip's centre [m], and the sliding velocity there [m/s];
    target axes."""
    n = touch.normal
    arm = scale(0.5 * touch.depth - pair.tip_radius, n)
    at_touch = add(v, cross(spin, arm))
    return arm, add_scaled(at_touch, -dot(n, at_touch), n)


@compiled
def drag(pair: Pair, touch: Touch, normal, v, spin):
    """Friction of a touch without a bristle: force on the tip [N], torque about its centre [Nm],
    power lost [W]; target axes. `normal`: force [N]."""
    law, n = pair.law, touch.normal
    arm, sliding = sliding_at(pair, touch, v, spin)
    turning = dot(n, spin)
    factor = friction_factor(law, norm(sliding), turn_speed(law, turning))
    force = scale(-normal * factor, sliding)
    twist = -normal * factor * twist_arm(law) * turning
    lost = -(dot(force, sliding) + twist * turning)
    return force, add_scaled(cross(arm, force), twist, n), lost
