"""Charts of a run's motion: gap, gap rate, differences, paths, and the motion in LVLH axes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from softdock.loop.contact.drawing import Drawing, Extent
from softdock.loop.contact.models import shape_named
from softdock.loop.spatial.arrays import rotate, rotate_back
from softdock.output.pages.frame.charts import Line, Window, chart, choose_unit
from softdock.reference import Reference
from softdock.results.run import Run
from softdock.scenario.build import Scenario
from softdock.scenario.orbit_frame import has_reference, in_lvlh, turning_axes

# Motion of the chaser's tip in the target's axes: along the contact's axis and across it, the same
# for satellites, mock-ups and reference, whatever the pose of the laboratory.
#
# In: recorded motions. Out: m and m/s, in the target's axes, from the contact's origin. Without a
# contact pair the chaser's centre replaces the tip, and the direction of its largest motion the
# axis.

SOON = 1e-5  # s: over which a shape's own distance is differenced
FLAT = 1e-3  # of the extent along the axis: less than this across it is no path worth a chart


@dataclass(frozen=True)
class View:
    """The tip and the axes in which it is shown. Rows of `axes`: along the contact's axis, across
    it (where the tip starts or moves), and normal to both."""

    tip: np.ndarray  # m, chaser axes
    origin: np.ndarray  # m, target axes
    axes: np.ndarray  # (3, 3)
    offset: float  # m, tip and sphere radii, taken off the distance
    geometry: str  # name of the pair's shape; empty without contact
    pair: Mapping[str, Any]

    @property
    def drawing(self) -> Drawing:
        """How the shape is drawn."""
        return shape_named(self.geometry).drawing


@dataclass(frozen=True)
class TipTrack:
    """Motion of the tip over time."""

    time: np.ndarray  # s
    gap: np.ndarray  # m, along the axis; between the surfaces of a sphere; as the shape says
    gap_rate: np.ndarray  # m/s
    place: np.ndarray  # (n, 3) m, in the view's axes

    def across(self) -> np.ndarray:
        """Extent of the path along each of the view's axes [m]."""
        finite = self.place[np.isfinite(self.place).all(axis=1)]
        return np.asarray(np.ptp(finite, axis=0)) if len(finite) else np.zeros(3)


def choose_view(scenario: Scenario, series: Mapping[str, np.ndarray], pair: int = 0) -> View:
    """View along the axis of one contact pair."""
    pairs = scenario.tables["contact"]
    if not pairs:
        place = _relative_motion(series, "", np.zeros(3))[0]
        way = place - place[0]
        return View(
            tip=np.zeros(3),
            origin=place[0],
            axes=_axes(way[np.argmax(np.linalg.norm(way, axis=1))], way),
            offset=0.0,
            geometry="",
            pair={},
        )
    chosen = pairs[min(pair, len(pairs) - 1)]
    tip, origin = np.array(chosen["tip_m"]), np.array(chosen["origin_m"])
    place = _relative_motion(series, "", tip)[0] - origin
    drawing = shape_named(chosen["geometry"]).drawing
    offset = chosen["tip_radius_m"] + drawing.radius(chosen)
    axis = place[0] if drawing.is_round else np.array(chosen["axis"])
    return View(
        tip=tip,
        origin=origin,
        axes=_axes(axis, place),
        offset=offset,
        geometry=chosen["geometry"],
        pair=chosen,
    )


def track_tip(view: View, series: Mapping[str, np.ndarray], prefix: str = "") -> TipTrack:
    """Motion of one pair of bodies. `prefix`: "" for satellites and reference, "mock_up." for
    mock-ups."""
    seen, moving = _relative_motion(series, prefix, view.tip)
    seen = seen - view.origin
    place, rate = seen @ view.axes.T, moving @ view.axes.T
    gap, gap_rate = place[:, 0] - view.offset, rate[:, 0]
    own = view.drawing.distance if view.geometry else None
    if own is not None:
        before, after = (own(view.pair, seen + dt * moving) for dt in (-SOON, SOON))
        gap, gap_rate = own(view.pair, seen) - view.offset, (after - before) / (2.0 * SOON)
    elif view.geometry and view.drawing.is_round:
        distance = np.linalg.norm(place, axis=1)
        gap, gap_rate = (
            distance - view.offset,
            np.einsum("ni,ni->n", place, rate) / np.where(distance > 0.0, distance, 1.0),
        )
    return TipTrack(np.asarray(series["time"]), gap, gap_rate, place)


