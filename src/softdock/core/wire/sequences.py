"""Numbers that a peer counts up: what is new, what was lost, what came twice or too late.

One function for IPOC (milliseconds, `step` 4 or 12) and for the Net F/T's sequences (modulo 2^32).
A number far from the last one is believed only after a second one that agrees with it: one forged
number must not make all later ones old. The step itself is learnt as the greatest common divisor
of many gaps, never from the first two numbers: with the second one lost it would be doubled.
"""

from __future__ import annotations

from softdock.core.machine.cells import Cell, Cells
from softdock.core.machine.compiled import compiled

SEQUENCE = Cells(
    "sequence",
    Cell("heard", 1, "-", "numbers taken"),
    Cell("last", 1, "-", "the newest number taken"),
    Cell("lost", 1, "-", "steps that never came"),
    Cell("twice", 1, "-", "numbers that came again"),
    Cell("old", 1, "-", "numbers that came after a newer one"),
    Cell("odd", 1, "-", "numbers that are no whole number of steps away"),
    Cell("far", 1, "-", "numbers that were not believed"),
    Cell("jumps", 1, "-", "new counts that were believed"),
    Cell("doubted", 1, "-", "whether there is a far number to compare with"),
    Cell("doubt", 1, "-", "that number"),
)
HEARD, LAST, LOST, TWICE, OLD, ODD, FAR, JUMPS, DOUBTED, DOUBT = SEQUENCE.at
SEQUENCE_COLUMNS = SEQUENCE.size
VERDICTS = ("taken", "first", "again", "late", "off step", "not believed", "jumped")
TAKEN, FIRST, AGAIN, LATE, OFF_STEP, NOT_BELIEVED, JUMPED = range(len(VERDICTS))
GAPS_TO_LEARN = 50
LEARNT_STEP = Cells(
    "learnt_step",
    Cell("heard", 1, "-", "whether there is a number to compare with"),
    Cell("last", 1, "-", "that number"),
    Cell("gaps", 1, "-", "gaps heard"),
    Cell("divisor", 1, "-", "their greatest common divisor"),
)
STEP_HEARD, STEP_LAST, STEP_GAPS, STEP_DIVISOR = LEARNT_STEP.at
STEP_COLUMNS = LEARNT_STEP.size


@compiled
def difference(number, last, modulus):
    """How far a number is ahead of the last; modulo `modulus` (0: none) the shorter way round."""
    ahead = number - last
    if modulus > 0:
        ahead = ahead % modulus
        ahead = ahead - modulus if 2 * ahead >= modulus else ahead
    return ahead


@compiled
def _doubt(state, number, step, most, modulus):
    """A far number: believed if the one before, far as well, leads to it."""
    ahead = difference(number, state[DOUBT], modulus)
    agrees = state[DOUBTED] != 0 and 0 < ahead <= most * step and ahead % step == 0
    state[DOUBTED], state[DOUBT] = 1, number
    if not agrees:
        state[FAR] += 1
        return NOT_BELIEVED, 0
    state[DOUBTED], state[LAST] = 0, number
    state[HEARD] += 1
    state[JUMPS] += 1
    return JUMPED, 0


@compiled
def follow(state, number, step, most, modulus):
    """One number of a peer: the verdict, and how many were lost before it.

    `most`: steps ahead that are believed at once; as many behind are late, not a new count.
    """
    if state[HEARD] == 0:
        state[HEARD], state[LAST] = 1, number
        return FIRST, 0
    ahead = difference(number, state[LAST], modulus)
    if ahead > most * step or ahead < -most * step:
        return _doubt(state, number, step, most, modulus)
    if ahead % step != 0:
        state[ODD] += 1
        return OFF_STEP, 0
    if ahead <= 0:
        state[TWICE if ahead == 0 else OLD] += 1
        return (AGAIN if ahead == 0 else LATE), 0
    lost = ahead // step - 1
    state[HEARD] += 1
    state[LOST] += lost
    state[LAST], state[DOUBTED] = number, 0
    return TAKEN, lost


@compiled
def learn_step(state, number):
    """The step of a count so far, 0 until it is known from GAPS_TO_LEARN forward gaps."""
    if state[STEP_HEARD] > 0 and number > state[STEP_LAST]:
        a, b = number - state[STEP_LAST], state[STEP_DIVISOR]
        while b > 0:
            a, b = b, a % b
        state[STEP_DIVISOR] = a
        state[STEP_GAPS] += 1
    if state[STEP_HEARD] == 0 or number > state[STEP_LAST]:
        state[STEP_LAST] = number
    state[STEP_HEARD] += 1
    return state[STEP_DIVISOR] if state[STEP_GAPS] >= GAPS_TO_LEARN else 0
