"""The passive integrator of De Stefano et al.: watch the energy of the integration, correct what is
sent to the robot, leave the state alone.

Per world axis of each free body. In: the velocity before and after a cycle, so the force F that was
held over it. Out: the set-point's velocity and position,

    v_c(k) = v(k) - v_pc(k),   x_c(k) = x_c(k-1) + T v_c(k)

`form` says which forces make v_pc. `published`: work of the force before, divided by the newest
one; singular where that is small. `previous_force`: both from the force that made the motion; then
x_c is exact for a held force and nothing is divided by. `bounded`: as published, but the damper is
at most T / 2m and what it could not take is carried over, so |v_pc| <= T |F| / 2m. At F = 0 nothing
is corrected and the debt is carried. `rigid_body`: rotation as well, on `lie_split`
(rigid_body.py).

In a loop a set-point that is there at t_{k+1} leaves at t_k, before F(k+1) is known: `published`
and `bounded` act one cycle later than on paper. `pairing` is the velocity that moves the body: the
new one, as in (5), or the old one, as in a rig that sends its velocity at the next exchange. The
set-point's velocity is that of (19), v_c(k) = v(k) - v_pc(k), with which its position was moved;
its rate stays the satellite's. What the correction moves is in the ledger's row `command`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from softdock.compile.cells import Cell, Cells, many
from softdock.compile.jit import compiled
from softdock.loop.method.declaration import ONCE
from softdock.loop.method.interface import Measured, Output, Rig, Satellites, Wrenches
from softdock.loop.method.memory import recorded
from softdock.loop.method.method import Method
from softdock.loop.parameters import Group, Parameter
from softdock.loop.spatial.motion import Motion
from softdock.loop.spatial.rigid_body import Body, BodyParams
from softdock.loop.spatial.vectors import Quaternion, Vector, add_scaled, subtract
from softdock.methods.measured.by_axis import AXES, BODIES, WORK_NAMES
from softdock.methods.measured.doubt_keys import doubt_keys
from softdock.methods.measured.doubts import (
    DOUBTS,
    NO_DOUBTS,
    Doubts,
    believe,
    count_doubts,
    describe_doubts,
    prepare_doubts,
)
from softdock.methods.passive_integrator.rigid_body import correct_rigid_body

# Its keys, its state, and the NamedTuple that its hooks get.

PUBLISHED, PREVIOUS_FORCE, BOUNDED, RIGID_BODY = 0, 1, 2, 3
FORMS = ("published", "previous_force", "bounded")  # of the paper: one axis at a time
SYMPLECTIC, FORWARD = 0, 1

PASSIVE_INTEGRATOR = Group(
    "passive_integrator",
    "De Stefano's passive integrator: the set-points' positions corrected by the energy that "
    "the integration is thought to have added.",
    Parameter(
        "form",
        "form",
        "which forces make the correction; rigid_body: all six axes, on lie_split",
        "previous_force",
        choices=(*FORMS, "rigid_body"),
    ),
    Parameter(
        "pairing",
        "pairing",
        "velocity that moves the body: the new one, or the old one",
        "symplectic",
        choices=("symplectic", "forward"),
    ),
    Parameter(
        "largest_force",
        "largest_force_N",
        "fills the tank of `bounded` with what this force can leave, T^2 F^2 / 2m; 0: empty",
        0.0,
        unit="N",
        low=0.0,
        high=1e6,
    ),
    Parameter(
        "smallest_force",
        "smallest_force_N",
        "a smaller force (or torque, Nm) counts as zero: no correction, the debt is carried",
        1e-9,
        unit="N",
        low=1e-12,
        high=1e6,
    ),
    *doubt_keys(frozen_ms=0.0),  # off: a force that is held is what the paper is about
)
_PER_AXIS = tuple(f"{body}.{axis}" for body in BODIES for axis in AXES)


STATE = Cells(  # six numbers: of the chaser's axes, then of the target's; `work`: by_axis.py
    "passive_integrator",
    recorded(
        "work",
        "J",
        "energy put into the output so far; falling: taken by the damper",
        frame="world",
        parts=WORK_NAMES,
        kind=many(12),
    ),
    recorded(
        "correction",
        "m/s",
        "v_pc, taken off the velocity that moves the set-point",
        frame="world",
        parts=_PER_AXIS,
        kind=many(6),
    ),
    recorded(
        "observed",
        "J",
        "observed energy of the integration (De Stefano eq. 16)",
        frame="world",
        parts=_PER_AXIS,
        kind=many(6),
    ),
    recorded(
        "turn_correction",
        "rad/s",
        "w_pc, taken off the angular velocity that moves the set-point; `rigid_body`",
        frame="world",
        parts=_PER_AXIS,
        kind=many(6),
    ),
    recorded(
        "observed_turning",
        "J",
        "work on the set-point's turn less what the rotation gained; `rigid_body`",
        parts=BODIES,
        kind=many(2),
    ),
    Cell("force", many(6), "N", "of the cycle before"),
    Cell("position", many(2, Vector), "m", "corrected position that was sent"),
    Cell("attitude", many(2, Quaternion), "-", "corrected attitude that was sent; `rigid_body`"),
    Cell("largest_turning", many(2), "rad/s", "largest w_pc"),
    Cell("largest_force", many(6), "N", "so far"),
    Cell("bound", many(6), "m/s", "most that the sound forms correct for it"),
    Cell("largest", many(6), "m/s", "largest correction"),
    Cell("largest_at", many(6), "s", "when"),
    Cell("waited", many(6, int), "cycles", "in which a debt waited for a force"),
    Cell("started", bool, "-", "the first cycle is over"),
    Cell("doubts", DOUBTS, "", "of the sensor: methods/measured/doubts.py"),
)
CHASER, TARGET = range(2)


class PassiveIntegrator(NamedTuple):
    memory: int
    form: int
    pairing: int
    largest_force: float  # N
    smallest_force: float  # N
    doubts: Doubts


MARKER = PassiveIntegrator(
    memory=0, form=0, pairing=0, largest_force=0.0, smallest_force=0.0, doubts=NO_DOUBTS
)


@compiled
def prepare(marker: PassiveIntegrator, vector, base, memory):
    keys = PASSIVE_INTEGRATOR(vector, base)
    return PassiveIntegrator(
        memory=memory,
        form=int(keys.form),
        pairing=int(keys.pairing),
        largest_force=keys.largest_force,
        smallest_force=keys.smallest_force,
        doubts=prepare_doubts(
            vector, keys.frozen, keys.jump, keys.range, base + PASSIVE_INTEGRATOR.at.sensor
        ),
    )


def check(values: dict[str, Any], tables: Any) -> Any:
    """A setting that does nothing, or an integrator that changes the energy of a free flight."""
    integrator = tables["satellites"]["integrator"]
    if values["form"] == "rigid_body" and integrator != "lie_split":
        return [
            (
                "form",
                "rigid_body",
                "satellites.integrator = lie_split, whose free flight keeps its energy: no damper "
                f"can without a torque (it is {integrator})",
            )
        ], []
    if values["form"] == "bounded" or values["largest_force_N"] == 0.0:
        return [], []
    return [], [
        f"passive_integrator: largest_force_N does nothing with form = {values['form']}: only "
        "'bounded' has a tank"
    ]


# times T F / 2m of the largest force: a correction beyond came from a division by next to nothing
SINGULAR = 10.0


@compiled
def wrench(
    method: PassiveIntegrator,
    mem,
    rig: Rig,
    measured: Measured,
    satellites: Satellites,
    wrenches: Wrenches,
):
    """The wrenches as they are, unless the sensor is doubted."""
    return believe(
        STATE(mem, method.memory).doubts,
        rig=rig,
        doubts=method.doubts,
        threshold=method.smallest_force,
        measured=measured,
        satellites=satellites,
        wrenches=wrenches,
    )[1]


@compiled
def integration_energy(T, inverse_mass, force):
    """What the paper takes for energy made by one step of the integration [J]; it is part of the
    work of the held force."""
    return 0.5 * T * T * force * force * inverse_mass  # De Stefano eq. 10


@compiled
def damper(form, T, inverse_mass, tank, smallest_force, observed, earlier, newest):
    """One axis, one step: the observer and the variable damper. `observed`: energy after the step
    before [J]; `earlier`: the force that made the motion, `newest`: the one at its end [N]. Returns
    v_pc [m/s], the observed energy before and after the damper took its part [J]."""
    force = earlier if form == PREVIOUS_FORCE else newest
    before = observed - integration_energy(
        T, inverse_mass, earlier
    )  # De Stefano eq. 16; the damper's part was added a step ago
    if before >= tank or abs(force) < smallest_force:
        return 0.0, before, before  # De Stefano eq. 17, with the rule that it lacks for F = 0
    v_pc = (tank - before) / (T * force)  # De Stefano eqs. 17 and 18 in one: beta F
    if form == BOUNDED:
        most = 0.5 * T * inverse_mass * abs(force)
        v_pc = max(-most, min(most, v_pc))
    return v_pc, before, before + T * force * v_pc


@compiled
def _correct_body(
    method: PassiveIntegrator,
    s,
    which,
    first,
    params: BodyParams,
    T,
    t,
    before: Body,
    after: Body,
    motion: Motion,
):
    """One body's set-point. `s`: the state; `which`: CHASER or TARGET."""
    if params.fixed:
        return motion
    if method.form == RIGID_BODY:
        return correct_rigid_body(
            s,
            which,
            first=first,
            T=T,
            t=t,
            smallest=method.smallest_force,
            params=params,
            before=before,
            after=after,
            motion=motion,
        )
    at = 3 * which
    if first:
        s.position[which] = before.p
        for i in range(3):
            s.observed[at + i] = _compute_tank(method, T, params.inverse_mass[i])
    for i in range(3):
        force = (after.v[i] - before.v[i]) * params.mass[i] / T
        earlier = force if method.form == PREVIOUS_FORCE else s.force[at + i]
        tank = _compute_tank(method, T, params.inverse_mass[i])
        v_pc, observed, left = damper(
            method.form,
            T,
            inverse_mass=params.inverse_mass[i],
            tank=tank,
            smallest_force=method.smallest_force,
            observed=s.observed[at + i],
            earlier=earlier,
            newest=force,
        )
        s.observed[at + i] = left
        s.force[at + i] = force
        s.correction[at + i] = v_pc
        s.bound[at + i] = max(s.bound[at + i], 0.5 * T * params.inverse_mass[i] * abs(force))
        waiting = observed < tank and abs(force) < method.smallest_force
        _note_axis(s, at + i, t, left - observed, v_pc, force, waiting)
    correction = (s.correction[at], s.correction[at + 1], s.correction[at + 2])
    own = after.v if method.pairing == SYMPLECTIC else before.v
    v_c = subtract(own, correction)  # De Stefano eq. 19
    # De Stefano eq. 5, with the corrected velocity
    position = add_scaled(s.position[which], T, v_c)
    s.position[which] = position
    return Motion(position, motion.q, v_c, motion.w)


