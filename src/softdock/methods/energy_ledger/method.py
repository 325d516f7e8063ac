"""The energy ledger as a method: the satellites' kinetic energy follows the work that the real
contact did (ours).

From what a rig measures, and without stiffness or delay. While a contact lasts, the real contact
has absorbed, measured wrench and measured motion paired by age (methods/measured/real_work.py),

    E_r = - sum (W_k + W_k-1)/2 . (x_r,k - x_r,k-1)

and the set-points already sent, which the mock-ups have not yet reached, will make it absorb
E_transit = - W . (x_cmd - x_r) more. So the satellites may have the kinetic energy

    allowed = KE at the opening + W_external - W_virtual + W_designed - E_r - E_transit - noise bias
    - debt

and never more than at the opening with what came from outside, the loan and four standard
deviations of the noise: a real contact is passive, whatever a faulty sensor says of it
(methods/measured/doubts.py); nor does a wrench, along whatever line, lift them beyond
(passive_ceiling.py).

`clamp`: what they have beyond is taken away. `equality`: what they lack is given as well. Near the
turning point, where next to nothing is allowed, a small loan stays, so that the satellites cannot
stick. No correction changes the speed along the wrench by more than a given share of the approach
speed in one cycle.

A contact opens when the measured force rises above `threshold_N` and closes when it has been below
for `window_ms`; its books begin half of that earlier, so that the work below the threshold counts.
"""

from __future__ import annotations

import math

from softdock.compile.jit import compiled
from softdock.loop.method.declaration import ONCE
from softdock.loop.method.interface import (
    BOOK_DESIGNED,
    BOOK_VIRTUAL,
    Measured,
    Output,
    Rig,
    Satellites,
    Wrenches,
)
from softdock.loop.method.method import Method
from softdock.loop.nominal import restore_set_points
from softdock.loop.spatial.motion import Motion, Wrench, port_energy
from softdock.loop.spatial.rigid_body import motion_of
from softdock.loop.spatial.rotations import inverse, product
from softdock.loop.spatial.vectors import add, norm, scale, subtract
from softdock.methods.energy_ledger import keys, notes
from softdock.methods.energy_ledger.keys import (
    EQUALITY,
    HELD,
    REFUND,
    RELATIVE_MOTION,
    WANTED,
    EnergyLedger,
)
from softdock.methods.energy_ledger.notes import note_trail
from softdock.methods.energy_ledger.state import (
    STATE,
    count_floats,
    find_readings,
    open_account,
    store_account,
)
from softdock.methods.measured.by_axis import add_gains
from softdock.methods.measured.doubts import (
    believe,
    compute_least_absorbed,
    delivers_force,
    update_lifted,
)
from softdock.methods.measured.line_of_action import satellite_motions
from softdock.methods.measured.paired_poses import (
    compute_pair_work,
    compute_relative_displacement,
    take_poses,
)
from softdock.methods.measured.passive_ceiling import limit_to_room
from softdock.methods.measured.projection import (
    Line,
    carry_poses,
    find_line,
    pair_energy,
    push_along,
    scale_relative,
    weld_pair,
)
from softdock.methods.measured.real_work import (
    add_real_work,
    compute_force_slope,
    compute_reserve,
    interpolate_mock_ups,
    interpolate_wrench,
    store_readings,
)

# The kinetic energy [J] that the energy ledger allows the satellites at t_{k+1}.
#
# It is what the contact left them, less what the contact will still absorb on the path of
# set-points that the mock-ups have not reached. In: the work of the real contact as measured
# (methods/measured/real_work.py), and the satellites before and after the cycle.


@compiled
def _compute_least(method: EnergyLedger, s):
    """The least energy [J] that the contact can have absorbed since its account began. `s`: the
    ledger's state."""
    return compute_least_absorbed(
        method.doubts, method.loan * s.summit, s.real.variance - s.real.variance_before
    )


