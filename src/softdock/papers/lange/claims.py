"""What the paper states, held against numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from softdock.papers.frame import Column, Exhibit
from softdock.papers.lange.causality import restitutions
from softdock.papers.lange.cone import OURS, cone_run
from softdock.papers.lange.figure_6 import run_of
from softdock.papers.lange.impact import PUBLISHED, SPEED, energy_ratio, restitution
from softdock.papers.lange.offsets import with_offset
from softdock.papers.lange.sensitivity import with_stiffness, with_wanted
from softdock.run import Run


def farthest(run: Run) -> float:
    """A robot from its satellite, after the first second [m]."""
    late = run.series["time"] > 1.0
    off = [run.series[f"mock_up.{body}.position"] - run.series[f"{body}.position"] for body in ("chaser", "target")]
    return float(max(np.linalg.norm(d[late], axis=1).max() for d in off))


def fastest_robot(run: Run) -> float:
    return float(max(np.abs(run.series[f"mock_up.{body}.velocity"]).max() for body in ("chaser", "target")))


def make_claims() -> Exhibit:
    published, naive, fine = (run_of("jerk", loop) for loop in ("published", "naive", "softdock"))
    late = restitutions("nothing", 4.0, 1.0, True, 4)
    short = restitutions("rewind", 12.0, 10.0, False, 4)
    moved_tool = with_offset({"contact.0.origin_m": [0.002, 0.0, 0.0]}) - 1.0
    rows: list[dict[str, Any]] = [
        _row("III-B: with the measured force the velocity increases", "confirmed", energy_ratio(naive), "times the energy, Fig. 6"),
        _row("V: the servicer stops, the client takes its velocity", "confirmed", restitution(fine), "restitution, Fig. 6"),
        _row("IV-A: the satellites' velocity does not increase", "only if the contact is seen in time", float(late.mean()), "restitution, 20 ms late"),
        _row("IV-A: nor does the robots' velocity", "for a moment: they catch up", fastest_robot(published) / SPEED, "largest over the approach, Fig. 6"),
        _row("IV-D: absolute positions may be wrong", "yes; those that robots report: with rewind", moved_tool, "change of e by 2 mm"),
        _row("IV-F: differences can hardly be seen", "confirmed in Fig. 7", 1e3 * farthest(cone_run(OURS)), "mm at most"),
        _row("IV-F: the same", "not in Fig. 6", 1e3 * farthest(published), "mm at most"),
        _row("IV-G: an uncertain K_d is not significant", "confirmed", with_wanted(1.0, 1) - 1.0, "change of e, K_d doubled"),
        _row("IV-G: wrong parameters are marginal", "not if robots lag much", with_stiffness("jerk", -0.1, PUBLISHED, 4) - 1.0, "change of e, k_e 10 % low"),
        _row("VI: a limit is a contact of a few cycles", "not with sub-steps and rewind", float(np.abs(short - 1.0).max()), "error of e at 2.6 cycles"),
    ]
    kept = sum(row["found"].startswith("confirmed") for row in rows)
    columns = (Column("claim", "the paper says"), Column("found", "found"), Column("value", "value"), Column("meaning", "of what"))
    verdict = f"{kept} of {len(rows)} statements hold as printed; the others need a condition or a correction."
    return Exhibit("claims", "What the paper states", verdict, columns, rows)


def _row(claim: str, found: str, value: float, meaning: str) -> dict[str, Any]:
    return {"claim": claim, "found": found, "value": value, "meaning": meaning}
