"""Small drawings beside the scene, as HTML: verdict lamp, stability chart, bars of the energy
balance.

Text is escaped here. Colours work on light and on dark.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from softdock.recording.recording import Recording
from softdock.results.quantities import format_quantity
from softdock.results.run import Run
from softdock.results.scene.model import RobotJoints
from softdock.results.verdict import DISTORTED, FAITHFUL, NO_VERDICT, UNSAFE, Verdict

if TYPE_CHECKING:
    from softdock.output.viewer.session import StabilityChart

LIGHTS = {"red": "#e5484d", "amber": "#f5a524", "green": "#30a46c", "grey": "#8b95a3"}
LIGHT_OF = {FAITHFUL: "green", DISTORTED: "amber", UNSAFE: "red", NO_VERDICT: "grey"}
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


def verdict_html(verdict: Verdict) -> str:
    """The verdict: its word, what decides, and what it cannot be sure of."""
    word = str(verdict.word)
    decides = verdict.headline[len(word) :].lstrip(".: ")
    doubts = "".join(f" Doubt: {doubt}" for doubt in verdict.doubts)
    return light_html(LIGHT_OF[verdict.word], word.upper(), f"{decides}{doubts}")


def wait_html(words: str) -> str:
    return f'<div style="padding:.3em 1em;{FONT};font-size:.8em;opacity:.75">{escape(words)}</div>'


def ledger_html(rows: Mapping[str, float], total: float) -> str:
    """One bar for each row of the energy balance that is not zero: energy added to the right,
    removed to the left."""
    top = max([abs(value) for value in (*rows.values(), total)], default=0.0) or 1.0
    lines = []
    for name, value in rows.items():
        if abs(value) <= ROUNDING * top:
            continue
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
            '<span style="width:6.5em;text-align:right">'
            f"{escape(format_quantity(value, 'J'))}</span></div>"
        )
    shown = format_quantity(total, "J")
    head = f"Energy added by the loop: <b>{shown}</b>"
    if shown == "0 J":
        return wait_html("The loop adds no energy.")
    return f'<div style="padding:.5em 1em;{FONT};font-size:.8em">{head}{"".join(lines)}</div>'


def run_ledger_html(run: Run | Recording) -> str:
    """Energy balance of a simulated run; of a recording, the energy that its rig observed."""
    if not isinstance(run, Recording):
        return ledger_html(run.ledger_rows, run.energy_added_J)
    seen = run.metrics["energy_observed_J"]
    observed = format_quantity(seen, "J", if_none="not known from what was recorded")
    return wait_html(f"Observed energy: {observed}. Its causes are known in a simulation only.")


WIDTH, HEIGHT = 280.0, 170.0  # of a chart, in its own units
LEFT, RIGHT, TOP, BOTTOM = 48.0, 14.0, 12.0, 34.0  # around its axes


class _Axes:
    """Axes of a chart from `start` to `end` and from 0 to `high`, each with three ticks."""

    def __init__(self, start: float, end: float, high: float, across: str, up: str) -> None:
        self.start, self.end, self.high = start, end, high
        self.across, self.up = across, up

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Where a point is drawn; one beyond the axes at their end."""
        part = min(max((x - self.start) / (self.end - self.start), 0.0), 1.0)
        rise = min(max(y / self.high, 0.0), 1.0)
        return LEFT + (WIDTH - LEFT - RIGHT) * part, TOP + (HEIGHT - TOP - BOTTOM) * (1.0 - rise)

    def line(self, points: Sequence[tuple[float, float]]) -> str:
        return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in (self.place(*one) for one in points))

    def draw(self, inside: str, words: str) -> str:
        """The chart as HTML."""
        text = 'font-size="10" fill="currentColor" opacity=".75"'
        labels = []
        for part in (0.0, 0.5, 1.0):
            x, y = self.start + part * (self.end - self.start), part * self.high
            labels += [
                f'<text x="{self.place(x, 0.0)[0]:.0f}" y="{HEIGHT - BOTTOM + 14:.0f}" {text} '
                f'text-anchor="middle">{x:.4g}</text>',
                f'<text x="{LEFT - 6:.0f}" y="{self.place(0.0, y)[1] + 3:.0f}" {text} '
                f'text-anchor="end">{y:.4g}</text>',
            ]
        frame = self.line([(self.start, self.high), (self.start, 0.0), (self.end, 0.0)])
        return (
            f'<div style="padding:.4em .8em;{FONT};font-size:.8em"><svg viewBox="0 0 {WIDTH:.0f} '
            f'{HEIGHT:.0f}" width="100%">{inside}<path d="{frame}" fill="none" stroke="gray"/>'
            f'{"".join(labels)}<text x="{0.5 * (WIDTH + LEFT - RIGHT):.0f}" y="{HEIGHT - 5:.0f}" '
            f'{text} text-anchor="middle">{self.across}</text><text transform="translate(11 '
            f'{0.5 * (HEIGHT - BOTTOM + TOP):.0f}) rotate(-90)" {text} text-anchor="middle">'
            f"{self.up}</text></svg><div>{words}</div></div>"
        )


