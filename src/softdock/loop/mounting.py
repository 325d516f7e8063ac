"""On which mock-up a force sensor is mounted: the chaser's, the target's, or one on each."""

from __future__ import annotations

ON_CHASER, ON_TARGET, ON_BOTH = 0, 1, 2
