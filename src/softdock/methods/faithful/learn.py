"""Identification in one cycle: which fits are due, and whether anything new was found.

At most one of three is done in a cycle, so that no cycle takes long: a pair's own fit (fit.py), a
piece of a search (search.py), one round of the joint fit (joint.py). In: the samples that are kept.
Out: laws with their variances in the method's cells.
"""

from __future__ import annotations

import math

from softdock.compile.jit import compiled, noinline
from softdock.compile.lazy import lazy
from softdock.methods.faithful.cells import CELL
from softdock.methods.faithful.fit import fit_law, go_on, is_unfinished
from softdock.methods.faithful.friction import RUB, believe_rub, fit_rub
from softdock.methods.faithful.joint import believe_joint, joint_round
from softdock.methods.faithful.joint_cells import JOINT
from softdock.methods.faithful.joint_rows import Sheets
from softdock.methods.faithful.joint_samples import KEPT
from softdock.methods.faithful.joint_start import begin_joint
from softdock.methods.faithful.law import LAW, LAW_FLOATS, load_law, steepness
from softdock.methods.faithful.law_samples import FIT, FIT_FLOATS, SEARCH, is_due, next_due

WORTH = 0.2  # relative spread of a stiffness below which it is worth acting on
SOME = 4.0  # samples after which any law is better than none
TWO = 2.0  # samples that tell a damper from a spring
ROUNDS, HURRIED = 2, 4  # of the joint fit in a cycle; once nothing touches any more
WORK, HURRIED_WORK = 1200.0, 2400.0  # of a search for a law in a cycle [samples looked at]
SAME_LAG = 1e-3  # of a lag: friction is not fitted again for a smaller change
STIFFEST = 1.5  # rad of a contact's oscillation in a cycle: one that is over in two cycles


@noinline
def fit_again(method, mem, every):
    """Fit every pair that has enough new samples (`every`: any), or go on with a search for the law
    of one, and one round of the joint fit; whether anything new was found."""
    m, anew, many = method.memory, False, method.memory + CELL.many
    for i in range(method.number):
        fit, law = m + CELL.fits + i * FIT_FLOATS, m + CELL.found + i * LAW_FLOATS
        fresh = mem[fit + FIT.seen] > mem[fit + FIT.fitted] or (every and is_unfinished(mem, fit))
        if not fresh or not (every or is_due(mem, fit)):
            continue
        next_due(mem, fit)
        anew = _fit_alone(method, mem, i, fit, law, every, 0.0) or anew
    if not anew and mem[m + CELL.shadow_stamp] < 0.0:  # a cycle does one of these
        anew = _search(method, mem, every)
    rub, lag = m + CELL.rub, _lag(method, mem)
    fresh = mem[rub + RUB.seen] > mem[rub + RUB.fitted]
    fresh = fresh or (every and abs(lag - mem[rub + RUB.lag]) > SAME_LAG * lag)
    if method.friction and fresh and (every or mem[rub + RUB.seen] >= mem[rub + RUB.due]):
        mem[rub + RUB.lag] = lag
        fit_rub(mem, rub)
        mem[rub + RUB.fitted] = mem[rub + RUB.seen]
        mem[rub + RUB.due] = 1.25 * mem[rub + RUB.seen] + 1.0
        if mem[many + KEPT.largest] == 0.0:
            believe_rub(mem, rub, m + CELL.found, method.number, LAW_FLOATS)
        anew = True
    if mem[many + KEPT.largest] == 0.0:  # none of several touches, or none with a force
        return anew
    return _fit_jointly(method, mem, anew, every)


@compiled
def _is_searching(mem, fit):
    return mem[fit + FIT.search + SEARCH.place] != 0.0


@noinline
def _search(method, mem, every):
    """Go on with the search for the law of one pair; whether it has ended."""
    m = method.memory
    for i in range(method.number):
        fit, law = m + CELL.fits + i * FIT_FLOATS, m + CELL.found + i * LAW_FLOATS
        if _is_searching(mem, fit):
            return _fit_alone(method, mem, i, fit, law, every, HURRIED_WORK if every else WORK)
    return False


@noinline
def _fit_alone(method, mem, i, fit, law, every, work):
    """A pair by the samples in which it alone touched; where a joint fit has its law, only for that
    fit to begin with. `work`: of a search under way, 0: all samples there are."""
    m = method.memory
    kept = mem[m + CELL.joint + JOINT.touched + i] != 0.0
    for c in range(LAW_FLOATS):
        mem[m + CELL.one_law + c] = mem[law + c]
    damped, powers, lags = method.damping, method.powers, method.lag
    if work > 0.0:
        if not go_on(mem, fit, law, work, damped, powers, lags):
            return False
    elif not fit_law(mem, fit, law, damped, powers, lags, every):
        return False
    if kept:
        pulls = mem[law + LAW.pulls]
        for c in range(LAW_FLOATS):
            mem[law + c] = mem[m + CELL.one_law + c]
        mem[law + LAW.pulls] = pulls
    _show(method, mem, law)
    _share(method, mem, i)
    return True


