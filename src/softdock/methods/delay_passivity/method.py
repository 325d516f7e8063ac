"""Passivity observer and controller around the robots' delay, at the port of force and motion.

Whatever delays the motion on its way to the mock-ups, the satellites may get from a contact what
the real contact gives, and no more. The observer counts, per port,

    active = energy given to the satellites (wrench applied, their own motion) - energy released by
    the real contact (measured wrench, measured motion)
    level  = active - transit

Measured wrench and motion are paired by their ages. `transit` is the energy reference: the work
that the contact will still do while the mock-ups go where the satellites are already, from the
newest wrench and its slope along the way; without it the controller would act on energy that is
only late.

The controller takes `level`, and what one more cycle would add, in the next cycle, by a variable
damper along the measured wrench: it acts on both satellites with the part gamma of it. The damper
is at most m / (n T), m the mass that the wrench feels, n = `braking_cycles`: at the turning point
its force goes to zero with the velocity, so that a contact always pushes out and nothing sticks;
what was not taken is carried on. While a force is felt it is at most doubled and never reversed. A
debt that is left when the contact is over is braked off along its last wrench, down to the share
`loan` of the energy at touch; a credit is dropped. (A real contact with damping can absorb more
than the satellites had, because the robots carry the mock-ups deep into it; no braking repays
that.)

A sensor that freezes, jumps or gives no number is doubted (methods/measured/doubts.py), and of a
passive contact no more is believed than that it returned what it took since touch, with the loan
and four standard deviations of the noise. While a force is felt the wrench on the satellites gives
them no more than that (passive_ceiling.py): so no fault of the sensor lifts their energy beyond
it.

With noise of the force the work that is measured is wrong by a chance amount, and what the
satellites get with it. With `confidence` above 0.5, z standard deviations of that amount count as
not given: then with this probability a contact gives no more than the real one did. Also counted:
what a sensor's threshold lets through by chance (real_work.compute_gate_variance), and the noise
just before a contact opens.

`coupled`: one port of six degrees of freedom for the pair; the wrenches stay opposite about one
point, momentum is kept. `per_axis`: three force and three torque ports in world axes; linear
momentum is kept, the pair's angular momentum only if forces act along axes.
"""

from __future__ import annotations

import math
from typing import Any

from softdock.compile.jit import compiled, noinline
from softdock.loop.method.declaration import ONCE
from softdock.loop.method.interface import Measured, Rig, Satellites, Wrenches
from softdock.loop.method.method import Method
from softdock.loop.spatial.motion import Wrench
from softdock.loop.spatial.rigid_body import Body, BodyParams
from softdock.loop.spatial.vectors import add, dot, multiply, norm, scale, subtract
from softdock.methods.delay_passivity import keys
from softdock.methods.delay_passivity.keys import COUPLED, ROWS_BEYOND, DelayPassivity
from softdock.methods.delay_passivity.observer import (
    BASELINE,
    compute_least,
    compute_noise_variance,
    observe,
    settle_account,
)
from softdock.methods.delay_passivity.state import (
    STATE,
    count_floats,
    list_vectors,
    subtract_vectors,
)
from softdock.methods.delay_passivity.transit import compute_transit_work
from softdock.methods.measured.doubts import (
    believe,
    count_doubts,
    describe_doubts,
    is_finite,
)
from softdock.methods.measured.line_of_action import compute_mobility
from softdock.methods.measured.passive_ceiling import limit_to_room
from softdock.methods.measured.projection import pair_energy, weld_pair

# The passivity controller of `delay_passivity`: a variable damper along the measured wrench, and a
# brake for the energy that is still owed when the contact is over.
#
# In: the energy level of each port [J] (observer.py) and the last wrench of the contact. Out:
# wrenches on both satellites, world axes, equal and opposite about one point (`coupled`).

SMALLEST = 1e-9  # of the relative motion's energy: less is none


@compiled
def _select(method: DelayPassivity, port, j, a):
    """A vector with what does not belong to the port set to zero; j: 0 forces, 1 torques."""
    if method.coupling == COUPLED:
        return a
    i = port - 3 * j
    return (a[0] if i == 0 else 0.0, a[1] if i == 1 else 0.0, a[2] if i == 2 else 0.0)


