"""The entry points of the loop cut at the seam: the controller's cycle, and the simulated
facility's.

`control_step` takes a report and gives a command (loop/seam.py), one call per cycle;
`begin_facility` and `exchange` are the first facility that answers it. `add_truth` writes into a
recorded run what only a simulation knows. Flat arrays in, flat arrays out; a process that does not
cut the loop compiles none of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from softdock.compile.generated import make_replacer
from softdock.compile.jit import compiled, entry_point, noinline
from softdock.loop.contact.follow import log_recomputed_past
from softdock.loop.contact.log import close_contact
from softdock.loop.controller_state import CONTROLLER_STATE, ControllerState
from softdock.loop.corrected_record import rewrite_past
from softdock.loop.cycle import control
from softdock.loop.energy.balance import Contact, add_works, collect_effects, hand_wrenches
from softdock.loop.energy.ledger import LEDGER
from softdock.loop.facility.reach import out_of_reach
from softdock.loop.facility.simulated import advance
from softdock.loop.facility.state import FACILITY
from softdock.loop.memory import HEAD
from softdock.loop.method.hooks import any_past, any_replaced, any_reported_work, sum_replaced
from softdock.loop.method.interface import (
    Output,
    Wrenches,
)
from softdock.loop.nominal import advance_nominal, begin_nominal, restore_wrenches
from softdock.loop.readings import apply_threshold, remember_command
from softdock.loop.record import CHANNEL_COUNT, RECORD, record_own
from softdock.loop.reported import read_report, settle_cycle
from softdock.loop.seam import COMMAND, ENDING, FACILITY_STOP, REPORT
from softdock.loop.simulated_report import TRUTH, fill_report, store_truth
from softdock.loop.spatial.motion import (
    displacement,
    no_wrench,
    work,
)
from softdock.loop.spatial.rigid_body import initial_body, motion_of
from softdock.loop.start import settle
from softdock.loop.status import (
    COMPLETED,
    DIVERGED,
    FORCE_LIMIT,
    REACH_LIMIT,
    TORQUE_LIMIT,
    is_known,
    is_sane,
    stop_by_methods,
)
from softdock.loop.vector import NO_LIMIT, TARGET_AT, prepare, prepare_rig, without_methods

if TYPE_CHECKING:
    from softdock.loop.method.interface import Measured
    from softdock.loop.params import Params

_acted = make_replacer(
    ControllerState, "satellites", "before", "sent", "command", "wrenches", "ledger", "status"
)
_with_status = make_replacer(ControllerState, "status")
_with_tracker = make_replacer(ControllerState, "tracker")


@noinline
def _limits_by_report(params: Params, vector, kept, report):
    """Whether the run may go on, by what was measured."""
    if REPORT(report).status & ENDING != 0:
        return FACILITY_STOP
    if (
        params.stop_force < NO_LIMIT
        and kept.peak_force_squared > params.stop_force * params.stop_force
    ):
        return FORCE_LIMIT
    if (
        params.stop_torque < NO_LIMIT
        and kept.peak_torque_squared > params.stop_torque * params.stop_torque
    ):
        return TORQUE_LIMIT
    places = kept.mock_ups
    if params.flags.bounded and out_of_reach(
        params.features, vector, places.chaser.p, places.target.p
    ):
        return REACH_LIMIT
    return COMPLETED


@compiled
def _record(row, params: Params, mem, kept, t):
    """One instant as reports tell it; the cells of the truth are left as they are."""
    satellites, command, seen = kept.satellites, kept.command, kept.mock_ups
    r = RECORD(row)
    r.time = t
    r.chaser = motion_of(params.chaser, satellites.chaser)
    r.target = motion_of(params.target, satellites.target)
    r.command_chaser = command.chaser
    r.command_target = command.target
    r.measured_chaser, r.measured_target = apply_threshold(params.sensor, kept.reading, kept.second)
    r.satellite_chaser = kept.wrenches.chaser
    r.satellite_target = kept.wrenches.target
    r.seen_chaser_p = seen.chaser.p
    r.seen_target_p = seen.target.p
    r.seen_chaser_q = seen.chaser.q
    r.seen_target_q = seen.target.q
    r.force_age = kept.force_age
    r.pose_age = kept.pose_age
    r.ledger = kept.ledger
    record_own(row, params, mem, satellites)


@compiled
def _act(params: Params, vector, mem, k, kept, measured: Measured):
    """The controller's part of the cycle that begins at t_k, and its works."""
    rig, head = without_methods(params), HEAD(mem)
    if any_reported_work(params.methods):
        head.virtual = 0.0
        head.designed = 0.0
    before = kept.satellites
    controlled = control(params, vector, mem, k, before, measured)
    remember_command(rig.features, rig, mem, k + 1, controlled.command)
    nothing = Wrenches(no_wrench(), no_wrench())
    effects = collect_effects(params.methods, params.flags, mem)
    ledger = add_works(
        rig,
        effects,
        mem,
        kept.ledger,
        before,
        kept.command,
        measured,
        controlled=controlled,
        hand=nothing,
        true=nothing,
        laboratory=nothing,
        contact=Contact(0.0, 0.0, 0.0),
        observed=0.0,
        designed=head.designed if effects.rows.reported else 0.0,
    )
    if not (
        is_sane(rig, controlled.corrected, ledger.kinetic) and is_known(controlled.command, ledger)
    ):
        return _with_status(kept, DIVERGED)
    status = stop_by_methods(params.methods, head.stop_request)
    motions = Output(
        motion_of(params.chaser, before.chaser), motion_of(params.target, before.target)
    )
    return _acted(
        kept,
        satellites=controlled.corrected,
        before=motions,
        sent=kept.command,
        command=controlled.command,
        wrenches=controlled.wrenches,
        ledger=ledger,
        status=status,
    )