def _relative_motion(
    series: Mapping[str, np.ndarray], prefix: str, tip: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Position and velocity of the tip in target axes, from the target's centre of mass."""
    q_chaser, q_target = series[f"{prefix}chaser.attitude"], series[f"{prefix}target.attitude"]
    arm = rotate(q_chaser, np.broadcast_to(tip, (len(q_chaser), 3)))
    spin_chaser, spin_target = (
        rotate(q_chaser, series[f"{prefix}chaser.rate"]),
        rotate(q_target, series[f"{prefix}target.rate"]),
    )
    place = series[f"{prefix}chaser.position"] + arm - series[f"{prefix}target.position"]
    velocity = (
        series[f"{prefix}chaser.velocity"]
        + np.cross(spin_chaser, arm)
        - series[f"{prefix}target.velocity"]
        - np.cross(spin_target, place)
    )
    return rotate_back(q_target, place), rotate_back(q_target, velocity)


def _axes(axis: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Right-handed triad: the axis, the direction across it in which the positions spread most, and
    the third."""
    length = float(np.linalg.norm(axis))
    first = axis / length if length > 0.0 else np.array([1.0, 0.0, 0.0])
    across = places - np.outer(places @ first, first)
    furthest = across[int(np.argmax(np.nan_to_num(np.linalg.norm(across, axis=1))))]
    if not np.linalg.norm(furthest) > 1e-12:
        furthest = np.cross(first, np.eye(3)[int(np.argmin(np.abs(first)))])
    second = furthest / np.linalg.norm(furthest)
    return np.stack([first, second, np.cross(first, second)])


def track_in_lvlh(run: Run, series: object) -> tuple[np.ndarray, np.ndarray]:
    """Times, and positions of the chaser's centre of mass from the target's in LVLH axes [m]."""
    s: dict[str, np.ndarray] = series  # type: ignore[assignment]
    axes = turning_axes(run.scenario.tables["orbit"])
    apart = s["chaser.position"] - s["target.position"]
    closing = s["chaser.velocity"] - s["target.velocity"]
    return s["time"], in_lvlh(axes, s["time"], apart, closing)[0]


def lvlh_charts(run: Run, orbit: Reference) -> str:
    """Charts of the motion in LVLH axes; empty for a run without an orbit."""
    if not has_reference(run.scenario.tables):
        return ""
    (time, loop), (orbit_time, reference) = (
        track_in_lvlh(run, run.series),
        track_in_lvlh(run, orbit.series),
    )
    factor, unit = choose_unit([loop, reference], "m")
    plane = [
        Line("rig", "satellite", factor * loop[:, 0], -factor * loop[:, 2], width=2.4),
        Line(
            "orbit",
            "orbit",
            factor * reference[:, 0],
            -factor * reference[:, 2],
            dash="dash",
            width=1.6,
        ),
    ]
    across = [
        Line(name, role, when, factor * path[:, 1], dash=dash)
        for name, role, when, path, dash in (
            ("rig", "satellite", time, loop, "solid"),
            ("orbit", "orbit", orbit_time, reference, "dash"),
        )
    ]
    return chart(
        "lvlh",
        "The chaser seen from the target, in the plane of the orbit",
        plane,
        f"along-track, V-bar [{unit}]",
        f"away from the planet, against R-bar [{unit}]",
        time_axis=False,
        caption="Turning axes (LVLH); centres of mass. The axes of all other charts do not turn.",
    ) + chart(
        "lvlh-across",
        "Across the plane",
        across,
        SECONDS,
        f"against the orbit's normal, H-bar [{unit}]",
    )


def initial_extent(view: View, factor: float) -> Extent | None:
    """Initial axis ranges of a path's chart, in its unit; None for a shape without edges."""
    return view.drawing.near(view.pair, factor) if view.geometry else None


def outline_lines(view: View, factor: float, from_front: bool) -> list[Line]:
    """Outline of the target's shape as lines in the chart's unit; empty for a wall."""
    lines = view.drawing.lines(view.pair, from_front) if view.geometry else []
    return [Line(one.name, "measured", factor * one.x, factor * one.y, width=3.0) for one in lines]


SECONDS = "time [s]"


OUT_OF_PLANE = (
    0.05  # of the extent in the plane: less than this is noise, and no view from the front
)


NO_CONTACT = ("Way of the chaser", "No contact pair: along the direction in which it moves most.")


def gap_title(view: View) -> tuple[str, str]:
    """Title and caption of a chart of the gap."""
    return (view.drawing.title, view.drawing.caption) if view.geometry else NO_CONTACT


def contact_windows(contacts: Sequence[dict[str, Any]]) -> list[Window]:
    """Start and end of each contact, to shade and to keep unthinned."""
    return [(float(c["start_s"]), float(c["end_s"])) for c in contacts]


def motion_charts(run: Run, orbit: Reference) -> list[str]:
    """Charts of satellites, mock-ups and reference."""
    pair = run.contacts[0]["pair"] if run.contacts else 0
    view = choose_view(run.scenario, run.series, int(pair))
    sides = {
        "satellite": track_tip(view, run.series),
        "mock_up": track_tip(view, run.series, "mock_up."),
        "orbit": track_tip(view, orbit.series),
    }
    windows = contact_windows(run.contacts)
    title, caption = gap_title(view)
    if len(run.scenario.tables["contact"]) > 1:
        caption += (
            f" Of contact pair {int(pair)}, which touched first."
            if run.contacts
            else f" Of contact pair {int(pair)}."
        )
    gaps, rates = ([getattr(s, name) for s in sides.values()] for name in ("gap", "gap_rate"))
    (gap_factor, gap_unit), (rate_factor, rate_unit) = (
        choose_unit(gaps, "m"),
        choose_unit(rates, "m/s"),
    )
    result = [
        chart(
            "gap",
            title,
            _side_lines(sides, lambda s: (s.time, gap_factor * s.gap)),
            SECONDS,
            f"{_gap_name(view)} [{gap_unit}]",
            caption=caption,
            windows=windows,
        ),
        chart(
            "gap-rate",
            "Speed of the same",
            _side_lines(sides, lambda s: (s.time, rate_factor * s.gap_rate)),
            SECONDS,
            f"rate [{rate_unit}]",
            caption="Negative: closing. Faster separation than on orbit shows added energy."
            if view.geometry
            else "",
            windows=windows,
        ),
    ]
    return [*result, _difference_chart(sides, windows), *_paths(view, sides)]


def _difference_chart(sides: dict[str, TipTrack], windows: list[Window]) -> str:
    """Differences between the curves, which the other charts are too coarse to show."""
    satellite, mock_up, orbit = sides["satellite"], sides["mock_up"], sides["orbit"]
    both = satellite.time <= orbit.time[-1] * (1.0 + 1e-12)
    drift = satellite.gap[both] - np.interp(satellite.time[both], orbit.time, orbit.gap)
    late = mock_up.gap - satellite.gap
    factor, unit = choose_unit([late, drift], "m")
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


def _gap_name(view: View) -> str:
    return "gap" if view.geometry else "way"


def _side_lines(
    sides: dict[str, TipTrack], points: Callable[[TipTrack], tuple[np.ndarray, np.ndarray]]
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


def _paths(view: View, sides: dict[str, TipTrack]) -> list[str]:
    """Path of the tip from the side, and from the front if it leaves the plane."""
    extent = np.max([side.across() for side in sides.values()], axis=0)
    if not extent[1] > FLAT * extent[0]:
        return []
    factor, unit = choose_unit([side.place[:, :2] for side in sides.values()], "m")
    name = "tip" if view.geometry else "centre"
    across, third = f"across [{unit}]", f"across both [{unit}]"
    side_view = [
        *outline_lines(view, factor, from_front=False),
        *_side_lines(sides, lambda s: (factor * s.place[:, 0], factor * s.place[:, 1])),
    ]
    options = _path_options(extent[0], extent[1], initial_extent(view, factor))
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
            *outline_lines(view, factor, from_front=True),
            *_side_lines(sides, lambda s: (factor * s.place[:, 1], factor * s.place[:, 2])),
        ]
        options = _path_options(extent[1], extent[2], None)
        result.append(
            chart("front", f"Path of the {name}, along the axis", front, across, third, **options)
        )
    return result


def _path_options(wide: float, high: float, shown: Extent | None) -> dict[str, Any]:
    """Chart options of a path: equal scales unless it would be a line; near the target's shape."""
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
