"""Re-mapping of hard impacts (Lange, Grunwald, Albu-Schaeffer): the measured force says where the environment is, not what the satellites feel.

Each cycle:
    1. `environment`: from the measured wrench and the measured mock-ups, the normal, the contact point and the place of the environment   (environment.py)
    2. fixed to the satellites' bodies it is the contact they feel, under the wanted law                                              (desired_contact.py)
    3. where the satellites had overlapped it before it was seen, their past is computed anew                                               (rewind.py)
    4. the satellites move under that contact, in steps shorter than the cycle; its mean wrench is what acts in this cycle           (desired_motion.py)
    5. set-points are sent ahead by the expected delay, with the predicted force                                                    (lead.py)

While the environment is known the satellites are a simulation of the wanted contact: robots that lag, overshoot or are somewhere else matter only through
when the contact is seen, its normal and its point. When the real contact ends first, what is known of it is held until the satellites part as well.

Books: W_designed is the real contact's work as measured less the work that the wanted contact takes. The wanted contact's energy that appears without
work, because the environment is seen elsewhere than before (or late, with no rewind), counts as taken, and so shows as invented: `jumped`.
"""

from __future__ import annotations

import math

from softdock.adaptation.desired_contact import Model, elastic_energy, load_law, load_model, mobility, overlap_of, store_model, touch_of
from softdock.adaptation.desired_motion import desired_cycle, pushed
from softdock.adaptation.environment import environment
from softdock.adaptation.interface import BOOK_DESIGNED, Satellites, Wrenches
from softdock.adaptation.lead import led_motions
from softdock.adaptation.line_of_action import mean_of, mock_ups_when_felt, satellite_motions, work_between
from softdock.adaptation.remapping_keys import (
    ACTED,
    ACTS,
    AFTER,
    AT,
    BEGAN,
    CONTACT,
    CONTACTS,
    DEEPEST,
    DESIGNED,
    ENVIRONMENT,
    ESTIMATE,
    FELT,
    FIRST,
    FREE_SINCE,
    JUMPED,
    JUMPED_BEFORE,
    KNOWN,
    LARGEST_BELOW,
    LARGEST_ERROR,
    LARGEST_JUMP,
    MEAN,
    MEASURED_TORQUE,
    MODEL,
    NORMAL,
    OTHER_POINTS,
    OVERLAP,
    PAST,
    PAST_FORCE,
    POINT,
    POINT_ERROR,
    READ,
    REWINDS,
    REWOUND,
    REWOUND_ENERGY,
    SEEN,
    SHORTEST,
    SOFT,
    STIFFNESS,
    TAKEN,
    Remapping,
)
from softdock.adaptation.rewind import load_satellites, note_cycle, note_state, rewind, store_satellites
from softdock.adaptation.stiffness_estimate import FRESH
from softdock.adaptation.virtual_contact import load_both, store_both
from softdock.adaptation.wanted_law import loss_in, wanted_law
from softdock.compiled import apart, compiled
from softdock.spatial.motion import MOTION_FLOATS, Wrench, load_wrench, no_wrench, opposite, store_motion, store_wrench
from softdock.spatial.rigid_body import Body, body_rate, kinetic_energy
from softdock.spatial.rotations import exponential, product, renormalise, rotate_back
from softdock.spatial.vectors import add, add_scaled, cross, dot, load3, multiply, norm, scale, store3, subtract

CYCLE = 0  # place of T in the parameter vector
ANOTHER_NORMAL = 0.94  # cosine of 20 deg; a normal that turns further from where it was belongs to another contact as well


@compiled
def prepare(marker, vector, base, memory):
    rewind = vector[base + AT.rewind]
    rows = int(math.ceil(rewind / vector[CYCLE] - 1e-9)) + 2 if rewind > 0.0 else 1
    substeps = int(vector[base + AT.substeps])
    return Remapping(memory, vector, base, rows, vector[base + AT.threshold], substeps, vector[base + AT.lead], loss_in(vector, base))


@compiled
def _both_real(measured, mock_ups):
    """The measured wrench on both mock-ups, about one common point; a reading that is no number is no contact."""
    chaser = measured.wrenches.chaser
    if not (norm(chaser.force) < math.inf and norm(chaser.torque) < math.inf):
        chaser = no_wrench()
    return Wrenches(chaser, opposite(chaser, subtract(mock_ups.chaser.p, mock_ups.target.p)))


