"""Identification in one cycle: which fits are due, and whether anything new was found.

At most one of three is done in a cycle, so that no cycle takes long: a pair's own fit (fit.py), a
piece of a search (search.py), one round of the joint fit (joint.py). In: the samples that are kept.
Out: laws with their variances in the method's cells.
"""

from __future__ import annotations

import math

from softdock.compile.jit import compiled, noinline
from softdock.compile.lazy import lazy
from softdock.loop.method.interface import CYCLE, Rig
from softdock.loop.spatial.vectors import add_scaled
from softdock.methods.model_mediated.element_fit import fit_elements
from softdock.methods.model_mediated.fit import (
    continue_search,
    fit_law,
    is_unfinished,
    is_unknown,
)
from softdock.methods.model_mediated.friction import believe_friction, fit_friction
from softdock.methods.model_mediated.joint import believe_joint, run_joint_round
from softdock.methods.model_mediated.joint_state import JointData, begin_joint
from softdock.methods.model_mediated.keys import ModelMediated
from softdock.methods.model_mediated.law import EXPLAINED, ModelKinds, compute_slope
from softdock.methods.model_mediated.law_samples import is_due, set_next_due
from softdock.methods.model_mediated.recomputed_past import begin_earlier, forget_futures
from softdock.methods.model_mediated.state import STATE
from softdock.methods.model_mediated.surface import (
    NO_TURN,
    SURFACE,
    WORTH_TURNING,
    fit_surface,
    may_turn,
    place_shape,
    turn_shape,
)
from softdock.methods.model_mediated.surface_place import find_shift

WORTH = 0.2  # relative spread of a stiffness below which it is worth acting on
SOME = 4  # samples after which any law is better than none
TWO = 2  # samples that tell a damper from a spring
ENOUGH = 8  # samples that show where a surface is
MOST_EARLIER = 16  # cycles
ROUNDS, HURRIED = 2, 4  # of the joint fit in a cycle; once nothing touches any more
WORK, HURRIED_WORK = 1200.0, 2400.0  # of a search for a law in a cycle [samples looked at]
BETTER = 0.5  # of its chi^2: elements that leave more are not believed
SAME_LAG = 1e-3  # of a lag: friction is not fitted again for a smaller change
STIFFEST = 1.5  # rad of a contact's oscillation in a cycle: one that is over in two cycles


@noinline
def fit_again(method: ModelMediated, mem, rig: Rig, every):
    """Fit every pair that has enough new samples (`every`: any), or go on with a search for the law
    of one, and one round of the joint fit; whether anything new was found."""
    s, anew = STATE(mem, method.memory), False
    for i in range(method.number):
        fit = s.fits[i]
        fresh = fit.seen > fit.fitted or (every and is_unfinished(fit))
        if not fresh or not (every or is_due(fit)):
            continue
        set_next_due(fit)
        anew = _fit_alone(method, mem, rig, i, every, 0.0) or anew
    if not anew and s.shadow_stamp < 0:  # a cycle does one of these
        anew = _search(method, mem, rig, every)
    friction, lag = s.friction_fit, _find_lag(method, s)
    fresh = friction.seen > friction.fitted
    fresh = fresh or (every and abs(lag - friction.lag) > SAME_LAG * lag)
    if method.friction and fresh and (every or friction.seen >= friction.due):
        friction.lag = lag
        fit_friction(friction)
        friction.fitted = friction.seen
        friction.due = 1.25 * friction.seen + 1.0
        if s.several.largest == 0.0 and not _is_any_tilted(method, s):
            believe_friction(friction, s.found, method.number)
        anew = True
    if method.surface:
        anew = _learn_surfaces(method, mem, every) or anew
    if s.several.largest == 0.0:  # none of several touches, or none with a force
        return anew
    return _fit_jointly(method, mem, anew, every)


