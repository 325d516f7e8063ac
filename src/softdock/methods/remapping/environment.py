"""From what was measured to where the environment is: the seam of the re-mapping (Lange IV-B to
IV-E).

`find_environment` is all that the re-mapping knows of the real contact: whether there is one, along
which normal, at which point, and how far the environment lies beyond the measured contact point,
x_e - x_c. All of one instant, that of the force sample.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.compile.generated import make_replacer
from softdock.compile.jit import compiled, noinline
from softdock.loop.arms.modes import MODES
from softdock.loop.bodies import CHASER, TARGET
from softdock.loop.contact.keys import AT as OF
from softdock.loop.contact.keys import LAW_KEYS, PAIR
from softdock.loop.contact.laws import HUNT_CROSSLEY
from softdock.loop.contact.line import PARALLEL, nearest_on_line, on_cone, on_plane, on_sphere
from softdock.loop.contact.line_on_shape import facing, on_pair
from softdock.loop.elastic_joint import ELASTIC_JOINT
from softdock.loop.method.declaration import NOISE_SIGMAS
from softdock.loop.method.interface import Output, Rig
from softdock.loop.spatial.motion import Wrench, no_wrench
from softdock.loop.spatial.rotations import rotate, rotate_back
from softdock.loop.spatial.vectors import (
    add,
    add_scaled,
    cross,
    dot,
    norm,
    scale,
    subtract,
)
from softdock.loop.tables import IN_KEY
from softdock.methods.remapping.filter import (
    FELT_ONCE,
    IN_CONTACT,
    Believed,
    FilterParams,
    follow_mock_ups,
    place_environment,
    prepare_joint,
    settle_normal,
)
from softdock.methods.remapping.keys import (
    FILTER,
    OF_ARMS,
    ON_LINE,
    REMAPPING,
    REPLACED_STIFFNESS,
    SHAPE,
    WRENCH,
    Remapping,
    read_keys,
)
from softdock.methods.remapping.state import STATE
from softdock.methods.remapping.stiffness import (
    combine_in_series,
    combine_stiffness,
    estimate_stiffness,
    forget_contact,
    is_given,
    project_on_normal,
)
from softdock.methods.remapping.surface_keys import (
    BORE,
    BOX,
    CYLINDER,
    OF_SCENARIO,
    OUTER_CONE,
    PLANE,
    SPHERE,
)

CLEAR = 6.0  # thresholds: a force beyond tells its normal well enough to hold later ones against


@compiled
def is_contact(method: Remapping, mem, force):
    """Whether a measured force [N] is a contact, and whether it opens with this sample.

    Noise on three channels passes four of its deviations in one sample of a thousand: a force below
    twice the threshold must be felt in two samples before it opens a contact.
    """
    s = STATE(mem, method.memory).filter
    felt, before = force > method.threshold and force > 0.0, s.touched
    touches = felt and (before != 0.0 or force > 2.0 * method.threshold)
    s.touched = 0.0
    if touches:
        s.touched = IN_CONTACT
    elif felt:
        s.touched = FELT_ONCE
    return touches, touches and before != IN_CONTACT


@compiled
def is_clear(method: Remapping, mem, force):
    """Whether a reading may move what is known of a contact. Where a clear force has told the
    normal, a weak one does not: near the parting it is mostly noise, whose direction is any, and
    satellites that are elsewhere than the mock-ups would overlap an environment of that normal by
    millimetres.
    """
    s, enough = STATE(mem, method.memory), CLEAR * method.threshold
    return force >= enough or not s.known or s.first_force < enough


# The robots' elastic joints as the re-mapping believes them: in series along a normal, and one
# by one for the filter.


@compiled
def _find_joint(method: Remapping, which):
    """The scenario's own joint of a robot."""
    return ELASTIC_JOINT(method.vector, int(read_keys(method).joints[which]))


