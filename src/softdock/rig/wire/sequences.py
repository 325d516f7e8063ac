"""Numbers that a peer counts up: what is new, what was lost, what came twice or too late.

One function for IPOC (milliseconds, `step` 4 or 12) and for the Net F/T's sequences (modulo 2^32).
A number is believed at once if it is ahead by no more than the time since the newest one allows.
One that is further ahead, far away or behind may be forged or spoilt: it is dropped and counted,
until the numbers after it go on from it in step with time. Then the peer has begun a new count. The
step itself is what most of many gaps are: neither a lost telegram nor a spoilt one changes it.
"""

from __future__ import annotations

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled

SEQUENCE = Cells(
    "sequence",
    Cell("heard", 1, "-", "numbers taken"),
    Cell("last", 1, "-", "the newest number taken"),
    Cell("lost", 1, "-", "steps that never came"),
    Cell("twice", 1, "-", "numbers that came again"),
    Cell("old", 1, "-", "numbers that came after a newer one"),
    Cell("odd", 1, "-", "numbers that are no whole number of steps away"),
    Cell("far", 1, "-", "numbers further ahead than time allows, or far behind: not believed"),
    Cell("jumps", 1, "-", "new counts that were believed"),
    Cell("jumped_by", 1, "-", "the last of them, from the newest number before"),
    Cell("last_ns", 1, "ns", "when the newest number came"),
    Cell("others", 1, "-", "numbers in a row, in step with time, of what may be a new count"),
    Cell("other_first", 1, "-", "the first of them"),
    Cell("other_ns", 1, "ns", "when that one came"),
    Cell("other_last", 1, "-", "the newest of them"),
)
HEARD, LAST, LOST, TWICE, OLD, ODD, FAR, JUMPS, JUMPED_BY, LAST_NS, *_OTHER = SEQUENCE.at
OTHERS, OTHER_FIRST, OTHER_NS, OTHER_LAST = _OTHER
SEQUENCE_COLUMNS = SEQUENCE.size
VERDICTS = ("taken", "first", "again", "late", "off step", "not believed", "jumped")
TAKEN, FIRST, AGAIN, LATE, OFF_STEP, NOT_BELIEVED, JUMPED = range(len(VERDICTS))
GAPS_TO_LEARN = 50
MORE = 2  # steps ahead that need no time: a number before may have come late
JITTER_NS = 1_000_000  # of an arrival
FEWEST, BEHIND = 2, 3  # numbers of a new count until it is believed: ahead or far, and behind
LEARNT_STEP = Cells(
    "learnt_step",
    Cell("heard", 1, "-", "numbers so far"),
    Cell("last", 1, "-", "the newest"),
    Cell("gap", 1, "-", "the gap that most are, so far"),
    Cell("votes", 1, "-", "for it, less those for others"),
    Cell("first_ns", 1, "ns", "when the first number came"),
)
STEP_HEARD, STEP_LAST, STEP_GAP, STEP_VOTES, STEP_FIRST_NS = LEARNT_STEP.at
STEP_COLUMNS = LEARNT_STEP.size


@compiled
def compute_difference(number, last, modulus):
    """How far a number is ahead of the last; modulo `modulus` (0: none) the shorter way round."""
    ahead = number - last
    if modulus > 0:
        ahead = ahead % modulus
        ahead = ahead - modulus if 2 * ahead >= modulus else ahead
    return ahead


@compiled
def _is_in_step(state, number, step, modulus, arrival, step_ns):
    """Whether a number goes on from those of a new count, as fast as time does."""
    since = compute_difference(number, state[OTHER_FIRST], modulus)
    if compute_difference(number, state[OTHER_LAST], modulus) <= 0 or since % step != 0:
        return False
    early = since // step * step_ns - (arrival - state[OTHER_NS])
    return early <= JITTER_NS + step_ns // 2  # not what is replayed at once


@compiled
def _count_doubtful(state, number, step, most, modulus, arrival, step_ns, lasting_ns):
    """A number that is not the next: dropped, or the one by which a new count is believed."""
    if state[OTHERS] > 0 and _is_in_step(state, number, step, modulus, arrival, step_ns):
        state[OTHERS] += 1
    else:
        state[OTHERS], state[OTHER_FIRST], state[OTHER_NS] = 1, number, arrival
    state[OTHER_LAST] = number
    ahead = compute_difference(number, state[LAST], modulus)
    is_behind = -most * step <= ahead < 0
    enough = state[OTHERS] >= (BEHIND if is_behind else FEWEST)
    if enough and arrival - state[OTHER_NS] >= lasting_ns:
        lost = ahead // step - 1 if 0 < ahead <= most * step else 0
        state[OTHERS], state[LAST], state[LAST_NS] = 0, number, arrival
        state[HEARD] += 1
        state[JUMPS] += 1
        state[JUMPED_BY] = ahead
        state[LOST] += lost
        return JUMPED, lost
    if is_behind:
        state[OLD] += 1
        return LATE, 0
    state[FAR] += 1
    return NOT_BELIEVED, 0


@compiled
def follow_count(state, number, step, most, modulus, arrival, step_ns, lasting_ns, is_timed):
    """One number of a peer: the verdict, and how many were lost before it.

    `most`: steps ahead that are believed where time allows them (`is_timed`: else anyway); as many
    behind are late. A new count is believed when it has lasted for `lasting_ns`. `step_ns`: from
    one number to the next.
    """
    if state[HEARD] == 0:
        state[HEARD], state[LAST], state[LAST_NS] = 1, number, arrival
        return FIRST, 0
    ahead = compute_difference(number, state[LAST], modulus)
    if ahead == 0:
        state[TWICE] += 1
        return AGAIN, 0
    due = MORE + (max(arrival - state[LAST_NS], 0) + JITTER_NS) // step_ns if is_timed else most
    if ahead < 0 or ahead > min(most, due) * step:
        return _count_doubtful(
            state, number, step, most, modulus, arrival, step_ns, lasting_ns=lasting_ns
        )
    if ahead % step != 0:
        state[ODD] += 1
        return OFF_STEP, 0
    lost = ahead // step - 1
    state[HEARD] += 1
    state[LOST] += lost
    state[LAST], state[LAST_NS], state[OTHERS] = number, arrival, 0
    return TAKEN, lost


@compiled
def learn_step(state, number, arrival):
    """The step of a count, 0 until it is known from GAPS_TO_LEARN gaps: the one that most are."""
    if state[STEP_HEARD] == 0:
        state[STEP_FIRST_NS] = arrival
    else:
        gap = number - state[STEP_LAST]
        if state[STEP_VOTES] == 0:
            state[STEP_GAP] = gap
        state[STEP_VOTES] += 1 if gap == state[STEP_GAP] else -1
    state[STEP_LAST] = number
    state[STEP_HEARD] += 1
    return state[STEP_GAP] if state[STEP_HEARD] > GAPS_TO_LEARN else 0