@noinline
def _learn_surfaces(method: ModelMediated, mem, every):
    """Tilt of every surface that has enough new samples; whether one was turned."""
    s, turned = STATE(mem, method.memory), False
    for i in range(method.number):
        surface, base = s.surfaces[i], method.memory + STATE.at.surfaces + i * SURFACE.size
        if surface.seen == surface.fitted or not (every or surface.seen >= surface.due):
            continue
        surface.lag = _find_lag(method, s)
        friction = s.friction_fit
        fit_surface(mem, base, friction.coefficient, friction.slip)
        surface.fitted, surface.due = surface.seen, 1.25 * surface.seen + 1.0
        if turn_shape(surface, s.pairs[i], NO_TURN if every else WORTH_TURNING):
            turned = True
            law = s.found[i]
            if surface.tilted:
                law.friction, law.slip = surface.friction, surface.slip
    if turned:  # what was computed with the plane as it was before is void
        s.turned, s.shadow_stamp = True, -1
        forget_futures(s.futures)
    return turned


@noinline
def _search(method: ModelMediated, mem, rig: Rig, every):
    """Go on with the search for the law of one pair; whether it has ended."""
    s = STATE(mem, method.memory)
    for i in range(method.number):
        if s.fits[i].search.place != 0:
            return _fit_alone(method, mem, rig, i, every, HURRIED_WORK if every else WORK)
    return False


@compiled
def _choose_kinds(method: ModelMediated):
    return ModelKinds(damping=method.damping, powers=method.powers, lags=method.lag)


@noinline
def _fit_alone(method: ModelMediated, mem, rig: Rig, i, every, work):
    """A pair by the samples in which it alone touched; where a joint fit has its law, only for that
    fit to begin with. `work`: of a search under way, 0: all samples there are."""
    s, kinds = STATE(mem, method.memory), _choose_kinds(method)
    fit, law = s.fits[i], s.found[i]
    s.one_law = law
    if work > 0.0:
        if not continue_search(fit, law, work, kinds):
            return False
    elif not fit_law(fit, law, kinds, every):
        return False
    if s.joint.touched[i]:
        pulls = law.pulls
        s.found[i] = s.one_law
        law.pulls = pulls
    elif not (every and _find_place(method, mem, rig, i)):
        _learn_elements(method, s, i)
    _show_law(s, law)
    _share_law(method, s, i)
    return True


@noinline
def _find_place(method: ModelMediated, mem, rig: Rig, i):
    """A surface that is not where it is declared, of a contact that is over; whether the samples
    have shown one."""
    s = STATE(mem, method.memory)
    fit, law, surface, pair = s.fits[i], s.found[i], s.surfaces[i], s.pairs[i]
    preloaded = law.preload > 0.0 and fit.chi > EXPLAINED  # nearly: one that is nearer looks so
    doubtful = is_unknown(fit) or s.moved[i] != 0.0 or preloaded
    seen = fit.search.place != 0 or surface.placed == fit.seen  # the search comes first
    if not (method.surface and doubtful and may_turn(pair)) or seen or fit.count < ENOUGH:
        return False
    surface.placed, surface.settled = fit.seen, False
    shift = find_shift(fit, law, _choose_kinds(method), rig.T, s.moved[i] != 0.0)
    if shift == 0.0:
        return False
    law.elements, surface.settled = 0, True
    s.moved[i] += shift
    surface.origin = add_scaled(surface.origin, shift, surface.normal)
    place_shape(surface, pair)
    for n in range(s.several.count):
        sample = s.several.rows[n]
        for t in range(sample.number):
            touch = sample.touches[t]
            if touch.pair == i:
                touch.depth += shift
                touch.depth_2 += shift
    if shift > 0.0:  # it was touched earlier
        rate = max(fit.rows[0].rate, 1e-9)
        most = min(int(math.ceil(shift / (rig.T * rate))) + 1, MOST_EARLIER)
        begin_earlier(method, mem, rig, most)
    s.turned, s.shadow_stamp, s.clear_until, s.mock_clear_until = True, -1, 0.0, 0.0
    forget_futures(s.futures)
    return True


