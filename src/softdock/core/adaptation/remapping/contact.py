"""A contact of the re-mapping from its first reading to its end: what is known of it, fixed to the
bodies; its law; the past that it had before it was seen."""

from __future__ import annotations

import math

from softdock.core.adaptation.remapping.cells import (
    ACTED,
    BEGAN,
    CONTACTS,
    DEEPEST,
    ENVIRONMENT,
    ESTIMATE,
    FIRST,
    FIRST_FORCE,
    FREE_SINCE,
    IMPULSE,
    JUMPED,
    JUMPED_BEFORE,
    KNOWN,
    LARGEST_JUMP,
    LARGEST_LINE_ERROR,
    LINE_ERROR,
    MODEL,
    OTHER_POINTS,
    OVERLAP,
    PAST_IMPULSE,
    PAST_PEAK,
    POINT,
    REWINDS,
    REWOUND,
    REWOUND_ENERGY,
    SHORTEST,
    STIFFNESS,
    TAKEN,
    TOO_SHORT,
)
from softdock.core.adaptation.remapping.environment.stiffness import FRESH
from softdock.core.adaptation.remapping.keys import AT, MEASURED_TORQUE
from softdock.core.adaptation.remapping.rewind import rewind
from softdock.core.adaptation.remapping.wanted.contact import (
    Model,
    elastic_energy,
    load_law,
    load_model,
    mobility,
    overlap_of,
    store_model,
    touch_of,
)
from softdock.core.adaptation.remapping.wanted.law import wanted_law
from softdock.core.machine.compiled import apart, compiled
from softdock.core.spatial.rigid_body import kinetic_energy
from softdock.core.spatial.rotations import rotate_back
from softdock.core.spatial.vectors import cross, dot, load3, norm, store3, subtract

# rad, 20 deg; a normal that turns further from where it was, by more than noise can, belongs to
# another contact as well
ANOTHER_NORMAL = 0.35
CLEAR = (
    6.0  # thresholds; a force beyond that tells its normal well enough to hold later ones against
)
ROUNDING = 1e-12  # of the torques that it is the difference of: a smaller one is none


@compiled
def _model_of(method, env, wrench, mock_ups, law):
    """The environment, fixed to the bodies as they were when it was measured."""
    c, t = mock_ups.chaser, mock_ups.target
    couple = (0.0, 0.0, 0.0)
    if int(method.vector[method.base + AT.torque]) == MEASURED_TORQUE:
        by_force = cross(subtract(env.point, c.p), wrench.force)
        left = subtract(wrench.torque, by_force)
        if norm(left) > ROUNDING * (norm(wrench.torque) + norm(by_force)):
            couple = rotate_back(t.q, left)  # Lange eq. 21
    normal = rotate_back(t.q, env.normal)
    return Model(
        normal,
        rotate_back(c.q, subtract(env.point, c.p)),
        rotate_back(t.q, subtract(env.point, t.p)),
        env.depth,
        couple,
        law,
    )


@compiled
def _note_environment(method, mem, env, model):
    m = method.memory
    mem[m + ENVIRONMENT], mem[m + STIFFNESS], mem[m + LINE_ERROR] = (
        env.depth,
        env.stiffness,
        env.error,
    )
    store3(mem, m + POINT, model.on_target)
    mem[m + LARGEST_LINE_ERROR] = max(mem[m + LARGEST_LINE_ERROR], env.error)


@compiled
def _note_jump(method, mem, jump):
    mem[method.memory + JUMPED] += jump
    mem[method.memory + LARGEST_JUMP] = max(mem[method.memory + LARGEST_JUMP], abs(jump))


@compiled
def _note_first(method, mem, normal, pair, force):
    """The reading that later ones are held against: the contact's first, or the first clear one."""
    store3(mem, method.memory + FIRST, normal)
    mem[method.memory + FIRST + 3], mem[method.memory + FIRST_FORCE] = float(pair), force


@compiled
def _is_elsewhere(method, mem, normal, pair, force):
    """Whether a reading belongs to another place than the contact's first. What the threshold hides
    may turn either force, the more the weaker it is."""
    m = method.memory
    noise = method.threshold / force + method.threshold / mem[m + FIRST_FORCE]
    if pair != mem[m + FIRST + 3]:
        return noise < ANOTHER_NORMAL
    return dot(normal, load3(mem, m + FIRST)) < math.cos(min(ANOTHER_NORMAL + noise, math.pi))


