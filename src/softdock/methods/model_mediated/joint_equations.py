"""Normal equations of the joint fit (joint.py): what every kept sample says of all laws at once;
and their solution.

    w + tau w' = sum over touches of f_j(theta) [d_j; r_j x d_j]
    d = n - mu v / sqrt(v^2 + v_0^2)

w the wrench on the chaser, r from its centre of mass to the touch, v the sliding; f_j as in fit.py,
zero where the surface is left behind."""

from __future__ import annotations

import math

from softdock.compile.jit import compiled, noinline
from softdock.loop.spatial.cholesky import solve_factored
from softdock.loop.spatial.vectors import add_scaled, cross, dot, scale
from softdock.methods.model_mediated.friction import compute_friction_weight, compute_sliding_share
from softdock.methods.model_mediated.joint_state import (
    MU,
    PER,
    SLIP,
    UNKNOWNS,
    Column,
    JointData,
    LawUnknowns,
    Touch,
    U,
)
from softdock.methods.model_mediated.law import EDGE, EXACT, bound_kink_error, bound_ramp_error

ARM = 0.1  # m; a force that is exact to EXACT has torques that are exact to that, so far away


@compiled
def _evaluate_instant(theta: LawUnknowns, d, r, unit):
    """One of two instants: force, and its derivatives by k, f_0, n, g and ln d_0."""
    x, ramp = d / unit, math.exp(theta.ramp)
    log = math.log(x)
    if theta.n != 1.0:
        x = math.exp(theta.n * log)
    early = min(d / ramp, 1.0)
    whole = (theta.k + theta.g * r) * x
    return (
        whole + theta.c * r + theta.f_0 * early,
        x,
        early,
        whole * log,
        x * r,
        -theta.f_0 * early if d < ramp else 0.0,
    )


@noinline
def _evaluate_push(theta: LawUnknowns, nodes, unit, pulls):
    """Normal force of a touch, its derivatives by (k, c, f_0, n, g, ln d_0), and how unsure it is
    [N] because the law has a kink within the reading's window."""
    d, r, d_2, r_2 = nodes
    one = _evaluate_instant(theta, max(d, 1e-9 * unit), r, unit)
    two, unsure = one, 0.0
    rate, force = r, one[0]
    if d_2 != d or r_2 != r:
        two = _evaluate_instant(theta, max(d_2, 1e-9 * unit), r_2, unit)
        rate, force = 0.5 * (r + r_2), 0.5 * (one[0] + two[0])
        half = 0.5 * EDGE * abs(two[0] - one[0])
        unsure = bound_ramp_error(theta.f_0, math.exp(theta.ramp), d, d_2)
        if rate < 0.0 and not pulls:
            unsure += bound_kink_error(force - half, force + half)
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
def _read_unknowns(joint, pair):
    now, at = joint.now, pair * PER
    return LawUnknowns(
        k=now[at + U.k],
        c=now[at + U.c],
        f_0=now[at + U.f_0],
        n=now[at + U.n],
        g=now[at + U.g],
        ramp=now[at + U.ramp],
    )


@compiled
def _evaluate_friction(touch: Touch, v_0):
    """Friction of a touch by its sliding v, for a coefficient of one: 1 / sqrt(v^2 + v_0^2) [s/m],
    and minus its derivative by ln v_0; of a reading that is a mean, those of its two instants."""
    v = touch.sliding
    if touch.slides == touch.slides_2 or dot(v, v) == 0.0:
        root = 1.0 / math.sqrt(dot(v, v) + v_0 * v_0)
        return root, v_0 * v_0 * root * root * root
    g, g_2, by = compute_sliding_share(touch.slides, touch.slides_2, v_0)
    per = 1.0 / math.sqrt(dot(v, v))
    return 0.5 * (g + g_2) * per, -by * per


