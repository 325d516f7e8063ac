"""What is learnt in a cycle: samples taken in, laws fitted again where there are enough new
ones."""

from __future__ import annotations

from softdock.core.adaptation.faithful.cells import CELL
from softdock.core.adaptation.faithful.fit import fit_law
from softdock.core.adaptation.faithful.kept import FIT, FIT_FLOATS, is_due, next_due
from softdock.core.adaptation.faithful.law import LAW, LAW_FLOATS
from softdock.core.adaptation.faithful.rub import RUB, believe_rub, fit_rub
from softdock.core.machine.compiled import apart, compiled

WORTH = 0.2  # relative spread of a stiffness below which it is worth acting on


@apart
def fit_again(method, mem, every):
    """Fit every pair that has enough new samples (`every`: any); whether anything was fitted."""
    m, anew = method.memory, False
    for i in range(method.number):
        fit, law = m + CELL.fits + i * FIT_FLOATS, m + CELL.found + i * LAW_FLOATS
        if mem[fit + FIT.seen] == 0.0 or not (every or is_due(mem, fit)):
            continue
        next_due(mem, fit)
        if fit_law(mem, fit, law, method.damping, method.powers, method.lag):
            anew = True
            _show(method, mem, law)
            _share(method, mem, i)
    rub = m + CELL.rub
    if (
        method.friction
        and mem[rub + RUB.seen] > 0.0
        and (every or mem[rub + RUB.seen] >= mem[rub + RUB.due])
    ):
        mem[rub + RUB.lag] = _lag(method, mem)
        fit_rub(mem, rub)
        mem[rub + RUB.due] = 1.25 * mem[rub + RUB.seen] + 1.0
        believe_rub(mem, rub, m + CELL.found, method.number, LAW_FLOATS)
        anew = True
    return anew


@compiled
def _lag(method, mem):
    """Of the sensor's low-pass [s], as the pair with most samples shows it."""
    found, most = 0.0, 0.0
    for i in range(method.number):
        fit = method.memory + CELL.fits + i * FIT_FLOATS
        if mem[fit + FIT.seen] > most:
            found, most = mem[fit + FIT.lag], mem[fit + FIT.seen]
    return found


@compiled
def _share(method, mem, i):
    """A pair that was never felt is believed to be as this one."""
    m = method.memory
    law = m + CELL.found + i * LAW_FLOATS
    for j in range(method.number):
        if j != i and mem[m + CELL.fits + j * FIT_FLOATS + FIT.model] == 0.0:
            other = m + CELL.found + j * LAW_FLOATS
            for c in range(LAW_FLOATS):
                mem[other + c] = mem[law + c]


@compiled
def _show(method, mem, law):
    m = method.memory
    mem[m + CELL.stiffness], mem[m + CELL.power] = mem[law + LAW.stiffness], mem[law + LAW.power]
    mem[m + CELL.damping], mem[m + CELL.factor] = mem[law + LAW.damping], mem[law + LAW.factor]
    mem[m + CELL.friction] = mem[law + LAW.friction]


@apart
def is_worth(method, mem):
    """Whether what was found is known well enough to act on."""
    for i in range(method.number):
        fit = method.memory + CELL.fits + i * FIT_FLOATS
        if mem[fit + FIT.model] > 0.0 and mem[fit + FIT.spread] > WORTH:
            return False
    return True
