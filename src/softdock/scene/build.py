"""From a run to its scene: bodies, mock-ups, arrows, trail, orbit beside it, limits, cameras.

In: a `Run` (live or from its folder). Out: `Scene`, with the robots of its `[facility]`.
A run that diverged is shown up to the last row that can be shown, and says why it stopped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from softdock.core.spatial.arrays import inverse, rotate
from softdock.scene import cameras, touches
from softdock.scene.frames import chosen_rows, readable_rows
from softdock.scene.model import Part, RobotSeen, Scene, Track
from softdock.scene.motions import (
    blended,
    exaggerated,
    factor_for,
    laid_at,
    seen_from,
    track_of,
)
from softdock.scene.robots import Robot, flanges, robot_parts, robots_of, seen
from softdock.scene.scenario_bodies import Furniture, furnish
from softdock.scene.surfaces import sphere

Tables = Mapping[str, Any]
FAINT, SOLID = 0.12, 0.7  # opacity of a satellite around its robot, and in orbit


class Shown(Protocol):
    """What a scene needs of a run."""

    scenario: Any
    series: Any
    contacts: list[dict[str, Any]]
    status: str

    @property
    def orbit(self) -> Any: ...


def scene_of(
    run: Shown,
    name: str = "",
    orbit: bool = True,
    facility: Tables | None = None,
    folder: Path | None = None,
    exaggerate: bool = True,
) -> Scene:
    """The rig: its mock-ups where the robots had them. `orbit`: with orbit's ghost beside them.

    `facility`: a table in place of the scenario's own, for a picture with other robots; `folder`:
    where files of arms that it names lie; `exaggerate`: orbit's differences enlarged as well.
    """
    tables, series = run.scenario.tables, run.series
    if facility is not None:
        tables = {**tables, "facility": facility}
    shown = readable_rows(_places(series, ("mock_up.chaser", "mock_up.target", "chaser", "target")))
    windows = _windows(run.contacts)
    rows = chosen_rows(np.asarray(series["time"])[: max(shown, 1)], windows)
    time = np.asarray(series["time"])[rows]
    tracks = tracks_of(tables, series, rows)
    robots, refused = robots_of(tables, series, rows, folder)
    held = flanges(tables) if robots else {}
    made = furnish(tables, _whole(series, shown), held)
    parts, meshes = _seen_through(made.parts, FAINT if robots else None), dict(made.meshes)
    factor, notes = 1.0, [*(robot.said for robot in robots), *refused, *made.notes]
    if orbit and len(run.orbit.series["time"]) > 1:
        factor = _add_ghosts(run, made, tracks, parts, time, exaggerate)
    for robot in robots:
        links, surfaces, ways = robot_parts(robot)
        parts, meshes, tracks = [*parts, *links], meshes | surfaces, tracks | ways
    parts, meshes, tracks = _with_limits(tables, parts, meshes, tracks, robots)
    force = np.asarray(series["true.chaser.force"])[rows]
    torque = np.asarray(series["true.chaser.torque"])[rows]
    return _finished(
        name=name or run.scenario.name,
        made=made,
        tables=tables,
        time=time,
        tracks=tracks,
        meshes=meshes,
        parts=tuple(parts),
        pushes=(force, torque, _orbit_force(run, time) if orbit else None),
        contacts=run.contacts,
        factor=factor,
        ended="" if run.status == "completed" else run.status,
        notes=notes,
        robots=tuple(seen(robot) for robot in robots),
    )


def _seen_through(parts: Sequence[Part], opacity: float | None) -> list[Part]:
    """Satellites' boxes: fainter where robots stand in them, solid in orbit; None: as they are."""
    return [
        replace(part, opacity=opacity) if opacity and part.layer == "satellites" else part
        for part in parts
    ]


def scene_of_orbit(run: Shown, name: str = "orbit") -> Scene:
    """The same bodies as orbit would move them, without a rig."""
    return orbit_scene(run.scenario.tables, run.orbit, name)


def orbit_scene(tables: Tables, flown: Any, name: str = "orbit") -> Scene:
    """The same from an orbit that has been flown (`softdock.core.orbit.Orbit`)."""
    shown = readable_rows(_places(flown.series, ("chaser", "target")))
    windows = _windows(flown.contacts)
    rows = chosen_rows(np.asarray(flown.series["time"])[: max(shown, 1)], windows)
    tracks = {f"mock_up.{key}": track_of(flown.series, key, rows) for key in ("chaser", "target")}
    tracks |= {key: tracks[f"mock_up.{key}"] for key in ("chaser", "target")}
    made = furnish(tables, _whole(flown.series, shown))
    force = np.asarray(flown.series["true.chaser.force"])[rows]
    return _finished(
        name=name,
        made=made,
        tables=tables,
        time=np.asarray(flown.series["time"])[rows],
        tracks=tracks,
        meshes=dict(made.meshes),
        parts=tuple(_seen_through(made.parts, SOLID)),
        pushes=(force, np.zeros_like(force), None),
        contacts=flown.contacts,
        factor=1.0,
        ended="" if flown.status == "completed" else flown.status,
        notes=list(made.notes),
        grounded=False,
    )


def _places(series: Any, names: Sequence[str]) -> np.ndarray:
    return np.concatenate([np.asarray(series[f"{name}.position"]) for name in names], axis=1)


def _windows(contacts: Sequence[Mapping[str, Any]]) -> list[tuple[float, float]]:
    return [(float(c["start_s"]), float(c["end_s"])) for c in contacts]


def _whole(series: Any, shown: int) -> dict[str, Track]:
    """The satellites at every row: sizes are taken from these, so that all rigs draw one size."""
    rows = np.arange(max(shown, 1))
    return {key: track_of(series, key, rows) for key in ("chaser", "target")}