@compiled
def _note_axis(s, i, t, taken, v_pc, force, waiting):
    """What the damper did on one axis in this cycle."""
    s.work[i if i < 3 else i + 3] -= taken
    s.largest_force[i] = max(s.largest_force[i], abs(force))
    if abs(v_pc) > s.largest[i]:
        s.largest[i] = abs(v_pc)
        s.largest_at[i] = t
    s.waited[i] += 1 if waiting else 0


@compiled
def _compute_tank(method: PassiveIntegrator, T, inverse_mass):
    return (
        integration_energy(T, inverse_mass, method.largest_force) if method.form == BOUNDED else 0.0
    )


@compiled
def correct(
    method: PassiveIntegrator,
    mem,
    rig: Rig,
    measured: Measured,
    before: Satellites,
    after: Satellites,
    output: Output,
):
    s, t = STATE(mem, method.memory), (rig.cycle + 1) * rig.T
    first = not s.started
    s.started = True
    chaser = _correct_body(
        method,
        s,
        CHASER,
        first=first,
        params=rig.chaser,
        T=rig.T,
        t=t,
        before=before.chaser,
        after=after.chaser,
        motion=output.chaser,
    )
    target = _correct_body(
        method,
        s,
        TARGET,
        first=first,
        params=rig.target,
        T=rig.T,
        t=t,
        before=before.target,
        after=after.target,
        motion=output.target,
    )
    return after, Output(chaser, target)


