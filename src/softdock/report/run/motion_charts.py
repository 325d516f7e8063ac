"""Where everything was: the gap, its rate, how far the lines are apart, and the paths."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from softdock.core.orbit import Orbit
from softdock.core.shapes.drawing import Extent
from softdock.report.frame.charts import Line, Window, chart, scaled
from softdock.report.run.approach import FLAT, Approach, View, approach, view_of
from softdock.report.run.outline import near, outline
from softdock.runs.run import Run

SECONDS = "time [s]"


OUT_OF_PLANE = (
    0.05  # of the extent in the plane: less than this is noise, and no view from the front
)


NO_CONTACT = ("Way of the chaser", "No contact pair: along the direction in which it moves most.")


def gap_title(view: View) -> tuple[str, str]:
    """Title and caption of a chart of the gap."""
    return (view.drawing.title, view.drawing.caption) if view.geometry else NO_CONTACT


def windows_of(contacts: Sequence[dict[str, Any]]) -> list[Window]:
    """The contacts, to shade and to keep whole."""
    return [(float(c["start_s"]), float(c["end_s"])) for c in contacts]


def motion_charts(run: Run, orbit: Orbit) -> list[str]:
    """Satellites against mock-ups against orbit."""
    pair = run.contacts[0]["pair"] if run.contacts else 0
    view = view_of(run.scenario, run.series, int(pair))
    sides = {
        "satellite": approach(view, run.series),
        "mock_up": approach(view, run.series, "mock_up."),
        "orbit": approach(view, orbit.series),
    }
    windows = windows_of(run.contacts)
    title, caption = gap_title(view)
    if len(run.scenario.tables["contact"]) > 1:
        caption += (
            f" Of contact pair {int(pair)}, which touched first."
            if run.contacts
            else f" Of contact pair {int(pair)}."
        )
    gaps, rates = ([getattr(s, name) for s in sides.values()] for name in ("gap", "gap_rate"))
    (gap_factor, gap_unit), (rate_factor, rate_unit) = scaled(gaps, "m"), scaled(rates, "m/s")
    result = [
        chart(
            "gap",
            title,
            _sides(sides, lambda s: (s.time, gap_factor * s.gap)),
            SECONDS,
            f"{_along(view)} [{gap_unit}]",
            caption=caption,
            windows=windows,
        ),
        chart(
            "gap-rate",
            "Speed of the same",
            _sides(sides, lambda s: (s.time, rate_factor * s.gap_rate)),
            SECONDS,
            f"rate [{rate_unit}]",
            caption="Negative: closing. What leaves faster than in orbit was given energy."
            if view.geometry
            else "",
            windows=windows,
        ),
    ]
    return [*result, _difference_chart(sides, windows), *_paths(view, sides)]


def _difference_chart(sides: dict[str, Approach], windows: list[Window]) -> str:
    """What the other charts are too coarse to show: how far the lines are apart."""
    satellite, mock_up, orbit = sides["satellite"], sides["mock_up"], sides["orbit"]
    both = satellite.time <= orbit.time[-1] * (1.0 + 1e-12)
    drift = satellite.gap[both] - np.interp(satellite.time[both], orbit.time, orbit.gap)
    late = mock_up.gap - satellite.gap
    factor, unit = scaled([late, drift], "m")
    lines = [
        Line(
            "satellites minus orbit", "satellite", satellite.time[both], factor * drift, width=2.4
        ),
        Line(
            "mock-ups minus satellites",
            "mock_up",
            satellite.time,
            factor * late,
            dash="dot",
            width=2.0,
        ),
    ]
    caption = "What delay and robots do, and what comes of it."
    return chart(
        "difference",
        "How far they are apart",
        lines,
        SECONDS,
        f"difference [{unit}]",
        caption=caption,
        windows=windows,
    )


def _along(view: View) -> str:
    return "gap" if view.geometry else "way"


def _sides(
    sides: dict[str, Approach], points: Callable[[Approach], tuple[np.ndarray, np.ndarray]]
) -> list[Line]:
    looks = {
        "satellite": ("satellites", "solid", 2.4),
        "mock_up": ("mock-ups", "dot", 2.0),
        "orbit": ("orbit", "dash", 1.6),
    }
    lines = []
    for role, side in sides.items():
        (x, y), (name, dash, width) = points(side), looks[role]
        lines.append(Line(name, role, x, y, dash=dash, width=width))
    return lines


def _paths(view: View, sides: dict[str, Approach]) -> list[str]:
    """The tip's path from the side, and from the front where it leaves the plane."""
    extent = np.max([side.across() for side in sides.values()], axis=0)
    if not extent[1] > FLAT * extent[0]:
        return []
    factor, unit = scaled([side.place[:, :2] for side in sides.values()], "m")
    name = "tip" if view.geometry else "centre"
    across, third = f"across [{unit}]", f"across both [{unit}]"
    side_view = [
        *outline(view, factor, from_front=False),
        *_sides(sides, lambda s: (factor * s.place[:, 0], factor * s.place[:, 1])),
    ]
    options = _path_options(view, extent[0], extent[1], near(view, factor))
    result = [
        chart(
            "path",
            f"Path of the {name}, from the side",
            side_view,
            f"along the axis [{unit}]",
            across,
            **options,
        )
    ]
    if extent[2] > OUT_OF_PLANE * extent[1]:
        front = [
            *outline(view, factor, from_front=True),
            *_sides(sides, lambda s: (factor * s.place[:, 1], factor * s.place[:, 2])),
        ]
        options = _path_options(view, extent[1], extent[2], None)
        result.append(
            chart("front", f"Path of the {name}, along the axis", front, across, third, **options)
        )
    return result


def _path_options(view: View, wide: float, high: float, shown: Extent | None) -> dict[str, Any]:
    """Equal scales unless the path would be a line; near the target's shape if it has one."""
    equal = shown is not None or 0.2 < high / wide < 5.0
    caption = "As the target sees it" + ("." if equal else "; the scales differ.")
    if shown is None:
        return {"time_axis": False, "equal": equal, "caption": caption}
    caption += (
        " Where the path leaves the outline the contact's spring gives way. Double-click for the "
        "whole path."
    )
    return {
        "time_axis": False,
        "equal": equal,
        "caption": caption,
        "x_range": shown.x,
        "y_range": shown.y,
    }
