"""The satellites while the energy ledger has taken over (fallback.py decides when): the measured
wrench acts, and the ledger brings them to the energy that the real contact left.
"""

from __future__ import annotations

from softdock.core.adaptation.corrected import note_force
from softdock.core.adaptation.energy_ledger.method import follow, remember
from softdock.core.adaptation.faithful.cells import CELL
from softdock.core.adaptation.faithful.fallback import bounded, ledger_of, ledger_work
from softdock.core.adaptation.faithful.free_flight import tared
from softdock.core.adaptation.faithful.recomputed_past import note_others
from softdock.core.adaptation.faithful.work_exchanged import exchanged, given_to, work_of
from softdock.core.adaptation.interface import Measured, Wrenches
from softdock.core.adaptation.measured.motions import load_wrenches, store_wrenches
from softdock.core.machine.compiled import compiled
from softdock.core.machine.deferred import deferred
from softdock.core.spatial.motion import opposite
from softdock.core.spatial.vectors import dot, store3, subtract


@deferred("the wrench in the ledger's hands", returns="wrenches")
def by_ledger(method, mem, rig, measured, satellites, wrenches):
    """What acts on the satellites while the ledger has them: what was measured."""
    m, ledger = method.memory, ledger_of(method, mem, rig.T)
    if method.tare:
        q, raw = measured.mock_ups.chaser.q, measured.wrenches.chaser
        chaser = tared(mem, m + CELL.flight, q, method.gravity, raw)
        target = opposite(chaser, subtract(satellites.chaser.p, satellites.target.p))
        was, now = measured.wrenches, Wrenches(chaser, target)
        wrenches = Wrenches(
            exchanged(wrenches.chaser, was.chaser, chaser),
            exchanged(wrenches.target, was.target, target),
        )
        measured = Measured(
            wrenches=now,
            mock_ups=measured.mock_ups,
            force_age=measured.force_age,
            pose_age=measured.pose_age,
            mismatch=measured.mismatch,
        )
    force = measured.wrenches.chaser.force
    store3(mem, m + CELL.force, force)
    note_force(mem, m + CELL.corrected, rig.T, force, dot(force, force))
    mem[m + CELL.taken] = ledger_work(ledger, mem) - mem[m + CELL.booked]
    mem[m + CELL.booked] = ledger_work(ledger, mem)
    given = remember(ledger, mem, rig, measured, satellites, wrenches)
    store_wrenches(mem, m + CELL.mean, given)  # what more the satellites get is of others
    return given


@compiled
def given_here(method, mem, rig, before, after):
    """What others gave in this cycle; it is noted."""
    mean = load_wrenches(mem, method.memory + CELL.mean)
    others = Wrenches(
        given_to(rig.chaser, rig.T, before.chaser, after.chaser, mean.chaser),
        given_to(rig.target, rig.T, before.target, after.target, mean.target),
    )
    note_others(method, mem, rig.cycle, others)
    return others


@deferred("the takeover by the energy ledger", returns=("after", "output"))
def settled_by_ledger(method, mem, rig, measured, before, after, output):
    """The satellites and set-points while the ledger has them."""
    others = given_here(method, mem, rig, before, after)
    mem[method.memory + CELL.given] += work_of(rig, others, before, after)
    ledger = ledger_of(method, mem, rig.T)
    end, output = follow(ledger, mem, rig, measured, before, after, output)
    # its loans add up, and readings may be forged
    return bounded(method, mem, rig, end), output