@noinline
def _fill_columns(joint, sample, laws, masks, with_friction):
    """Derivatives of one sample into their columns; how many, what the laws say of it, and the
    variances of its force and torque by kinks within its window."""
    mu, v_0 = joint.now[MU], math.exp(joint.now[SLIP])
    zero = (0.0, 0.0, 0.0)
    says, turns, by_mu, mu_turns, by_slip, slip_turns = zero, zero, zero, zero, zero, zero
    count, blur, torque_blur = 0, 0.0, 0.0
    for t in range(sample.number):
        touch = sample.touches[t].whole
        i, r, v = touch.pair, touch.arm, touch.sliding
        nodes = (touch.depth, touch.rate, touch.depth_2, touch.rate_2)
        force, by, unsure = _evaluate_push(
            _read_unknowns(joint, i), nodes, joint.unit[i], laws[i].pulls
        )
        blur, torque_blur = blur + unsure * unsure, torque_blur + unsure * unsure * dot(r, r)
        root, bend = _evaluate_friction(touch, v_0)
        along = add_scaled(touch.normal, -mu * root, v)
        turning, v_turning = cross(r, along), cross(r, v)
        says, turns = add_scaled(says, force, along), add_scaled(turns, force, turning)
        if with_friction:
            rub, bend = -force * root, force * mu * bend
            by_mu, mu_turns = add_scaled(by_mu, rub, v), add_scaled(mu_turns, rub, v_turning)
            by_slip = add_scaled(by_slip, bend, v)
            slip_turns = add_scaled(slip_turns, bend, v_turning)
        for q in range(PER):
            if (masks[i] >> q) & 1 == 1 and by[q] != 0.0:
                joint.columns[count] = Column(
                    i * PER + q, scale(by[q], along), scale(by[q], turning)
                )
                count += 1
    if with_friction:
        joint.columns[count] = Column(MU, by_mu, mu_turns)
        joint.columns[count + 1] = Column(SLIP, by_slip, slip_turns)
        count += 2
    return count, says, turns, (blur, torque_blur)


@noinline
def _is_deepening(sample):
    """Whether every touch of a sample becomes deeper: no surface is left behind then."""
    least = 0.0
    for t in range(sample.number):
        least = min(least, sample.touches[t].rate)
    return least >= 0.0


@noinline
def count_deepening(joint, several):
    """Samples in which every touch becomes deeper."""
    count = 0
    for s in range(joint.rows):
        count += 1 if _is_deepening(several.rows[s]) else 0
    return count


@noinline
def add_rows(joint, data: JointData, masks, with_friction, deeper):
    """Equations of the samples of several touches, onto the matrix; chi^2 and their number.
    `deeper`: of those alone in which every touch becomes deeper."""
    lag, columns = data.lag, joint.columns
    chi, small, used = 0.0, EXACT * data.several.largest, 0.0
    for s in range(joint.rows):
        sample = data.several.rows[s]
        if deeper and not _is_deepening(sample):
            continue
        used += 6.0
        count, says, turns, blur = _fill_columns(joint, sample, data.laws, masks, with_friction)
        a = 1.0 / (sample.force_variance + small * small + blur[0])
        b = 1.0 / (sample.torque_variance + small * small * ARM * ARM + blur[1])
        w, slope = sample.wrench, sample.slope
        miss = add_scaled(add_scaled(w.force, lag, slope.force), -1.0, says)
        turn = add_scaled(add_scaled(w.torque, lag, slope.torque), -1.0, turns)
        chi += a * dot(miss, miss) + b * dot(turn, turn)
        for c in range(count):
            p = columns[c].unknown
            force, torque = scale(a, columns[c].force), scale(b, columns[c].torque)
            joint.right[p] += dot(force, miss) + dot(torque, turn)
            for d in range(count):
                other = columns[d]
                if other.unknown <= p:
                    joint.matrix[p * UNKNOWNS + other.unknown] += dot(force, other.force) + dot(
                        torque, other.torque
                    )
    return chi, used


@noinline
def add_own(joint, i, fit, pulls, lag, mask, largest):
    """Equations of the samples in which pair i touched alone; chi^2 and their number. `largest`:
    force [N] of all samples: one at the edge of a contact is not exact to its own."""
    chi, count, small = 0.0, 0.0, EXACT * max(fit.largest, largest)
    theta, unit = _read_unknowns(joint, i), joint.unit[i]
    for s in range(fit.count):
        sample = fit.rows[s]
        nodes = (sample.depth, sample.rate, sample.depth_2, sample.rate_2)
        if sample.depth <= 0.0 or sample.depth_2 <= 0.0:
            continue
        force, by, unsure = _evaluate_push(theta, nodes, unit, pulls)
        w = 1.0 / (sample.variance + small * small + unsure * unsure)
        e = sample.force + lag * sample.slope - force
        chi, count = chi + w * e * e, count + 1.0
        for q in range(PER):
            if (mask >> q) & 1 == 1:
                p = i * PER + q
                joint.right[p] += w * by[q] * e
                for o in range(q + 1):
                    if (mask >> o) & 1 == 1:
                        joint.matrix[p * UNKNOWNS + i * PER + o] += w * by[q] * by[o]
    return chi, count


