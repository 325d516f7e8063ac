"""A map of simulated restitution over delay and damping: every point is a run of the whole loop, in
one batch on all cores."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from softdock.campaign.columns import columns
from softdock.campaign.cpu import run_cpu
from softdock.papers.zebenay.loops import CYCLE, virtual_damping
from softdock.scenario.files import load_scenario


@dataclass(frozen=True)
class RestitutionMap:
    delays: np.ndarray  # s, columns
    dampings: np.ndarray  # Ns/m, rows
    restitution: np.ndarray  # one row a damping; nan where the contact did not end

    def neutral_damping(self) -> np.ndarray:
        """For each delay the smallest damping [Ns/m] at which restitution is one or less; nan where
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
        """For a chart in ms and Ns/m."""
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


def restitution_map(
    mass: float,
    stiffness: float,
    delays: np.ndarray,
    dampings: np.ndarray,
    speed: float = 0.02,
    threads: int | None = None,
) -> RestitutionMap:
    """EPOS on one axis with a virtual damper, one run a point, sampling phase 0."""
    half_swing = math.pi * math.sqrt(mass / stiffness)
    gap = speed * CYCLE
    scenario = load_scenario("epos_1d").with_keys(
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
    batch = run_cpu(*columns(scenario, swept), threads=threads, contacts=1)
    return RestitutionMap(
        np.asarray(delays), np.asarray(dampings), batch.column("restitution").reshape(h.shape)
    )