@compiled
def _real_work(method, mem, rig, felt, real, seen):
    """Work that the real contact took since the last cycle, as measured [J]."""
    m = method.memory
    taken = 0.0
    if rig.cycle > 0 and (seen or mem[m + SEEN] != 0.0):
        last = Wrenches(load_wrench(mem, m + READ), load_wrench(mem, m + READ + 6))
        taken = -work_between(mean_of(last, real), load_both(mem, m + FELT), felt)
    store_both(mem, m + FELT, felt)
    store_wrench(mem, m + READ, real.chaser)
    store_wrench(mem, m + READ + 6, real.target)
    return taken


@compiled
def _model_of(method, env, wrench, mock_ups, law):
    """The environment, fixed to the bodies as they were when it was measured."""
    c, t = mock_ups.chaser, mock_ups.target
    couple = (0.0, 0.0, 0.0)
    if int(method.vector[method.base + AT.torque]) == MEASURED_TORQUE:
        couple = rotate_back(t.q, subtract(wrench.torque, cross(subtract(env.point, c.p), wrench.force)))  # Lange eq. 21
    normal = rotate_back(t.q, env.normal)
    return Model(normal, rotate_back(c.q, subtract(env.point, c.p)), rotate_back(t.q, subtract(env.point, t.p)), env.depth, couple, law)


@compiled
def _note_environment(method, mem, env, model):
    m = method.memory
    mem[m + ENVIRONMENT], mem[m + STIFFNESS], mem[m + POINT_ERROR] = env.depth, env.stiffness, env.error
    store3(mem, m + POINT, model.on_target)
    mem[m + LARGEST_ERROR] = max(mem[m + LARGEST_ERROR], env.error)


@compiled
def _note_jump(method, mem, jump):
    mem[method.memory + JUMPED] += jump
    mem[method.memory + LARGEST_JUMP] = max(mem[method.memory + LARGEST_JUMP], abs(jump))


@apart
def _open(method, mem, rig, env, wrench, felt, satellites):
    """A contact is seen for the first time: its law, and the past if the satellites had touched already. Returns satellites and the work taken [J]."""
    m = method.memory
    model = _model_of(method, env, wrench, felt, load_law(mem, m + MODEL))
    touch = touch_of(rig, model, satellites)
    law = wanted_law(method, env.pair, env.normal, satellites.chaser.q, satellites.target.q, mobility(rig, satellites, touch), touch.rate)
    model = Model(model.normal, model.on_chaser, model.on_target, model.depth, model.couple, law)
    store_model(mem, m + MODEL, model)
    mem[m + KNOWN], mem[m + ACTED] = 1.0, 0.0
    mem[m + CONTACTS] += 1.0
    store3(mem, m + FIRST, model.normal)
    mem[m + FIRST + 3], mem[m + FIRST + 4] = float(env.pair), 0.0
    _note_environment(method, mem, env, model)
    if method.rows < 2:
        jump = elastic_energy(law, touch.overlap)
        _note_jump(method, mem, jump)
        return satellites, jump
    mem[m + JUMPED_BEFORE] = mem[m + JUMPED]
    return _rewound(method, mem, rig, model, satellites, rig.cycle)


@apart
def _rewound(method, mem, rig, model, satellites, latest):
    """The satellites with their past computed anew, and the energy that the wanted contact took in it [J]."""
    m = method.memory
    corrected, cycles, taken, jump = rewind(method, mem, rig, model, latest)
    mem[m + BEGAN] = float(rig.cycle - cycles)
    _note_jump(method, mem, jump)
    if cycles > 0:
        mem[m + REWOUND], mem[m + ACTED] = float(cycles), float(cycles)
        mem[m + REWINDS] += 1.0
        mem[m + DEEPEST] = max(mem[m + DEEPEST], float(cycles))
        energy = kinetic_energy(rig.chaser, corrected.chaser) + kinetic_energy(rig.target, corrected.target)
        mem[m + REWOUND_ENERGY] = energy - kinetic_energy(rig.chaser, satellites.chaser) - kinetic_energy(rig.target, satellites.target)
    return corrected, taken + jump


