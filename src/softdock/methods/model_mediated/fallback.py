"""Where nothing can be learnt the energy ledger does what it can, and behind everything stands a
bound.

The ledger (methods/energy_ledger, with its claim of passivity) takes over at once, before any
force has acted: where the bodies touch before free flight was long enough to tare, and where a
force is felt though the known shapes are apart (wrong shapes, a hand). The measured wrench then
acts, and the ledger brings the satellites to the energy that the real contact left. It gives back
when nothing touches.

The bound: when a contact is over, the satellites have no more kinetic energy than before it and
what others gave them; steps that are not short enough gain a little, and that is taken from their
relative motion, with the pair's momenta kept.
"""

from __future__ import annotations

import math

from softdock.compile.jit import compiled, noinline
from softdock.compile.lazy import lazy
from softdock.loop.method.corrected import note_force
from softdock.loop.method.interface import Measured, Output, Rig, Satellites, Wrenches
from softdock.loop.spatial.motion import opposite
from softdock.loop.spatial.vectors import dot, subtract
from softdock.methods.energy_ledger.keys import (
    ALONG_WRENCH,
    REFUND,
    SLOPE,
    WANTED,
    EnergyLedger,
)
from softdock.methods.energy_ledger.method import correct_energy, remember_wrenches
from softdock.methods.energy_ledger.state import ROW_FLOATS, count_rows
from softdock.methods.energy_ledger.state import STATE as LEDGER
from softdock.methods.measured.doubts import prepare_doubts
from softdock.methods.measured.projection import pair_energy, scale_relative, weld_pair
from softdock.methods.measured.real_work import WorkSettings
from softdock.methods.model_mediated.free_flight import ENOUGH, estimate_noise, remove_tare
from softdock.methods.model_mediated.keys import ModelMediated
from softdock.methods.model_mediated.state import PAST, STATE
from softdock.methods.model_mediated.work_exchanged import compute_work, exchange_wrench, note_given

WINDOW = 0.2  # s; the ledger's contact stays open so long after its last force
STEP, FROZEN = 0.25, 0.2  # the ledger's own defaults
# of the energy at the touch; its default is 0.01, but a sensor that jumped for good forges contact
# after contact, and each may leave its loan
LOAN = 0.002
SIGMAS = 4.0  # of noise: a smaller force is no contact to it


def count_ledger_floats(T: float) -> int:
    return LEDGER.size + count_rows(WINDOW, T) * ROW_FLOATS


@compiled
def _count_ledger_rows(T):
    return int(math.ceil(0.5 * WINDOW / T)) + 3  # as in count_rows


@compiled
def make_ledger(method: ModelMediated, mem, T):
    """The energy ledger with its passive claim, in its own part of this method's memory."""
    noise = estimate_noise(STATE(mem, method.memory).flight)
    return EnergyLedger(
        memory=method.memory + STATE.size + PAST.size * method.rows,
        rows=_count_ledger_rows(T),
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
def is_ledger_open(ledger: EnergyLedger, mem):
    return LEDGER(mem, ledger.memory).open


@compiled
def _read_ledger_work(ledger: EnergyLedger, mem):
    """Energy that the real contact has absorbed, as the ledger has booked it [J]."""
    return LEDGER(mem, ledger.memory).real.absorbed


@noinline
def forget_ledger(method: ModelMediated, mem, T):
    """A ledger that begins again: its rings must not hold an earlier contact's readings."""
    # cells and rings in one go, whatever they hold
    first = method.memory + STATE.size + PAST.size * method.rows
    for i in range(LEDGER.size + _count_ledger_rows(T) * ROW_FLOATS):
        mem[first + i] = 0.0


@noinline
def bound_energy(method: ModelMediated, mem, rig: Rig, satellites: Satellites):
    """Satellites after a contact with no more energy than before it and what came from outside."""
    s = STATE(mem, method.memory)
    allowed = pair_energy(rig, s.start) + s.given
    has = pair_energy(rig, satellites)
    if has <= allowed:
        return satellites
    weld = weld_pair(rig, satellites)
    least = pair_energy(rig, weld)
    if has <= least:
        return satellites
    factor = math.sqrt(max(allowed - least, 0.0) / (has - least))
    cut = scale_relative(rig, satellites, weld, factor)
    s.cut += has - pair_energy(rig, cut)
    return cut


@compiled
def may_learn(method: ModelMediated, s):
    """Whether free flight was long enough for a contact's samples to be worth anything."""
    return not method.tare or s.flight.count >= ENOUGH


@lazy("the wrench in the ledger's hands", returns="wrenches")
def pass_to_ledger(
    method: ModelMediated,
    mem,
    rig: Rig,
    measured: Measured,
    satellites: Satellites,
    wrenches: Wrenches,
):
    """What acts on the satellites while the ledger has them: what was measured."""
    s, ledger = STATE(mem, method.memory), make_ledger(method, mem, rig.T)
    if method.tare:
        q, raw = measured.mock_ups.chaser.q, measured.wrenches.chaser
        chaser = remove_tare(s.flight, q, method.gravity, raw)
        target = opposite(chaser, subtract(satellites.chaser.p, satellites.target.p))
        was, now = measured.wrenches, Wrenches(chaser, target)
        wrenches = Wrenches(
            exchange_wrench(wrenches.chaser, was.chaser, chaser),
            exchange_wrench(wrenches.target, was.target, target),
        )
        measured = Measured(
            wrenches=now,
            mock_ups=measured.mock_ups,
            force_age=measured.force_age,
            pose_age=measured.pose_age,
            mismatch=measured.mismatch,
        )
    s.force = measured.wrenches.chaser.force
    note_force(mem, method.memory + STATE.at.corrected, rig.T, s.force, dot(s.force, s.force))
    s.taken = _read_ledger_work(ledger, mem) - s.booked
    s.booked = _read_ledger_work(ledger, mem)
    given = remember_wrenches(ledger, mem, rig, measured, satellites, wrenches)
    s.mean = given  # what more the satellites get is of others
    return given


@lazy("the takeover by the energy ledger", returns=("after", "output"))
def settle_by_ledger(
    method: ModelMediated,
    mem,
    rig: Rig,
    measured: Measured,
    before: Satellites,
    after: Satellites,
    output: Output,
):
    """The satellites and set-points while the ledger has them."""
    others = note_given(method, mem, rig, before, after)
    STATE(mem, method.memory).given += compute_work(rig, others, before, after)
    ledger = make_ledger(method, mem, rig.T)
    end, output = correct_energy(ledger, mem, rig, measured, before, after, output)
    # its loans add up, and readings may be forged
    return bound_energy(method, mem, rig, end), output