@apart
def open_contact(method, mem, rig, env, wrench, felt, satellites):
    """A contact is seen for the first time: its law, and the past if the satellites had touched
    already. Returns satellites and the work taken [J]."""
    m = method.memory
    model = _model_of(method, env, wrench, felt, load_law(mem, m + MODEL))
    touch = touch_of(rig, model, satellites)
    law = wanted_law(
        method,
        env.pair,
        env.normal,
        satellites.chaser.q,
        satellites.target.q,
        mobility(rig, satellites, touch),
        touch.rate,
    )
    model = Model(model.normal, model.on_chaser, model.on_target, model.depth, model.couple, law)
    store_model(mem, m + MODEL, model)
    mem[m + KNOWN], mem[m + ACTED] = 1.0, 0.0
    mem[m + CONTACTS] += 1.0
    _note_first(method, mem, model.normal, env.pair, norm(wrench.force))
    store3(mem, m + IMPULSE, (0.0, 0.0, 0.0))
    mem[m + FIRST + 4] = 0.0
    _note_environment(method, mem, env, model)
    if method.rows < 2:
        jump = elastic_energy(law, touch.overlap)
        _note_jump(method, mem, jump)
        if touch.overlap > 0.0:
            mem[m + TOO_SHORT] += 1.0
        return satellites, jump
    mem[m + JUMPED_BEFORE] = mem[m + JUMPED]
    return _rewound(method, mem, rig, model, satellites, rig.cycle)


@apart
def _rewound(method, mem, rig, model, satellites, latest):
    """The satellites with their past computed anew, and the energy that the wanted contact took in
    it [J]."""
    m = method.memory
    corrected, cycles, taken, jump, impulse, peak_squared = rewind(method, mem, rig, model, latest)
    mem[m + BEGAN] = float(rig.cycle - cycles)
    _note_jump(method, mem, jump)
    if cycles > 0:
        mem[m + REWOUND], mem[m + ACTED] = float(cycles), float(cycles)
        mem[m + REWINDS] += 1.0
        mem[m + PAST_PEAK] = peak_squared
        store3(mem, m + PAST_IMPULSE, subtract(impulse, load3(mem, m + IMPULSE)))
        store3(mem, m + IMPULSE, impulse)
        mem[m + DEEPEST] = max(mem[m + DEEPEST], float(cycles))
        energy = kinetic_energy(rig.chaser, corrected.chaser) + kinetic_energy(
            rig.target, corrected.target
        )
        mem[m + REWOUND_ENERGY] = (
            energy
            - kinetic_energy(rig.chaser, satellites.chaser)
            - kinetic_energy(rig.target, satellites.target)
        )
    return corrected, taken + jump


@apart
def follow_contact(method, mem, rig, env, wrench, felt, satellites):
    """A contact that is known is measured again. Returns satellites, and the energy that the wanted
    contact has more at the new place [J].

    Once per contact the stiffness is estimated for the first time: what came before rested on a
    belief, and is computed anew.
    """
    m = method.memory
    old = load_model(mem, m + MODEL)
    model = _model_of(method, env, wrench, felt, old.law)
    force = norm(wrench.force)
    if _is_elsewhere(method, mem, model.normal, float(env.pair), force):
        if mem[m + FIRST + 4] == 0.0:
            mem[m + FIRST + 4] = 1.0
            mem[m + OTHER_POINTS] += 1.0
    elif mem[m + FIRST_FORCE] < min(force, CLEAR * method.threshold):
        _note_first(method, mem, model.normal, env.pair, force)
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
def close_contact(method, mem, rig):
    """Neither mock-ups nor satellites touch any more."""
    m = method.memory
    mem[m + KNOWN] = 0.0
    mem[m + FREE_SINCE] = float(rig.cycle)
    if mem[m + ACTED] > 0.0 and (mem[m + SHORTEST] == 0.0 or mem[m + ACTED] < mem[m + SHORTEST]):
        mem[m + SHORTEST] = mem[m + ACTED]
    mem[m + OVERLAP], mem[m + ENVIRONMENT] = 0.0, 0.0