@entry_point
def control_step(vector, markers, mem, log, k, kept, report, command, record, act):
    """The controller at t_k from Python; see `step_controller`. Parameters are prepared at every
    call: 0.1 us, where handing them over from Python would take more."""
    params = prepare(vector, markers)
    return step_controller(
        params, vector, mem, log, k, kept, report, command=command, record=record, act=act
    )


@compiled
def step_controller(params: Params, vector, mem, log, k, kept, report, command, record, act):
    """The controller at t_k: a report in, a command out. `kept`: CONTROLLER_STATE, updated in
    place; `record`: rows of the record, of which row k is written where there is one; `act` 0: only
    take the report in and close the contact under way, at the end of a run. Returns a status of
    seam.SEAM_STATUSES; with any but completed there is no new command. A loop that prepares
    `params` once calls this (rig/supervisor/program.py)."""
    was = CONTROLLER_STATE(kept).whole
    rig, t = without_methods(params), k * params.T
    now, measured = read_report(rig, vector, mem, k, was, report)
    if k > 0:
        acts = any_replaced(params.methods) and sum_replaced(params.methods, mem).acts
        now = settle_cycle(
            rig, vector, mem, log, kept=now, was=was, measured=measured, acts=acts, t=t
        )
        if any_past(params.methods):
            now = _with_tracker(now, log_recomputed_past(params.methods, mem, acts, now.tracker))
    if record.shape[0] > k:
        _record(record[k], params, mem, now, t)
        if any_past(params.methods):
            rewrite_past(record, CHANNEL_COUNT, params, mem, k)
    if now.status == COMPLETED:
        now = _with_status(now, _limits_by_report(rig, vector, now, report))
    if act != 0 and now.status == COMPLETED:
        now = _act(params, vector, mem, k, now, measured)
        if now.status == COMPLETED:
            c = COMMAND(command)
            c.cycle = k + 1
            c.stamp = float(int(1e9 * (k + 1) * params.T + 0.5))
            c.chaser = now.command.chaser
            c.target = now.command.target
    if (act == 0 or now.status != COMPLETED) and now.tracker.open:
        now = _with_tracker(now, close_contact(now.tracker, log))
    CONTROLLER_STATE(kept).whole = now
    return now.status


