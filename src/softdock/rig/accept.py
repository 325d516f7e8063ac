"""Acceptance of a rig: measured restitution against what its own ages predict."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from softdock.drivers.rig_scenario import OnRig
from softdock.rig.predict import predicted_restitution
from softdock.rig.series import RigSeries


@dataclass(frozen=True)
class AcceptRow:
    """One bounce."""

    measured: float
    predicted: float
    age_ms: float
    on_time: bool  # no telegram was lost and no reply was late

    @property
    def apart(self) -> float:
        return self.measured - self.predicted


@dataclass(frozen=True)
class Acceptance:
    """All bounces, and the verdict."""

    rows: tuple[AcceptRow, ...]
    within: float
    runs: int

    @property
    def passed(self) -> bool:
        measured = len(self.rows) == self.runs > 0
        return measured and all(r.on_time and abs(r.apart) <= self.within for r in self.rows)

    @property
    def sentence(self) -> str:
        worst = max((abs(r.apart) for r in self.rows), default=0.0)
        late = sum(not r.on_time for r in self.rows)
        if self.passed:
            return f"PASSED: {self.runs} bounces within {worst:.1e} of the prediction"
        if len(self.rows) < self.runs:
            return f"NOT PASSED: {len(self.rows)} of {self.runs} bounces gave a restitution"
        if late:
            return f"NOT PASSED: {late} of {self.runs} bounces lost telegrams or answered late"
        return f"NOT PASSED: {worst:.1e} from the prediction, allowed {self.within:.1e}"

    def to_dict(self) -> dict[str, Any]:
        rows = [{**dataclasses.asdict(r), "apart": r.apart} for r in self.rows]
        return {
            "passed": self.passed,
            "within": self.within,
            "rows": rows,
            "sentence": self.sentence,
        }


def judged(on: OnRig, series: RigSeries, within: float) -> Acceptance:
    """Every completed run that bounced."""
    rows = []
    for run in series.runs:
        o = run.outcome
        if o.restitution is None or o.force_age_ms is None or not o.completed:
            continue
        predicted = predicted_restitution(on.scenario, 1e-3 * o.force_age_ms)
        if predicted is not None:
            rows.append(AcceptRow(o.restitution, predicted, o.force_age_ms, not o.was_late))
    return Acceptance(tuple(rows), within, series.planned)