@compiled
def compute_joints(method: Remapping, n):
    """Stiffness of both robots' joints in series along the normal [N/m]; 0: rigid."""
    keys = read_keys(method)
    if is_given(keys.arm_compliance):  # other directions are free to give way
        # Lange eq. 16, along the normal
        return 1.0 / project_on_normal(keys.arm_compliance, n)
    if is_given(keys.joint_stiffness):
        return project_on_normal(keys.joint_stiffness, n)
    chaser = _find_joint(method, CHASER).joint_stiffness
    target = _find_joint(method, TARGET).joint_stiffness
    return combine_in_series(chaser, target) if chaser > 0.0 and target > 0.0 else chaser + target


@compiled
def _prepare_filter_joint(method: Remapping, which, T):
    """One robot's joint as the filter believes it: as given, or the scenario's."""
    keys = read_keys(method)
    if keys.filter_stiffness[CHASER] > 0.0 or keys.filter_stiffness[TARGET] > 0.0:
        return prepare_joint(
            keys.filter_stiffness[which], keys.filter_mass[which], keys.filter_zeta[which], T
        )
    joint = _find_joint(method, which)
    return prepare_joint(joint.joint_stiffness, joint.moving_mass, joint.joint_zeta, T)


@compiled
def prepare_filter(method: Remapping, T):
    keys, chaser, target = read_keys(method), -1, -1
    if int(keys.robot_stiffness) == OF_ARMS:
        chaser = method.base + REMAPPING.at.arm_modes
        target = chaser + MODES.size
    return FilterParams(
        _prepare_filter_joint(method, CHASER, T),
        _prepare_filter_joint(method, TARGET, T),
        keys.noise_force,
        keys.noise_position,
        Believed(method.vector, chaser, target, keys.arm_factor),
    )


# Where two bodies touch, from the wrench alone: its line of action, intersected with a shape
# (Lange IV-E).
#
# The measured wrench says m = (x_c - x) x f (Lange eq. 36), which leaves the place along f open. A
# shape settles it. Every function takes a point of the line and its direction n, the direction of
# the force on the other body, so out of the shape; both in the shape's axes. It returns whether the
# line meets the shape's surface where that faces n, and the point; where it does not, the point of
# the line nearest to the shape (to its plane, centre, axis or apex).


@compiled
def find_line_of_action(centre, wrench: Wrench):
    """The point of the line of action nearest to the wrench's own point of reference, and the
    direction of the force."""
    f = wrench.force
    size = norm(f)
    return add_scaled(centre, 1.0 / (size * size), cross(f, wrench.torque)), scale(
        1.0 / size, f
    )  # Lange eqs. 17, 36


@compiled
def on_cylinder(p, n, origin, axis, radius, outward):
    """An endless cylinder about `axis`; `outward`: its outer face, else a bore."""
    across = add_scaled(n, -dot(n, axis), axis)
    squared = dot(across, across)
    start = subtract(p, origin)
    start = add_scaled(start, -dot(start, axis), axis)
    if squared < PARALLEL * PARALLEL:
        return False, p
    middle = -dot(start, across) / squared
    away = add_scaled(start, middle, across)
    room = radius * radius - dot(away, away)
    if room < 0.0:
        return False, add_scaled(p, middle, n)
    reach = math.sqrt(room / squared)
    return True, add_scaled(p, middle + (reach if outward else -reach), n)


@compiled
def on_box(p, n, centre, half):
    """A box along the axes, half its edges in `half`: the point where n leaves it."""
    start = subtract(p, centre)
    enter, leave = -math.inf, math.inf
    for i in range(3):
        if abs(n[i]) < PARALLEL:
            if abs(start[i]) > half[i]:
                return False, nearest_on_line(p, n, centre)
        else:
            a, b = (-half[i] - start[i]) / n[i], (half[i] - start[i]) / n[i]
            enter, leave = max(enter, min(a, b)), min(leave, max(a, b))
    if enter > leave:
        return False, nearest_on_line(p, n, centre)
    return True, add_scaled(p, leave, n)


@noinline
def on_surface(method: Remapping, p, n):
    """A surface that the method itself was given."""
    keys = read_keys(method)
    shape, origin, radius = int(keys.surface), keys.surface_origin, keys.surface_radius
    if shape == SPHERE:
        return on_sphere(p, n, origin, radius)
    if shape == BOX:
        return on_box(p, n, origin, keys.surface_half)
    axis = scale(1.0 / norm(keys.surface_axis), keys.surface_axis)
    if shape == PLANE:
        return on_plane(p, n, origin, axis)
    if shape in (CYLINDER, BORE):
        return on_cylinder(p, n, origin, axis, radius, shape == CYLINDER)
    return on_cone(p, n, origin, axis, shape == OUTER_CONE)


