"""The demo's page: one bounce in orbit and the same bounce on a rig at several delays, for a
first-time reader."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from itertools import pairwise
from typing import Any

import numpy as np

from softdock.methods.registry import RAW
from softdock.output.pages.frame.charts import ROLES, Line, chart, choose_unit
from softdock.output.pages.frame.elements import (
    headline,
    show_number,
    table,
    text,
    text_with_command,
)
from softdock.output.pages.frame.page import page
from softdock.output.pages.frame.replay import replay
from softdock.output.pages.run.charts import energy_added
from softdock.output.pages.run.motion_charts import SECONDS, choose_view, gap_title, track_tip
from softdock.results.metrics import convert_to_plain
from softdock.results.quantities import format_percent, format_quantity
from softdock.results.run import Run
from softdock.results.scene import build_reference_scene, build_scene

SAME = 1e-3  # of a restitution
Rows = Sequence[Mapping[str, Any]]

_LATE = (
    "The robot lags behind its set-points. On the way in the spring is pressed less than it "
    "should be, so the satellite is braked too little and goes too deep. On the way out the "
    "mock-up still sits in the spring when the satellite has already left, so the satellite is "
    "pushed too long."
)


def raw_rows(rows: Rows) -> list[Mapping[str, Any]]:
    """Rows of the rig without a method."""
    return [
        row for row in rows if row.get("delay_ms") is not None and row.get("method", RAW) == RAW
    ]


def _rows_with_restitution(rows: Rows) -> list[Mapping[str, Any]]:
    return [row for row in rows if row.get("restitution") is not None]


def _format_rebound(restitution: float) -> str:
    return format_percent(restitution)


def _describe_reference(rows: Rows) -> str:
    """Restitution of the reference in words."""
    found = [row for row in _rows_with_restitution(rows) if row.get("delay_ms") is None]
    if not found:
        return "the on-orbit reference was not simulated"
    e = float(found[0]["restitution"])
    return f"on orbit it is {_format_rebound(e)}"


def describe_worst(rows: Rows) -> str:
    """Sentence on the raw rig at its worst, beside the reference."""
    late = _rows_with_restitution(raw_rows(rows))
    if not late:
        return f"{_describe_reference(rows).capitalize()}."
    worst = max(late, key=lambda row: abs(float(row["restitution"]) - 1.0))
    return (
        f"With {worst['delay_ms']:g} ms of delay the rebound speed is "
        f"{_format_rebound(float(worst['restitution']))} of the approach speed; "
        f"{_describe_reference(rows)}."
    )


def explain_delay(rows: Rows) -> str:
    """How a delay adds energy, and whether these runs show it."""
    late = sorted(_rows_with_restitution(raw_rows(rows)), key=lambda row: float(row["delay_ms"]))
    added = [float(row["energy_added_J"]) for row in late if row.get("energy_added_J")]
    if len(added) < 2 or min(added) <= 0.0:
        return f"{_LATE} In these runs no energy is added."
    grows = all(b > a for a, b in pairwise(added))
    return (
        f"{_LATE} Both add energy: {format_quantity(added[0], 'J')} to "
        f"{format_quantity(added[-1], 'J')} here"
        + (", more with a longer delay." if grows else ", not always more with a longer delay.")
    )


def has_remedy(rows: Rows) -> bool:
    """Whether any row is of a rig with a method."""
    return bool(_method_rows(rows))


def _method_rows(rows: Rows) -> list[Mapping[str, Any]]:
    """Rows of a rig with a method; the reference has neither delay nor method."""
    return [
        row for row in rows if row.get("delay_ms") is not None and row.get("method", RAW) != RAW
    ]


def describe_remedies(rows: Rows) -> str:
    """Result of each method at its delay, in sentences."""
    sentences = []
    bare = {
        row["delay_ms"]: float(row["restitution"]) for row in _rows_with_restitution(raw_rows(rows))
    }
    for row in _rows_with_restitution(_method_rows(rows)):
        e, without = float(row["restitution"]), bare.get(row["delay_ms"])
        adds = (row.get("energy_added_J") or 0.0) > 0.0
        better = without is not None and abs(e - 1.0) < abs(without - 1.0)
        removed = ", which the method removes within the contact"
        sentences.append(
            f"{row['method']} keeps the robots' delay: the loop "
            f"{'still adds' if adds else 'adds no'} energy{removed if adds and better else ''}. "
            f"Rebound speed is {_format_rebound(e)} of the approach speed"
            + (f", without the method {_format_rebound(without)}." if without is not None else ".")
        )
    return " ".join(sentences)


# Two arms of the class of EPOS's, face to face, for the picture only: the demo's scenario has no
# `[facility]`. Their joints follow from the motion of the mock-ups.

TILTED = (0.965926, 0.258819)  # cosine and sine of half of 30 deg: the tool mounts' tilt
FACILITY: dict[str, Any] = {
    "chaser": {
        "arm": "kr120",
        "base_m": [1.61, 0.0, -1.75],
        "base_wxyz": [0.0, 0.0, 0.0, 1.0],
        "mock_up_m": [0.2598, 0.0, 0.15],
        "mock_up_wxyz": [TILTED[1], 0.0, TILTED[0], 0.0],
    },
    "target": {
        "arm": "kr120",
        "base_m": [-1.59, 0.0, -1.75],
        "mock_up_m": [0.2642, 0.0, -0.1525],
        "mock_up_wxyz": [TILTED[0], 0.0, TILTED[1], 0.0],
    },
}


TITLE = "What delay does to a bounce"
LEAD = (
    "EPOS on one axis: a satellite against a lossless spring, on orbit and on a rig with robot "
    "delay"
)
WHAT = (
    "A satellite drifts against a lossless spring. On a docking rig the satellite is simulated, "
    "a robot carries its mock-up, a sensor measures the push of the spring, and the "
    "simulated satellite "
    "answers to that push."
)
THEORY = (
    "Theory: a spring whose force acts with a delay oscillates with a growing "
    "amplitude. One contact is half an oscillation, so the growth over half an oscillation is "
    "the restitution: exp(pi w h / 2) in closed form, with w the spring's frequency and h "
    "the whole delay; for the sampled loop it is counted cycle by cycle. "
    "A robot without delay leaves a small error, because the simulation holds each measured "
    "force for a cycle, which delays it by half a cycle on average."
)
CAPTION = "Red: the force of the contact, in one scale for both; contacts are slowed down."
HINT = (
    "Change delay, damping and method yourself:",
    "softdock view epos_3d",
    "(once: pip install 'softdock[viewer]')",
)
COLUMNS = {
    "restitution": "restitution",
    "predicted_restitution": "theory: sampled loop",
    "closed_form_restitution": "theory: closed form",
    "energy_added_J": "energy added",
    "energy_added_share": "share of the approach energy",
    "error_against_orbit": "error against the reference",
}
DELAY_ROLES = (
    "c3",
    "c1",
    "c2",
    "c4",
    *(role for role in ROLES if role not in ("c1", "c2", "c3", "c4")),
)  # from cool to warm


def demo_results(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Contents of the page as plain data: the rows (the reference has no delay) and the summary."""
    return {"summary": describe_worst(rows), "rows": convert_to_plain(list(rows))}