@compiled
def _compute_ceiling(method: EnergyLedger, s):
    """Kinetic energy [J] that no passive contact can lift the satellites beyond."""
    return s.kinetic_before + s.given - s.given_before - _compute_least(method, s)


@compiled
def _compute_given(
    method: EnergyLedger,
    mem,
    rig: Rig,
    before: Satellites,
    after: Satellites,
    start: Output,
    end: Output,
):
    """Energy [J] of this cycle that neither the contact nor a virtual element accounts for:
    thrusters, hands, methods that mean to differ."""
    acting = STATE(mem, method.memory).acting
    through = (
        port_energy(acting.chaser, rig.T, start.chaser, end.chaser) if not rig.chaser.fixed else 0.0
    )
    through += (
        port_energy(acting.target, rig.T, start.target, end.target) if not rig.target.fixed else 0.0
    )
    meant = mem[BOOK_VIRTUAL] if method.virtual == WANTED else 0.0
    return pair_energy(rig, after) - pair_energy(rig, before) - through - meant + mem[BOOK_DESIGNED]


@compiled
def _compute_allowed(method: EnergyLedger, mem, T, start: Output, end: Output, felt):
    """Kinetic energy [J] that the satellites may have at t_{k+1}."""
    s = STATE(mem, method.memory)
    reserve = compute_reserve(s.real, method.deviations, method.work.worst)
    transit = _compute_transit(method, mem, T, start, end)
    s.largest_transit = max(s.largest_transit, abs(transit))
    absorbed = s.real.absorbed - s.real.absorbed_before + transit
    absorbed += update_lifted(s.doubts, _compute_least(method, s), absorbed, felt, s.kinetic_before)
    return s.kinetic_before + s.given - s.given_before - absorbed - reserve - s.debt


@compiled
def _compute_transit(method: EnergyLedger, mem, T, start: Output, end: Output):
    """Energy [J] that the contact will absorb on the way from the mock-ups' last counted poses to
    the set-points stamped t_{k+1}."""
    s, readings = STATE(mem, method.memory), find_readings(method)
    here = interpolate_mock_ups(mem, s.real, readings, s.real.until)
    wrench = interpolate_wrench(mem, s.real, readings, s.real.until)
    force = norm(wrench.force)
    if force <= method.work.threshold:
        return 0.0
    sent = s.command if s.sent else take_poses(start)
    behind, ahead = (
        compute_relative_displacement(here, sent),
        compute_relative_displacement(take_poses(start), take_poses(end)),
    )
    note_trail(s, T, behind.translation, ahead.translation)
    work = compute_pair_work(wrench, behind) + compute_pair_work(wrench, ahead)
    if method.transit == HELD:
        return -work
    deeper, slope = -work / force, compute_force_slope(s.real)
    if force + slope * deeper < 0.0:
        return -0.5 * force * force / slope  # parted on the way
    return (force + 0.5 * slope * deeper) * deeper


# How the energy ledger brings the satellites to the kinetic energy they may have: an internal
# impulse along the measured wrench, or a scaling of all relative motion
# (methods/measured/projection.py). Momenta of the pair stay. A loan near the turning point and a
# largest step per cycle limit what one correction does.


@compiled
def _settle(method: EnergyLedger, s, rig: Rig, satellites: Satellites, allowed, parted):
    """The satellites with the energy they may have, or as near as loan and step let them."""
    line = find_line(rig, satellites, s.direction)
    if line.mobility <= 0.0:
        return satellites
    along = 0.5 * line.speed * line.speed / line.mobility
    if line.speed < 0.0:
        s.summit = max(s.summit, along)
    loan = method.loan * s.summit
    if method.along == RELATIVE_MOTION:
        return _settle_relative(method, s, rig, satellites, allowed, loan)
    settled = _settle_along(method, s, rig, satellites, line, along, allowed, loan=loan)
    if parted and method.take_unpaid and pair_energy(rig, settled) > allowed:
        return _settle_relative(method, s, rig, settled, allowed, loan)
    return settled


