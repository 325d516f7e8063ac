"""Normal equations of the joint fit (joint.py): what every kept sample says of all laws at once.

    w + tau w' = sum over touches of f_j(theta) [d_j; r_j x d_j]
    d = n - mu v / sqrt(v^2 + v_0^2)

w the wrench on the chaser, r from its centre of mass to the touch, v the sliding; f_j as in fit.py,
zero where the surface is left behind."""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.compile.jit import compiled, noinline
from softdock.loop.spatial.motion import load_wrench
from softdock.loop.spatial.vectors import add_scaled, cross, dot, load3, scale, store3
from softdock.methods.faithful.friction import ROW as RUBBED
from softdock.methods.faithful.friction import ROW_FLOATS as RUB_FLOATS
from softdock.methods.faithful.friction import RUB, rub_weight, sliding_share
from softdock.methods.faithful.joint_cells import (
    COLUMN_AT,
    COLUMN_FLOATS,
    JOINT,
    LAW_UNKNOWNS,
    MU,
    PER,
    SLIP,
    UNKNOWNS,
)
from softdock.methods.faithful.joint_samples import (
    KEPT,
    ROW,
    ROW_FLOATS,
    TOUCH,
    TOUCH_FLOATS,
)
from softdock.methods.faithful.law import LAW
from softdock.methods.faithful.law_samples import FIT, SAMPLE, SAMPLE_FLOATS
from softdock.methods.faithful.models import EDGE, EXACT, kink_within, ramp_within

U = LAW_UNKNOWNS.at
ARM = 0.1  # m; a force that is exact to EXACT has torques that are exact to that, so far away


class Sheets(NamedTuple):
    """What a joint fit is made of: where it stands in `mem`, and what all of it has in common."""

    many: int  # samples of several touches
    fits: int  # samples of each pair that touched alone
    laws: int
    rub: int  # samples of friction
    lag: float  # s, of the readings
    number: int  # pairs


@compiled
def _half(theta, d, r, unit):
    """One of two instants: force, and its derivatives by k, f_0, n, g and ln d_0."""
    x, ramp = d / unit, math.exp(theta[U.ramp])
    log = math.log(x)
    if theta[U.n] != 1.0:
        x = math.exp(theta[U.n] * log)
    early = min(d / ramp, 1.0)
    whole = (theta[U.k] + theta[U.g] * r) * x
    return (
        whole + theta[U.c] * r + theta[U.f_0] * early,
        x,
        early,
        whole * log,
        x * r,
        -theta[U.f_0] * early if d < ramp else 0.0,
    )


@noinline
def pushed_by(theta, nodes, unit, pulls):
    """Normal force of a touch, its derivatives by (k, c, f_0, n, g, ln d_0), and how unsure it is
    [N] because the law has a kink within the reading's window."""
    d, r, d_2, r_2 = nodes
    one = _half(theta, max(d, 1e-9 * unit), r, unit)
    two, unsure = one, 0.0
    rate, force = r, one[0]
    if d_2 != d or r_2 != r:
        two = _half(theta, max(d_2, 1e-9 * unit), r_2, unit)
        rate, force = 0.5 * (r + r_2), 0.5 * (one[0] + two[0])
        half = 0.5 * EDGE * abs(two[0] - one[0])
        unsure = ramp_within(theta[U.f_0], math.exp(theta[U.ramp]), d, d_2)
        if rate < 0.0 and not pulls:
            unsure += kink_within(force - half, force + half)
    if force <= 0.0 and rate < 0.0 and not pulls:
        return 0.0, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0), unsure
    by = (
        0.5 * (one[1] + two[1]),
        rate,
        0.5 * (one[2] + two[2]),
        0.5 * (one[3] + two[3]),
        0.5 * (one[4] + two[4]),
        0.5 * (one[5] + two[5]),
    )
    return force, by, unsure


@compiled
def theta_of(mem, joint, pair):
    at = joint + JOINT.now + pair * PER
    return (
        mem[at],
        mem[at + U.c],
        mem[at + U.f_0],
        mem[at + U.n],
        mem[at + U.g],
        mem[at + U.ramp],
    )


@compiled
def _note_column(mem, at, unknown, force, torque):
    mem[at] = float(unknown)
    store3(mem, at + COLUMN_AT.force, force)
    store3(mem, at + COLUMN_AT.torque, torque)


