"""How long a contact lasts, at least: from a pair's stiffness and the bodies' mobility."""

from __future__ import annotations

import math

import numpy as np

from softdock.core.contact.compliance import in_series
from softdock.core.contact.laws import HUNT_CROSSLEY, TABLE
from softdock.core.contact.pairs import PAIR, SAME_AS_REAL
from softdock.core.machine.vector import (
    CHASER_AT,
    PAIRS_AT,
    TARGET_AT,
)
from softdock.core.spatial.rigid_body import BODY
from softdock.scenario.device import device_stiffness


def contact_duration(vector: np.ndarray, i: int) -> float:
    """Half a period of a pair's spring on the bodies' effective mass at the tip, at its smallest
    over directions [s]; inf if not a spring."""
    base, at = PAIRS_AT + i * PAIR.size, PAIR.at
    law, k = int(vector[base + at.real_law]), vector[base + at.real_stiffness]
    if law == TABLE:
        k = steepest(vector, base + at.real_table)
    if law == HUNT_CROSSLEY or k == 0.0:
        return math.inf
    K = device_stiffness(vector, i)
    if K is not None:
        k = float(in_series(k, np.linalg.eigvalsh(K)[2]))
    wanted = int(vector[base + at.wanted_law])
    if wanted == TABLE + 1:
        k = max(k, steepest(vector, base + at.wanted_table))
    elif wanted not in (SAME_AS_REAL, HUNT_CROSSLEY + 1):  # its stiffness is no N/m
        k = max(k, vector[base + at.wanted_stiffness])
    mobility = 0.0
    for body, arm in (
        (CHASER_AT, vector[base + at.tip : base + at.tip + 3]),
        (TARGET_AT, vector[base + at.origin : base + at.origin + 3]),
    ):
        if not vector[body + BODY.at.fixed]:
            mobility += 1.0 / vector[body + BODY.at.mass : body + BODY.at.mass + 3].min()
            xx, yy, zz, xy, xz, yz = vector[body + BODY.at.inertia : body + BODY.at.inertia + 6]
            smallest = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])[0]
            mobility += float(arm @ arm) / smallest
    return math.pi / math.sqrt(k * mobility)


def steepest(vector: np.ndarray, at: int) -> float:
    """Largest slope of a tabulated law [N/m]."""
    first, rows = int(vector[at]), int(vector[at + 1])
    table = vector[first : first + 3 * rows].reshape(rows, 3)
    return float((np.diff(table[:, 1]) / np.diff(table[:, 0])).max())
