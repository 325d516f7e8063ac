"""Where nothing can be learnt the energy ledger does what it can, and behind everything stands a
bound.

The ledger (adaptation/energy_ledger, with its claim of passivity) takes over at once, before any
force has acted: where the bodies touch before free flight was long enough to tare, and where a
force is felt though the known shapes are apart (wrong shapes, a hand). It gives back when nothing
touches.

The bound: when a contact is over, the satellites have no more kinetic energy than before it and
what others gave them; steps that are not short enough gain a little, and that is taken from their
relative motion, with the pair's momenta kept.
"""

from __future__ import annotations

import math

from softdock.compile.jit import compiled, noinline
from softdock.methods.energy_ledger.keys import (
    ALONG_WRENCH,
    REFUND,
    SLOPE,
    WANTED,
    EnergyLedger,
)
from softdock.methods.energy_ledger.state import ROW_FLOATS, count_rows
from softdock.methods.energy_ledger.state import STATE as LEDGER
from softdock.methods.faithful.cells import CELL, PAST_FLOATS, RING_AT
from softdock.methods.faithful.free_flight import ENOUGH, FLIGHT, noise_of
from softdock.methods.measured.doubts import prepare_doubts
from softdock.methods.measured.motions import load_satellites
from softdock.methods.measured.projection import pair_energy, scale_relative, weld_pair
from softdock.methods.measured.real_work import WorkSettings

WINDOW = 0.2  # s; the ledger's contact stays open so long after its last force
STEP, FROZEN = 0.25, 0.2  # the ledger's own defaults
# of the energy at the touch; its default is 0.01, but a sensor that jumped for good forges contact
# after contact, and each may leave its loan
LOAN = 0.002
SIGMAS = 4.0  # of noise: a smaller force is no contact to it
SHORT_FLIGHT, UNEXPLAINED = 1.0, 2.0  # why the ledger took over


def ledger_floats(T: float) -> int:
    return LEDGER.size + count_rows(WINDOW, T) * ROW_FLOATS


@compiled
def ledger_of(method, mem, T):
    """The energy ledger with its passive claim, in its own part of this method's memory."""
    m = method.memory
    noise = noise_of(mem, m + CELL.flight)
    return EnergyLedger(
        memory=m + RING_AT + PAST_FLOATS * method.rows,
        rows=int(math.ceil(0.5 * WINDOW / T)) + 3,  # as in count_rows
        form=REFUND,
        transit=SLOPE,
        along=ALONG_WRENCH,
        take_unpaid=True,
        virtual=WANTED,
        loan=LOAN,
        step=STEP,
        work=WorkSettings(SIGMAS * noise[0], noise[0], noise[1], True),
        window=WINDOW,
        late=0.0,
        align=True,
        doubts=prepare_doubts(method.vector, FROZEN, 0.0, 0.0, method.sensor_at),
        deviations=SIGMAS if noise[0] > 0.0 else 0.0,
    )


@compiled
def ledger_is_open(ledger, mem):
    return LEDGER(mem, ledger.memory).open


@compiled
def ledger_work(ledger, mem):
    """Energy that the real contact has absorbed, as the ledger has booked it [J]."""
    return LEDGER(mem, ledger.memory).real.absorbed


@noinline
def forget_ledger(method, mem, T):
    """A ledger that begins again: its rings must not hold an earlier contact's readings."""
    first = method.memory + RING_AT + PAST_FLOATS * method.rows
    rows = int(math.ceil(0.5 * WINDOW / T)) + 3
    for i in range(LEDGER.size + rows * ROW_FLOATS):
        mem[first + i] = 0.0


@noinline
def bounded(method, mem, rig, satellites):
    """Satellites after a contact with no more energy than before it and what came from outside."""
    m = method.memory
    allowed = pair_energy(rig, load_satellites(mem, m + CELL.start)) + mem[m + CELL.given]
    has = pair_energy(rig, satellites)
    if has <= allowed:
        return satellites
    weld = weld_pair(rig, satellites)
    least = pair_energy(rig, weld)
    if has <= least:
        return satellites
    factor = math.sqrt(max(allowed - least, 0.0) / (has - least))
    cut = scale_relative(rig, satellites, weld, factor)
    mem[m + CELL.cut] += has - pair_energy(rig, cut)
    return cut


@compiled
def may_learn(method, mem):
    """Whether free flight has told enough for a contact's samples to be worth anything."""
    return not method.tare or mem[method.memory + CELL.flight + FLIGHT.count] >= ENOUGH
