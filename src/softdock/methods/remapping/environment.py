"""From what was measured to where the environment is: the seam of the re-mapping (Lange IV-B to
IV-E).

`environment` is all that the re-mapping knows of the real contact: whether there is one, along
which normal, at which point, and how far the environment lies beyond the measured contact point,
x_e - x_c. All of one instant, that of the force sample.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.compile.generated import make_replacer
from softdock.compile.jit import compiled, noinline
from softdock.loop.bodies import CHASER, TARGET
from softdock.loop.contact.keys import AT as OF
from softdock.loop.contact.keys import LAW_KEYS, PAIR
from softdock.loop.contact.laws import HUNT_CROSSLEY
from softdock.loop.contact.line import PARALLEL, nearest_on_line, on_cone, on_plane, on_sphere
from softdock.loop.contact.line_on_shape import facing, on_pair
from softdock.loop.elastic_joint import ELASTIC_JOINT
from softdock.loop.method.declaration import NOISE_SIGMAS
from softdock.loop.spatial.rotations import rotate, rotate_back
from softdock.loop.spatial.vectors import (
    add,
    add_scaled,
    cross,
    dot,
    load3,
    load6,
    norm,
    scale,
    subtract,
)
from softdock.loop.tables import IN_KEY
from softdock.methods.remapping.cells import CELL
from softdock.methods.remapping.contact_readings import is_clear, is_contact
from softdock.methods.remapping.filter import (
    KALMAN,
    FilterParams,
    believed_joint,
    follow_mock_ups,
    place_environment,
    settled_normal,
)
from softdock.methods.remapping.keys import (
    AT,
    FILTER,
    ON_LINE,
    REPLACED_STIFFNESS,
    SHAPE,
    WRENCH,
)
from softdock.methods.remapping.stiffness import (
    along_normal,
    estimated_stiffness,
    forget,
    in_series,
    is_given,
    series_stiffness,
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

# The robots' elastic joints as the re-mapping believes them: in series along a normal, and one
# by one for the filter.

JOINT = ELASTIC_JOINT.at


@compiled
def believed_joints(method, n):
    """Stiffness of both robots' joints in series along the normal [N/m]; 0: rigid."""
    vector, base = method.vector, method.base
    arms = load6(vector, base + AT.arm_compliance)
    if is_given(arms):  # other directions are free to give way
        return 1.0 / along_normal(arms, n)  # Lange eq. 16, along the normal
    given = load6(vector, base + AT.joint_stiffness)
    if is_given(given):
        return along_normal(given, n)
    joints = base + AT.joints
    chaser = vector[int(vector[joints + CHASER]) + JOINT.joint_stiffness]
    target = vector[int(vector[joints + TARGET]) + JOINT.joint_stiffness]
    return in_series(chaser, target) if chaser > 0.0 and target > 0.0 else chaser + target


@compiled
def _filter_joint(method, which, T):
    """One robot's joint as the filter believes it: as given, or the scenario's."""
    vector, base = method.vector, method.base
    stiffness = base + AT.filter_stiffness
    if vector[stiffness + CHASER] > 0.0 or vector[stiffness + TARGET] > 0.0:
        zeta, mass = vector[base + AT.filter_zeta + which], vector[base + AT.filter_mass + which]
        return believed_joint(vector[stiffness + which], mass, zeta, T)
    at = int(vector[base + AT.joints + which])
    return believed_joint(
        vector[at + JOINT.joint_stiffness],
        vector[at + JOINT.moving_mass],
        vector[at + JOINT.joint_zeta],
        T,
    )


@compiled
def prepare_filter(method, T):
    vector, base = method.vector, method.base
    return FilterParams(
        _filter_joint(method, 0, T),
        _filter_joint(method, 1, T),
        vector[base + AT.noise_force],
        vector[base + AT.noise_position],
    )