@entry_point
def begin_facility(vector, features, mem, facility, report, truth):
    """The simulated facility at t = 0: its state (facility.state.FACILITY), its report and the
    truth behind it. Returns depth [m] and pair of the satellites' deepest touch."""
    params = prepare_rig(vector, features)
    _, begun, depth, pair = settle(vector, params, mem)
    FACILITY(facility).whole = begun
    fill_report(params, mem, begun, 0, report)
    true = TRUTH(truth)
    true.chaser = begun.chaser
    true.target = begun.target
    true.true_chaser = begun.true_chaser
    return depth, pair


@entry_point
def exchange(vector, features, mem, k, facility, command, report, truth):
    """The simulated facility alone, from t_k to t_{k+1}: a command in, a report and the truth
    behind it out. It knows no methods, and believes nothing of its tools."""
    params = prepare_rig(vector, features)
    after, plant = advance(
        params,
        vector,
        FACILITY(facility).whole,
        mem,
        k,
        COMMAND(command).chaser,
        COMMAND(command).target,
    )
    FACILITY(facility).whole = after
    fill_report(params, mem, after, k + 1, report)
    store_truth(truth, after, plant)


@entry_point
def add_truth(vector, features, head, record, truth):
    """Into a record made from reports: what only a simulation knows, and the ledger's rows that
    need it (loop/energy/ledger.py), summed from the rows of `truth`. `head`: room for
    memory.HEAD."""
    params = prepare_rig(vector, features)
    sensor, commanded, robot, real, lost, pushed, turned = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    begin_nominal(params, head, initial_body(params.target, vector, TARGET_AT))
    for k in range(record.shape[0]):
        row, true = RECORD(record[k]), TRUTH(truth, k)
        row.mock_up_chaser = true.chaser
        row.mock_up_target = true.target
        row.true_chaser = true.true_chaser
        row.depth = true.depth
        if k > 0:
            was = RECORD(record[k - 1])
            felt = Wrenches(true.mean_chaser, true.mean_target)
            acting = felt
            if params.flags.nominal:
                advance_nominal(params.features, params, head)
                acting = restore_wrenches(params.target, head, felt, 0.5 * params.T)
            moved = _work_over(was.chaser, row.chaser, acting.chaser)
            moved += _work_over(was.target, row.target, acting.target)
            sent = _work_over(was.command_chaser, row.command_chaser, felt.chaser)
            sent += _work_over(was.command_target, row.command_target, felt.target)
            hand = _hand_work(params, vector, k, was, row, true) if params.flags.hands else 0.0
            absorbed = true.absorbed
            sensor -= moved + hand
            pushed += hand
            commanded += moved - sent
            robot += sent + absorbed
            real += absorbed
            lost += true.dissipated
            turned += abs(moved) + abs(sent) + abs(sent + absorbed) + abs(absorbed) + abs(hand)
        ledger = LEDGER(record[k], RECORD.at.ledger)
        ledger.sensor += sensor
        ledger.external += pushed
        ledger.command += commanded
        ledger.robot += robot
        ledger.real += real
        ledger.dissipated += lost
        ledger.stored = true.stored
        ledger.turnover += turned


@compiled
def _work_over(before, after, wrench):
    """F . dx of one motion over a cycle [J]."""
    return work(wrench, displacement(before.p, before.q, after.p, after.q))


@noinline
def _hand_work(params: Params, vector, k, was, row, true):
    """Work of the hands on both satellites over the cycle that ended at t_k [J]."""
    a, b, c, d = was.chaser, was.target, row.chaser, row.target
    there = Output(true.chaser, true.target)
    hand = hand_wrenches(
        params.features, params.sensor.on, vector, (k - 0.5) * params.T, there, Output(a, b)
    )
    return work(hand.chaser, displacement(a.p, a.q, c.p, c.q)) + work(
        hand.target, displacement(b.p, b.q, d.p, d.q)
    )