@lazy("the joint fit of several pairs", returns=bool)
def _fit_jointly(method, mem, anew, every):
    """A round of the joint fit, where one is under way or due; whether it has ended."""
    m, joint, many = method.memory, method.memory + CELL.joint, method.memory + CELL.many
    fits, laws, rub = m + CELL.fits, m + CELL.found, m + CELL.rub
    if every and mem[many + KEPT.seen] > mem[joint + JOINT.seen]:
        mem[joint + JOINT.kind] = 0.0  # under way with fewer samples than there are
    if mem[joint + JOINT.kind] == 0.0:
        more, seen = mem[many + KEPT.seen] > mem[joint + JOINT.fitted], mem[many + KEPT.seen]
        for i in range(method.number):
            seen += mem[fits + i * FIT_FLOATS + FIT.seen]
        if not ((every and (anew or more)) or seen >= mem[many + KEPT.due]):
            return False
        mem[many + KEPT.due] = 1.25 * seen + 1.0
        begin_joint(mem, joint, many, fits, laws, rub, method.number)
    done = False
    sheets = Sheets(
        many=many, fits=fits, laws=laws, rub=rub, lag=_lag(method, mem), number=method.number
    )
    for _ in range(HURRIED if every else ROUNDS):
        if not done:
            done = joint_round(mem, joint, sheets, method.damping, method.powers, method.friction)
    if done:
        mem[joint + JOINT.fitted] = mem[joint + JOINT.seen]
        believe_joint(mem, joint, many, fits, laws, method.number, method.friction)
        for i in range(method.number):
            if mem[fits + i * FIT_FLOATS + FIT.model] > 0.0:
                _show(method, mem, laws + i * LAW_FLOATS)
                _share(method, mem, i)
    return done


@compiled
def is_learning(method, mem):
    """Whether a search for a law is under way, or the joint fit has not seen all samples yet."""
    joint, many = method.memory + CELL.joint, method.memory + CELL.many
    for i in range(method.number):
        if _is_searching(mem, method.memory + CELL.fits + i * FIT_FLOATS):
            return True
    waits = mem[many + KEPT.largest] > 0.0 and mem[many + KEPT.seen] > mem[joint + JOINT.fitted]
    return mem[joint + JOINT.kind] != 0.0 or waits


@compiled
def _lag(method, mem):
    """Lag of the sensor's low-pass [s], as the pair with most samples shows it."""
    found, most = 0.0, 0.0
    for i in range(method.number):
        fit = method.memory + CELL.fits + i * FIT_FLOATS
        if mem[fit + FIT.seen] > most:
            found, most = mem[fit + FIT.lag], mem[fit + FIT.seen]
    return found


@compiled
def _share(method, mem, i):
    """A pair that was never felt is believed to be as this one."""
    m = method.memory
    law = m + CELL.found + i * LAW_FLOATS
    for j in range(method.number):
        if j != i and mem[m + CELL.fits + j * FIT_FLOATS + FIT.model] == 0.0:
            other = m + CELL.found + j * LAW_FLOATS
            for c in range(LAW_FLOATS):
                mem[other + c] = mem[law + c]


@compiled
def _show(method, mem, law):
    m = method.memory
    mem[m + CELL.stiffness], mem[m + CELL.power] = mem[law + LAW.stiffness], mem[law + LAW.power]
    mem[m + CELL.damping], mem[m + CELL.factor] = mem[law + LAW.damping], mem[law + LAW.factor]
    mem[m + CELL.friction] = mem[law + LAW.friction]


@noinline
def is_worth(method, mem, rig):
    """Whether what was found is known well enough to act on. Where a damper may be, one sample is
    not: of a touch that has only begun, its force over no depth looks like any stiffness."""
    c, t = rig.chaser, rig.target
    ease = (0.0 if c.fixed else c.inverse_mass[0]) + (0.0 if t.fixed else t.inverse_mass[0])
    for i in range(method.number):
        fit = method.memory + CELL.fits + i * FIT_FLOATS
        if mem[fit + FIT.model] == 0.0:
            continue
        law = load_law(mem, method.memory + CELL.found + i * LAW_FLOATS)
        pace = rig.T * math.sqrt(ease * steepness(law, max(mem[fit + FIT.deepest], 0.0)))
        seen = mem[fit + FIT.seen] + mem[method.memory + CELL.many + KEPT.seen]
        none = mem[method.memory + CELL.laws + i * LAW_FLOATS + LAW.stiffness] == 0.0
        rough = mem[fit + FIT.spread] > WORTH and not (none and seen >= SOME)
        one = none and method.damping and seen < TWO
        if rough or one or pace > STIFFEST:
            return False
    return True