@noinline
def _learn_elements(method: ModelMediated, s, i):
    """Passive elements in place of a named law that leaves more than noise."""
    fit, law, work = s.fits[i], s.found[i], s.element_fit
    law.elements = 0
    if not method.elements or fit.count < SOME or not is_unknown(fit):
        return
    for j in range(method.number):
        if j != i and s.fits[j].lag > 0.0 and not is_unknown(s.fits[j]):
            return  # the sensor lags, which no element does
    chi = fit_elements(fit, work, method.vector[CYCLE], method.scatter)
    if chi < BETTER * fit.chi:
        s.found_elements[i] = work.trial
        law.elements = work.number
        fit.misfit *= math.sqrt(chi / fit.chi)
        fit.chi = chi


@lazy("the joint fit of several pairs", returns=bool)
def _fit_jointly(method: ModelMediated, mem, anew, every):
    """A round of the joint fit, where one is under way or due; whether it has ended."""
    s = STATE(mem, method.memory)
    joint, several = s.joint, s.several
    data = JointData(
        several=several,
        fits=s.fits,
        laws=s.found,
        friction=s.friction_fit,
        lag=_find_lag(method, s),
        number=method.number,
    )
    if every and several.seen > joint.seen:
        joint.kind = 0  # under way with fewer samples than there are
    if joint.kind == 0:
        more, seen = several.seen > joint.fitted, several.seen
        for i in range(method.number):
            seen += s.fits[i].seen
        if not ((every and (anew or more)) or seen >= several.due):
            return False
        several.due = 1.25 * seen + 1.0
        begin_joint(joint, data)
    done = False
    for _ in range(HURRIED if every else ROUNDS):
        if not done:
            done = run_joint_round(joint, data, _choose_kinds(method), method.friction)
    if done:
        joint.fitted = joint.seen
        believe_joint(joint, data, method.friction)
        for i in range(method.number):
            if s.fits[i].model > 0:
                s.found[i].elements = 0
                _show_law(s, s.found[i])
                _share_law(method, s, i)
    return done


@compiled
def _is_any_tilted(method: ModelMediated, s):
    """Whether the tilt of a surface is believed, and the friction that was found with it."""
    for i in range(method.number):  # noqa: SIM110 - compiled
        if s.surfaces[i].tilted:
            return True
    return False


@compiled
def is_learning(method: ModelMediated, s):
    """Whether a search for a law is under way, or the joint fit has not seen all samples yet."""
    for i in range(method.number):
        if s.fits[i].search.place != 0:
            return True
    waits = s.several.largest > 0.0 and s.several.seen > s.joint.fitted
    return s.joint.kind != 0 or waits


@compiled
def _find_lag(method: ModelMediated, s):
    """Lag of the sensor's low-pass [s], as the pair with most samples shows it."""
    found, most = 0.0, 0
    for i in range(method.number):
        fit = s.fits[i]
        if fit.seen > most:
            found, most = fit.lag, fit.seen
    return found


@compiled
def _share_law(method: ModelMediated, s, i):
    """A pair that was never felt is believed to be as this one."""
    for j in range(method.number):
        if j != i and s.fits[j].model == 0:
            s.found[j] = s.found[i]
            s.found_elements[j] = s.found_elements[i]


@compiled
def _show_law(s, law):
    s.stiffness, s.power = law.stiffness, law.power
    s.damping, s.factor = law.damping, law.factor
    s.friction = law.friction


@noinline
def is_worth_acting(method: ModelMediated, mem, rig: Rig):
    """Whether what was found is known well enough to act on. Where a damper may be, one sample is
    not: of a touch that has only begun, its force over no depth looks like any stiffness."""
    s, c, t = STATE(mem, method.memory), rig.chaser, rig.target
    ease = (0.0 if c.fixed else c.inverse_mass[0]) + (0.0 if t.fixed else t.inverse_mass[0])
    for i in range(method.number):
        fit = s.fits[i]
        if fit.model == 0:
            continue
        slope = compute_slope(s.found[i].whole, max(fit.deepest, 0.0))
        pace = rig.T * math.sqrt(ease * slope)
        seen = fit.seen + s.several.seen
        none = s.laws[i].stiffness == 0.0
        rough = fit.spread > WORTH and not (none and seen >= SOME) and s.found[i].elements == 0
        one = none and method.damping and seen < TWO
        if rough or one or pace > STIFFEST:
            return False
    return True
