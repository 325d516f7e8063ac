"""The course of a contact in the re-mapping, from its first reading to its end.

It holds what is known of the contact, fixed to the bodies: point, normal, environment and law. When
the satellites had already touched, or the law changes, their past is recomputed (rewind.py). In:
the environment as measured (environment.py). Out: satellites, and the work [J] that the wanted
contact took.
"""

from __future__ import annotations

import math

from softdock.compile.jit import compiled, noinline
from softdock.loop.method.corrected import take_past
from softdock.loop.method.interface import Output, Rig, Satellites
from softdock.loop.spatial.motion import Wrench
from softdock.loop.spatial.rigid_body import kinetic_energy
from softdock.loop.spatial.rotations import rotate_back
from softdock.loop.spatial.vectors import cross, dot, norm, subtract
from softdock.methods.remapping.environment import CLEAR, Environment
from softdock.methods.remapping.keys import MEASURED_TORQUE, Remapping, read_keys
from softdock.methods.remapping.rewind import rewind
from softdock.methods.remapping.state import STATE
from softdock.methods.remapping.wanted_contact import (
    Law,
    Model,
    compute_mobility,
    compute_overlap,
    compute_touch,
    elastic_energy,
)
from softdock.methods.remapping.wanted_law import choose_law

# rad, 20 deg; a normal that turns further from where it was, by more than noise can, belongs to
# another contact as well
ANOTHER_NORMAL = 0.35
ROUNDING = 1e-12  # of the torques that it is the difference of: a smaller one is none


@compiled
def _fix_to_bodies(method: Remapping, env: Environment, wrench: Wrench, mock_ups: Output, law: Law):
    """The environment, fixed to the bodies as they were when it was measured."""
    c, t = mock_ups.chaser, mock_ups.target
    couple = (0.0, 0.0, 0.0)
    if int(read_keys(method).torque) == MEASURED_TORQUE:
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
def _note_environment(s, env: Environment, model: Model):
    s.environment, s.stiffness, s.line_error = env.depth, env.stiffness, env.error
    s.point = model.on_target
    s.largest_line_error = max(s.largest_line_error, env.error)


@compiled
def _note_jump(s, jump):
    s.jumped += jump
    s.largest_jump = max(s.largest_jump, abs(jump))


@compiled
def _note_first(s, normal, pair, force):
    """The reading that later ones are held against: the contact's first, or the first clear one."""
    s.first, s.first_pair, s.first_force = normal, pair, force


@compiled
def _is_elsewhere(method: Remapping, s, normal, pair, force):
    """Whether a reading belongs to another place than the contact's first. What the threshold hides
    may turn either force, the more the weaker it is."""
    noise = method.threshold / force + method.threshold / s.first_force
    if pair != s.first_pair:
        return noise < ANOTHER_NORMAL
    return dot(normal, s.first) < math.cos(min(ANOTHER_NORMAL + noise, math.pi))


@noinline
def open_contact(
    method: Remapping,
    mem,
    rig: Rig,
    env: Environment,
    wrench: Wrench,
    felt: Output,
    satellites: Satellites,
):
    """A contact is seen for the first time: its law, and the past if the satellites had touched
    already. Returns satellites and the work taken [J]."""
    s = STATE(mem, method.memory)
    model = _fix_to_bodies(method, env, wrench, felt, s.model.law)
    touch = compute_touch(rig, model, satellites)
    law = choose_law(
        method,
        env.pair,
        env.normal,
        satellites.chaser.q,
        satellites.target.q,
        compute_mobility(rig, satellites, touch),
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
    s.model = model
    s.known, s.acted = True, 0
    s.contacts += 1
    _note_first(s, model.normal, env.pair, norm(wrench.force))
    s.has_left = False
    _note_environment(s, env, model)
    if method.rows < 2:
        jump = elastic_energy(law, touch.overlap)
        _note_jump(s, jump)
        if touch.overlap > 0.0:
            s.too_short += 1
        return satellites, jump
    s.jumped_before = s.jumped
    return _recompute(method, mem, rig, model, satellites, rig.cycle)


@noinline
def _recompute(method: Remapping, mem, rig: Rig, model: Model, satellites: Satellites, latest):
    """The satellites with their past recomputed, and the energy that the wanted contact took in
    it [J]."""
    s = STATE(mem, method.memory)
    corrected, cycles, taken, jump, impulse, peak_squared = rewind(method, mem, rig, model, latest)
    s.began = rig.cycle - cycles
    _note_jump(s, jump)
    if cycles > 0:
        s.rewound, s.acted = cycles, cycles
        s.rewinds += 1
        take_past(mem, method.memory + STATE.at.corrected, impulse, peak_squared)
        s.deepest = max(s.deepest, cycles)
        energy = kinetic_energy(rig.chaser, corrected.chaser) + kinetic_energy(
            rig.target, corrected.target
        )
        s.rewound_energy = (
            energy
            - kinetic_energy(rig.chaser, satellites.chaser)
            - kinetic_energy(rig.target, satellites.target)
        )
    return corrected, taken + jump


@noinline
def follow_contact(
    method: Remapping,
    mem,
    rig: Rig,
    env: Environment,
    wrench: Wrench,
    felt: Output,
    satellites: Satellites,
):
    """A contact that is known is measured again. Returns satellites, and the energy that the wanted
    contact has more at the new place [J].

    A reading too weak to tell its normal changes nothing: what was known is held, as after the real
    contact's end.

    Once per contact the stiffness is estimated for the first time: what came before rested on a
    belief, and is recomputed.
    """
    if not env.clear:
        return satellites, 0.0
    s = STATE(mem, method.memory)
    old = s.model
    model = _fix_to_bodies(method, env, wrench, felt, old.law)
    force = norm(wrench.force)
    if _is_elsewhere(method, s, model.normal, env.pair, force):
        if not s.has_left:
            s.has_left = True
            s.other_points += 1
    elif s.first_force < min(force, CLEAR * method.threshold):
        _note_first(s, model.normal, env.pair, force)
    before, after = compute_overlap(old, satellites), compute_overlap(model, satellites)
    s.model = model
    _note_environment(s, env, model)
    if s.estimate.fresh and method.rows > 1:
        s.jumped = s.jumped_before
        satellites, taken = _recompute(method, mem, rig, model, satellites, s.began)
        return satellites, taken - s.taken
    if before <= 0.0 and after <= 0.0:
        return satellites, 0.0
    jump = elastic_energy(model.law, after) - elastic_energy(model.law, before)
    _note_jump(s, jump)
    return satellites, jump


@compiled
def close_contact(s, rig: Rig):
    """Neither mock-ups nor satellites touch any more. `s`: the method's state."""
    s.known = False
    s.free_since = rig.cycle
    if s.acted > 0 and (s.shortest == 0 or s.acted < s.shortest):
        s.shortest = s.acted
    s.overlap, s.environment = 0.0, 0.0