@noinline
def add_friction(joint, friction, lag):
    """Equations of friction where a pair touched alone (friction.py): its two numbers at once, for
    one is often determined only together with the other; chi^2 and their number."""
    mu, v_0, right, matrix = joint.now[MU], math.exp(joint.now[SLIP]), joint.right, joint.matrix
    chi, small, count = 0.0, EXACT * friction.largest, friction.count
    for i in range(count):
        sample = friction.rows[i]
        normal = max(sample.normal + lag * sample.normal_slope, 0.0)
        g, g_2, by = compute_sliding_share(sample.sliding, sample.sliding_2, v_0)
        a = 0.5 * (normal * (g + g_2) + sample.leaning * (g_2 - g))
        w = compute_friction_weight(sample, joint.start[MU], small)
        e = sample.force + lag * sample.force_slope - mu * a
        b = mu * normal * by
        chi += w * e * e
        right[MU] += w * a * e
        right[SLIP] += w * b * e
        matrix[MU * UNKNOWNS + MU] += w * a * a
        matrix[SLIP * UNKNOWNS + MU] += w * a * b
        matrix[SLIP * UNKNOWNS + SLIP] += w * b * b
    return chi, float(count)


@noinline
def add_prior(joint, p, spread):
    """Add the prior that an unknown is near where it started; returns its part of chi^2."""
    w, off = 1.0 / (spread * spread), joint.start[p] - joint.now[p]
    joint.matrix[p * UNKNOWNS + p] += w
    joint.right[p] += w * off
    return w * off * off


@noinline
def hold_unknown(joint, p):
    """An unknown at the end of its range that would go beyond: it stays."""
    for q in range(UNKNOWNS):
        joint.matrix[max(p, q) * UNKNOWNS + min(p, q)] = 0.0
    joint.matrix[p * UNKNOWNS + p] = 1.0
    joint.right[p] = 0.0


# Solution: Cholesky's factor of the normal equations, the step of Levenberg and Marquardt, and
# variances of the unknowns

RIDGE = 1e-13  # of an unknown's own weight


@noinline
def keep_equations(joint):
    """The equations are of the best unknowns so far: steps are taken from there."""
    joint.kept_matrix = joint.matrix
    joint.kept_right, joint.before = joint.right, joint.now


@noinline
def solve_kept(joint, brake):
    """The step from the best unknowns, `brake` of their own weights more on each, into the right
    side; how much chi^2 is to fall by it."""
    joint.matrix, joint.right = joint.kept_matrix, joint.kept_right
    for p in range(UNKNOWNS):
        joint.matrix[p * UNKNOWNS + p] *= 1.0 + brake
    _solve(joint)
    gain = 0.0
    for p in range(UNKNOWNS):
        gain += joint.right[p] * joint.kept_right[p]
    return gain


@noinline
def _note_coupled(joint):
    """Which unknowns others are tied to: of four pairs with all numbers of their laws, few are."""
    a, coupled = joint.matrix, joint.coupled
    for p in range(UNKNOWNS):
        coupled[p] = False
        for q in range(p):
            if a[p * UNKNOWNS + q] != 0.0:
                coupled[p], coupled[q] = True, True


@noinline
def _solve(joint):
    """Cholesky's triangle of the equations, and the step into their right side. An unknown that no
    other is tied to has a row of its own weight alone."""
    a, coupled = joint.matrix, joint.coupled
    _note_coupled(joint)
    for p in range(UNKNOWNS):
        if not coupled[p]:
            a[p * UNKNOWNS + p] = math.sqrt(a[p * UNKNOWNS + p])
            continue
        for q in range(p + 1):
            if not coupled[q]:
                continue
            s = a[p * UNKNOWNS + q]
            for r in range(q):
                s -= a[p * UNKNOWNS + r] * a[q * UNKNOWNS + r]
            if p == q:
                least = RIDGE * a[p * UNKNOWNS + p]
                a[p * UNKNOWNS + p] = math.sqrt(max(s, least))
            else:
                a[p * UNKNOWNS + q] = s / a[q * UNKNOWNS + q]
    solve_factored(a, 0, UNKNOWNS, joint.right, 0)


@noinline
def compute_variance(joint, unknown):
    """Variance of one unknown, from Cholesky's factor: |L^-1 e|^2. The right side is lost."""
    a, b, total = joint.matrix, joint.right, 0.0
    for p in range(unknown, UNKNOWNS):
        s = 1.0 if p == unknown else 0.0
        for r in range(unknown, p):
            s -= a[p * UNKNOWNS + r] * b[r]
        b[p] = s / a[p * UNKNOWNS + p]
        total += b[p] * b[p]
    return total
