"""How long a contact lasts, at least: from a pair's stiffness and the bodies' mobility."""

from __future__ import annotations

import math

import numpy as np

from softdock.loop.contact.compliance import in_series
from softdock.loop.contact.keys import LAW_KEYS, PAIR, SAME_AS_REAL
from softdock.loop.contact.laws import LAW_MODELS
from softdock.loop.spatial.rigid_body import BODY
from softdock.loop.vector import (
    CHASER_AT,
    PAIRS_AT,
    TARGET_AT,
)
from softdock.scenario.device import device_stiffness


def contact_duration(vector: np.ndarray, i: int) -> float:
    """Half a period of a pair's spring on the bodies' effective mass at the tip, at its smallest
    over directions [s]; inf if not a spring."""
    base, at = PAIRS_AT + i * PAIR.size, PAIR.at
    k = lasting(vector, int(vector[base + at.real_law]), base + at.real_law)
    if k == 0.0:
        return math.inf
    K = device_stiffness(vector, i)
    if K is not None:
        k = float(in_series(k, np.linalg.eigvalsh(K)[2]))
    wanted = int(vector[base + at.wanted_law])
    if wanted != SAME_AS_REAL:
        k = max(k, lasting(vector, wanted - 1, base + at.wanted_law))
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
    rate = math.sqrt(k * mobility)
    return (
        math.pi / rate if rate > 0.0 else math.inf
    )  # 0: nothing moves, or less than a float holds


def lasting(vector: np.ndarray, law: int, first: int) -> float:
    """Stiffness that decides how long a touch lasts [N/m]; 0: none does. `first`: of the law's keys
    in the vector."""
    found = LAW_MODELS[law].lasting
    if found is None:
        return 0.0
    return float(found(vector, vector[first + LAW_KEYS.stiffness], first + LAW_KEYS.table))
