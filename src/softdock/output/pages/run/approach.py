"""Motion of the chaser's tip in the target's axes: along the contact's axis and across it, the same
for satellites, mock-ups and reference, whatever the pose of the laboratory.

In: recorded motions. Out: m and m/s, in the target's axes, from the contact's origin. Without a
contact pair the chaser's centre replaces the tip, and the direction of its largest motion the axis.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from softdock.loop.contact.drawing import Drawing
from softdock.loop.contact.models import shape_named
from softdock.loop.spatial.arrays import rotate, rotate_back
from softdock.scenario.build import Scenario

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