def tracks_of(tables: Tables, series: Any, rows: np.ndarray) -> dict[str, Track]:
    """Mock-ups and satellites at some rows."""
    tracks = {key: track_of(series, key, rows) for key in ("mock_up.chaser", "mock_up.target")}
    return tracks | _satellites(tables, series, rows, tracks["mock_up.target"])


def _satellites(tables: Tables, series: Any, rows: np.ndarray, target: Track) -> dict[str, Track]:
    """Their own tracks; where robots share the relative motion, laid at the target's mock-up."""
    own = {key: track_of(series, key, rows) for key in ("chaser", "target")}
    if tables["laboratory"]["mapping"] == "absolute":
        return own
    return {"target": target, "chaser": laid_at(seen_from(own["chaser"], own["target"]), target)}


def _add_ghosts(
    run: Shown,
    made: Furniture,
    tracks: dict[str, Track],
    parts: list[Part],
    time: np.ndarray,
    exaggerate: bool,
) -> float:
    """Orbit's chaser, as it is and with its differences enlarged. Returns the factor."""
    flown = {key: blended(run.orbit.series, key, time) for key in ("chaser", "target")}
    target = tracks["mock_up.target"]
    rig = seen_from(tracks["mock_up.chaser"], target)
    there = seen_from(flown["chaser"], flown["target"])
    factor = factor_for(rig, there, made.scale) if exaggerate else 1.0
    tracks["orbit.chaser"] = laid_at(there, target)
    ghosts = [("orbit", "orbit.chaser")]
    if factor > 1.0:
        tracks["orbit_far.chaser"] = laid_at(exaggerated(rig, there, factor), target)
        ghosts.append(("orbit_far", "orbit_far.chaser"))
    for layer, track in ghosts:
        for part in made.parts:
            if part.track == "mock_up.chaser":
                parts.append(
                    Part(
                        name=f"orbit: {part.name}",
                        mesh=part.mesh,
                        track=track,
                        role="orbit",
                        layer=layer,
                        opacity=0.3,
                    )
                )
    return factor


def _with_limits(
    tables: Tables,
    parts: list[Part],
    meshes: dict[str, Any],
    tracks: dict[str, Track],
    robots: Sequence[Robot],
) -> tuple[list[Part], dict[str, Any], dict[str, Track]]:
    """How far each robot reaches, where the scenario says so: a ball about its centre. A robot
    whose arm is known has its own."""
    count = len(next(iter(tracks.values())).position)
    known = {robot.body for robot in robots}
    for body in ("chaser", "target"):
        if body in known:
            continue
        robot = tables["robots"][body]
        if not robot.get("reach_m"):
            continue
        key = f"reach.{body}"
        meshes[key] = sphere(np.zeros(3), float(robot["reach_m"]))
        centre = np.tile(np.asarray(robot["reach_centre_m"], dtype=float), (count, 1))
        tracks[key] = Track(centre, np.tile([1.0, 0.0, 0.0, 0.0], (count, 1)))
        parts.append(
            Part(
                name=f"reach of the {body}'s robot",
                mesh=key,
                track=key,
                role="measured",
                layer="limits",
                opacity=0.1,
            )
        )
    return parts, meshes, tracks


def _orbit_force(run: Shown, time: np.ndarray) -> np.ndarray:
    """Orbit's contact force on the chaser at the frames, in the axes of the target's mock-up."""
    own = np.asarray(run.orbit.series["time"])
    force = np.asarray(run.orbit.series["true.chaser.force"])
    return np.stack([np.interp(time, own, column, right=0.0) for column in force.T], axis=1)


def _finished(
    *,
    name: str,
    made: Furniture,
    tables: Tables,
    time: np.ndarray,
    tracks: dict[str, Track],
    meshes: dict[str, Any],
    parts: tuple[Part, ...],
    pushes: tuple[np.ndarray, np.ndarray, np.ndarray | None],
    contacts: Sequence[Mapping[str, Any]],
    factor: float,
    ended: str,
    notes: list[str],
    robots: tuple[RobotSeen, ...] = (),
    grounded: bool = True,
) -> Scene:
    """Arrows, trail and cameras, and everything in its place."""
    force = pushes[0]
    pairs, which = tables["contact"], touches.pair_at(time, contacts)
    points = touches.touch_points(tracks["mock_up.chaser"], force, pairs, which)
    arrows = touches.arrows_of(made.scale, points, pushes, tracks)
    path = touches.trail(points, force, tracks["mock_up.target"])
    up = up_of(tables)
    ends = cameras.corners(tracks, meshes, parts, bool(ended))
    return Scene(
        name=name,
        time=time,
        tracks=tracks,
        meshes=meshes,
        parts=parts,
        views=cameras.views_of(made, tracks, up, parts, factor, ends),
        arrows=tuple(arrows),
        trails=(path,) if path is not None else (),
        contacts=tuple(_windows(contacts)),
        up=up,
        floor=float((ends @ up).min()),
        scale=made.scale,
        exaggeration=factor,
        ended=ended,
        notes=tuple(notes),
        robots=robots,
        grounded=grounded,
    )


def up_of(tables: Tables) -> np.ndarray:
    """Against gravity, in orbit axes; z where there is none."""
    laboratory = tables["laboratory"]
    gravity = np.asarray(laboratory["gravity_m_per_s2"], dtype=float)
    size = float(np.linalg.norm(gravity))
    if size == 0.0:
        return np.array([0.0, 0.0, 1.0])
    q = np.asarray(laboratory["attitude_wxyz"], dtype=float)
    return rotate(inverse(q / np.linalg.norm(q)), -gravity / size)