@apart
def _follow(method, mem, rig, env, wrench, felt, satellites):
    """A contact that is known is measured again. Returns satellites, and the energy that the wanted contact has more at the new place [J].

    Once per contact the stiffness is estimated for the first time: what came before rested on a belief, and is computed anew.
    """
    m = method.memory
    old = load_model(mem, m + MODEL)
    model = _model_of(method, env, wrench, felt, old.law)
    elsewhere = dot(model.normal, load3(mem, m + FIRST)) < ANOTHER_NORMAL or float(env.pair) != mem[m + FIRST + 3]
    if elsewhere and mem[m + FIRST + 4] == 0.0:
        mem[m + FIRST + 4] = 1.0
        mem[m + OTHER_POINTS] += 1.0
    before, after = overlap_of(old, satellites), overlap_of(model, satellites)
    store_model(mem, m + MODEL, model)
    _note_environment(method, mem, env, model)
    if mem[m + ESTIMATE + FRESH] != 0.0 and method.rows > 1:
        mem[m + JUMPED] = mem[m + JUMPED_BEFORE]
        satellites, taken = _rewound(method, mem, rig, model, satellites, int(mem[m + BEGAN]))
        return satellites, taken - mem[m + TAKEN]
    if before <= 0.0 and after <= 0.0:
        return satellites, 0.0
    jump = elastic_energy(model.law, after) - elastic_energy(model.law, before)
    _note_jump(method, mem, jump)
    return satellites, jump


@compiled
def _close(method, mem, rig):
    """Neither mock-ups nor satellites touch any more."""
    m = method.memory
    mem[m + KNOWN] = 0.0
    mem[m + FREE_SINCE] = float(rig.cycle)
    if mem[m + ACTED] > 0.0 and (mem[m + SHORTEST] == 0.0 or mem[m + ACTED] < mem[m + SHORTEST]):
        mem[m + SHORTEST] = mem[m + ACTED]
    mem[m + OVERLAP], mem[m + ENVIRONMENT] = 0.0, 0.0


@apart
def _remapped(method, mem, rig, satellites):
    """The wanted contact over this cycle: its mean wrenches and the energy it takes [J]; where the satellites will be is kept for `correct`."""
    m = method.memory
    model = load_model(mem, m + MODEL)
    after, mean, lost = desired_cycle(rig, model, satellites, method.substeps, Wrenches(no_wrench(), no_wrench()))
    stored = elastic_energy(model.law, overlap_of(model, after)) - elastic_energy(model.law, overlap_of(model, satellites))
    store_satellites(mem, m + AFTER, after)
    mem[m + ACTS] = 1.0 if method.substeps > 1 or mem[m + REWOUND] > 0.0 else 0.0
    return mean, lost + stored


@apart
def wrench(method, mem, rig, measured, satellites, wrenches):
    """What acts on the satellites over this cycle: the wanted contact's mean wrench in place of the measured one."""
    m = method.memory
    felt = mock_ups_when_felt(measured)
    real = _both_real(measured, felt)
    env = environment(method, mem, rig, measured, felt, real.chaser)
    designed = _real_work(method, mem, rig, felt, real, env.seen)
    note_state(method, mem, rig.cycle, satellites)
    mem[m + REWOUND], mem[m + REWOUND_ENERGY], mem[m + ACTS] = 0.0, 0.0, 0.0
    taken = 0.0
    if env.seen:
        if mem[m + KNOWN] == 0.0:
            mem[m + TAKEN] = 0.0
            satellites, taken = _open(method, mem, rig, env, real.chaser, felt, satellites)
        else:
            satellites, taken = _follow(method, mem, rig, env, real.chaser, felt, satellites)
    else:
        if env.stiffness < 0.0 or (env.stiffness == 0.0 and norm(env.normal) > 0.0):
            mem[m + SOFT] += 1.0
        mem[m + LARGEST_BELOW] = max(mem[m + LARGEST_BELOW], norm(real.chaser.force))
        if mem[m + KNOWN] != 0.0 and overlap_of(load_model(mem, m + MODEL), satellites) <= 0.0:
            _close(method, mem, rig)
    mem[m + SEEN] = 1.0 if env.seen else 0.0
    mean = Wrenches(no_wrench(), no_wrench())
    if mem[m + KNOWN] != 0.0:
        mean, more = _remapped(method, mem, rig, satellites)
        taken += more
    store_wrench(mem, m + MEAN, mean.chaser)
    store_wrench(mem, m + MEAN + 6, mean.target)
    mem[m + TAKEN] += taken
    mem[BOOK_DESIGNED] += designed - taken
    mem[m + DESIGNED] += designed - taken
    extra = measured.wrenches  # what other methods added to the measured wrench stays
    return Wrenches(_exchanged(wrenches.chaser, extra.chaser, mean.chaser), _exchanged(wrenches.target, extra.target, mean.target))