@compiled
def _compute_wanted(method: EnergyLedger, s, has, may, loan):
    """What the motion that can be changed should have of energy [J]: it has `has`, and may have
    `may`."""
    if may < loan:
        return min(has, loan)
    return min(may, has + _compute_refund(method, s))


@compiled
def _settle_along(
    method: EnergyLedger, s, rig: Rig, satellites: Satellites, line: Line, along, allowed, loan
):
    """Bring the satellites to their energy by an internal impulse along the measured wrench."""
    kinetic = pair_energy(rig, satellites)
    wanted = _compute_wanted(method, s, along, allowed - (kinetic - along), loan)
    if wanted == along:
        return satellites
    speed = math.copysign(math.sqrt(2.0 * line.mobility * wanted), line.speed)
    # what the force itself did in this cycle
    pushed = rig.T * line.mobility * norm(s.acting.chaser.force)
    fastest = math.sqrt(2.0 * line.mobility * s.summit)
    largest = pushed + method.step * fastest
    change = min(max(speed - line.speed, -largest), largest)
    moved = push_along(rig, satellites, line, change / line.mobility)
    _note_correction(s, pair_energy(rig, moved) - kinetic, max(abs(change) - pushed, 0.0), fastest)
    return moved


@compiled
def _compute_refund(method: EnergyLedger, s):
    """Energy [J] that a correction may give."""
    if method.form == EQUALITY:
        return math.inf
    return max(s.taken, 0.0) if method.form == REFUND else 0.0


@compiled
def _settle_relative(method: EnergyLedger, s, rig: Rig, satellites: Satellites, allowed, loan):
    """The same by scaling the motion relative to the welded pair's."""
    weld = weld_pair(rig, satellites)
    kinetic, least = pair_energy(rig, satellites), pair_energy(rig, weld)
    relative = kinetic - least
    if relative <= 0.0:
        return satellites
    wanted = _compute_wanted(method, s, relative, allowed - least, loan)
    factor = min(max(math.sqrt(wanted / relative), 1.0 - method.step), 1.0 + method.step)
    moved = scale_relative(rig, satellites, weld, factor)
    _note_correction(s, pair_energy(rig, moved) - kinetic, 0.0, 0.0)
    return moved


@compiled
def _note_correction(s, gain, step, fastest):
    s.taken -= gain
    s.removed -= min(gain, 0.0)
    s.returned += max(gain, 0.0)
    s.largest_step = max(s.largest_step, step)
    s.fastest = max(s.fastest, fastest)


@compiled
def remember_wrenches(
    method: EnergyLedger,
    mem,
    rig: Rig,
    measured: Measured,
    satellites: Satellites,
    wrenches: Wrenches,
):
    """The wrenches that act in this cycle, which `correct_energy` needs to know what came from
    outside; a reading that is not believed does not act."""
    s = STATE(mem, method.memory)
    _, wrenches = believe(
        s.doubts,
        rig=rig,
        doubts=method.doubts,
        threshold=method.work.threshold,
        measured=measured,
        satellites=satellites,
        wrenches=wrenches,
    )
    if s.open and not method.doubts.hands:
        room = _compute_ceiling(method, s) - pair_energy(rig, satellites)
        wrenches = limit_to_room(s.doubts, rig, satellites, wrenches, room)
    s.acting = wrenches
    return wrenches


@compiled
def remember_set_points(
    method: EnergyLedger, mem, rig: Rig, satellites: Satellites, output: Output
):
    """What was sent."""
    s = STATE(mem, method.memory)
    s.command, s.sent = take_poses(restore_set_points(rig, mem, output)), True
    return output


