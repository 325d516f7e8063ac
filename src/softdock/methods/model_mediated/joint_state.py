"""What the joint fit (joint.py) works on: samples with several touches at once, its unknowns and
equations, which numbers of the laws are unknown, and its first guess.

A sample is the measured wrench and its slope with their noise, and of each touch point, depth,
rate, sliding velocity and normal (m, m/s, N, Nm; world axes). When there is no room every second
sample is dropped, and from then on every second one is not taken.

The guess is the laws as they are believed. Where those do not explain the samples it is one spring
for all pairs.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, NamedTuple

from softdock.compile.cells import Cell, Cells, layout_of, many
from softdock.compile.jit import compiled, noinline
from softdock.loop.contact.keys import MOST_PAIRS
from softdock.loop.spatial.motion import Wrench
from softdock.loop.spatial.vectors import Vector, dot, norm
from softdock.methods.model_mediated.law import EXPLAINED, F_0, C, G, N, has

SEVERAL = 64  # samples kept
TOUCHES = 4  # at once; a sample with more is left out


class Touch(NamedTuple):
    """One touch of a sample, world axes."""

    pair: Annotated[int, "-", "which pair"]
    depth: Annotated[float, "m", "of the mock-ups, as reported"]
    rate: Annotated[float, "m/s", "of the depth"]
    # of a reading that is a mean of several samples, the same at its second instant (samples.py)
    depth_2: Annotated[float, "m", "at the second instant"]
    rate_2: Annotated[float, "m/s", "and there"]
    normal: Annotated[Vector, "-", "out of the target"]
    arm: Annotated[Vector, "m", "from the chaser's centre of mass"]
    sliding: Annotated[Vector, "m/s", "of the chaser's part over the target's"]
    slides: Annotated[float, "m/s", "along it, at the first instant"]
    slides_2: Annotated[float, "m/s", "and at the second"]


TOUCH = layout_of(Touch)
SAMPLE_OF_SEVERAL = Cells(
    "sample_of_several",
    Cell("number", int, "-", "of touches"),
    Cell("force_variance", float, "N^2", "of a component of the force"),
    Cell("torque_variance", float, "Nm^2", "of a component of the torque"),
    Cell("wrench", Wrench, "N, Nm", "on the chaser, tared"),
    Cell("slope", Wrench, "N/s, Nm/s", "of the wrench since the reading before"),
    Cell("touches", many(TOUCHES, TOUCH), "", "a `touch` each"),
)
SEVERAL_TOUCHES = Cells(
    "several_touches",
    Cell("count", int, "-", "samples kept"),
    Cell("seen", int, "-", "samples in all"),
    Cell("due", float, "-", "samples, of single touches too, at which they are fitted again"),
    Cell("stride", int, "-", "every so many samples one is kept"),
    Cell("largest", float, "N", "largest force"),
    Cell("left_out", int, "-", "samples of more touches than are kept"),
    Cell("misfit", float, "-", "root mean square of what the laws leave, of the largest force"),
    Cell("rows", many(SEVERAL, SAMPLE_OF_SEVERAL), "", "the samples"),
)


class LawUnknowns(NamedTuple):
    """Of one pair."""

    k: Annotated[float, "N", "force of the spring at the deepest sample"]
    c: Annotated[float, "Ns/m", "damping"]
    f_0: Annotated[float, "N", "pre-load"]
    n: Annotated[float, "-", "power of the deflection"]
    g: Annotated[float, "Ns/m", "k lambda"]
    ramp: Annotated[float, "-", "logarithm of d_0 in m"]


class Column(NamedTuple):
    """Derivatives of one sample by one unknown."""

    unknown: Annotated[int, "-", "which"]
    force: Annotated[Vector, "N", "change of the sample's force"]
    torque: Annotated[Vector, "Nm", "of its torque"]


U = layout_of(LawUnknowns).at
PER = len(LawUnknowns._fields)
UNKNOWNS = MOST_PAIRS * PER + 2  # and of all pairs: mu, and the logarithm of v_0
MU, SLIP = UNKNOWNS - 2, UNKNOWNS - 1
# Unknowns and equations are arrays by index, number PER i + U.k and so on of pair i: elimination
# runs over all unknowns alike, whichever law and number they belong to.
JOINT = Cells(
    "joint",
    Cell("kind", int, "-", "1 to 7: kind of laws that is tried; 0: no fit is under way"),
    Cell("round", int, "-", "of Levenberg and Marquardt"),
    Cell("brake", float, "-", "their lambda: 0 a step of Gauss and Newton"),
    Cell("rows", int, "-", "samples that this fit rests on"),
    Cell("chi", float, "-", "of the best unknowns of this kind so far"),
    Cell("last_chi", float, "-", "by equation, of the last fit that ended"),
    Cell("used", float, "-", "equations"),
    Cell("seen", int, "-", "samples that this fit has seen"),
    Cell("fitted", int, "-", "samples that the last fit to end has seen"),
    Cell("best_kind", int, "-", "kind with the least chi^2 + p ln N so far"),
    Cell("best_chi", float, "-", "its chi^2 by equation"),
    Cell("best_number", float, "-", "its unknowns"),
    Cell("last_kind", int, "-", "kind that explained the samples of the last fit; 0: none did"),
    Cell("guess", float, "N/m", "a stiffness from the largest sample"),
    Cell("friction_spread", float, "-", "standard deviation of mu"),
    Cell("sliding", float, "m/s", "root mean square over the samples, by their force"),
    Cell("touched", many(MOST_PAIRS, bool), "-", "1: the pair is in the samples"),
    Cell(
        "own", many(MOST_PAIRS, int), "-", "model that a pair's samples alone have shown; 0: none"
    ),
    Cell("unit", many(MOST_PAIRS), "m", "its deepest sample"),
    Cell("spread", many(MOST_PAIRS), "-", "standard deviation of its stiffness, as a share of it"),
    Cell("start", many(UNKNOWNS), "", "unknowns before the fit"),
    Cell("now", many(UNKNOWNS), "", "unknowns in this round"),
    Cell("before", many(UNKNOWNS), "", "best unknowns of this kind so far"),
    Cell("best", many(UNKNOWNS), "", "unknowns of the best kind"),
    Cell("columns", many(TOUCHES * PER + 2, Column), "", "derivatives of one sample"),
    Cell("coupled", many(UNKNOWNS, bool), "-", "1: others are in its equation"),
    Cell("matrix", many(UNKNOWNS * UNKNOWNS), "", "normal equations, then their triangle"),
    Cell("right", many(UNKNOWNS), "", "right side, then the step"),
    Cell("kept_matrix", many(UNKNOWNS * UNKNOWNS), "", "normal equations of `before`"),
    Cell("kept_right", many(UNKNOWNS), "", "and their right side"),
)


class JointData(NamedTuple):
    """What a joint fit is made of, as views, and what all of it has in common."""

    several: Any  # samples of several touches
    fits: Any  # samples of each pair that touched alone
    laws: Any
    friction: Any  # its samples
    lag: float  # s, of the readings
    number: int  # pairs


@noinline
def keep_several(several, touches, number, wrench: Wrench, slope: Wrench, noise):
    """A sample more, of `number` touches; when there is no room, every second one is given up, and
    from then on only every second is kept."""
    if number > TOUCHES:
        several.left_out += 1
        return
    f = wrench.force
    several.largest = max(several.largest, abs(f[0]) + abs(f[1]) + abs(f[2]))
    seen = several.seen
    several.seen = seen + 1
    stride = max(several.stride, 1)
    if seen % stride != 0:
        return
    count = several.count
    if count == SEVERAL:
        count = SEVERAL // 2
        for i in range(1, count):
            several.rows[i] = several.rows[2 * i]
        several.stride = 2 * stride
    sample = several.rows[count]
    sample.number = number
    sample.force_variance = noise[0] * noise[0]
    sample.torque_variance = noise[1] * noise[1]
    sample.wrench, sample.slope = wrench, slope
    for i in range(number):
        sample.touches[i] = touches[i]
    several.count = count + 1


# Start of the fit

KIND_MASKS = (
    0,
    1 << U.k,
    1 << U.k | 1 << U.c,
    1 << U.k | 1 << U.n | 1 << U.g,
    1 << U.k | 1 << U.c | 1 << U.f_0 | 1 << U.ramp,
    1 << U.k | 1 << U.c,
    1 << U.k | 1 << U.n | 1 << U.g,
    1 << U.k | 1 << U.c | 1 << U.f_0 | 1 << U.ramp,
)
AGAIN = 5  # from this kind on: one before it, from one spring for all and other n and d_0
ENOUGH = 6  # samples of a pair alone from which on they decide its model
FIRST_RAMP = 0.03  # of the deepest sample: d_0 from which it is sought where none is known
OTHER_RAMP = 0.2  # of it, where that did not end well: no sample shows a d_0 that is too small
START_POWER, OTHER_POWER = 1.4, 2.0  # from which a power is sought that no sample has shown


@noinline
def choose_unknowns(joint, i, kind):
    """Unknowns of a pair, in bits: those of the kind, and those that its samples alone have shown.
    Alone a pair was felt at its first touch; more may show when it is deeper or faster."""
    if not joint.touched[i]:
        return 0
    model, mask = joint.own[i], KIND_MASKS[kind]
    if has(model, C):
        mask |= 1 << U.c
    if has(model, F_0):
        mask |= 1 << U.f_0 | 1 << U.ramp
    if has(model, N):
        mask |= 1 << U.n
    if has(model, G):
        mask |= 1 << U.g
    return mask


@compiled
def find_model(mask):
    """The model of fit.py with these unknowns."""
    if (mask >> U.f_0) & 1 == 1:
        return 6 if (mask >> U.c) & 1 == 1 else 5
    if (mask >> U.n) & 1 == 1:
        return 4 if (mask >> U.g) & 1 == 1 else 3
    return 2 if (mask >> U.c) & 1 == 1 else 1


@noinline
def begin_kind(joint, number):
    kind, now = joint.kind, joint.now
    joint.now = joint.start
    for i in range(number):
        at, mask = i * PER, choose_unknowns(joint, i, kind)
        if kind >= AGAIN:
            for q in range(PER):
                now[at + q] = 0.0
            now[at + U.k] = joint.guess * joint.unit[i]
            joint.start[at + U.k] = now[at + U.k]
            now[at + U.ramp] = math.log(OTHER_RAMP * max(joint.unit[i], 1e-9))
        for q in range(PER):
            if (mask >> q) & 1 == 0 and q != U.k and q != U.ramp:
                now[at + q] = 0.0
        if (mask >> U.n) & 1 == 0:
            now[at + U.n] = 1.0
        elif now[at + U.n] <= 1.0 or kind >= AGAIN:
            now[at + U.n] = OTHER_POWER if kind >= AGAIN else START_POWER
    joint.round, joint.brake, joint.chi = 0, 0.0, math.inf


@noinline
def _note_pairs(joint, data: JointData):
    """Which pairs are in the samples, how deep they were, and what is believed of them."""
    for i in range(data.number):
        fit = data.fits[i]
        joint.touched[i], joint.own[i] = False, 0
        joint.unit[i] = fit.deepest
        if fit.count >= ENOUGH and fit.own_chi <= EXPLAINED:
            joint.own[i] = fit.own_model
    slid, weight = 0.0, 0.0
    for s in range(joint.rows):
        sample = data.several.rows[s]
        force = sample.wrench.force
        for t in range(sample.number):
            touch = sample.touches[t]
            v, i = touch.sliding, touch.pair
            slid, weight = slid + dot(force, force) * dot(v, v), weight + dot(force, force)
            joint.touched[i] = True
            joint.unit[i] = max(joint.unit[i], max(touch.depth, touch.depth_2))
    joint.sliding = math.sqrt(slid / weight) if weight > 0.0 else 0.0


@noinline
def _guess_stiffness(joint, several):
    """A stiffness from the largest sample [N/m]."""
    found, most = 1.0, 0.0
    for s in range(joint.rows):
        sample = several.rows[s]
        force, deep = norm(sample.wrench.force), 0.0
        for t in range(sample.number):
            deep += sample.touches[t].depth
        if force > most and deep > 0.0:
            found, most = force / deep, force
    return found


@noinline
def _find_own_kind(joint, number):
    """Kind of laws that pairs have shown alone, beyond spring and damper; 0: none."""
    kind = 0
    for i in range(number):
        own = joint.own[i]
        if has(own, F_0):
            kind = 4
        elif has(own, N):
            kind = max(kind, 3)
    return kind


@noinline
def begin_joint(joint, data: JointData):
    """Begin with the first kind; with the one that explained the samples before, if one did, or
    that a pair's own samples show: the search through all takes dozens of cycles, in which the
    mock-ups may miss a pair that the satellites touch."""
    several, laws, number = data.several, data.laws, data.number
    joint.rows, joint.seen, joint.best_kind = several.count, several.seen, 0
    _note_pairs(joint, data)
    if joint.fitted == 0:
        joint.last_kind = _find_own_kind(joint, number)
    joint.kind, joint.round = max(joint.last_kind, 1), 0
    total, known, ramp = 0.0, 0.0, 0.0
    for i in range(number):
        law, unit = laws[i], joint.unit[i]
        if law.stiffness > 0.0 and unit > 0.0:
            total += law.stiffness * math.pow(unit, law.power) / unit
            known += 1.0
            ramp = max(ramp, law.ramp)
    good = joint.fitted == 0 or joint.last_chi <= EXPLAINED
    joint.guess = _guess_stiffness(joint, several)
    mean = total / known if known > 0.0 and good else joint.guess
    start = joint.start
    for i in range(number):
        law, at, unit = laws[i], i * PER, joint.unit[i]
        for q in range(PER):
            start[at + q] = 0.0
        own = law.ramp if law.ramp > 0.0 else ramp
        start[at + U.ramp] = math.log(own if own > 0.0 else FIRST_RAMP * max(unit, 1e-9))
        start[at + U.k], start[at + U.n] = mean * unit, 1.0
        if good and law.stiffness > 0.0 and unit > 0.0:
            k = law.stiffness * math.pow(unit, law.power)
            start[at + U.k], start[at + U.n] = k, law.power
            start[at + U.c], start[at + U.g] = law.damping, k * law.factor
            start[at + U.f_0] = law.preload
    friction = data.friction
    start[MU] = friction.coefficient
    slip = friction.slip if friction.coefficient > 0.0 else 1e-3
    start[SLIP] = math.log(slip)
    begin_kind(joint, number)