def demo_page(rows: Sequence[Mapping[str, Any]], runs: Sequence[Run]) -> str:
    """One self-contained page. `rows`: label, delay_ms (None for orbit), restitution,
    predicted_restitution, energy_added_J, error_against_orbit.

    `method`, `closed_form_restitution` and `energy_added_share` may be there too. `runs`: those
    of the rows with a delay, in the same order. The page carries all this as JSON under the id
    `demo`.
    """
    results = demo_results(rows)
    names = [str(row["label"]) for row in rows if row.get("delay_ms") is not None]
    sections = {
        "verdict": ("", headline(results["summary"]) + _replay(rows, runs) + text(WHAT, "plain")),
        "numbers": ("Numbers", _table(results) + _restitution_chart(rows)),
        "curves": (
            "Curves",
            f'<div class="grid">{_gap_chart(names, runs)}{_energy_chart(names, runs)}</div>',
        ),
        "why": (
            "Why",
            "".join(
                text(part, "plain")
                for part in (
                    explain_delay(rows),
                    THEORY,
                    *([describe_remedies(rows)] if has_remedy(rows) else []),
                )
            ),
        ),
    }
    return page(TITLE, LEAD, sections, {"demo": results})


def _replay(rows: Sequence[Mapping[str, Any]], runs: Sequence[Run]) -> str:
    """The reference beside the raw loop with the largest restitution."""
    of_runs = [row for row in rows if row.get("delay_ms") is not None]
    raw = [
        (row, run)
        for row, run in zip(of_runs, runs, strict=True)
        if row in raw_rows(rows) and row.get("restitution") is not None
    ]
    if not raw:
        return ""
    row, run = max(raw, key=lambda pair: float(pair[0]["restitution"]))
    rig = build_scene(run, name=f"rig, {row['label']} delay", facility=FACILITY, exaggerate=False)
    run.simulate_reference()
    scenes = [
        build_reference_scene(run),
        rig,
    ]
    shown = replay(
        "demo",
        scenes,
        "The same contact on orbit and on the rig",
        CAPTION,
        on_sight=True,
    )
    return f'<div class="demo-top">{text_with_command(*HINT)}{shown}</div>'