def stability_html(chart: StabilityChart | None) -> str:
    """The delays and dampings with which a held contact decays, and where the loop is."""
    if chart is None:
        return wait_html("No contact of which a stability chart can be drawn.")
    axes = _Axes(
        0.0, chart.delay_end_ms, float(chart.damping[-1]), "whole delay [ms]", "damping [Ns/m]"
    )
    edge = list(zip(chart.critical_ms.tolist(), chart.damping.tolist(), strict=True))
    inside = [point for point in edge if point[0] < chart.delay_end_ms]
    (x, y), (dot_x, dot_y) = chart.point, axes.place(*chart.point)
    decays = x < chart.allowed_ms
    green, colour = LIGHTS["green"], LIGHTS["green" if decays else "red"]
    area = axes.line([(0.0, 0.0), *edge, (0.0, axes.high)])
    drawn = (
        f'<path d="{area}Z" fill="{green}" opacity=".22"/>'
        f'<path d="{axes.line(inside)}" fill="none" stroke="{green}" stroke-width="1.6"/>'
        f'<circle cx="{dot_x:.1f}" cy="{dot_y:.1f}" r="5.5" fill="{colour}" stroke="white" '
        'stroke-width="1.5"/>'
    )
    words = (
        f"A held contact {'decays' if decays else 'grows'}: the whole delay is {x:.3g} ms; with "
        f"{y:.3g} Ns/m of damping the limit is {chart.allowed_ms:.3g} ms (continuous loop)."
    )
    return axes.draw(drawn, words)


def force_html(
    curves: tuple[np.ndarray, np.ndarray, np.ndarray], name: str, at: float | None = None
) -> str:
    """Contact force over time: of the rig, and of the reference. `at`: the time of the scene."""
    time, rig, orbit = curves
    if len(time) < 2:
        return ""
    top = round_up(max(float(rig.max()), float(orbit.max()), 1e-3))
    axes = _Axes(float(time[0]), float(time[-1]), top, "time [s]", "contact force [N]")
    drawn = "".join(
        f'<path d="{axes.line(list(zip(time.tolist(), force.tolist(), strict=True)))}" '
        f'fill="none" stroke="{LIGHTS[colour]}" stroke-width="1.6"/>'
        for force, colour in ((orbit, "green"), (rig, "red"))
    )
    if at is not None:
        line = axes.line([(at, 0.0), (at, top)])
        drawn += f'<path d="{line}" stroke="currentColor" stroke-width=".8"/>'
    words = (
        f'<span style="color:{LIGHTS["red"]}">{escape(name)}</span>, '
        f'<span style="color:{LIGHTS["green"]}">on orbit</span>'
    )
    return axes.draw(drawn, words)


def round_up(value: float) -> float:
    """The next number with which an axis can end."""
    power = 10.0 ** math.floor(math.log10(value))
    ends = (1.0, 1.2, 1.6, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
    return next(end for end in ends if end * power >= value * (1.0 - 1e-9)) * power


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