def summarize(mem: Any) -> dict[str, Any]:
    """What the dampers did, from the method's slice of `mem`, for every axis of a free body on
    which a force acted."""
    s, axes = STATE(mem), {}
    for i, name in enumerate(_PER_AXIS):
        if s.largest_force[i] > 0.0:
            body, axis = name.split(".")
            axes[f"{body}.force.{axis}"] = {
                "observed_J": float(s.observed[i]),
                "largest_correction_m_per_s": float(s.largest[i]),
                "largest_correction_at_s": float(s.largest_at[i]),
                "sound_correction_m_per_s": float(s.bound[i]),
                "largest_force_N": float(s.largest_force[i]),
                "cycles_with_a_debt_and_no_force": float(s.waited[i]),
            }
    turning = {
        f"{body}_largest_turn_correction_rad_per_s": float(s.largest_turning[i])
        for i, body in enumerate(BODIES)
        if s.largest_turning[i] > 0.0
    }
    return {"axes": axes} | turning | count_doubts(s.doubts)


def describe_events(mem: Any, T: float) -> list[str]:
    """Where the damper had no answer, or none that could be used."""
    found = describe_doubts(STATE(mem).doubts, 0.0)
    for name, axis in summarize(mem)["axes"].items():
        waited, largest = (
            axis["cycles_with_a_debt_and_no_force"],
            axis["largest_correction_m_per_s"],
        )
        if waited:
            found.append(
                f"{name}: the force was zero in {waited:.0f} cycles while a debt waited; "
                "nothing was corrected in them"
            )
        if largest > SINGULAR * axis["sound_correction_m_per_s"]:
            when = axis["largest_correction_at_s"]
            found.append(
                f"{name}: corrected by up to {largest:.3g} m/s (t = {when:.3f} s), "
                f"{largest / axis['sound_correction_m_per_s']:.0f} times T F / 2m"
            )
    return found


METHOD = Method(
    name="passive_integrator",
    summary="De Stefano's passive integrator: set-points corrected by the energy of the "
    "integration",
    knows="no parameter; for its tank, the largest force",
    while_latched="it corrects the integration alone: the pair grows as with the force passed on",
    group=PASSIVE_INTEGRATOR,
    marker=MARKER,
    prepare=prepare,
    wrench=wrench,
    correct=correct,
    cells=STATE,
    check=check,
    books=summarize,
    events=describe_events,
    once=ONCE,
    changes_wrench=False,  # it only leaves out readings that are not believed
)
