"""What the paper states, held against numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from softdock.papers.frame import Column, Exhibit, Said
from softdock.papers.lange.causality import restitutions
from softdock.papers.lange.cone import OURS, cone_run
from softdock.papers.lange.figure_6 import run_of
from softdock.papers.lange.impact import PUBLISHED, SPEED, energy_ratio, restitution
from softdock.papers.lange.offsets import OFFSET, with_offset
from softdock.papers.lange.sensitivity import with_stiffness, with_wanted
from softdock.runs.run import Run

HOLDS = "holds here"  # in our simulation; the paper's section V is a simulation too
LARGE = 1e300
SEEN_MM = 1.0  # mm: a difference that can hardly be seen


def farthest(run: Run) -> float:
    """A robot from its satellite, after the first second [m]."""
    late = run.series["time"] > 1.0
    off = [
        run.series[f"mock_up.{body}.position"] - run.series[f"{body}.position"]
        for body in ("chaser", "target")
    ]
    return float(max(np.linalg.norm(d[late], axis=1).max() for d in off))


def fastest_robot(run: Run) -> float:
    return float(
        max(np.abs(run.series[f"mock_up.{body}.velocity"]).max() for body in ("chaser", "target"))
    )


def make_claims() -> Exhibit:
    published, naive, fine = (run_of("jerk", loop) for loop in ("published", "naive", "softdock"))
    late_e = float(restitutions("nothing", 4.0, 1.0, True, 4).mean())
    short = restitutions("rewind", 12.0, 10.0, False, 4)
    moved_tool = with_offset({"contact.0.origin_m": [OFFSET, 0.0, 0.0]}) - with_offset({})
    said_wrong = max(
        (
            with_offset({"pose.chaser_offset_m": [x, 0.0, 0.0]}, PUBLISHED)
            - with_offset({}, PUBLISHED)
            for x in (-OFFSET, OFFSET)
        ),
        key=abs,
    )
    cone_mm, impact_mm = 1e3 * farthest(cone_run(OURS)), 1e3 * farthest(published)
    k_d, k_e = (
        with_wanted(1.0, 1) - with_wanted(0.0, 1),
        with_stiffness("jerk", -0.1, PUBLISHED, 4) - with_stiffness("jerk", 0.0, PUBLISHED, 4),
    )
    energy, e, robots, error = (
        energy_ratio(naive),
        restitution(fine),
        fastest_robot(published) / SPEED,
        float(np.abs(short - 1.0).max()),
    )
    rows: list[dict[str, Any]] = [
        _row(
            "III-B: with the measured force the velocity increases",
            (1.0, LARGE),
            "not here",
            energy,
            "times the energy, Fig. 6",
            "> 1",
        ),
        _row(
            "V: the servicer stops, the client takes its velocity",
            (0.999, 1.001),
            "not quite",
            e,
            "restitution, Fig. 6",
            "1 +- 0.001",
        ),
        _row(
            "IV-A: the satellites' velocity does not increase",
            (-LARGE, 1.01),
            "only if it is seen in time",
            late_e,
            "restitution, 20 ms late",
            "< 1.01",
        ),
        _row(
            "IV-A: nor does the robots' velocity",
            (-LARGE, 1.01),
            "for a moment: they catch up",
            robots,
            "largest over the approach, Fig. 6",
            "< 1.01",
        ),
        _row(
            "IV-D: absolute positions may be wrong",
            (-1e-4, 1e-4),
            "not quite",
            moved_tool,
            "change of e, tool 2 mm elsewhere",
            "< 1e-4",
        ),
        _row(
            "IV-D: the same",
            (-1e-4, 1e-4),
            "not if robots report it: then with rewind",
            said_wrong,
            "change of e, reported +-2 mm off",
            "< 1e-4",
        ),
        _row(
            "IV-F: differences can hardly be seen",
            (-LARGE, SEEN_MM),
            "not in Fig. 7",
            cone_mm,
            "mm at most, Fig. 7",
            "< 1",
        ),
        _row(
            "IV-F: the same",
            (-LARGE, SEEN_MM),
            "not in Fig. 6",
            impact_mm,
            "mm at most, Fig. 6",
            "< 1",
        ),
        _row(
            "IV-G: an uncertain K_d is not significant",
            (-1e-3, 1e-3),
            "it is",
            k_d,
            "change of e, K_d doubled",
            "< 1e-3",
        ),
        _row(
            "IV-G: wrong parameters are marginal",
            (-0.01, 0.01),
            "not if robots lag much",
            k_e,
            "change of e, k_e 10 % low",
            "< 0.01",
        ),
        _row(
            "VI: a limit is a contact of a few cycles",
            (0.01, LARGE),
            "not with sub-steps and rewind",
            error,
            "error of e at 2.6 cycles",
            "> 0.01",
        ),
    ]
    columns = (
        Column("claim", "the paper says"),
        Column("found", "found"),
        Column("value", "value"),
        Column("meaning", "of what"),
        Column("bound", "holds if"),
    )
    return Exhibit(
        "claims",
        "What the paper states",
        _said,
        columns,
        rows,
        assumptions=(
            "Each is judged by a bound of ours, in the last column, on our simulation. The paper "
            "has simulations and no measured data: nothing is confirmed by an experiment.",
        ),
    )


def _said(rows: list[dict[str, Any]], numbers: dict[str, Any]) -> Said:
    kept = sum(holds(row) for row in rows)
    others = "; the others need a condition or a correction" if kept < len(rows) else ""
    return Said(f"{kept} of {len(rows)} statements hold in our simulation as printed{others}.")


def holds(row: dict[str, Any]) -> bool:
    """Whether a row's value keeps to its bound."""
    low, high, value = row["at_least"], row["at_most"], row["value"]
    return bool(low < value < high)


def _row(
    claim: str, bounds: tuple[float, float], otherwise: str, value: float, meaning: str, bound: str
) -> dict[str, Any]:
    row = {
        "claim": claim,
        "value": value,
        "meaning": meaning,
        "bound": bound,
        "at_least": bounds[0],
        "at_most": bounds[1],
    }
    return row | {"found": HOLDS if holds(row) else otherwise}
