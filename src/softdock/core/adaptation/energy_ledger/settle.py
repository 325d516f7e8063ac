"""How the energy ledger brings the satellites to the kinetic energy they may have: an internal
impulse along the measured wrench, or a scaling of all relative motion (measured/projection.py).

Momenta of the pair stay. A loan near the turning point and a largest step per cycle limit what one
correction does.
"""

from __future__ import annotations

import math

from softdock.core.adaptation.energy_ledger.cells import CELL
from softdock.core.adaptation.energy_ledger.keys import EQUALITY, REFUND, RELATIVE_MOTION
from softdock.core.adaptation.measured.projection import (
    line_of,
    moved_along,
    pair_energy,
    scaled_relative,
    welded,
)
from softdock.core.machine.compiled import compiled
from softdock.core.spatial.motion import load_wrench
from softdock.core.spatial.vectors import norm


@compiled
def settle(method, mem, rig, satellites, allowed, parted):
    """The satellites with the energy they may have, or as near as loan and step let them."""
    base = method.memory
    line = line_of(rig, satellites, load_wrench(mem, base + CELL.direction))
    if line.mobility <= 0.0:
        return satellites
    along = 0.5 * line.speed * line.speed / line.mobility
    if line.speed < 0.0:
        mem[base + CELL.summit] = max(mem[base + CELL.summit], along)
    loan = method.loan * mem[base + CELL.summit]
    if method.along == RELATIVE_MOTION:
        return _settle_relative(method, mem, rig, satellites, allowed, loan)
    settled = _settle_along(method, mem, rig, satellites, line, along, allowed, loan=loan)
    if parted and method.take_unpaid and pair_energy(rig, settled) > allowed:
        return _settle_relative(method, mem, rig, settled, allowed, loan)
    return settled


@compiled
def _wanted(method, mem, has, may, loan):
    """What the motion that can be changed should have of energy [J]: it has `has`, and may have
    `may`."""
    if may < loan:
        return min(has, loan)
    return min(may, has + _may_give(method, mem))


@compiled
def _settle_along(method, mem, rig, satellites, line, along, allowed, loan):
    """Bring the satellites to their energy by an internal impulse along the measured wrench."""
    base = method.memory
    kinetic = pair_energy(rig, satellites)
    wanted = _wanted(method, mem, along, allowed - (kinetic - along), loan)
    if wanted == along:
        return satellites
    speed = math.copysign(math.sqrt(2.0 * line.mobility * wanted), line.speed)
    pushed = (
        rig.T * line.mobility * norm(load_wrench(mem, base + CELL.acting).force)
    )  # what the force itself did in this cycle
    fastest = math.sqrt(2.0 * line.mobility * mem[base + CELL.summit])
    largest = pushed + method.step * fastest
    change = min(max(speed - line.speed, -largest), largest)
    moved = moved_along(rig, satellites, line, change / line.mobility)
    _note_correction(
        mem, base, pair_energy(rig, moved) - kinetic, max(abs(change) - pushed, 0.0), fastest
    )
    return moved


@compiled
def _may_give(method, mem):
    """Energy [J] that a correction may give."""
    if method.form == EQUALITY:
        return math.inf
    return max(mem[method.memory + CELL.taken], 0.0) if method.form == REFUND else 0.0


@compiled
def _settle_relative(method, mem, rig, satellites, allowed, loan):
    """The same by scaling the motion relative to the welded pair's."""
    base = method.memory
    weld = welded(rig, satellites)
    kinetic, least = pair_energy(rig, satellites), pair_energy(rig, weld)
    relative = kinetic - least
    if relative <= 0.0:
        return satellites
    wanted = _wanted(method, mem, relative, allowed - least, loan)
    factor = min(max(math.sqrt(wanted / relative), 1.0 - method.step), 1.0 + method.step)
    moved = scaled_relative(rig, satellites, weld, factor)
    _note_correction(mem, base, pair_energy(rig, moved) - kinetic, 0.0, 0.0)
    return moved


@compiled
def _note_correction(mem, base, gain, step, fastest):
    mem[base + CELL.taken] -= gain
    mem[base + CELL.removed] -= min(gain, 0.0)
    mem[base + CELL.returned] += max(gain, 0.0)
    mem[base + CELL.largest_step] = max(mem[base + CELL.largest_step], step)
    mem[base + CELL.fastest] = max(mem[base + CELL.fastest], fastest)
