"""Which readings are a contact, and which of them tell its normal."""

from __future__ import annotations

from softdock.compile.jit import compiled
from softdock.methods.remapping.cells import CELL
from softdock.methods.remapping.filter import (
    FELT_ONCE,
    IN_CONTACT,
    KALMAN,
)

# Thresholds: a force beyond that tells its normal well enough to hold later ones against.
CLEAR = 6.0


@compiled
def is_contact(method, mem, force):
    """Whether a measured force [N] is a contact, and whether it opens with this sample.

    Noise on three channels passes four of its deviations in one sample of a thousand: a force below
    twice the threshold must be felt in two samples before it opens a contact.
    """
    at = method.memory + CELL.filter + KALMAN.touched
    felt, before = force > method.threshold and force > 0.0, mem[at]
    touches = felt and (before != 0.0 or force > 2.0 * method.threshold)
    mem[at] = 0.0
    if touches:
        mem[at] = IN_CONTACT
    elif felt:
        mem[at] = FELT_ONCE
    return touches, touches and before != IN_CONTACT


@compiled
def is_clear(method, mem, force):
    """Whether a reading may move what is known of a contact. Where a clear force has told the
    normal, a weak one does not: near the parting it is mostly noise, whose direction is any, and
    satellites that are elsewhere than the mock-ups would overlap an environment of that normal by
    millimetres.
    """
    enough = CLEAR * method.threshold
    m = method.memory
    return force >= enough or mem[m + CELL.known] == 0.0 or mem[m + CELL.first_force] < enough
