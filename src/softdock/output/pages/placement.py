"""The page of `softdock place`: answer, one map per robot, best places, the check, the table."""

from __future__ import annotations

import json
import math
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from softdock.files.atomic import write_whole
from softdock.loop.arms.facility import facility_tables
from softdock.loop.arms.limits import LIMIT_WORDS
from softdock.output.pages.frame.charts import ROLES, Line, chart
from softdock.output.pages.frame.elements import (
    bullets,
    format_number,
    headline,
    listing,
    table,
    text,
)
from softdock.output.pages.frame.page import page
from softdock.results.metrics import convert_to_plain
from softdock.results.quantities import format_percent
from softdock.scenario.files import to_toml
from softdock.studies.placement.mounting import STAND_OFF
from softdock.studies.placement.place import (
    Placement,
    describe_check,
    describe_limit,
    describe_placement,
    note_empty_flange,
    summarise_placement,
)
from softdock.studies.placement.robot_path import RobotPath
from softdock.studies.placement.search import MARGIN, SearchResult

DEAREST = 2.0  # cost at which the map's colours end


def save_placement(result: Placement, folder: Path) -> Path:
    """The page, the numbers and the table, whole, in a folder. Returns the page's path."""
    data = convert_to_plain(result.as_dict())
    numbers = json.dumps(data, indent=1, allow_nan=False) + "\n"
    write_whole(folder / "placement.json", numbers.encode())
    write_whole(folder / "facility.toml", facility_toml(result).encode())
    file = folder / "report.html"
    write_whole(file, placement_page(result, data).encode())
    return file


def facility_toml(result: Placement) -> str:
    """The `[facility]` table as TOML, ready for a scenario file."""
    return to_toml(facility_tables(result.facility))


def placement_page(result: Placement, data: dict[str, Any]) -> str:
    sections = {"answer": ("", headline(summarise_placement(result)) + _about(result))}
    for robot, found in result.results.items():
        html = (_map(robot, found) if found.grid is not None else "") + _best(robot, found)
        sections[f"places-{robot}"] = (f"Places for the {robot}", html)
    if result.check is not None:
        sections["check"] = ("The whole run at the best places", _check(result))
        charts = [
            _joints(robot, path, result.motion.time) for robot, path in result.check.paths.items()
        ]
        sections["joints"] = ("Joints over the run", "".join(charts))
    copied = text("Put this into the scenario file; `softdock place --check` then checks it.")
    sections["facility"] = ("The [facility] table", copied + listing(facility_toml(result)))
    lead = f"Where the arms should stand for {result.name}, and what limits each place."
    return page(f"Placement: {result.name}", lead, sections, {"placement": data})


def _about(result: Placement) -> str:
    """What the motion is, and which numbers are assumed."""
    force = f"peak force {format_number(result.motion.peak_force)} N"
    what = {"orbit": "the on-orbit reference", "run": "the set-points of a run of the loop"}
    items = [
        describe_placement(result),
        f"Motion: {what.get(result.motion.source, 'as given')}, {force}.",
    ]
    for robot, found in result.results.items():
        allowed = format_number(1e3 * found.deflection)
        items.append(
            f"{robot.capitalize()}: {found.arm.name}. {found.arm.source}. A deflection of "
            f"{allowed} mm along the approach at peak force counts as a limit."
        )
        if robot not in result.before:
            items.append(
                f"{robot.capitalize()}: no tool is described, so the contact is assumed "
                f"{STAND_OFF:g} m in front of the flange."
            )
    for robot, path in result.before.items():
        state = (
            f"out of reach at {format_number(path.ended.time)} s"
            if path.ended is not None
            else f"uses {format_percent(path.worst.use)} of its limits "
            f"({LIMIT_WORDS[path.worst.what]}, {path.worst.joint})"
        )
        items.append(f"{robot.capitalize()} as mounted now: {state}.")
    return bullets(items)


