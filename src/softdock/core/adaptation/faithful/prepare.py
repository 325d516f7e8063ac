"""The prepared parameters of `faithful`: its keys, and what it may know of the sensor (period,
averaging, tool, gravity), from the parameter vector.
"""

from __future__ import annotations

import math

from softdock.core.adaptation.faithful.keys import AT, Faithful
from softdock.core.adaptation.interface import CYCLE
from softdock.core.adaptation.measured.doubts import PLACES
from softdock.core.machine.compiled import compiled
from softdock.core.mounting import ON_CHASER
from softdock.core.spatial.rotations import normalise, rotate_back
from softdock.core.spatial.vectors import load3, load4

COUNT = 1  # of a key's two numbers: where the pairs stand, and how many
SENSOR_ON = PLACES.at.on
CHASER_HAND, TARGET_HAND = PLACES.at.chaser_hand, PLACES.at.target_hand


@compiled
def averaged(v, period_at, handover_at):
    """Window of readings that are the mean of a cycle's samples: from the first to the last, and
    the root mean square of their instants about the middle [s]; zeros where a reading is one."""
    period = v[period_at]
    if v[handover_at] == 0.0 or period <= 0.0:
        return 0.0, 0.0
    samples = max(math.floor(v[CYCLE] / period + 0.5), 1.0)
    return (samples - 1.0) * period, period * math.sqrt((samples * samples - 1.0) / 12.0)


@compiled
def _rows(v, place):
    """Number of rows of a schedule; it stands where `place` says."""
    return v[int(v[place])]


@compiled
def _gravity(v, attitude_at, gravity_at, on_chaser):
    """Gravity in orbit's axes; zero where the tool is not the chaser's."""
    if not on_chaser:
        return (0.0, 0.0, 0.0)
    return rotate_back(normalise(load4(v, attitude_at)), load3(v, gravity_at))


@compiled
def prepare(marker, vector, base, memory):
    v, b = vector, base
    window, scatter = averaged(v, int(v[b + AT.averages]), int(v[b + AT.averages + COUNT]))
    return Faithful(
        memory=memory,
        vector=vector,
        pairs_at=int(v[b + AT.contacts]),
        number=int(v[b + AT.contacts + COUNT]),
        sensor_at=base + AT.sensor,
        on_chaser=int(v[int(v[b + AT.sensor + SENSOR_ON])]) == ON_CHASER,
        hands=_rows(v, b + AT.sensor + CHASER_HAND) + _rows(v, b + AT.sensor + TARGET_HAND) > 0.0,
        gravity=_gravity(
            v,
            int(v[b + AT.laboratory]),
            int(v[b + AT.laboratory + COUNT]),
            int(v[int(v[b + AT.sensor + SENSOR_ON])]) == ON_CHASER,
        ),
        window=window,
        scatter=scatter,
        rows=int(math.ceil(v[b + AT.past] / vector[CYCLE] - 1e-9)) + 2,
        tare=v[b + AT.tare] != 0.0,
        lead=v[b + AT.lead] != 0.0,
        damping=v[b + AT.damping] != 0.0,
        powers=v[b + AT.powers] != 0.0,
        lag=v[b + AT.lag] != 0.0,
        friction=v[b + AT.friction] != 0.0,
        rewind=v[b + AT.rewind] != 0.0,
        ledger=v[b + AT.ledger] != 0.0,
    )
