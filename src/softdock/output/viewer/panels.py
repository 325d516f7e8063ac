"""Small drawings beside the scene, as HTML: verdict lamp, stability chart, bars of the energy
balance.

Text is escaped here. Colours work on light and on dark.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

import numpy as np

from softdock.recording.recording import Recording
from softdock.results.run import Run
from softdock.results.scene.model import RobotJoints
from softdock.studies.stability.chart import Panel

LIGHTS = {"red": "#e5484d", "amber": "#f5a524", "green": "#30a46c"}
ROW_COLOURS = {
    "integrator": "#8e6bd1",
    "correction": "#d6488f",
    "adaptation": "#1f9d7c",
    "sensor": "#e08a2e",
    "command": "#3b82d6",
    "robot": "#d64545",
    "rewound": "#b59b1e",
    "joints_stored": "#4a8fa8",
    "joints_moving": "#7d8f3f",
    "joints_dissipated": "#8c6a4f",
    "joints_step": "#888888",
}
ROUNDING = 1e-8  # of the largest row: rounding
NEAR_END = 0.05  # of a joint's range
FONT = "font-family:system-ui,sans-serif"


def light_html(light: str, word: str, sentence: str) -> str:
    """Coloured lamp with the verdict."""
    colour = LIGHTS[light]
    return (
        '<div style="display:flex;gap:.8em;align-items:center;padding:.7em 1em;'
        f'{FONT};font-size:.9em">'
        f'<div style="flex:none;width:2.1em;height:2.1em;border-radius:50%;background:{colour};'
        f'box-shadow:0 0 .9em {colour}"></div><div><b>{escape(word)}</b><br>'
        f"{escape(sentence)}</div></div>"
    )


def wait_html(words: str) -> str:
    return f'<div style="padding:.3em 1em;{FONT};font-size:.8em;opacity:.75">{escape(words)}</div>'


def ledger_html(rows: Mapping[str, float], total: float) -> str:
    """One bar for each row of the energy balance: invented energy to the right, lost to the
    left."""
    top = max([abs(value) for value in (*rows.values(), total)], default=0.0) or 1.0
    factor, unit = (1e3, "mJ") if top < 0.5 else (1.0, "J")
    lines = []
    for name, given in rows.items():
        value = given if abs(given) > ROUNDING * top else 0.0
        width = 50.0 * abs(value) / top
        left = 50.0 if value >= 0.0 else 50.0 - width
        colour = ROW_COLOURS.get(name, "#888888")
        lines.append(
            '<div style="display:flex;gap:.6em;align-items:center;margin:.25em 0">'
            f'<span style="width:5.5em;opacity:.8">{escape(name)}</span>'
            '<span style="flex:1;position:relative;height:.75em;background:rgba(128,128,128,.18)">'
            f'<i style="position:absolute;left:{left:.2f}%;width:{width:.2f}%;height:100%;'
            f'background:{colour}"></i><i style="position:absolute;left:50%;height:100%;'
            'border-left:1px solid rgba(128,128,128,.7)"></i></span>'
            f'<span style="width:6.5em;text-align:right">{factor * value:+.3g} {unit}</span></div>'
        )
    head = f"Energy invented: <b>{factor * total:+.3g} {unit}</b>"
    return f'<div style="padding:.5em 1em;{FONT};font-size:.8em">{head}{"".join(lines)}</div>'


def run_ledger_html(run: Run | Recording) -> str:
    """Energy balance of a simulated run; of a recording, the energy that its rig observed."""
    if not isinstance(run, Recording):
        return ledger_html(run.ledger_rows, run.energy_invented_J)
    seen = run.metrics["energy_observed_J"]
    observed = "not known from what was recorded" if seen is None else f"{seen:+.3g} J"
    return wait_html(f"Observed energy: {observed}. A rig has no ledger: it knows no truth.")


def _chart_ends(panel: Panel) -> tuple[float, float]:
    """Ends of both axes: the operating point, and the boundary up to some times its delay."""
    x, y = panel.operating_point
    wide = max(min(panel.limits[0], max(3.0 * x, 30.0)), 1e-6)
    for curve in panel.curves:
        beyond = np.flatnonzero(curve.delay_ms > wide)
        if len(beyond):
            return wide, max(1.2 * float(curve.value[beyond[0]]), 2.0 * y, 1e-6)
    return wide, max(panel.limits[1], 2.0 * y, 1e-6)


def stability_html(panel: Panel | None) -> str:
    """Stability boundary, stable area and operating point."""
    if panel is None:
        return wait_html("No contact of which a stability chart can be drawn.")
    width, height, left, bottom = 260.0, 130.0, 42.0, 26.0
    curve = next((c for c in panel.curves if len(c.delay_ms)), None)
    x, y = panel.operating_point
    wide, high = _chart_ends(panel)

    def place(delay: float, value: float) -> str:
        across = left + (width - left - 8.0) * min(max(delay / wide, 0.0), 1.05)
        up = 8.0 + (height - bottom - 8.0) * (1.0 - min(max(value / high, 0.0), 1.05))
        return f"{across:.1f} {up:.1f}"

    body = ""
    if curve is not None:
        good = np.isfinite(curve.delay_ms) & np.isfinite(curve.value)
        points = [
            place(float(a), float(b))
            for a, b in zip(curve.delay_ms[good], curve.value[good], strict=True)
        ]
        if points:
            edge = "L".join(points)
            top = place(0.0, 2.0 * high)
            corner = place(2.0 * wide, 2.0 * high)
            body += f'<path d="M{top}L{edge}L{corner}Z" fill="rgba(48,164,108,.2)"/>'
            body += f'<path d="M{edge}" fill="none" stroke="#30a46c" stroke-width="1.6"/>'
    dot = place(x, y).split()
    axes = f'<path d="M{place(0, high)}L{place(0, 0)}L{place(wide, 0)}" fill="none" stroke="gray"/>'
    text = 'font-size="9" fill="gray"'
    ends = place(wide, 0).split()
    labels = (
        f'<text x="{left:.0f}" y="{height - 8:.0f}" {text}>0</text>'
        f'<text x="{ends[0]}" y="{height - 8:.0f}" {text} text-anchor="end">{wide:.3g}</text>'
        f'<text x="{0.5 * (width + left):.0f}" y="{height - 8:.0f}" {text} text-anchor="middle">'
        f"whole delay [ms]: {x:.3g}</text>"
        f'<text x="{left - 4:.0f}" y="16" {text} text-anchor="end">{high:.3g}</text>'
        f'<text transform="translate(11 {0.5 * height:.0f}) rotate(-90)" {text} '
        'text-anchor="middle">damping [Ns/m]</text>'
    )
    return (
        f'<div style="padding:.4em .8em;{FONT};font-size:.8em"><svg viewBox="0 0 {width:.0f} '
        f'{height:.0f}" width="100%">{body}{axes}{labels}<circle cx="{dot[0]}" cy="{dot[1]}" '
        'r="5" fill="#3b82d6" stroke="white" stroke-width="1.5"/></svg>'
        '<div style="opacity:.75">Green: a held contact decays.</div></div>'
    )


def numbers_html(rows: Sequence[tuple[str, str]]) -> str:
    """Names and values as a list."""
    lines = [
        '<div style="display:flex;justify-content:space-between;gap:1em;margin:.15em 0">'
        f'<span style="opacity:.8">{escape(name)}</span>'
        f'<b style="font-variant-numeric:tabular-nums">{escape(value)}</b></div>'
        for name, value in rows
    ]
    return f'<div style="padding:.4em 1em;{FONT};font-size:.85em">{"".join(lines)}</div>'


def joints_html(robots: Sequence[RobotJoints], frame: int) -> str:
    """Each joint in its range at a frame: a dot between the ends, red near them."""
    found = []
    for robot in robots:
        rows = []
        at = (robot.joints[frame] - robot.low) / (robot.high - robot.low)
        for name, value, place in zip(robot.names, robot.joints[frame], at, strict=True):
            colour = LIGHTS["red" if not NEAR_END < place < 1.0 - NEAR_END else "green"]
            left = 100.0 * min(max(float(place), 0.0), 1.0)
            rows.append(
                '<div style="display:flex;gap:.6em;align-items:center;margin:.15em 0">'
                f'<span style="width:3em;opacity:.8">{escape(name)}</span>'
                '<span style="flex:1;position:relative;height:.3em;border-radius:.2em;'
                f'background:rgba(128,128,128,.25)"><i style="position:absolute;left:{left:.1f}%;'
                "top:-.2em;width:.7em;height:.7em;margin-left:-.35em;border-radius:50%;"
                f'background:{colour}"></i></span>'
                '<span style="width:5.6em;text-align:right;white-space:nowrap">'
                f"{math.degrees(value):+.1f} deg</span>"
                "</div>"
            )
        found.append(
            f"<b>{escape(robot.body)}: {escape(robot.arm)}</b>{''.join(rows)}"
            f'<div style="opacity:.75;margin-bottom:.6em">{escape(robot.usage)}</div>'
        )
    if not found:
        return ""
    return f'<div style="padding:.5em 1em;{FONT};font-size:.8em">{"".join(found)}</div>'