@noinline
def _compute_gain(method: DelayPassivity, mem, rig: Rig, satellites: Satellites, port):
    """How much of the last wrench of the contact the damper puts against the motion at a port."""
    s, T = STATE(mem, method.memory), rig.T
    along, twist = s.along, s.twist
    cf, ct = _select(method, port, 0, along[0]), _select(method, port, 1, along[1])
    tf, tt = _select(method, port, 0, along[2]), _select(method, port, 1, along[3])
    power = dot(cf, twist[0]) + dot(ct, twist[1])
    power += dot(tf, twist[2]) + dot(tt, twist[3])
    level = s.active[port] - compute_transit_work(method, mem, satellites, port)
    coming = level - s.level[port] + s.removed[port]  # what a cycle adds without the damper
    s.level[port] = level
    s.removed[port] = 0.0
    mobility = compute_mobility(rig.chaser, satellites.chaser.q, Wrench(cf, ct)) + compute_mobility(
        rig.target, satellites.target.q, Wrench(tf, tt)
    )
    if power == 0.0 or mobility == 0.0:
        return 0.0
    kinetic = 0.5 * power * power / mobility  # of the motion along the wrench
    most = abs(power) / (method.braking_cycles * T * mobility)
    if s.idle == 0.0:
        if s.touch[port] == 0.0:
            s.touch[port] = kinetic
            s.largest_touch = max(s.largest_touch, kinetic)
        wanted = level + coming
        most = min(most, 1.0)
    else:  # the contact is over, and a debt is left
        spare = kinetic - method.loan * s.touch[port]
        if method.work.worst and (power < 0.0 or spare < level):
            # more than the motion along the last wrench has: taken from all relative motion, when
            # every reading is counted
            return 0.0
        if power < 0.0 or spare <= 0.0:
            if s.idle <= (method.rows - BASELINE) * T:
                return 0.0  # a force that flickers about the threshold: the contact may only begin
            s.dropped += max(s.active[port], 0.0)
            s.active[port] = 0.0
            return 0.0
        wanted = min(level, spare)
    if wanted <= 0.0:
        return 0.0
    gamma = max(-most, min(most, wanted / (power * T)))
    s.removed[port] = gamma * power * T
    return gamma


@compiled
def _damp(gamma, force, torque, wrench: Wrench):
    """A wrench less its port's share of the one along which the damper acts."""
    a, b, f, t = force, torque, wrench.force, wrench.torque
    damped = (f[0] - gamma[0] * a[0], f[1] - gamma[1] * a[1], f[2] - gamma[2] * a[2])
    return Wrench(damped, (t[0] - gamma[3] * b[0], t[1] - gamma[4] * b[1], t[2] - gamma[5] * b[2]))


@compiled
def _add_towards(params: BodyParams, share, body: Body, weld: Body, wrench: Wrench):
    """A wrench and what brings a body in one cycle by `share` [1/s] of the way to another
    motion."""
    if params.fixed:
        return wrench
    force = add(wrench.force, scale(share, multiply(params.mass, subtract(weld.v, body.v))))
    return Wrench(force, add(wrench.torque, scale(share, subtract(weld.L, body.L))))


@noinline
def _brake_relative(
    method: DelayPassivity, mem, rig: Rig, satellites: Satellites, wrenches: Wrenches
):
    """The contact is over, and what is owed is more than the motion along its last wrench has:
    brake the motion relative to the pair welded together."""
    s, weld = STATE(mem, method.memory), weld_pair(rig, satellites)
    relative = pair_energy(rig, satellites) - pair_energy(rig, weld)
    spare = relative - method.loan * s.touch[0]
    if spare <= SMALLEST * relative:
        s.dropped += max(s.active[0], 0.0)
        s.active[0] = 0.0
        return wrenches
    share = (
        min(1.0 - math.sqrt(1.0 - min(s.level[0], spare) / relative), 1.0 / method.braking_cycles)
        / rig.T
    )
    chaser = _add_towards(rig.chaser, share, satellites.chaser, weld.chaser, wrenches.chaser)
    return Wrenches(
        chaser, _add_towards(rig.target, share, satellites.target, weld.target, wrenches.target)
    )


ROUNDING = 1e-9  # of the energy at touch: a debt below is none


@compiled
def _apply(s, given: Wrenches, without: Wrenches):
    """The wrenches that act, and what the damper has done to them."""
    s.applied = list_vectors(given)
    s.damper = subtract_vectors(list_vectors(given), list_vectors(without))
    return given