def _table(results: Mapping[str, Any]) -> str:
    def cell(i: int, key: str) -> str:
        return show_number(results, f"rows.{i}.{key}", block="demo")

    columns = {
        key: heading
        for key, heading in COLUMNS.items()
        if any(key in row for row in results["rows"])
    }
    body = [
        [escape(str(row["label"])), *(cell(i, key) for key in columns)]
        for i, row in enumerate(results["rows"])
    ]
    return table("What comes back from a lossless contact", ["", *columns.values()], body)


def _restitution_chart(rows: Sequence[Mapping[str, Any]]) -> str:
    raw = raw_rows(rows)
    others = [row for row in rows if row.get("delay_ms") is not None and row not in raw]
    lines = [
        _points("theory", "orbit", raw, "predicted_restitution", "lines"),
        _points("raw loop", "robot", raw, "restitution", "markers"),
    ]
    for i, name in enumerate(dict.fromkeys(str(row["method"]) for row in others)):
        lines.append(
            _points(
                name,
                ROLES[i % len(ROLES)],
                [row for row in others if row["method"] == name],
                "restitution",
                "markers",
            )
        )
    caption = "Above 1 the rig adds energy."
    return chart(
        "restitution",
        "Restitution over delay",
        lines,
        "delay of the robots [ms]",
        "restitution [-]",
        caption=caption,
        time_axis=False,
    )


def _points(name: str, role: str, rows: Sequence[Mapping[str, Any]], key: str, mode: str) -> Line:
    known = [row for row in rows if row.get(key) is not None]
    x, y = (np.array([row[k] for row in known], dtype=float) for k in ("delay_ms", key))
    return Line(
        name,
        role,
        x,
        y,
        dash="dash" if mode == "lines" else "solid",
        extra={"mode": mode, "marker": {"size": 10}},
    )


def _gap_chart(names: Sequence[str], runs: Sequence[Run]) -> str:
    if not runs:
        return ""
    view = choose_view(runs[0].scenario, runs[0].series)
    curves = [
        track_tip(view, runs[0].simulate_reference().series),
        *(track_tip(view, run.series) for run in runs),
    ]
    factor, unit = choose_unit([curve.gap for curve in curves], "m")
    roles = ["orbit", *_roles(len(runs))]
    lines = [
        Line(
            name,
            role,
            curve.time,
            factor * curve.gap,
            dash="dash" if role == "orbit" else "solid",
            width=2.2,
        )
        for name, role, curve in zip(["on orbit", *names], roles, curves, strict=True)
    ]
    title, caption = gap_title(view)
    return chart(
        "gap", f"{title}: satellites", lines, SECONDS, f"gap [{unit}]", caption=caption, height=400
    )


def _energy_chart(names: Sequence[str], runs: Sequence[Run]) -> str:
    curves = [energy_added(run) for run in runs]
    factor, unit = choose_unit(curves, "J")
    lines = [
        Line(name, role, run.series["time"], factor * curve, width=2.2)
        for name, role, run, curve in zip(names, _roles(len(runs)), runs, curves, strict=True)
    ]
    return chart(
        "energy",
        "Energy added",
        lines,
        SECONDS,
        f"energy [{unit}]",
        caption="On orbit no energy is added.",
        height=400,
    )


def _roles(count: int) -> list[str]:
    return [DELAY_ROLES[i % len(DELAY_ROLES)] for i in range(count)]