SAME_PLACE = 1e-9  # m: tips that are as far from the line as this are one


class Environment(NamedTuple):
    seen: bool  # a real contact
    normal: tuple  # of the force on the chaser, world
    point: tuple  # x_c, world, m
    depth: float  # x_e - x_c along the normal, m
    stiffness: float  # N/m, of the mock-ups' contact along the normal
    pair: int  # which contact pair
    error: float  # m, of the line of action from that pair's tip
    clear: bool  # a force that tells its normal; else what is known of the contact is kept


_replace_seen = make_replacer(Environment, "seen")


@compiled
def no_environment():
    return Environment(
        seen=False,
        normal=(0.0, 0.0, 0.0),
        point=(0.0, 0.0, 0.0),
        depth=0.0,
        stiffness=0.0,
        pair=0,
        error=0.0,
        clear=False,
    )


@compiled
def compute_closing_rate(mock_ups: Output, n, point):
    """Rate at which the mock-ups come together at a point along the normal, as measured [m/s]."""
    c, t = mock_ups.chaser, mock_ups.target
    v_c = add(c.v, cross(rotate(c.q, c.w), subtract(point, c.p)))
    v_t = add(t.v, cross(rotate(t.q, t.w), subtract(point, t.p)))
    return dot(n, subtract(v_t, v_c))


@noinline
def find_nearest_pair(vector, first, count, mock_ups: Output, p, n):
    """The pair whose tip is nearest to the line of action, and how far the line misses it [m]; of
    pairs that share a tip the one that the line meets most squarely."""
    best, error, squarely = 0, math.inf, -math.inf
    chaser, target = mock_ups.chaser, mock_ups.target
    in_target, direction = rotate_back(target.q, subtract(p, target.p)), rotate_back(target.q, n)
    for i in range(count):
        at = first + i * PAIR.size
        tip = add(chaser.p, rotate(chaser.q, PAIR(vector, at).tip))
        away = norm(subtract(nearest_on_line(p, n, tip), tip))
        if away > error + SAME_PLACE:
            continue
        cosine = facing(vector, at, in_target, direction) if count > 1 else 0.0
        if away < error - SAME_PLACE or cosine > squarely:
            best, error, squarely = i, away, cosine
    return best, error if count > 0 else 0.0


@compiled
def find_contact_point(method: Remapping, mem, mock_ups: Output, p, n):
    """Pair, contact point (world), and how far the line of action misses the pair's tip [m]."""
    vector, keys = method.vector, read_keys(method)
    first, count = int(keys.contacts[IN_KEY.at]), int(keys.contacts[IN_KEY.rows])
    chaser, target = mock_ups.chaser, mock_ups.target
    pair, error = find_nearest_pair(vector, first, count, mock_ups, p, n)
    how = int(keys.point)
    if how == WRENCH or count == 0:
        return pair, p, error
    at = first + pair * PAIR.size
    if how == SHAPE:
        in_target, direction = (
            rotate_back(target.q, subtract(p, target.p)),
            rotate_back(target.q, n),
        )
        if int(keys.surface) == OF_SCENARIO:
            met, point = on_pair(vector, at, in_target, direction)
        else:
            met, point = on_surface(method, in_target, direction)
        if not met:
            STATE(mem, method.memory).missed += 1
        return pair, add(target.p, rotate(target.q, point)), error
    touching = PAIR(vector, at)
    tip, radius = touching.tip, touching.tip_radius
    return pair, subtract(add(chaser.p, rotate(chaser.q, tip)), scale(radius, n)), error


@compiled
def find_real_law(method: Remapping, pair):
    """Where in the vector the scenario's law of a pair's real contact stands."""
    return int(read_keys(method).contacts[IN_KEY.at]) + pair * PAIR.size + OF.real_law


