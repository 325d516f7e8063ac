"""Limits that a user may leave out: 0 means none."""

from __future__ import annotations

import math

from softdock.compile.jit import compiled


@compiled
def or_no_limit(limit):
    return limit if limit > 0.0 else math.inf
