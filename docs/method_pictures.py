"""Pictures of the method pages: `python docs/method_pictures.py [METHOD ...]`, one SVG a method.

EPOS on one axis, robots with 16 ms of delay: speed of the satellite during the touch, in the
reference, with the raw loop and with the method set as `softdock compare` sets it.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
METHODS = {
    "hybrid": "hybrid",
    "adaptive_damping": "adaptive_damping",
    "delay_passivity": "delay_passivity",
    "energy_ledger": "energy_ledger",
    "remapping": "remapping",
    "model_mediated": "model_mediated",
}
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 300, 70, 180, 16, 46
COLOURS = {"reference": "#6b7280", "raw loop": "#c2410c"}
OURS = "#1d4ed8"
BEFORE, AFTER = 0.15, 0.35  # s around the contact
Curve = tuple[str, np.ndarray, np.ndarray]


def curves(method: str) -> tuple[list[Curve], dict[str, float]]:
    """Speed along the axis [mm/s] over time [s], and the restitutions."""
    from softdock.results.simulation import simulate
    from softdock.scenario.candidates import candidates
    from softdock.scenario.files import load_scenario
    from softdock.studies.compare.settings import advise_settings

    scenario = load_scenario("epos_1d")
    able, unable = candidates(scenario, [method], ["exact_hold"], advise_settings)
    if not able:
        raise SystemExit(f"{method}: {unable[0].reason}")
    raw, run = simulate(scenario), simulate(able[0].scenario)
    ends = [one.contacts[0]["end_s"] for one in (raw, run)]
    first, last = raw.contacts[0]["start_s"] - BEFORE, max(ends) + AFTER
    found = []
    for name, one in (("reference", raw.reference), ("raw loop", raw), (method, run)):
        t, v = one.series["time"], 1e3 * np.asarray(one.series["chaser.velocity"])[:, 0]
        inside = (t >= first) & (t <= last)
        found.append((name, t[inside], v[inside]))
    return found, {"raw loop": raw.restitution, method: run.restitution}


def drawn(lines: list[Curve], restitution: dict[str, float]) -> str:
    """The picture."""
    t = np.concatenate([x for _, x, _ in lines])
    v = np.concatenate([y for _, _, y in lines])
    low, high = 10.0 * np.floor(v.min() / 10.0), 10.0 * np.ceil(v.max() / 10.0)
    span = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def x(value: Any) -> Any:
        return LEFT + span[0] * (value - t.min()) / (t.max() - t.min())

    def y(value: Any) -> Any:
        return TOP + span[1] * (high - value) / (high - low)

    parts = [_axes(x, y, (t.min(), t.max()), (low, high))]
    for name, at, speed in lines:
        colour = COLOURS.get(name, OURS)
        dash = ' stroke-dasharray="6 4"' if name == "reference" else ""
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x(at), y(speed), strict=True))
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>'
        )
    for name, place in _apart([(n, float(y(s[-1]))) for n, _, s in lines]).items():
        label = f"{name}: e = {restitution[name]:.3f}" if name in restitution else name
        parts.append(
            f'<text x="{WIDTH - RIGHT + 8}" y="{place:.1f}" fill="{COLOURS.get(name, OURS)}">'
            f"{label}</text>"
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'font-family="sans-serif" font-size="12">\n<rect width="{WIDTH}" height="{HEIGHT}" '
        'fill="#ffffff"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def _apart(labels: list[tuple[str, float]], least: float = 16.0) -> dict[str, float]:
    """Heights of labels that do not cover each other."""
    placed, last = {}, -least
    for name, place in sorted(labels, key=lambda one: one[1]):
        last = max(place + 4.0, last + least)
        placed[name] = last
    return placed


def _axes(x: Any, y: Any, times: tuple[float, float], speeds: tuple[float, float]) -> str:
    grid, words = [], []
    for value in np.arange(np.ceil(times[0] * 5) / 5, times[1], 0.2):
        grid.append(f"M{x(value):.1f},{y(speeds[0]):.1f}V{y(speeds[1]):.1f}")
        words.append(f'<text x="{x(value):.1f}" y="{HEIGHT - 26}" text-anchor="middle">{value:.1f}')
    for value in np.arange(speeds[0], speeds[1] + 1.0, 10.0):
        grid.append(f"M{x(times[0]):.1f},{y(value):.1f}H{x(times[1]):.1f}")
        words.append(f'<text x="{LEFT - 8}" y="{y(value) + 4:.1f}" text-anchor="end">{value:.0f}')
    middle = TOP + (HEIGHT - TOP - BOTTOM) / 2
    words.append(
        f'<text x="{x(sum(times) / 2):.1f}" y="{HEIGHT - 6}" text-anchor="middle">time [s]'
    )
    words.append(
        f'<text x="16" y="{middle:.0f}" text-anchor="middle" '
        f'transform="rotate(-90 16 {middle:.0f})">speed of the chaser [mm/s]'
    )
    lines = f'<path d="{"".join(grid)}" stroke="#e5e7eb" fill="none"/>'
    return (
        lines
        + "\n"
        + "\n".join(f"{word}</text>".replace("<text ", '<text fill="#374151" ') for word in words)
    )


def main(names: list[str]) -> int:
    for method, file in METHODS.items():
        if names and method not in names:
            continue
        picture = HERE / "pictures" / f"{file}.svg"
        picture.parent.mkdir(exist_ok=True)
        picture.write_text(drawn(*curves(method)), encoding="utf-8")
        print(f"{picture.name} ({picture.stat().st_size / 1e3:.0f} kB)", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