@compiled
def _is_idle(method: DelayPassivity, s, rig: Rig, satellites: Satellites, touching):
    """Whether there is nothing to do: no contact, and the last one settled: all its readings
    counted, and no debt left. Then nothing is counted, so that noise adds up to nothing."""
    if touching:
        s.idle = 0.0
        if not s.open:
            s.contacts += 1
            s.open = True
            s.net = 0.0
            s.reserve += method.deviations * math.sqrt(compute_noise_variance(method, s))
            s.touch_kinetic = pair_energy(rig, satellites)
        return False
    s.idle += rig.T
    debt = 0.0
    for port in range(6):
        s.slope[port] = 0.0
        debt = max(debt, s.active[port])
    if s.open and (debt > 0.0 or s.idle <= (method.rows - BASELINE) * rig.T):
        return False
    s.open = False
    for port in range(6):
        s.level[port] = 0.0
        s.removed[port] = 0.0
        s.touch[port] = 0.0
    settle_account(method, s)
    return True


@noinline
def wrench(
    method: DelayPassivity,
    mem,
    rig: Rig,
    measured: Measured,
    satellites: Satellites,
    wrenches: Wrenches,
):
    s, handed = STATE(mem, method.memory), wrenches
    measured, wrenches = believe(
        s.doubts,
        rig=rig,
        doubts=method.doubts,
        threshold=method.threshold,
        measured=measured,
        satellites=satellites,
        wrenches=wrenches,
    )
    if not is_finite(handed.chaser):
        handed = wrenches
    observe(method, mem, rig, measured, satellites)
    touching = norm(measured.wrenches.chaser.force) > method.threshold
    if touching:
        s.along = list_vectors(wrenches)
        oldest = (method.rows - ROWS_BEYOND + 1) * rig.T
        age = max(measured.force_age + method.unstamped, measured.pose_age)
        s.too_old += 1 if age > oldest else 0
    if _is_idle(method, s, rig, satellites, touching):
        return _apply(s, wrenches, handed)
    if method.coupling == COUPLED:
        g = _compute_gain(method, mem, rig, satellites, 0)
        gamma = (g, g, g, g, g, g)
        if (
            g == 0.0
            and method.work.worst
            and s.level[0] > 0.0
            and s.idle > (method.rows - BASELINE) * rig.T
        ):
            return _apply(s, _brake_relative(method, mem, rig, satellites, wrenches), handed)
    else:
        gamma = (
            _compute_gain(method, mem, rig, satellites, 0),
            _compute_gain(method, mem, rig, satellites, 1),
            _compute_gain(method, mem, rig, satellites, 2),
            _compute_gain(method, mem, rig, satellites, 3),
            _compute_gain(method, mem, rig, satellites, 4),
            _compute_gain(method, mem, rig, satellites, 5),
        )
    along = s.along
    given = Wrenches(
        _damp(gamma, along[0], along[1], wrenches.chaser),
        _damp(gamma, along[2], along[3], wrenches.target),
    )
    if touching and not method.doubts.hands:
        room = -compute_least(method, s) - s.net
        given = limit_to_room(s.doubts, rig, satellites, given, room)
    return _apply(s, given, handed)


def summarize(mem: Any) -> dict[str, Any]:
    """What it did in a run, from its slice of `mem`."""
    s = STATE(mem)
    own = {
        "contacts": float(s.contacts),
        "dropped_J": float(s.dropped),
        "kept_back_J": float(s.reserve),
    }
    return own | count_doubts(s.doubts)


def describe_events(mem: Any, T: float) -> list[str]:
    """What a reader of the run must know, in words."""
    s = STATE(mem)
    found = describe_doubts(s.doubts, s.largest_touch)
    if s.dropped > ROUNDING * s.largest_touch:
        found.append(
            f"{s.dropped:.3g} J of debts were dropped: no braking along the last wrench "
            "could repay them"
        )
    if s.too_old > 0:
        found.append(
            f"readings were older than longest_age_ms in {s.too_old} cycles of contact: the work "
            "was paired with the oldest remembered"
        )
    return found


METHOD = Method(
    name="delay_passivity",
    summary="passivity observer and controller around the robots' delay: the satellites get what "
    "the real contact gives, and no more",
    knows="no parameter; with noise, the force below which there is no contact",
    while_latched="it holds the pair: its energy stays within 0.1 %",
    holds_latch=True,
    group=keys.DELAY_PASSIVITY,
    marker=keys.MARKER,
    prepare=keys.prepare,
    wrench=wrench,
    cells=STATE,
    memory=count_floats,
    books=summarize,
    events=describe_events,
    check=keys.check,
    suggest=keys.suggest,
    refuses=keys.refuses,
    once=ONCE,
    settles_energy=True,
    is_last_on_wrench="it must be the last that changes the wrench, or it counts what never acts",
    threshold_key="threshold_N",
    claims_passivity={"claim": "passive"},
)