@compiled
def _exchanged(given, measured, mean):
    force, torque = subtract(given.force, measured.force), subtract(given.torque, measured.torque)
    if not (norm(force) < math.inf and norm(torque) < math.inf):  # the reading was no number
        return mean
    return Wrench(add(force, mean.force), add(torque, mean.torque))


@compiled
def _others(params, T, before, after, mean):
    """What a body got in this cycle besides the wanted contact, as a constant wrench."""
    if params.fixed:
        return no_wrench()
    force = subtract(multiply(params.mass, scale(1.0 / T, subtract(after.v, before.v))), mean.force)
    return Wrench(force, subtract(scale(1.0 / T, subtract(after.L, before.L)), mean.torque))


@compiled
def _carried(params, T, body, half):
    """A body with half of an impulse in place of none: that much further on the way that a constant wrench leads in a cycle."""
    turn = scale(T, subtract(body_rate(params, half.q, half.L), body_rate(params, body.q, body.L)))
    return Body(add_scaled(body.p, T, subtract(half.v, body.v)), renormalise(product(body.q, exponential(turn))), half.v, half.L)


@compiled
def _with_others(rig, satellites, others):
    """The satellites at the end of the cycle, had others pushed them as well."""
    half = pushed(rig, 0.5 * rig.T, satellites, others)
    chaser, target = _carried(rig.chaser, rig.T, satellites.chaser, half.chaser), _carried(rig.target, rig.T, satellites.target, half.target)
    return pushed(rig, 0.5 * rig.T, Satellites(chaser, target), others)


@compiled
def _record(method, mem, rig, mean, satellites):
    m = method.memory
    overlap, normal = 0.0, (0.0, 0.0, 0.0)
    if mem[m + KNOWN] != 0.0:
        touch = touch_of(rig, load_model(mem, m + MODEL), satellites)
        overlap, normal = touch.overlap, touch.normal
    acting = norm(mean.chaser.force) > 0.0
    if acting:
        mem[m + ACTED] += 1.0
    mem[m + OVERLAP] = overlap
    mem[m + CONTACT] = mem[m + SEEN] + (2.0 if acting else 0.0)
    store3(mem, m + NORMAL, normal)
    store3(mem, m + PAST_FORCE, mean.chaser.force)
    motions = satellite_motions(rig, satellites)
    store_motion(mem, m + PAST, motions.chaser)
    store_motion(mem, m + PAST + MOTION_FLOATS, motions.target)


@apart
def correct(method, mem, rig, measured, before, after, output):
    """The satellites where the wanted contact's own steps have led them; set-points ahead by the lead."""
    m, T = method.memory, rig.T
    mean = Wrenches(load_wrench(mem, m + MEAN), load_wrench(mem, m + MEAN + 6))
    others = Wrenches(_others(rig.chaser, T, before.chaser, after.chaser, mean.chaser), _others(rig.target, T, before.target, after.target, mean.target))
    note_cycle(method, mem, rig.cycle, others, mean.chaser.force)
    end = after
    if mem[m + ACTS] != 0.0:
        end = load_satellites(mem, m + AFTER)
        end = _with_others(rig, end, others)
        output = satellite_motions(rig, end)
    _record(method, mem, rig, mean, end)
    if method.lead > 0.0:
        output = led_motions(method, mem, rig, end, output)
    return end, output


@compiled
def rewound(method, mem):
    """Gain of kinetic energy by what was computed anew in this cycle [J]."""
    return mem[method.memory + REWOUND_ENERGY]