@compiled
def compute_stiffness(method: Remapping, mock_ups: Output, n, pair):
    """Stiffness of the mock-ups' contact along the normal, and its damping; for a Hunt-Crossley
    contact the scenario's own law tells the depth [N/m, Ns/m, kind]."""
    vector, keys = method.vector, read_keys(method)
    if is_given(keys.stiffness):
        stiffness = combine_stiffness(
            keys.stiffness, keys.target_stiffness, n, mock_ups.chaser.q, mock_ups.target.q
        )
        n_C = rotate_back(mock_ups.chaser.q, n)
        return stiffness, project_on_normal(keys.damping, n_C), 0  # Lange eq. 24
    law = find_real_law(method, pair)
    return vector[law + LAW_KEYS.stiffness], vector[law + LAW_KEYS.damping], int(vector[law])


@compiled
def _compute_depth(method: Remapping, pair, kind, stiffness, damping, force, rate):
    """x_e - x_c [m] of a measured force: Lange eqs. 18 and 24, the rate being measured."""
    if kind == HUNT_CROSSLEY:
        law = find_real_law(method, pair)
        return math.pow(
            force / (stiffness * max(1.0 + method.vector[law + LAW_KEYS.factor] * rate, 1e-3)),
            1.0 / method.vector[law + LAW_KEYS.exponent],
        )
    return (force - damping * rate) / stiffness  # Lange eqs. 18, 24


@noinline
def follow_joints(method: Remapping, mem, rig: Rig, mock_ups: Output, wrench: Wrench, opens):
    """The filter's mock-ups a cycle on."""
    s = STATE(mem, method.memory).filter
    acting = wrench
    if s.touched == 0.0:
        acting = no_wrench()
    follow_mock_ups(prepare_filter(method, rig.T), s, rig.T, mock_ups, acting, opens)


@noinline
def find_environment(method: Remapping, mem, rig: Rig, mock_ups: Output, wrench: Wrench):
    """The environment at the instant of the force sample. `mock_ups`: measured, at that instant;
    `wrench`: on the chaser's, about its centre of mass."""
    s, keys = STATE(mem, method.memory), read_keys(method)
    force, chosen = norm(wrench.force), int(keys.environment)
    seen, opens = is_contact(method, mem, force)
    if chosen == FILTER:
        follow_joints(method, mem, rig, mock_ups, wrench, opens)
    if not seen:
        forget_contact(s.estimate)
        return no_environment()
    if chosen != FILTER and not is_clear(method, mem, force):
        return _replace_seen(no_environment(), True)
    p, n = find_line_of_action(mock_ups.chaser.p, wrench)  # Lange eq. 17
    if chosen == FILTER:
        n = settle_normal(
            prepare_filter(method, rig.T), s.filter, mock_ups.target.q, n, force, opens
        )
    pair, point, error = find_contact_point(method, mem, mock_ups, p, n)
    stiffness, damping, kind = compute_stiffness(method, mock_ups, n, pair)
    if chosen == REPLACED_STIFFNESS:
        joints = compute_joints(method, n)
        # Lange eq. 16
        stiffness = combine_in_series(stiffness, joints) if joints > 0.0 else stiffness
    rate = compute_closing_rate(mock_ups, n, point)
    if int(keys.estimate) == ON_LINE:
        elastic = force if kind == HUNT_CROSSLEY else force - damping * rate
        stiffness = estimate_stiffness(
            s.estimate,
            mock_ups=mock_ups,
            n=n,
            point=point,
            force=elastic,
            believed=stiffness,
            noise=method.threshold / NOISE_SIGMAS,
        )
    is_unknown = stiffness <= 0.0
    if is_unknown:
        depth = 0.0
    elif chosen == FILTER:
        depth = place_environment(
            prepare_filter(method, rig.T),
            s.filter,
            T=rig.T,
            mock_ups=mock_ups,
            n=n,
            point=point,
            force=dot(n, wrench.force),
            k=stiffness,
            c=damping,
            opens=opens,
        )[0]
    else:
        depth = _compute_depth(method, pair, kind, stiffness, damping, force, rate)
    return Environment(
        seen=not is_unknown,
        normal=n,
        point=point,
        depth=depth,
        stiffness=stiffness,
        pair=pair,
        error=error,
        clear=True,
    )