@compiled
def _rubs_by(mem, at, v, v_0):
    """Friction of a touch by its sliding v, for a coefficient of one: 1 / sqrt(v^2 + v_0^2) [s/m],
    and minus its derivative by ln v_0; of a reading that is a mean, those of its two instants."""
    one, two = mem[at + TOUCH.slides], mem[at + TOUCH.slides_2]
    if one == two or dot(v, v) == 0.0:
        root = 1.0 / math.sqrt(dot(v, v) + v_0 * v_0)
        return root, v_0 * v_0 * root * root * root
    g, g_2, by = sliding_share(one, two, v_0)
    per = 1.0 / math.sqrt(dot(v, v))
    return 0.5 * (g + g_2) * per, -by * per


@noinline
def _columns(mem, joint, row, laws, law_floats, masks, rubs):
    """Derivatives of one sample into their columns; how many, what the laws say of it, and the
    variances of its force and torque by kinks within its window."""
    mu, v_0 = mem[joint + JOINT.now + MU], math.exp(mem[joint + JOINT.now + SLIP])
    zero = (0.0, 0.0, 0.0)
    says, turns, by_mu, mu_turns, by_slip, slip_turns = zero, zero, zero, zero, zero, zero
    count, blurred, turned = 0, 0.0, 0.0
    for t in range(int(mem[row + ROW.number])):
        at = row + ROW.touches + t * TOUCH_FLOATS
        i = int(mem[at + TOUCH.pair])
        n, r, v = (
            load3(mem, at + TOUCH.normal),
            load3(mem, at + TOUCH.arm),
            load3(mem, at + TOUCH.sliding),
        )
        nodes = (
            mem[at + TOUCH.depth],
            mem[at + TOUCH.rate],
            mem[at + TOUCH.depth_2],
            mem[at + TOUCH.rate_2],
        )
        unit, pulls = mem[joint + JOINT.unit + i], mem[laws + i * law_floats + LAW.pulls] != 0.0
        force, by, unsure = pushed_by(theta_of(mem, joint, i), nodes, unit, pulls)
        blurred, turned = blurred + unsure * unsure, turned + unsure * unsure * dot(r, r)
        root, bend = _rubs_by(mem, at, v, v_0)
        along = add_scaled(n, -mu * root, v)
        turning, v_turning = cross(r, along), cross(r, v)
        says, turns = add_scaled(says, force, along), add_scaled(turns, force, turning)
        if rubs:
            rub, bend = -force * root, force * mu * bend
            by_mu, mu_turns = add_scaled(by_mu, rub, v), add_scaled(mu_turns, rub, v_turning)
            by_slip = add_scaled(by_slip, bend, v)
            slip_turns = add_scaled(slip_turns, bend, v_turning)
        for q in range(PER):
            if (masks[i] >> q) & 1 == 1 and by[q] != 0.0:
                _note_column(
                    mem,
                    joint + JOINT.columns + count * COLUMN_FLOATS,
                    i * PER + q,
                    scale(by[q], along),
                    scale(by[q], turning),
                )
                count += 1
    if rubs:
        at = joint + JOINT.columns + count * COLUMN_FLOATS
        _note_column(mem, at, MU, by_mu, mu_turns)
        _note_column(mem, at + COLUMN_FLOATS, SLIP, by_slip, slip_turns)
        count += 2
    return count, says, turns, (blurred, turned)


@noinline
def _grows(mem, row):
    """Whether every touch of a sample becomes deeper: no surface is left behind then."""
    for t in range(int(mem[row + ROW.number])):
        if mem[row + ROW.touches + t * TOUCH_FLOATS + TOUCH.rate] < 0.0:
            return False
    return True


@noinline
def growing(mem, joint, many):
    """Samples in which every touch becomes deeper."""
    count = 0
    for s in range(int(mem[joint + JOINT.rows])):
        count += 1 if _grows(mem, many + KEPT.rows + s * ROW_FLOATS) else 0
    return count


