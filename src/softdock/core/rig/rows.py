"""Rows of the recording: a cycle, a packet, samples (core/recorder/layout.py has the cells)."""

from __future__ import annotations

from softdock.core.energy.ledger import LEDGER
from softdock.core.kept import KEPT
from softdock.core.machine.compiled import apart, compiled
from softdock.core.recorder.layout import CYCLE, PACKET, SAMPLE
from softdock.core.recorder.ring import push
from softdock.core.rig.arrays import RV, S, V
from softdock.core.rig.flange import to_orbit
from softdock.core.rig.layout import PLAN
from softdock.core.seam import C
from softdock.core.spatial.motion import (
    MOTION_FLOATS,
    POSE_FLOATS,
    WRENCH_FLOATS,
    load_pose,
    store_pose,
)
from softdock.core.spatial.rigid_body import BODY_STATE, Body, load_body, motion_of
from softdock.core.wire.links import ARRIVED_NS, LATE_REPLIES, NEWEST, STAMP_NS
from softdock.core.wire.samples import SAMPLE_VALUES
from softdock.core.wire.sequences import LOST

Y, K, L = CYCLE.at, KEPT.at, LEDGER.at
A, B, P = PACKET.at, SAMPLE.at, PLAN.at
NS = 1e-9  # s
MASTER = 0