@compiled
def correct_energy(
    method: EnergyLedger,
    mem,
    rig: Rig,
    measured: Measured,
    before: Satellites,
    after: Satellites,
    output: Output,
):
    """Bring the satellites at t_{k+1} to the energy that the real contact left them."""
    s, t = STATE(mem, method.memory), rig.cycle * rig.T
    start, end = satellite_motions(rig, before), satellite_motions(rig, after)
    if s.cycles == 0:
        s.real.until = t - 2.0 * rig.T
        store_account(method, mem, pair_energy(rig, before))
    _take_readings(method, mem, rig, measured, t)
    s.given += _compute_given(method, mem, rig, before, after, start, end)
    wrench = s.doubts.reading
    seen = norm(wrench.force) > method.work.threshold
    felt = delivers_force(s.doubts, method.work.threshold)
    if felt and s.open:
        s.last_seen = s.force_time
    if seen:
        if not s.open:
            open_account(method, mem, int(0.5 * method.window / rig.T))
            s.open, s.summit, s.taken, s.real.turnover = True, 0.0, 0.0, 0.0
            s.doubts.lifted = 0.0
            s.contacts += 1
        s.last_seen = s.force_time
        size = 1.0 / norm(wrench.force)
        s.direction = Wrench(scale(size, wrench.force), scale(size, wrench.torque))
    settled = after
    if s.open and (felt or s.real.until >= s.last_seen):
        # parted: wait for the poses of the last touch
        allowed = _compute_allowed(method, mem, rig.T, start, end, felt)
        settled = carry_poses(rig, after, _settle(method, s, rig, after, allowed, not felt))
        s.work = add_gains(s.work, rig, after, settled)
        if t - s.last_seen > method.window:
            s.open = False
            missing = pair_energy(rig, settled) - allowed
            s.debt = missing if method.form == EQUALITY else max(missing, 0.0)
    store_account(method, mem, pair_energy(rig, settled))
    chaser = _carry_sent(
        motion_of(rig.chaser, after.chaser), motion_of(rig.chaser, settled.chaser), output.chaser
    )
    return settled, Output(
        chaser,
        _carry_sent(
            motion_of(rig.target, after.target),
            motion_of(rig.target, settled.target),
            output.target,
        ),
    )


@compiled
def _carry_sent(was: Motion, settled: Motion, sent: Motion):
    """What an earlier method sends instead of the satellite's motion `was`, carried along with
    it."""
    q = settled.q if sent.q == was.q else product(settled.q, product(inverse(was.q), sent.q))
    v, w = add(settled.v, subtract(sent.v, was.v)), add(settled.w, subtract(sent.w, was.w))
    return Motion(add(settled.p, subtract(sent.p, was.p)), q, v, w)


@compiled
def _take_readings(method: EnergyLedger, mem, rig: Rig, measured: Measured, t):
    """New readings into the rings, and the work up to the instant of which both are known."""
    s, readings = STATE(mem, method.memory), find_readings(method)
    force_time, pose_time = t - measured.force_age - method.late, t - measured.pose_age
    if not method.align:
        force_time, pose_time = t, t
    is_new = store_readings(
        mem, s.real, readings, s.doubts.reading, force_time, measured.mock_ups, pose_time
    )
    if not is_new and s.open:
        s.stale += 1
    s.force_time = force_time
    add_real_work(mem, s.real, readings, pose_time, method.work)


METHOD = Method(
    name="energy_ledger",
    summary="the satellites' kinetic energy follows the measured work of the real contact",
    knows="no parameter; with noise, its size",
    while_latched="it holds the pair: its energy stays within 0.1 %",
    holds_latch=True,
    group=keys.ENERGY_LEDGER,
    marker=keys.MARKER,
    prepare=keys.prepare,
    wrench=remember_wrenches,
    correct=correct_energy,
    set_point=remember_set_points,
    cells=STATE,
    memory=count_floats,
    check=keys.check,
    suggest=keys.suggest,
    refuses=keys.refuses,
    books=notes.summarize,
    events=notes.describe_events,
    once=ONCE,
    settles_energy=True,
    changes_wrench=False,  # it only leaves out readings that are not believed
    threshold_key="threshold_N",
    claims_passivity={"claim": "passive"},
)
