"""The charts of a run: where everything was, what pushed, and where the energy came from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from softdock.analysis.metrics import states_corrected
from softdock.core.energy.ledger import ROWS
from softdock.core.orbit import Orbit
from softdock.report.frame.charts import Line, Window, chart, scaled
from softdock.report.run.approach import FLAT, Approach, View, approach, view_of
from softdock.report.run.outline import Near, near, outline
from softdock.runs.run import Run

SECONDS = "time [s]"
OUT_OF_PLANE = (
    0.05  # of the extent in the plane: less than this is noise, and no view from the front
)
GAP_TITLES = {
    "wall": ("Gap between tip and wall", "Negative: in contact."),
    "sphere": ("Gap between tip and sphere", "Negative: in contact."),
    "cone": ("Tip before the mouth of the cone", "Along the cone's axis. Negative: inside."),
    "": ("Way of the chaser", "No contact pair: along the direction in which it moves most."),
}


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
    title, caption = GAP_TITLES[view.geometry]
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


def _path_options(view: View, wide: float, high: float, shown: Near | None) -> dict[str, Any]:
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


def force_chart(run: Run, orbit: Orbit) -> str:
    """Forces real, on the satellite, and in orbit."""
    t = run.series["time"]
    size = {
        name: np.linalg.norm(run.series[f"{name}.chaser.force"], axis=1)
        for name in ("true", "satellite", "measured")
    }
    lines = [
        Line("on the satellite", "satellite", t, size["satellite"], width=2.4),
        Line("contact, on the mock-up", "mock_up", t, size["true"], dash="dot", width=2.0),
        Line(
            "orbit",
            "orbit",
            orbit.series["time"],
            np.linalg.norm(orbit.series["true.chaser.force"], axis=1),
            dash="dash",
        ),
    ]
    if size["measured"].any():
        lines.append(Line("measured", "measured", t, size["measured"], width=1.2, shown=False))
    caption = "Their sizes. What the mock-ups feel reaches the satellite later."
    if any(run.scenario.tables["hand"][body]["rows"] for body in ("chaser", "target")):
        caption += " A hand's push is measured with the contact; orbit's line is the contact alone."
    return chart(
        "force",
        "Forces on the chaser",
        lines,
        SECONDS,
        "force [N]",
        caption=caption,
        windows=windows_of(run.contacts),
    )


def invented(run: Run) -> np.ndarray:
    """Energy invented so far [J], from kinetic energies and works, not from the rows."""
    e = {
        name: run.series[f"energy.{name}"]
        for name in ("kinetic", "kinetic_start", "external", "real", "virtual", "designed")
    }
    return np.asarray(
        e["kinetic"] - e["kinetic_start"] - e["external"] + e["real"] + e["virtual"] - e["designed"]
    )


def ledger_chart(run: Run) -> str:
    """Energy invented, by the row of the ledger it came from, and the check of the books."""
    t, total = run.series["time"], invented(run)
    rows = {row: run.series[f"energy.{row}"] for row in ROWS}
    alive = {row: values for row, values in rows.items() if values.any()}
    factor, unit = scaled([*alive.values(), total], "J")
    lines = [
        Line("energy invented", "total", t, factor * total, width=4.0)
    ]  # first, so that a row that makes up all of it shows on top
    lines += [Line(row, row, t, factor * values) for row, values in alive.items()]
    lines.append(
        Line(
            "rows minus total",
            "measured",
            t,
            np.sum(list(rows.values()), axis=0) - total,
            second=True,
            width=1.2,
        )
    )
    idle = [row for row in rows if row not in alive]
    caption = "Above zero: energy from nothing. Below: energy that was lost to nowhere." + (
        f" Rows that stayed at zero: {', '.join(idle)}." if idle else ""
    )
    return chart(
        "ledger",
        "Energy invented, by where it came from",
        lines,
        SECONDS,
        f"energy [{unit}]",
        caption=caption,
        windows=windows_of(run.contacts),
        second_title="check [J]",
        height=440,
    )


ELSEWHERE = (
    "Not a measure of activity in this run: the satellites' force is multiplied with the "
    "motion that was commanded, and set-points were sent ahead of the "
    "satellites or their past was computed anew. Energy invented, above, is the measure."
)


def elsewhere(run: Run) -> bool:
    """Whether the satellites were not where the commands were: led set-points, or a past that was
    rewritten."""
    led = any(method.get("lead_ms", 0.0) > 0.0 for method in run.scenario.tables["methods"])
    return led or bool(run.series["energy.rewound"].any())


def observed_chart(run: Run) -> str:
    """Zebenay's observed energy: in total, and by axis where a monitor watched."""
    t, total = run.series["time"], run.series["energy.observed"]
    names = [
        name
        for name in run.series
        if name.startswith(("monitor.force.", "monitor.torque.", "monitor.total"))
    ]
    watched = {name.removeprefix("monitor."): run.series[name] for name in names}
    alive = {name: values for name, values in watched.items() if values.any()}
    factor, unit = scaled([total, *alive.values()], "J")
    lines = [Line("observed", "total", t, factor * total, width=3.0)]
    lines += [
        Line(f"monitor, {name.replace('.', ' ')}", f"c{1 + i % 8}", t, factor * values)
        for i, (name, values) in enumerate(alive.items())
    ]
    caption = (
        "What the rig's own signals tell of its activity: above zero it gave the satellites more "
        "than the contact gave back."
    )
    if elsewhere(run):
        caption = ELSEWHERE
    elif states_corrected(run):
        caption += (
            " What a method moved by correcting the satellites' states is not in it: here it "
            "overstates what they got."
        )
    caption += (
        " By axis where the monitor watched, paired by age."
        if alive
        else " By axis with the method monitor."
    )
    return chart(
        "observed",
        "Observed energy",
        lines,
        SECONDS,
        f"energy [{unit}]",
        caption=caption,
        windows=windows_of(run.contacts),
    )


def kinetic_chart(run: Run, orbit: Orbit) -> str:
    """Kinetic energy of the satellites against orbit's."""
    loop, ideal = run.series["energy.kinetic"], orbit.series["energy.kinetic"]
    factor, unit = scaled([loop, ideal], "J")
    lines = [
        Line("satellites", "satellite", run.series["time"], factor * loop, width=2.4),
        Line("orbit", "orbit", orbit.series["time"], factor * ideal, dash="dash"),
    ]
    caption = "In contact some of it is stored in the spring."
    return chart(
        "kinetic",
        "Kinetic energy of both satellites",
        lines,
        SECONDS,
        f"energy [{unit}]",
        caption=caption,
        windows=windows_of(run.contacts),
    )


def phases_chart(metrics: Mapping[str, Any]) -> str:
    """What chance does: restitution and distance from orbit over the fraction of a cycle at which
    the contact falls."""
    runs = sorted(
        (r for r in metrics["phases"]["runs"] if r["phase"] is not None), key=lambda r: r["phase"]
    )
    if not runs:
        return ""
    phase = np.array([r["phase"] for r in runs])
    lines = [
        Line(
            name,
            role,
            phase,
            np.array([np.nan if r[key] is None else r[key] for r in runs], dtype=float),
        )
        for name, role, key in (
            ("restitution", "satellite", "restitution"),
            ("distance from orbit", "robot", "distance_from_orbit"),
        )
    ]
    caption = "Where in a cycle the touch falls is chance on a rig; one run is one draw."
    return chart(
        "phases",
        "What chance does",
        lines,
        "sampling phase [cycles]",
        "value [-]",
        caption=caption,
        time_axis=False,
        markers=True,
    )
