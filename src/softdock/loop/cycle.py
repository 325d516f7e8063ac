"""One control cycle, k -> k+1: the whole of softdock in the order in which it happens. Start
reading here.

       1 satellites --pose, twist--> 2 command --set-point--> 3 robots
            ^                                                    |  carry the mock-ups
            | wrench on the satellites                           v
       6 adaptation <--wrench------- 5 sensor <--force------ 4 contact

In: the loop's state at t_k. Out: the same at t_{k+1}. SI throughout; positions, velocities and
wrenches in world axes, wrenches about the centres of mass, angular velocities in body axes.

At t_k the controller knows only what was measured (`measure`). `control` is its part: stages 6, 1
and 2. The facility, which a real rig replaces, is stages 3 to 5 (`advance`). `cycle` joins both,
updates the energy balance (energy/balance.py), the contact log (contact/follow.py) and the status
(status.py), in this order. start.py is the loop at t = 0. A real rig runs the same loop, cut in
two, in seam_entry_points.py.

The single run, the batch on CPU threads, the CUDA kernel and the loop stepped by hand all call
these functions. Three decorators (docs/compiled_core.md): a function under `@compiled` is inlined
into its callers, one under `@noinline` is called, and only an `@entry_point` can be called from
Python. `vector` is the flat array of parameters; `mem` is the flat array of everything that lasts
from cycle to cycle and whose size depends on the scenario. Both are read and written by name, as
`HEAD(mem).stop_request` (compile/cells.py).
"""

from __future__ import annotations

from typing import NamedTuple

from softdock.compile.jit import compiled
from softdock.loop.contact.follow import follow_contacts, log_recomputed_past
from softdock.loop.controller import is_finite, map_set_points, measure, sum_external_wrenches
from softdock.loop.energy.balance import collect_effects, update_energy_balance
from softdock.loop.facility.simulated import advance, reload_motions
from softdock.loop.loop import Loop
from softdock.loop.memory import HEAD
from softdock.loop.method.hooks import (
    add_wrenches,
    any_external,
    any_past,
    any_reported_work,
    apply_correct,
    apply_set_point,
    apply_wrench,
)
from softdock.loop.method.interface import (
    PUSHED_BY_NAN,
    Measured,
    Output,
    Rig,
    Satellites,
    Wrenches,
)
from softdock.loop.nominal import advance_nominal
from softdock.loop.params import Params
from softdock.loop.readings import compensate_readings, remember_command
from softdock.loop.satellites import integrate
from softdock.loop.spatial.motion import no_wrench
from softdock.loop.spatial.rigid_body import motion_of
from softdock.loop.status import (
    COMPLETED,
    DEEPEST_START,
    STATUSES,
    check_limits,
    stop_by_arms,
    stop_by_methods,
)
from softdock.loop.vector import without_methods

__all__ = ["DEEPEST_START", "STATUSES", "Controlled", "Loop", "control", "cycle", "measure"]


class Controlled(NamedTuple):
    """What the controller did in one cycle."""

    wrenches: Wrenches  # from the measured touch, by the methods
    external: Wrenches
    integrated: Satellites
    corrected: Satellites
    command: Output


@compiled
def control(
    params: Params,
    vector,
    mem,
    k,
    satellites: Satellites,
    measured: Measured,
) -> Controlled:
    """The controller's part of a cycle: what was measured at t_k in; wrench, new satellites and
    set-points stamped t_{k+1} out."""
    rig = Rig(k, params.T, params.chaser, params.target)
    # stage 6, adaptation: methods turn the measured wrenches into those on the satellites
    wrenches = apply_wrench(params.methods, mem, rig, measured, satellites, measured.wrenches)
    external = sum_external_wrenches(params, vector, mem, rig, satellites)
    if any_external(params.methods) and not is_finite(external):
        HEAD(mem).stop_request = PUSHED_BY_NAN
        external = Wrenches(no_wrench(), no_wrench())  # the cycle is completed without them
    acting = (
        add_wrenches(wrenches, external)
        if params.flags.external or any_external(params.methods)
        else wrenches
    )
    # stage 1, satellites: one cycle further, under wrenches that are held over it
    integrated = Satellites(
        integrate(params.integrator, params.chaser, params.T, satellites.chaser, acting.chaser),
        integrate(params.integrator, params.target, params.T, satellites.target, acting.target),
    )
    output = Output(
        motion_of(params.chaser, integrated.chaser), motion_of(params.target, integrated.target)
    )
    corrected, output = apply_correct(
        params.methods, mem, rig, measured, satellites, integrated, output
    )
    # stage 2, command: from orbit to the laboratory, shared between both robots
    scenario = without_methods(params)
    if params.flags.nominal:
        advance_nominal(params.features, scenario, mem)
    set_points = map_set_points(scenario, vector, mem, output)
    command = apply_set_point(params.methods, mem, rig, corrected, set_points)
    return Controlled(
        wrenches=wrenches,
        external=external,
        integrated=integrated,
        corrected=corrected,
        command=command,
    )


@compiled
def cycle(params: Params, vector, loop: Loop, mem, log, k) -> Loop:
    """One cycle of the whole loop, with its energy balance and contact log."""
    head = HEAD(mem)
    if any_reported_work(params.methods):  # the methods add up their own work of this cycle
        head.virtual = 0.0
        head.designed = 0.0
    scenario = without_methods(params)  # what needs no methods is compiled once for all of them
    before = reload_motions(scenario, mem, loop.facility, k)  # robots, contact, sensors at t_k
    measured = measure(scenario, mem, before, loop.satellites, k * params.T)
    # stages 6, 1, 2
    controlled = control(params, vector, mem, k, loop.satellites, measured)
    command = controlled.command
    # stages 3, 4, 5
    facility, plant = advance(scenario, vector, before, mem, k, command.chaser, command.target)
    remember_command(scenario.features, scenario, mem, k + 1, command)
    facility = compensate_readings(
        scenario.features, scenario, vector, mem, facility, before.handed, k + 1
    )

    effects = collect_effects(params.methods, params.flags, mem)
    ledger = update_energy_balance(
        scenario,
        effects,
        vector,
        loop,
        mem,
        k,
        measured,
        controlled=controlled,
        facility=facility,
        plant=plant,
    )
    t, reading_time = (k + 1) * params.T, facility.reading_time
    tracker = follow_contacts(scenario, effects, loop, mem, log, plant, controlled, reading_time, t)
    if any_past(params.methods):
        tracker = log_recomputed_past(params.methods, mem, effects.replaced.acts, tracker)
    status = check_limits(scenario, vector, mem, controlled.corrected, facility, plant, ledger)
    status = stop_by_arms(scenario, mem, status)
    if status == COMPLETED:
        status = stop_by_methods(params.methods, head.stop_request)
    return Loop(
        satellites=controlled.corrected,
        command=command,
        facility=facility,
        wrenches=controlled.wrenches,
        ledger=ledger,
        tracker=tracker,
        depth=plant.depth,
        status=status,
    )
