"""The course of a contact in the re-mapping, from its first reading to its end.

It holds what is known of the contact, fixed to the bodies: point, normal, environment and law. When
the satellites had already touched, or the law changes, their past is recomputed (rewind.py). In:
the environment as measured (environment/). Out: satellites, and the work [J] that the wanted
contact took.
"""

from __future__ import annotations

import math

from softdock.compile.jit import compiled, noinline
from softdock.loop.method.corrected import take_past
from softdock.loop.spatial.rigid_body import kinetic_energy
from softdock.loop.spatial.rotations import rotate_back
from softdock.loop.spatial.vectors import cross, dot, load3, norm, store3, subtract
from softdock.methods.remapping.cells import CELL
from softdock.methods.remapping.contact_readings import CLEAR
from softdock.methods.remapping.keys import AT, MEASURED_TORQUE
from softdock.methods.remapping.rewind import rewind
from softdock.methods.remapping.stiffness import FIT
from softdock.methods.remapping.wanted_contact import (
    Model,
    elastic_energy,
    load_law,
    load_model,
    mobility,
    overlap_of,
    store_model,
    touch_of,
)
from softdock.methods.remapping.wanted_law import wanted_law

# rad, 20 deg; a normal that turns further from where it was, by more than noise can, belongs to
# another contact as well
ANOTHER_NORMAL = 0.35
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
        normal=normal,
        on_chaser=rotate_back(c.q, subtract(env.point, c.p)),
        on_target=rotate_back(t.q, subtract(env.point, t.p)),
        depth=env.depth,
        couple=couple,
        law=law,
    )


@compiled
def _note_environment(method, mem, env, model):
    m = method.memory
    mem[m + CELL.environment], mem[m + CELL.stiffness], mem[m + CELL.line_error] = (
        env.depth,
        env.stiffness,
        env.error,
    )
    store3(mem, m + CELL.point, model.on_target)
    mem[m + CELL.largest_line_error] = max(mem[m + CELL.largest_line_error], env.error)


@compiled
def _note_jump(method, mem, jump):
    mem[method.memory + CELL.jumped] += jump
    mem[method.memory + CELL.largest_jump] = max(mem[method.memory + CELL.largest_jump], abs(jump))


@compiled
def _note_first(method, mem, normal, pair, force):
    """The reading that later ones are held against: the contact's first, or the first clear one."""
    store3(mem, method.memory + CELL.first, normal)
    mem[method.memory + CELL.first_pair], mem[method.memory + CELL.first_force] = float(pair), force


@compiled
def _is_elsewhere(method, mem, normal, pair, force):
    """Whether a reading belongs to another place than the contact's first. What the threshold hides
    may turn either force, the more the weaker it is."""
    m = method.memory
    noise = method.threshold / force + method.threshold / mem[m + CELL.first_force]
    if pair != mem[m + CELL.first_pair]:
        return noise < ANOTHER_NORMAL
    return dot(normal, load3(mem, m + CELL.first)) < math.cos(min(ANOTHER_NORMAL + noise, math.pi))


@noinline
def open_contact(method, mem, rig, env, wrench, felt, satellites):
    """A contact is seen for the first time: its law, and the past if the satellites had touched
    already. Returns satellites and the work taken [J]."""
    m = method.memory
    model = _model_of(method, env, wrench, felt, load_law(mem, m + CELL.model))
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
    model = Model(
        normal=model.normal,
        on_chaser=model.on_chaser,
        on_target=model.on_target,
        depth=model.depth,
        couple=model.couple,
        law=law,
    )
    store_model(mem, m + CELL.model, model)
    mem[m + CELL.known], mem[m + CELL.acted] = 1.0, 0.0
    mem[m + CELL.contacts] += 1.0
    _note_first(method, mem, model.normal, env.pair, norm(wrench.force))
    mem[m + CELL.has_left] = 0.0
    _note_environment(method, mem, env, model)
    if method.rows < 2:
        jump = elastic_energy(law, touch.overlap)
        _note_jump(method, mem, jump)
        if touch.overlap > 0.0:
            mem[m + CELL.too_short] += 1.0
        return satellites, jump
    mem[m + CELL.jumped_before] = mem[m + CELL.jumped]
    return _rewound(method, mem, rig, model, satellites, rig.cycle)


@noinline
def _rewound(method, mem, rig, model, satellites, latest):
    """The satellites with their past recomputed, and the energy that the wanted contact took in
    it [J]."""
    m = method.memory
    corrected, cycles, taken, jump, impulse, peak_squared = rewind(method, mem, rig, model, latest)
    mem[m + CELL.began] = float(rig.cycle - cycles)
    _note_jump(method, mem, jump)
    if cycles > 0:
        mem[m + CELL.rewound], mem[m + CELL.acted] = float(cycles), float(cycles)
        mem[m + CELL.rewinds] += 1.0
        take_past(mem, m + CELL.corrected, impulse, peak_squared)
        mem[m + CELL.deepest] = max(mem[m + CELL.deepest], float(cycles))
        energy = kinetic_energy(rig.chaser, corrected.chaser) + kinetic_energy(
            rig.target, corrected.target
        )
        mem[m + CELL.rewound_energy] = (
            energy
            - kinetic_energy(rig.chaser, satellites.chaser)
            - kinetic_energy(rig.target, satellites.target)
        )
    return corrected, taken + jump


@noinline
def follow_contact(method, mem, rig, env, wrench, felt, satellites):
    """A contact that is known is measured again. Returns satellites, and the energy that the wanted
    contact has more at the new place [J].

    A reading too weak to tell its normal changes nothing: what was known is held, as after the real
    contact's end.

    Once per contact the stiffness is estimated for the first time: what came before rested on a
    belief, and is recomputed.
    """
    if not env.clear:
        return satellites, 0.0
    m = method.memory
    old = load_model(mem, m + CELL.model)
    model = _model_of(method, env, wrench, felt, old.law)
    force = norm(wrench.force)
    if _is_elsewhere(method, mem, model.normal, float(env.pair), force):
        if mem[m + CELL.has_left] == 0.0:
            mem[m + CELL.has_left] = 1.0
            mem[m + CELL.other_points] += 1.0
    elif mem[m + CELL.first_force] < min(force, CLEAR * method.threshold):
        _note_first(method, mem, model.normal, env.pair, force)
    before, after = overlap_of(old, satellites), overlap_of(model, satellites)
    store_model(mem, m + CELL.model, model)
    _note_environment(method, mem, env, model)
    if mem[m + CELL.estimate + FIT.fresh] != 0.0 and method.rows > 1:
        mem[m + CELL.jumped] = mem[m + CELL.jumped_before]
        satellites, taken = _rewound(method, mem, rig, model, satellites, int(mem[m + CELL.began]))
        return satellites, taken - mem[m + CELL.taken]
    if before <= 0.0 and after <= 0.0:
        return satellites, 0.0
    jump = elastic_energy(model.law, after) - elastic_energy(model.law, before)
    _note_jump(method, mem, jump)
    return satellites, jump


@compiled
def close_contact(method, mem, rig):
    """Neither mock-ups nor satellites touch any more."""
    m = method.memory
    mem[m + CELL.known] = 0.0
    mem[m + CELL.free_since] = float(rig.cycle)
    if mem[m + CELL.acted] > 0.0 and (
        mem[m + CELL.shortest] == 0.0 or mem[m + CELL.acted] < mem[m + CELL.shortest]
    ):
        mem[m + CELL.shortest] = mem[m + CELL.acted]
    mem[m + CELL.overlap], mem[m + CELL.environment] = 0.0, 0.0
