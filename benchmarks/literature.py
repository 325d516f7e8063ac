"""Where the methods stand among the published ones: error of one bounce against the contact's
frequency times the whole delay, without noise and with it.

    python -m benchmarks.literature            # runs, stores, draws
    python -m benchmarks.literature --draw     # the picture from the stored numbers

65 kg against lossless springs of 1 to 300 kN/m, robots 20 ms late, 4 ms cycle: 22 ms of delay in
all. Each method is told what `softdock compare` tells it, the truth. The error is the speed with
which the satellite leaves at the end of the run, less the reference's, over the approach speed; the
worst of eight sampling phases, with noise each with its own seed. Results:
benchmarks/results/literature.json; picture: docs/pictures/literature.svg (docs/related_work.md).
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from pathlib import Path
from typing import Any


HERE = Path(__file__).parent
STORED = HERE / "results" / "literature.json"
PICTURE = HERE.parent / "docs" / "pictures" / "literature.svg"
MASS, SPEED, CYCLE_MS, ROBOT_MS, GAP = 65.0, 0.02, 4.0, 20.0, 0.0108  # kg, m/s, ms, ms, m
WHOLE_DELAY = 1e-3 * (ROBOT_MS + 0.5 * CYCLE_MS)  # s
STIFFNESSES = (1e3, 2e3, 5e3, 1e4, 2e4, 3e4, 5e4, 1e5, 2e5, 3e5)  # N/m
NOISE = 0.05  # N
PHASES = 8
FORCE_ALONE = {"force_lead_ms": 1e3 * WHOLE_DELAY, "position_lead_ms": 0.0}
# label, method, keys in place of those it suggests
LINES: tuple[tuple[str, str, dict[str, float]], ...] = (
    ("direct", "direct", {}),
    (
        "phase_lead, force alone",
        "phase_lead",
        {**FORCE_ALONE, "acceleration_lead_ms": 0.0},
    ),
    ("phase_lead", "phase_lead", {}),
    ("smith_predictor", "smith_predictor", {}),
    ("normalized_passivity", "normalized_passivity", {}),
    ("delay_passivity", "delay_passivity", {}),
    ("energy_ledger", "energy_ledger", {}),
    ("faithful", "faithful", {}),
)


def docking(stiffness: float, phase: float, noise: float, seed: int) -> dict[str, Any]:
    """One impact, as a scenario's tables; the touch falls `phase` cycles later."""
    half_swing = math.pi * math.sqrt(MASS / stiffness)
    cycles = math.ceil((GAP / SPEED + 1.4 * half_swing + 0.3) / (1e-3 * CYCLE_MS))
    tables: dict[str, Any] = {
        "time": {"cycle_ms": CYCLE_MS, "duration_s": 1e-3 * CYCLE_MS * cycles},
        "satellites": {"integrator": "exact_hold"},
        "chaser": {
            "mass_kg": MASS,
            "inertia_kg_m2": [10.0, 10.0, 10.0],
            "position_m": [GAP + 1e-3 * CYCLE_MS * SPEED * phase, 0.0, 0.0],
            "velocity_m_per_s": [-SPEED, 0.0, 0.0],
        },
        "target": {"fixed": True, "mass_kg": 100.0, "inertia_kg_m2": [10.0, 10.0, 10.0]},
        "robots": {"chaser": {"delay_ms": ROBOT_MS}, "target": {"delay_ms": ROBOT_MS}},
        "contact": [
            {"geometry": "wall", "axis": [1.0, 0.0, 0.0], "real": {"stiffness_N_per_m": stiffness}}
        ],
    }
    if noise > 0.0:
        tables |= {"sensor": {"noise_N": noise}, "random": {"seed": seed}}
    return tables


def find_worst_error(method: str, keys: dict[str, float], stiffness: float, noise: float) -> float:
    """Over the sampling phases."""
    from softdock import build, simulate
    from softdock.methods.registry import METHODS

    errors = []
    for i in range(PHASES):
        tables = docking(stiffness, i / PHASES, noise, i)
        tables["methods"] = [
            {"name": method, **METHODS[method].suggest(build(tables)), **keys}
        ]
        run = simulate(build(tables))
        assert run.orbit is not None
        left, wanted = (
            float(series["chaser.velocity"][-1][0]) for series in (run.series, run.orbit.series)
        )
        errors.append(abs(left - wanted) / SPEED)
    return max(errors)


def run_lines() -> dict[str, Any]:
    """Every line, without and with noise."""
    found: dict[str, Any] = {
        "frequency_times_delay": [math.sqrt(k / MASS) * WHOLE_DELAY for k in STIFFNESSES],
        "stiffness_N_per_m": list(STIFFNESSES),
        "mass_kg": MASS,
        "whole_delay_s": WHOLE_DELAY,
        "noise_N": NOISE,
        "phases": PHASES,
        "error": {},
        "error_with_noise": {},
    }
    for label, method, keys in LINES:
        for kind, noise in (("error", 0.0), ("error_with_noise", NOISE)):
            found[kind][label] = [find_worst_error(method, keys, k, noise) for k in STIFFNESSES]
            print(label, kind, " ".join(f"{e:.2g}" for e in found[kind][label]), flush=True)
    return found