def _map(robot: str, result: SearchResult) -> str:
    """Cost over distance and height at the best side and tilt."""
    assert result.grid is not None
    across, up, cost = result.grid
    best = result.best[0].place
    shown = np.where(cost >= 100.0, np.nan, np.minimum(cost, DEAREST))
    colours = {
        "type": "heatmap",
        "z": 100.0 * shown,
        "x": across,
        "y": up,
        "zmin": 30.0,
        "zmax": 100.0 * DEAREST,
        "colorscale": "Cividis",
        "reversescale": True,
        "colorbar": {"thickness": 14, "title": {"text": "used [%]"}},
        "hoverongaps": False,
        "hovertemplate": "distance %{x:.2f} m, height %{y:.2f} m: %{z:.3g} %<extra></extra>",
    }
    lines = [Line("used", "c1", across[:1], up[:1], extra=colours)]
    for level, dash in ((1.0, "solid"), (MARGIN, "dot")):
        finite = np.where(np.isnan(shown), DEAREST, shown)
        if finite.min() < level < finite.max():
            lines.append(_contour(across, up, 100.0 * finite, 100.0 * level, dash))
    mark = {"mode": "markers", "marker": {"size": 13, "symbol": "star"}}
    at = (np.array([best.distance]), np.array([best.height]))
    lines.append(Line("best place", "c4", *at, extra=mark))
    tilt = format_number(math.degrees(best.tilt), 2)
    caption = (
        f"Largest use of a limit over distance and height; side {format_number(best.side, 2)} m "
        "and tool "
        f"tilted {tilt} deg as at the best place. Solid line: at a limit; dotted: "
        f"{format_percent(MARGIN)} of it. Without colour: out of reach. Star: the best place."
    )
    layout = {"showlegend": False}
    return chart(
        f"map-{robot}",
        f"{robot}: where the base may stand ({result.arm.name})",
        lines,
        "distance behind the contact [m]",
        "height of the contact above the base [m]",
        caption=caption,
        time_axis=False,
        height=480,
        layout=layout,
    )


def _contour(x: np.ndarray, y: np.ndarray, z: np.ndarray, level: float, dash: str) -> Line:
    contours = {"start": level, "end": level, "size": 1.0, "coloring": "none", "showlabels": True}
    extra = {"type": "contour", "z": z, "x": x, "y": y, "contours": contours, "showscale": False}
    hidden = {"hoverinfo": "skip"}
    return Line(f"{level:g}", "c4", x[:1], y[:1], dash=dash, width=2.5, extra=extra | hidden)


def _best(robot: str, result: SearchResult) -> str:
    if not result.best:
        return text(f"No place among {len(result.tried)} reaches the whole path.")
    rows = []
    for i, best in enumerate(result.best):
        p = best.place
        stiff = best.path.stiffness
        rows.append(
            [
                str(i + 1),
                format_number(p.distance, 3),
                format_number(p.side, 3),
                format_number(p.height, 3),
                format_number(math.degrees(p.tilt), 3),
                format_percent(best.cost),
                escape(describe_limit(best)),
                format_number(1e-3 * stiff, 3) if math.isfinite(stiff) else format_number(None),
            ]
        )
    headings = ["place", "distance [m]", "side [m]", "height [m]", "tilt [deg]", "used"]
    headings += ["limited by", "tip stiffness [N/mm]"]
    shares = (
        f"Of {len(result.tried)} places tried, {format_percent(result.share_fitting)} fit and "
        f"{format_percent(result.share_with_margin)} use at most {format_percent(MARGIN)} of every "
        "limit."
    )
    return text(shares) + table(f"Best places for the {robot}", headings, rows, words=(6,))


def _check(result: Placement) -> str:
    assert result.check is not None
    rows = []
    for robot, path in result.check.paths.items():
        for use in path.uses.values():
            mark = "assumed" if use.assumed else "published"
            cells = [format_percent(use.use), format_number(use.time, 4), escape(use.joint), mark]
            if not use.known:
                cells = [format_number(None), format_number(None), "", "not known"]
            rows.append([f"{robot}: {LIMIT_WORDS[use.what]}", *cells])
    headings = ["limit", "used", "at [s]", "joint", "numbers"]
    html = text(describe_check(result.check)) + table("Limits", headings, rows, words=(3, 4))
    html += "".join(text(words) for words in note_empty_flange(result.check))
    pairs = [
        [
            escape(f"{p.first} and {p.second}"),
            format_number(1e3 * p.distance, 3),
            format_number(p.time, 4),
        ]
        for p in result.check.nearest[:8]
    ]
    if pairs:
        html += table("Volumes that come nearest", ["parts", "distance [mm]", "at [s]"], pairs)
    return html


def _joints(robot: str, path: RobotPath, time: np.ndarray) -> str:
    lines = [
        Line(path.arm.axis_names[i], ROLES[i - 1], time[: path.rows], np.degrees(path.joints[:, i]))
        for i in range(1, 7)
    ]
    return chart(f"joints-{robot}", f"{robot}'s joints", lines, "time [s]", "angle [deg]")
