"""The demo's page: one bounce in orbit, and the same bounce on a rig at several delays, for a
reader who has never seen one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import escape
from typing import Any

import numpy as np

from softdock.analysis.metrics import plain
from softdock.report.demo.facility import FACILITY
from softdock.report.demo.words import has_remedy, raw_rows, remedy, verdict_of, why
from softdock.report.frame.charts import ROLES, Line, chart, scaled
from softdock.report.frame.elements import shown, table, text, text_with_command, verdict
from softdock.report.frame.page import page
from softdock.report.frame.replay import replay
from softdock.report.run.approach import approach, view_of
from softdock.report.run.charts import invented
from softdock.report.run.motion_charts import SECONDS, gap_title
from softdock.runs.run import Run
from softdock.scene import scene_of, scene_of_orbit

TITLE = "What delay does to a bounce"
LEAD = (
    "EPOS on one axis: a satellite against a lossless spring, in orbit and on a rig whose robots "
    "are late"
)
WHAT = (
    "A satellite drifts against a lossless spring. On a docking rig the satellite is simulated, "
    "a robot carries its mock-up, a sensor measures the push of the spring, and the "
    "simulated satellite "
    "answers to that push."
)
THEORY = (
    "Theory: a spring whose force acts late is a spring that swings with a growing "
    "amplitude. One contact is half a swing, so the growth over half a swing is "
    "the restitution: exp(pi w h / 2) in closed form, with w the spring's frequency and h "
    "the whole delay; for the sampled loop it is counted cycle by cycle. "
    "Even a robot without delay is not quite honest: the simulation holds each measured "
    "force for a cycle, on average half a cycle late."
)
CAPTION = "Red: the force of the contact, in one scale for both; contacts are slowed down."
HINT = (
    "Turn delay, damping and method yourself, and watch:",
    "softdock view epos_3d",
    "(once: pip install 'softdock[viewer]')",
)
COLUMNS = {
    "restitution": "restitution",
    "predicted_restitution": "theory: sampled loop",
    "closed_form_restitution": "theory: closed form",
    "energy_invented_J": "energy invented",
    "energy_invented_share": "share of the approach energy",
    "distance_from_orbit": "distance from orbit",
}
DELAY_ROLES = (
    "c3",
    "c1",
    "c2",
    "c4",
    *(role for role in ROLES if role not in ("c1", "c2", "c3", "c4")),
)  # from cool to warm


def demo_results(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What the page says, as plain data: the rows (orbit's has no delay) and the sentence that sums
    them up."""
    return {"verdict": verdict_of(rows), "rows": plain(list(rows))}


def demo_page(rows: Sequence[Mapping[str, Any]], runs: Sequence[Run]) -> str:
    """One self-contained page. `rows`: label, delay_ms (None for orbit), restitution,
    predicted_restitution, energy_invented_J, distance_from_orbit.

    `method`, `closed_form_restitution` and `energy_invented_share` may be there too. `runs`: those
    of the rows with a delay, in the same order. The page carries all this as JSON under the id
    `demo`.
    """
    results = demo_results(rows)
    names = [str(row["label"]) for row in rows if row.get("delay_ms") is not None]
    sections = {
        "verdict": ("", verdict(results["verdict"]) + _replay(rows, runs) + text(WHAT, "plain")),
        "numbers": ("Numbers", _table(results) + _restitution_chart(rows)),
        "curves": (
            "Curves",
            f'<div class="grid">{_gap_chart(names, runs)}{_energy_chart(names, runs)}</div>',
        ),
        "why": (
            "Why",
            "".join(
                text(part, "plain")
                for part in (why(rows), THEORY, *([remedy(rows)] if has_remedy(rows) else []))
            ),
        ),
    }
    return page(TITLE, LEAD, sections, {"demo": results})


def _replay(rows: Sequence[Mapping[str, Any]], runs: Sequence[Run]) -> str:
    """Orbit beside the raw loop that gives back most."""
    of_runs = [row for row in rows if row.get("delay_ms") is not None]
    raw = [
        (row, run)
        for row, run in zip(of_runs, runs, strict=True)
        if row in raw_rows(rows) and row.get("restitution") is not None
    ]
    if not raw:
        return ""
    row, run = max(raw, key=lambda pair: float(pair[0]["restitution"]))
    rig = scene_of(run, name=f"rig, {row['label']} late", facility=FACILITY, exaggerate=False)
    orbit = run.fly_orbit()
    scenes = [
        replace(scene_of_orbit(run), captions=_captions(orbit.series, orbit.contacts)),
        replace(rig, captions=_captions(run.series, run.contacts)),
    ]
    shown = replay(
        "demo",
        scenes,
        "The same bounce in orbit and on the rig",
        CAPTION,
        on_sight=True,
        fly_to="contact",
    )
    return f'<div class="demo-top">{text_with_command(*HINT)}{shown}</div>'


def _captions(series: Any, contacts: Sequence[Mapping[str, Any]]) -> tuple[tuple[float, str], ...]:
    """How fast the chaser comes and goes, as a viewer reads it under the picture."""
    if not contacts:
        return ()
    speed = np.linalg.norm(series["chaser.velocity"] - series["target.velocity"], axis=1)
    first, last = float(contacts[0]["start_s"]), float(contacts[-1]["end_s"])
    said = [(0.0, f"comes at {1e3 * speed[0]:.1f} mm/s"), (first, "in contact")]
    if last < float(series["time"][-1]):
        said.append((last, f"leaves at {1e3 * speed[-1]:.1f} mm/s"))
    return tuple(said)


def _table(results: Mapping[str, Any]) -> str:
    def cell(i: int, key: str) -> str:
        return shown(results, f"rows.{i}.{key}", block="demo")

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
    caption = "Above 1 the rig invents energy."
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
    view = view_of(runs[0].scenario, runs[0].series)
    curves = [
        approach(view, runs[0].fly_orbit().series),
        *(approach(view, run.series) for run in runs),
    ]
    factor, unit = scaled([curve.gap for curve in curves], "m")
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
        for name, role, curve in zip(["orbit", *names], roles, curves, strict=True)
    ]
    title, caption = gap_title(view)
    return chart(
        "gap", f"{title}: satellites", lines, SECONDS, f"gap [{unit}]", caption=caption, height=400
    )


def _energy_chart(names: Sequence[str], runs: Sequence[Run]) -> str:
    curves = [invented(run) for run in runs]
    factor, unit = scaled(curves, "J")
    lines = [
        Line(name, role, run.series["time"], factor * curve, width=2.2)
        for name, role, run, curve in zip(names, _roles(len(runs)), runs, curves, strict=True)
    ]
    return chart(
        "energy",
        "Energy invented",
        lines,
        SECONDS,
        f"energy [{unit}]",
        caption="From nothing. In orbit it is zero.",
        height=400,
    )


def _roles(count: int) -> list[str]:
    return [DELAY_ROLES[i % len(DELAY_ROLES)] for i in range(count)]