# Where two bodies touch, from the wrench alone: its line of action, intersected with a shape
# (Lange IV-E).
#
# The measured wrench says m = (x_c - x) x f (Lange eq. 36), which leaves the place along f open. A
# shape settles it. Every function takes a point of the line and its direction n, the direction of the
# force on the other body, so out of the shape; both in the shape's axes. It returns whether the line
# meets the shape's surface where that faces n, and the point; where it does not, the point of the
# line nearest to the shape (to its plane, centre, axis or apex).


@compiled
def line_of_action(centre, wrench):
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
def on_surface(vector, base, p, n):
    """A surface that the method itself was told; `base`: of its parameters in the vector."""
    shape, origin, axis = (
        int(vector[base + AT.surface]),
        load3(vector, base + AT.surface_origin),
        load3(vector, base + AT.surface_axis),
    )
    radius = vector[base + AT.surface_radius]
    if shape == SPHERE:
        return on_sphere(p, n, origin, radius)
    if shape == BOX:
        return on_box(p, n, origin, load3(vector, base + AT.surface_half))
    axis = scale(1.0 / norm(axis), axis)
    if shape == PLANE:
        return on_plane(p, n, origin, axis)
    if shape in (CYLINDER, BORE):
        return on_cylinder(p, n, origin, axis, radius, shape == CYLINDER)
    return on_cone(p, n, origin, axis, shape == OUTER_CONE)


@compiled
def tip_of_pair(vector, at):
    """Centre of the chaser's tip, chaser axes, and its radius [m]."""
    return load3(vector, at + OF.tip), vector[at + OF.tip_radius]


PAIR_SIZE = PAIR.size
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


_kept = make_replacer(Environment, "seen")


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
def closing_rate(mock_ups, n, point):
    """Rate at which the mock-ups come together at a point along the normal, as measured [m/s]."""
    c, t = mock_ups.chaser, mock_ups.target
    v_c = add(c.v, cross(rotate(c.q, c.w), subtract(point, c.p)))
    v_t = add(t.v, cross(rotate(t.q, t.w), subtract(point, t.p)))
    return dot(n, subtract(v_t, v_c))


@noinline
def nearest_pair(vector, first, count, mock_ups, p, n):
    """The pair whose tip is nearest to the line of action, and how far the line misses it [m]; of
    pairs that share a tip the one that the line meets most squarely."""
    best, error, squarely = 0, math.inf, -math.inf
    chaser, target = mock_ups.chaser, mock_ups.target
    in_target, direction = rotate_back(target.q, subtract(p, target.p)), rotate_back(target.q, n)
    for i in range(count):
        at = first + i * PAIR_SIZE
        tip = add(chaser.p, rotate(chaser.q, tip_of_pair(vector, at)[0]))
        away = norm(subtract(nearest_on_line(p, n, tip), tip))
        if away > error + SAME_PLACE:
            continue
        cosine = facing(vector, at, in_target, direction) if count > 1 else 0.0
        if away < error - SAME_PLACE or cosine > squarely:
            best, error, squarely = i, away, cosine
    return best, error if count > 0 else 0.0


@compiled
def place_of_contact(method, mem, mock_ups, p, n):
    """Pair, contact point (world), and how far the line of action misses the pair's tip [m]."""
    vector, contacts = method.vector, method.base + AT.contacts
    first, count = int(vector[contacts + IN_KEY.at]), int(vector[contacts + IN_KEY.rows])
    chaser, target = mock_ups.chaser, mock_ups.target
    pair, error = nearest_pair(vector, first, count, mock_ups, p, n)
    how = int(vector[method.base + AT.point])
    if how == WRENCH or count == 0:
        return pair, p, error
    if how == SHAPE:
        in_target, direction = (
            rotate_back(target.q, subtract(p, target.p)),
            rotate_back(target.q, n),
        )
        if int(vector[method.base + AT.surface]) == OF_SCENARIO:
            met, point = on_pair(vector, first + pair * PAIR_SIZE, in_target, direction)
        else:
            met, point = on_surface(vector, method.base, in_target, direction)
        if not met:
            mem[method.memory + CELL.missed] += 1.0
        return pair, add(target.p, rotate(target.q, point)), error
    tip, radius = tip_of_pair(vector, first + pair * PAIR_SIZE)
    return pair, subtract(add(chaser.p, rotate(chaser.q, tip)), scale(radius, n)), error


