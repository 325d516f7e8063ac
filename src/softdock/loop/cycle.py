"""One control cycle, k -> k+1: the whole of softdock in the order in which it happens. Start
reading here.

       1 satellites --pose, twist--> 2 command --set-point--> 3 robots
            ^                                                    |  carry the mock-ups
            | wrench on the satellites                           v
       6 adaptation <--wrench------- 5 sensor <--force------ 4 contact

In: the loop's state at t_k. Out: the same at t_{k+1}. SI throughout; positions, velocities and
wrenches in world axes, wrenches about the centres of mass, angular velocities in body axes.

At t_k the controller knows only what was measured (`measure`). `control` is its part: stages 6, 1
and 2. The facility, which a real rig replaces, is stages 3 to 5 (`advance`). `cycle` joins both and
keeps the energy balance; it calls books.py, contacts.py and status.py in this order. start.py is
the loop at t = 0. A real rig runs the same loop, cut in two, in loop/seam_entry_points.py.

The single run, the batch on CPU threads, the CUDA kernel and the loop stepped by hand all call
these functions. Three decorators (docs/compiled_core.md): a function under `@compiled` is inlined
into its callers, one under `@noinline` is called, and only an `@entry_point` can be called from
Python. `mem` is the flat array of everything that lasts from cycle to cycle and whose
size depends on the scenario; `vector` is the flat array of parameters.
"""

from __future__ import annotations

from typing import NamedTuple

from softdock.compile.jit import compiled
from softdock.loop.books import keep_books, said_by
from softdock.loop.contact.follow import follow_contacts, log_past
from softdock.loop.controller import external_wrenches, is_finite, lay_out, measure
from softdock.loop.facility.simulated import advance, recall
from softdock.loop.loop import Loop
from softdock.loop.method.hooks import (
    add_wrenches,
    any_books,
    any_external,
    any_past,
    apply_correct,
    apply_set_point,
    apply_wrench,
)
from softdock.loop.method.interface import (
    BOOK_DESIGNED,
    BOOK_VIRTUAL,
    PUSHED_BY_NAN,
    STOP_REQUEST,
    Output,
    Rig,
    Satellites,
    Wrenches,
)
from softdock.loop.readings import remember_command, take_in
from softdock.loop.satellites import integrate
from softdock.loop.spatial.motion import no_wrench
from softdock.loop.spatial.rigid_body import motion_of
from softdock.loop.status import (
    COMPLETED,
    DEEPEST_START,
    STATUSES,
    asked_to_stop,
    check_limits,
    stopped_by_arms,
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
def control(params, vector, mem, k, satellites, measured):
    """The controller's part of a cycle: what was measured at t_k in; wrench, new satellites and
    set-points stamped t_{k+1} out."""
    rig = Rig(k, params.T, params.chaser, params.target)
    # stage 6, adaptation: methods make of the measured wrenches what acts on the satellites
    wrenches = apply_wrench(params.methods, mem, rig, measured, satellites, measured.wrenches)
    external = external_wrenches(params, vector, mem, rig, satellites)
    if any_external(params.methods) and not is_finite(external):
        mem[STOP_REQUEST] = PUSHED_BY_NAN
        external = Wrenches(no_wrench(), no_wrench())  # nothing of this cycle is lost
    acting = (
        add_wrenches(wrenches, external)
        if params.flags.external or any_external(params.methods)
        else wrenches
    )
    # stage 1, satellites: a cycle on, under wrenches that are held over it
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
    laid_out = lay_out(without_methods(params), vector, output)
    command = apply_set_point(params.methods, mem, rig, corrected, laid_out)
    return Controlled(
        wrenches=wrenches,
        external=external,
        integrated=integrated,
        corrected=corrected,
        command=command,
    )


@compiled
def cycle(params, vector, loop, mem, log, k):
    """One cycle of the whole loop, with its books."""
    if any_books(params.methods):  # work of this cycle, booked by the methods themselves
        mem[BOOK_VIRTUAL] = 0.0
        mem[BOOK_DESIGNED] = 0.0
    rig = without_methods(params)
    here = recall(rig, mem, loop.facility, k)  # robots, contact and sensors at t_k
    measured = measure(rig, mem, here, loop.satellites, k * params.T)
    done = control(params, vector, mem, k, loop.satellites, measured)  # stages 6, 1, 2
    facility, passage = advance(
        rig, vector, here, mem, k, done.command.chaser, done.command.target
    )  # stages 3, 4, 5
    remember_command(rig.features, rig, mem, k + 1, done.command)
    facility = take_in(rig.features, rig, vector, mem, facility, here.handed, k + 1)

    said = said_by(params.methods, params.flags, mem)
    ledger = keep_books(
        rig, said, vector, loop, mem, k, measured, done=done, facility=facility, passage=passage
    )
    t, read = (k + 1) * params.T, facility.reading_time
    tracker = follow_contacts(rig, said, loop, mem, log, passage, done, reading_time=read, t=t)
    if any_past(params.methods):
        tracker = log_past(params.methods, mem, said.replaced.acts, tracker)
    status = check_limits(rig, vector, done.corrected, facility, passage, ledger)
    status = stopped_by_arms(rig, mem, status)
    if status == COMPLETED:
        status = asked_to_stop(params.methods, mem[STOP_REQUEST])
    return Loop(
        satellites=done.corrected,
        command=done.command,
        facility=facility,
        ledger=ledger,
        tracker=tracker,
        depth=passage.depth,
        wrenches=done.wrenches,
        status=status,
    )