@noinline
def add_rows(mem, joint, sheets, law_floats, masks, rubs, deeper):
    """Equations of the samples of several touches, onto the matrix; chi^2 and their number.
    `deeper`: of those alone in which every touch becomes deeper."""
    many, laws, lag = sheets.many, sheets.laws, sheets.lag
    chi, small, used = 0.0, EXACT * mem[many + KEPT.largest], 0.0
    for s in range(int(mem[joint + JOINT.rows])):
        row = many + KEPT.rows + s * ROW_FLOATS
        if deeper and not _grows(mem, row):
            continue
        used += 6.0
        count, says, turns, blurred = _columns(mem, joint, row, laws, law_floats, masks, rubs)
        a = 1.0 / (mem[row + ROW.force_variance] + small * small + blurred[0])
        b = 1.0 / (mem[row + ROW.torque_variance] + small * small * ARM * ARM + blurred[1])
        w, slope = load_wrench(mem, row + ROW.wrench), load_wrench(mem, row + ROW.slope)
        miss = add_scaled(add_scaled(w.force, lag, slope.force), -1.0, says)
        turn = add_scaled(add_scaled(w.torque, lag, slope.torque), -1.0, turns)
        chi += a * dot(miss, miss) + b * dot(turn, turn)
        for c in range(count):
            at = joint + JOINT.columns + c * COLUMN_FLOATS
            p = int(mem[at])
            force = scale(a, load3(mem, at + COLUMN_AT.force))
            torque = scale(b, load3(mem, at + COLUMN_AT.torque))
            mem[joint + JOINT.right + p] += dot(force, miss) + dot(torque, turn)
            for d in range(count):
                other = joint + JOINT.columns + d * COLUMN_FLOATS
                q = int(mem[other])
                if q <= p:
                    mem[joint + JOINT.matrix + p * UNKNOWNS + q] += dot(
                        force, load3(mem, other + COLUMN_AT.force)
                    ) + dot(torque, load3(mem, other + COLUMN_AT.torque))
    return chi, used


@noinline
def add_own(mem, joint, i, fit, pulls, lag, mask, largest):
    """Equations of the samples in which pair i touched alone; chi^2 and their number. `largest`:
    force [N] of all samples: one at the edge of a contact is not exact to its own."""
    chi, count, small = 0.0, 0.0, EXACT * max(mem[fit + FIT.largest], largest)
    theta, unit = theta_of(mem, joint, i), mem[joint + JOINT.unit + i]
    for s in range(int(mem[fit + FIT.count])):
        row = fit + FIT.rows + s * SAMPLE_FLOATS
        nodes = (
            mem[row + SAMPLE.depth],
            mem[row + SAMPLE.rate],
            mem[row + SAMPLE.depth_2],
            mem[row + SAMPLE.rate_2],
        )
        if nodes[0] <= 0.0 or nodes[2] <= 0.0:
            continue
        force, by, unsure = pushed_by(theta, nodes, unit, pulls)
        w = 1.0 / (mem[row + SAMPLE.variance] + small * small + unsure * unsure)
        e = mem[row + SAMPLE.force] + lag * mem[row + SAMPLE.slope] - force
        chi, count = chi + w * e * e, count + 1.0
        for q in range(PER):
            if (mask >> q) & 1 == 1:
                p = i * PER + q
                mem[joint + JOINT.right + p] += w * by[q] * e
                for o in range(q + 1):
                    if (mask >> o) & 1 == 1:
                        mem[joint + JOINT.matrix + p * UNKNOWNS + i * PER + o] += w * by[q] * by[o]
    return chi, count


@noinline
def add_rubbing(mem, joint, rub, lag):
    """Equations of friction where a pair touched alone (friction.py): its two numbers at once, for
    one is often told only together with the other; chi^2 and their number."""
    mu, v_0 = mem[joint + JOINT.now + MU], math.exp(mem[joint + JOINT.now + SLIP])
    chi, small, count = 0.0, EXACT * mem[rub + RUB.largest], int(mem[rub + RUB.count])
    for i in range(count):
        row = rub + RUB.rows + i * RUB_FLOATS
        normal = max(mem[row + RUBBED.normal] + lag * mem[row + RUBBED.normal_slope], 0.0)
        g, g_2, by = sliding_share(mem[row + RUBBED.sliding], mem[row + RUBBED.sliding_2], v_0)
        a = 0.5 * (normal * (g + g_2) + mem[row + RUBBED.leaning] * (g_2 - g))
        w = rub_weight(mem, row, mem[joint + JOINT.start + MU], small)
        e = mem[row + RUBBED.force] + lag * mem[row + RUBBED.force_slope] - mu * a
        b = mu * normal * by
        chi += w * e * e
        mem[joint + JOINT.right + MU] += w * a * e
        mem[joint + JOINT.right + SLIP] += w * b * e
        mem[joint + JOINT.matrix + MU * UNKNOWNS + MU] += w * a * a
        mem[joint + JOINT.matrix + SLIP * UNKNOWNS + MU] += w * a * b
        mem[joint + JOINT.matrix + SLIP * UNKNOWNS + SLIP] += w * b * b
    return chi, float(count)