WIDTH, HEIGHT, LEFT, TOP, BOTTOM, GUTTER, LABELS = 900, 400, 60, 34, 46, 24, 165
PANEL = (WIDTH - LEFT - GUTTER - LABELS) / 2.0
SPAN_X, SPAN_Y = (0.08, 1.6), (1e-5, 10.0)
COLOURS = {
    "direct": "#6b7280",
    "phase_lead, force alone": "#d97706",
    "phase_lead": "#b45309",
    "smith_predictor": "#0f766e",
    "normalized_passivity": "#be185d",
    "delay_passivity": "#7c3aed",
    "energy_ledger": "#2563eb",
}
RECOMMENDED = "#111827"
DASHED = ("phase_lead, force alone", "direct")


def _y(value: float) -> float:
    low, high = (math.log10(one) for one in SPAN_Y)
    share = (math.log10(min(max(value, SPAN_Y[0]), SPAN_Y[1])) - low) / (high - low)
    return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


def _x(panel: int, value: float) -> float:
    low, high = (math.log10(one) for one in SPAN_X)
    return LEFT + panel * (PANEL + GUTTER) + PANEL * (math.log10(value) - low) / (high - low)


def draw(found: dict[str, Any]) -> str:
    """Both panels as an SVG: error over frequency times delay, both logarithmic."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
    ]
    ends: dict[str, float] = {}
    noise = f"with {1e3 * found['noise_N']:g} mN of noise"
    for panel, (kind, title) in enumerate(
        (("error", "without noise"), ("error_with_noise", noise))
    ):
        parts.append(_axes(panel, title))
        for label, errors in found[kind].items():
            points = " ".join(
                f"{_x(panel, q):.1f},{_y(e):.1f}"
                for q, e in zip(found["frequency_times_delay"], errors, strict=True)
            )
            dash = ' stroke-dasharray="6 4"' if label in DASHED else ""
            parts.append(
                f'<polyline points="{points}" fill="none" stroke-width="2" '
                f'stroke="{COLOURS.get(label, RECOMMENDED)}"{dash}/>'
            )
            ends[label] = _y(errors[-1])
    last = -math.inf
    for label, place in sorted(ends.items(), key=lambda one: one[1]):
        last = max(place + 4.0, last + 15.0)
        parts.append(
            f'<text x="{_x(1, SPAN_X[1]) + 6:.1f}" y="{last:.1f}" '
            f'fill="{COLOURS.get(label, RECOMMENDED)}">{label}</text>'
        )
    return "\n".join([*parts, "</svg>\n"])


def _axes(panel: int, title: str) -> str:
    left, right = _x(panel, SPAN_X[0]), _x(panel, SPAN_X[1])
    words = [f'<text x="{left:.1f}" y="20" font-weight="bold">{title}</text>']
    lines = []
    for power in range(round(math.log10(SPAN_Y[0])), round(math.log10(SPAN_Y[1])) + 1):
        height = _y(10.0**power)
        lines.append(f"M{left:.1f},{height:.1f}H{right:.1f}")
        if panel == 0:
            percent = f"{10.0 ** (power + 2):g} %"
            words.append(
                f'<text x="{left - 6:.1f}" y="{height + 4:.1f}" text-anchor="end">{percent}</text>'
            )
    for value in (0.1, 0.2, 0.5, 1.0):
        lines.append(f"M{_x(panel, value):.1f},{TOP}V{HEIGHT - BOTTOM}")
        words.append(
            f'<text x="{_x(panel, value):.1f}" y="{HEIGHT - BOTTOM + 16}" '
            f'text-anchor="middle">{value:g}</text>'
        )
    middle = 0.5 * (left + right)
    words.append(
        f'<text x="{middle:.1f}" y="{HEIGHT - 8}" text-anchor="middle">frequency of the contact '
        "times whole delay</text>"
    )
    grid = f'<path d="{"".join(lines)}" stroke="#e5e7eb" fill="none"/>'
    return "\n".join([grid, *(word.replace("<text ", '<text fill="#374151" ') for word in words)])


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.literature")
    parser.add_argument("--draw", action="store_true", help="only draw the stored numbers")
    options = parser.parse_args(arguments)
    if not options.draw:
        STORED.write_text(json.dumps(run_lines(), indent=1) + "\n", encoding="utf-8")
    PICTURE.write_text(draw(json.loads(STORED.read_text(encoding="utf-8"))), encoding="utf-8")
    print(f"{STORED.name}, {PICTURE.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
