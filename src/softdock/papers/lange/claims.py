"""Statements of the paper, compared with numbers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from softdock.papers.frame import Column, Exhibit, Findings
from softdock.papers.lange.causality import compute_restitutions
from softdock.papers.lange.cone import OURS, run_cone
from softdock.papers.lange.figure_6 import run_impact_of
from softdock.papers.lange.impact import PUBLISHED, SPEED, energy_ratio, restitution
from softdock.papers.lange.offsets import OFFSET, restitution_with_offset
from softdock.papers.lange.sensitivity import (
    restitution_with_stiffness,
    restitution_with_wanted_stiffness,
)
from softdock.results.run import Run

HOLDS = "holds here"  # in our simulation; the paper's section V is a simulation too
LARGE = 1e300
SEEN_MM = 1.0  # mm: a difference that can hardly be seen


def largest_distance(run: Run) -> float:
    """Largest distance of a robot from its satellite, after the first second [m]."""
    late = run.series["time"] > 1.0
    off = [
        run.series[f"mock_up.{body}.position"] - run.series[f"{body}.position"]
        for body in ("chaser", "target")
    ]
    return float(max(np.linalg.norm(d[late], axis=1).max() for d in off))


def largest_robot_speed(run: Run) -> float:
    return float(
        max(np.abs(run.series[f"mock_up.{body}.velocity"]).max() for body in ("chaser", "target"))
    )


class Claim(NamedTuple):
    """A statement of the paper, and the bound that one of our numbers must keep."""

    claim: str
    number: str  # a key of `_numbers`
    at_least: float
    at_most: float
    otherwise: str  # what is found if it does not
    meaning: str
    bound: str  # the two limits in words


CLAIMS = (
    Claim(
        claim="III-B: with the measured force the velocity increases",
        number="energy",
        at_least=1.0,
        at_most=LARGE,
        otherwise="not here",
        meaning="times the energy, Fig. 6",
        bound="> 1",
    ),
    Claim(
        claim="V: the servicer stops, the client takes its velocity",
        number="e",
        at_least=0.999,
        at_most=1.001,
        otherwise="not quite",
        meaning="restitution, Fig. 6",
        bound="1 +- 0.001",
    ),
    Claim(
        claim="IV-A: the satellites' velocity does not increase",
        number="late_e",
        at_least=-LARGE,
        at_most=1.01,
        otherwise="only if it is seen in time",
        meaning="restitution, 20 ms of delay",
        bound="< 1.01",
    ),
    Claim(
        claim="IV-A: nor does the robots' velocity",
        number="robots",
        at_least=-LARGE,
        at_most=1.01,
        otherwise="for a moment: they catch up",
        meaning="largest over the approach, Fig. 6",
        bound="< 1.01",
    ),
    Claim(
        claim="IV-D: absolute positions may be wrong",
        number="moved_tool",
        at_least=-1e-4,
        at_most=1e-4,
        otherwise="not quite",
        meaning="change of e, tool 2 mm elsewhere",
        bound="< 1e-4",
    ),
    Claim(
        claim="IV-D: the same",
        number="said_wrong",
        at_least=-1e-4,
        at_most=1e-4,
        otherwise="not if robots report it: then with rewind",
        meaning="change of e, reported +-2 mm off",
        bound="< 1e-4",
    ),
    Claim(
        claim="IV-F: differences can hardly be seen",
        number="cone_mm",
        at_least=-LARGE,
        at_most=SEEN_MM,
        otherwise="not in Fig. 7",
        meaning="mm at most, Fig. 7",
        bound="< 1",
    ),
    Claim(
        claim="IV-F: the same",
        number="impact_mm",
        at_least=-LARGE,
        at_most=SEEN_MM,
        otherwise="not in Fig. 6",
        meaning="mm at most, Fig. 6",
        bound="< 1",
    ),
    Claim(
        claim="IV-G: an uncertain K_d is not significant",
        number="k_d",
        at_least=-1e-3,
        at_most=1e-3,
        otherwise="it is",
        meaning="change of e, K_d doubled",
        bound="< 1e-3",
    ),
    Claim(
        claim="IV-G: wrong parameters are marginal",
        number="k_e",
        at_least=-0.01,
        at_most=0.01,
        otherwise="not if robots lag much",
        meaning="change of e, k_e 10 % low",
        bound="< 0.01",
    ),
    Claim(
        claim="VI: a limit is a contact of a few cycles",
        number="error",
        at_least=0.01,
        at_most=LARGE,
        otherwise="not with sub-steps and rewind",
        meaning="error of e at 2.6 cycles",
        bound="> 0.01",
    ),
)
COLUMNS = (
    Column("claim", "the paper says"),
    Column("found", "found"),
    Column("value", "value"),
    Column("meaning", "of what"),
    Column("bound", "holds if"),
)
ASSUMED = (
    "Each is judged by a bound of ours, in the last column, on our simulation. The paper has "
    "simulations and no measured data: nothing is confirmed by an experiment."
)


def _offset_effect() -> float:
    """Change of e if robots report a position 2 mm off in either direction: the larger one."""
    true = restitution_with_offset({}, PUBLISHED)
    changes = [
        restitution_with_offset({"pose.chaser_offset_m": [x, 0.0, 0.0]}, PUBLISHED) - true
        for x in (-OFFSET, OFFSET)
    ]
    return max(changes, key=abs)


def _numbers() -> dict[str, float]:
    """Numbers for the claims: restitutions and changes of it [-], ratios [-], distances in mm."""
    published, naive, fine = (
        run_impact_of("jerk", loop) for loop in ("published", "naive", "softdock")
    )
    short = compute_restitutions("rewind", 12.0, 10.0, False, 4)
    soft, stiff = (restitution_with_stiffness("jerk", off, PUBLISHED, 4) for off in (-0.1, 0.0))
    return {
        "energy": energy_ratio(naive),
        "e": restitution(fine),
        "late_e": float(compute_restitutions("nothing", 4.0, 1.0, True, 4).mean()),
        "robots": largest_robot_speed(published) / SPEED,
        "moved_tool": restitution_with_offset({"contact.0.origin_m": [OFFSET, 0.0, 0.0]})
        - restitution_with_offset({}),
        "said_wrong": _offset_effect(),
        "cone_mm": 1e3 * largest_distance(run_cone(OURS)),
        "impact_mm": 1e3 * largest_distance(published),
        "k_d": restitution_with_wanted_stiffness(1.0, 1)
        - restitution_with_wanted_stiffness(0.0, 1),
        "k_e": soft - stiff,
        "error": float(np.abs(short - 1.0).max()),
    }


def make_claims() -> Exhibit:
    numbers = _numbers()
    return Exhibit(
        key="claims",
        title="What the paper states",
        says=_summarise,
        columns=COLUMNS,
        rows=[_row(claim, numbers[claim.number]) for claim in CLAIMS],
        assumptions=(ASSUMED,),
    )


def _summarise(rows: list[dict[str, Any]], numbers: dict[str, Any]) -> Findings:
    kept = sum(is_met(row) for row in rows)
    others = "; the others need a condition or a correction" if kept < len(rows) else ""
    return Findings(f"{kept} of {len(rows)} statements hold in our simulation as printed{others}.")


def is_met(row: dict[str, Any]) -> bool:
    """Whether a row's value is within its bound."""
    low, high, value = row["at_least"], row["at_most"], row["value"]
    return bool(low < value < high)


def _row(claim: Claim, value: float) -> dict[str, Any]:
    row = {
        "claim": claim.claim,
        "value": value,
        "meaning": claim.meaning,
        "bound": claim.bound,
        "at_least": claim.at_least,
        "at_most": claim.at_most,
    }
    return row | {"found": HOLDS if is_met(row) else claim.otherwise}