@compiled
def believed_stiffness(method, mock_ups, n, pair):
    """Stiffness of the mock-ups' contact along the normal, and its damping; for a Hunt-Crossley
    contact the scenario's own law tells the depth [N/m, Ns/m, kind]."""
    vector, base = method.vector, method.base
    chaser = load6(vector, base + AT.stiffness)
    if is_given(chaser):
        target = load6(vector, base + AT.target_stiffness)
        return (
            series_stiffness(chaser, target, n, mock_ups.chaser.q, mock_ups.target.q),
            vector[base + AT.damping],
            0,
        )
    law = int(vector[base + AT.contacts]) + pair * PAIR_SIZE + OF.real_law
    return (
        vector[law + LAW_KEYS.stiffness],
        vector[law + LAW_KEYS.damping],
        int(vector[law]),
    )


@compiled
def _depth(method, pair, kind, stiffness, damping, force, rate):
    """x_e - x_c [m] of a measured force: Lange eqs. 18 and 24, the rate being measured."""
    if kind == HUNT_CROSSLEY:
        law = int(method.vector[method.base + AT.contacts]) + pair * PAIR_SIZE + OF.real_law
        return math.pow(
            force / (stiffness * max(1.0 + method.vector[law + LAW_KEYS.factor] * rate, 1e-3)),
            1.0 / method.vector[law + LAW_KEYS.exponent],
        )
    return (force - damping * rate) / stiffness  # Lange eqs. 18, 24


@noinline
def follow_joints(method, mem, rig, mock_ups, force, opens):
    """The filter's mock-ups a cycle on."""
    at = method.memory + CELL.filter
    acting = force
    if mem[at + KALMAN.touched] == 0.0:
        acting = (0.0, 0.0, 0.0)
    follow_mock_ups(prepare_filter(method, rig.T), mem, at, rig.T, mock_ups, acting, opens)


@noinline
def environment(method, mem, rig, measured, mock_ups, wrench):
    """The environment at the instant of the force sample. `mock_ups`: measured, at that instant;
    `wrench`: on the chaser's, about its centre of mass."""
    force, chosen = norm(wrench.force), int(method.vector[method.base + AT.environment])
    seen, opens = is_contact(method, mem, force)
    if chosen == FILTER:
        follow_joints(method, mem, rig, mock_ups, wrench.force, opens)
    if not seen:
        forget(mem, method.memory + CELL.estimate)
        return no_environment()
    if chosen != FILTER and not is_clear(method, mem, force):
        return _kept(no_environment(), True)
    p, n = line_of_action(mock_ups.chaser.p, wrench)  # Lange eq. 17
    if chosen == FILTER:
        n = settled_normal(
            prepare_filter(method, rig.T),
            mem,
            method.memory + CELL.filter,
            mock_ups.target.q,
            n,
            force,
            opens,
        )
    pair, point, error = place_of_contact(method, mem, mock_ups, p, n)
    stiffness, damping, kind = believed_stiffness(method, mock_ups, n, pair)
    if chosen == REPLACED_STIFFNESS:
        joints = believed_joints(method, n)
        stiffness = in_series(stiffness, joints) if joints > 0.0 else stiffness  # Lange eq. 16
    rate = closing_rate(mock_ups, n, point)
    if int(method.vector[method.base + AT.estimate]) == ON_LINE:
        elastic = force if kind == HUNT_CROSSLEY else force - damping * rate
        stiffness = estimated_stiffness(
            mem,
            at=method.memory + CELL.estimate,
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
            params=prepare_filter(method, rig.T),
            mem=mem,
            at=method.memory + CELL.filter,
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
        depth = _depth(method, pair, kind, stiffness, damping, force, rate)
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
