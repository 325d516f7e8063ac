"""From what was measured to where the environment is: the seam of the re-mapping (Lange IV-B to
IV-E).

`environment` is all that the re-mapping knows of the real contact: whether there is one, along
which normal, at which point, and how far the environment lies beyond the measured contact point,
x_e - x_c. All of one instant, that of the force sample.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.core.adaptation.remapping.cells import CELL
from softdock.core.adaptation.remapping.environment.contact_point import (
    line_of_action,
    on_surface,
    tip_of_pair,
)
from softdock.core.adaptation.remapping.environment.contact_readings import is_clear, is_contact
from softdock.core.adaptation.remapping.environment.filter import (
    follow_mock_ups,
    place_environment,
    settled_normal,
)
from softdock.core.adaptation.remapping.environment.filter_cells import KALMAN
from softdock.core.adaptation.remapping.environment.joints import believed_joints, prepare_filter
from softdock.core.adaptation.remapping.environment.series import (
    in_series,
    is_given,
    series_stiffness,
)
from softdock.core.adaptation.remapping.environment.stiffness import estimated_stiffness, forget
from softdock.core.adaptation.remapping.keys import (
    AT,
    FILTER,
    ON_LINE,
    REPLACED_STIFFNESS,
    SHAPE,
    WRENCH,
)
from softdock.core.adaptation.remapping.surface_keys import OF_SCENARIO
from softdock.core.adaptation.suggestions import NOISE_SIGMAS
from softdock.core.machine.compiled import apart, compiled
from softdock.core.machine.generated import replacing
from softdock.core.shapes.keys import AT as OF
from softdock.core.shapes.keys import LAW_KEYS, PAIR
from softdock.core.shapes.laws import HUNT_CROSSLEY
from softdock.core.shapes.line import nearest_on_line
from softdock.core.shapes.line_on_shape import facing, on_pair
from softdock.core.spatial.rotations import rotate, rotate_back
from softdock.core.spatial.vectors import add, cross, dot, load6, norm, scale, subtract
from softdock.core.tables import IN_KEY

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


_kept = replacing(Environment, "seen")


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


@apart
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


@apart
def follow_joints(method, mem, rig, mock_ups, force, opens):
    """The filter's mock-ups a cycle on."""
    at = method.memory + CELL.filter
    acting = force
    if mem[at + KALMAN.touched] == 0.0:
        acting = (0.0, 0.0, 0.0)
    follow_mock_ups(prepare_filter(method, rig.T), mem, at, rig.T, mock_ups, acting, opens)


@apart
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
