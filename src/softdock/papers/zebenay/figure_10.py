"""Fig. 10: the tests on one axis in the envelope of stability, over a map of simulated
restitution."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from softdock.output.pages.frame.charts import Line, chart
from softdock.papers.frame import Column, Exhibit, Findings
from softdock.papers.zebenay.loops import CYCLE, DELAY, virtual_damping
from softdock.papers.zebenay.table_2 import (
    MASS,
    PUBLISHED_MEAN,
    PUBLISHED_SPREAD,
    TESTS,
    stiffness_statistics,
)
from softdock.scenario.files import load_scenario
from softdock.studies.campaign.batch import run_cpu
from softdock.studies.campaign.columns import make_columns
from softdock.studies.stability import critical_damping, critical_delay


@dataclass(frozen=True)
class RestitutionMap:
    """Simulated restitution over delay and damping: one run of the whole loop for each point."""

    delays: np.ndarray  # s, columns
    dampings: np.ndarray  # Ns/m, rows
    restitution: np.ndarray  # one row a damping; nan where the contact did not end

    def neutral_damping(self) -> np.ndarray:
        """For each delay the smallest damping [Ns/m] with a restitution of at most one; nan if
        there is none."""
        e = self.restitution
        first = np.argmax(e <= 1.0, axis=0)
        found = np.full(len(self.delays), np.nan)
        for j, i in enumerate(first):
            if e[i, j] <= 1.0:
                share = 0.0 if i == 0 else (e[i - 1, j] - 1.0) / (e[i - 1, j] - e[i, j])
                found[j] = (
                    self.dampings[i]
                    if i == 0
                    else self.dampings[i - 1] + share * (self.dampings[i] - self.dampings[i - 1])
                )
        return found

    def as_heat_map(self) -> dict[str, Any]:
        """The map for a chart in ms and Ns/m."""
        rounded = [
            [None if math.isnan(v) else round(float(v), 4) for v in row] for row in self.restitution
        ]
        return {
            "type": "heatmap",
            "x": [round(1e3 * float(h), 4) for h in self.delays],
            "y": [round(float(b), 4) for b in self.dampings],
            "z": rounded,
            "zmid": 1.0,
            "colorscale": "RdBu",
            "opacity": 0.75,
            "colorbar": {"title": {"text": "e"}},
            "hovertemplate": "%{x:.3g} ms, %{y:.3g} Ns/m: e = %{z:.3f}<extra></extra>",
            "showlegend": False,
        }


def compute_restitution_map(
    mass: float,
    stiffness: float,
    delays: np.ndarray,
    dampings: np.ndarray,
    speed: float = 0.02,
    threads: int | None = None,
) -> RestitutionMap:
    """EPOS on one axis with a virtual damper, one run for each point, sampling phase 0."""
    half_swing = math.pi * math.sqrt(mass / stiffness)
    gap = speed * CYCLE
    scenario = load_scenario("epos_1d").replace(
        {
            "chaser.mass_kg": mass,
            "chaser.position_m": [gap, 0.0, 0.0],
            "chaser.velocity_m_per_s": [-speed, 0.0, 0.0],
            "contact.0.real.stiffness_N_per_m": stiffness,
            "time.duration_s": 1.6 * half_swing + 4.0 * float(np.max(delays)) + 10.0 * CYCLE,
            "methods": [virtual_damping(0.0)],
        }
    )
    h, b = np.meshgrid(delays, dampings)
    swept = {
        "robots.chaser.delay_ms": 1e3 * h.ravel(),
        "robots.target.delay_ms": 1e3 * h.ravel(),
        "methods.0.damping_Ns_per_m.0": b.ravel(),
    }
    batch = run_cpu(*make_columns(scenario, swept), threads=threads, contacts=1)
    return RestitutionMap(
        np.asarray(delays), np.asarray(dampings), batch.column("restitution").reshape(h.shape)
    )


NEUTRAL = 0.035  # of 1: a published restitution this near is a neutral test


def critical_damping_curve(stiffness: float, delays: np.ndarray) -> np.ndarray:
    """Critical damping against delay [Ns/m]."""
    return np.asarray(critical_damping(MASS, stiffness, delays))


def _rows(k_mean: float) -> list[dict[str, Any]]:
    """One row for each test: the delays at which its damping is critical."""
    return [
        {
            "damping_Ns_per_m": test.damping,
            "restitution": test.after / test.before,
            "critical_delay_ms": 1e3 * critical_delay(MASS, test.damping, k_mean),
            "published_critical_delay_ms": 1e3 * critical_delay(MASS, test.damping, PUBLISHED_MEAN),
        }
        for test in TESTS
    ]


def _curves(found: RestitutionMap, neutral: np.ndarray) -> list[Line]:
    """The map, its line of restitution one, and the limits of stability over it."""
    k_mean, k_spread = stiffness_statistics()
    delays = np.linspace(0.0, 0.045, 200)
    return [
        Line(
            "restitution, simulated",
            "c4",
            1e3 * found.delays,
            found.dampings,
            extra=found.as_heat_map(),
        ),
        Line("restitution = 1, simulated", "c2", 1e3 * found.delays, neutral, width=3.0),
        Line("k mean, recomputed", "c1", 1e3 * delays, critical_damping_curve(k_mean, delays)),
        *(
            Line(
                f"{k:.0f} N/m, one sigma off",
                "c1",
                1e3 * delays,
                critical_damping_curve(k, delays),
                dash="dash",
            )
            for k in (k_mean - k_spread, k_mean + k_spread)
        ),
        *(
            Line(
                f"{k:.0f} N/m, published",
                "c3",
                1e3 * delays,
                critical_damping_curve(k, delays),
                dash="dot",
            )
            for k in (
                PUBLISHED_MEAN - PUBLISHED_SPREAD,
                PUBLISHED_MEAN,
                PUBLISHED_MEAN + PUBLISHED_SPREAD,
            )
        ),
        Line(
            "tests",
            "c5",
            np.full(len(TESTS), 16.0),
            np.array([t.damping for t in TESTS]),
            extra={"mode": "markers", "marker": {"size": 9}},
        ),
    ]


def make_figure_10() -> Exhibit:
    k_mean, _ = stiffness_statistics()
    found = compute_restitution_map(
        MASS, k_mean, np.linspace(0.0, 0.045, 200), np.linspace(0.0, 120.0, 200)
    )
    neutral = found.neutral_damping()
    at_16 = float(np.interp(DELAY, found.delays, neutral))
    at_limit = float(critical_damping(MASS, k_mean, DELAY))
    return Exhibit(
        key="figure_10",
        title="Fig. 10: tests and envelope of stability",
        says=_summarise,
        columns=(
            Column("damping_Ns_per_m", "b [Ns/m]"),
            Column("restitution", "e, published"),
            Column("critical_delay_ms", f"critical delay with k = {k_mean:.1f} N/m [ms]"),
            Column("published_critical_delay_ms", "with the printed 1066 N/m [ms]"),
        ),
        rows=_rows(k_mean),
        numbers={
            "limit_at_16_ms_Ns_per_m": at_limit,
            "envelope_low_at_16_ms_Ns_per_m": float(
                critical_damping(MASS, PUBLISHED_MEAN - PUBLISHED_SPREAD, DELAY)
            ),
            "envelope_high_at_16_ms_Ns_per_m": float(
                critical_damping(MASS, PUBLISHED_MEAN + PUBLISHED_SPREAD, DELAY)
            ),
            "neutral_damping_simulated_at_16_ms_Ns_per_m": at_16,
            "runs_in_the_map": int(found.restitution.size),
        },
        assumptions=(
            "63 kg; stiffness from the printed column. The map is simulated: 200 x 200 runs "
            "of the loop at 4 ms, exact hold, virtual damping, a contact "
            "that does not pull.",
        ),
        remarks=("The paper gives 32 ms, twice 16, for a controller that uses measured poses.",),
        charts=[
            chart(
                "figure_10",
                "Damping and delay; colour: restitution",
                _curves(found, neutral),
                "delay [ms]",
                "damping [Ns/m]",
                time_axis=False,
                height=480,
                layout={"hovermode": "closest"},
            )
        ],
    )


def _summarise(rows: list[dict[str, Any]], numbers: dict[str, Any]) -> Findings:
    at_limit = numbers["limit_at_16_ms_Ns_per_m"]
    low, high = (numbers[f"envelope_{end}_at_16_ms_Ns_per_m"] for end in ("low", "high"))
    simulated = numbers["neutral_damping_simulated_at_16_ms_Ns_per_m"]
    neutral = [row for row in rows if abs(row["restitution"] - 1.0) <= NEUTRAL]
    inside = [row for row in neutral if low <= row["damping_Ns_per_m"] <= high]
    delays = [row["critical_delay_ms"] for row in neutral]
    names = " and ".join(f"{row['damping_Ns_per_m']:g}" for row in neutral) or "none"
    span = f"{min(delays):.1f} to {max(delays):.1f} ms" if delays else "no delay"
    return Findings(
        f"At 16 ms the limit is {at_limit:.1f} Ns/m. Tests that were neutral: {names} Ns/m; "
        f"{len(inside)} of {len(neutral)} lie in the envelope there ({low:.1f} to {high:.1f} "
        f"Ns/m), they lie on the limit at {span}.",
        [
            "The paper says that the neutral tests lie inside or close to the envelope. By (110) "
            f"{len(inside)} of {len(neutral)} do at 16 ms; their critical delays are {span}.",
            "Restitution one is not the limit of stability when the contact cannot pull: the "
            f"simulated line lies {100 * (simulated / at_limit - 1):+.0f} % from (110) at 16 ms, "
            "half a cycle of hold included.",
        ],
    )
