"""The metrics of a run with latches: one declaration each, as those of metrics.py."""

from __future__ import annotations

import math

from softdock.analysis.latches import latch_numbers, times
from softdock.analysis.metric import Metric, Row

LATCH_METRICS = (
    Metric(
        name="latched",
        meaning="whether every latch went hard and held; None: there is none",
        value=lambda j: (
            math.isfinite(times(j.run.latches)["latched_at_s"]) if len(j.run.latches) else None
        ),
        tile="Every latch hard and whole at the end of the run",
    ),
    Metric(
        name="latched_at_s",
        meaning="when the last latch went hard: hard dock",
        value=lambda j: times(j.run.latches)["latched_at_s"],
        row=Row("latched at", ".4g", "s", if_none="never", only_if="latched"),
    ),
    Metric(
        name="latch",
        meaning="what the latches did and bore, and whether the latched pair grows",
        value=lambda j: latch_numbers(j.run),
    ),
)
