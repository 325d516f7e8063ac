"""Builds the scene of a run: bodies, mock-ups, arrows, trail, the reference beside it, limits,
cameras.

In: a `Run` (live or from its folder). Out: `Scene`, with the robots of its `[facility]`. A run that
diverged is shown up to its last usable row, with the reason why it stopped.

Frames: all rows of a contact as far as they fit, some in free flight. Viewers interpolate between
frames, which is exact for a drifting body.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from softdock.loop.spatial.arrays import inverse, rotate
from softdock.results.scene import motions
from softdock.results.scene.cameras import find_outer_corners, make_views
from softdock.results.scene.model import Part, Reading, RobotJoints, Scene, Track
from softdock.results.scene.motions import (
    choose_factor,
    exaggerate_motion,
    interpolate_track,
    place_at,
    read_track,
    relative_to,
)
from softdock.results.scene.patches import make_patches
from softdock.results.scene.scenario_bodies import Furniture, furnish
from softdock.results.scene.servicer import draw_servicer
from softdock.results.scene.surfaces import sphere
from softdock.scenario.free_motion import compute_free_motion, turn_back

if TYPE_CHECKING:
    from softdock.results.scene.robots import Robot

MOST_FRAMES = 1500
FLIGHT_S = 1.0 / 30.0  # between frames in free flight
AROUND = 6  # rows shown one by one before and after a contact
FAR = 1e3  # m, or ten times where it began: what is further has left every picture


def count_readable_rows(position: np.ndarray) -> int:
    """Number of rows that can be shown: up to the first that is not finite or too far away."""
    size = np.abs(np.nan_to_num(position)).max(axis=1)
    good = np.isfinite(position).all(axis=1) & (size < max(FAR, 10.0 * float(size[0])))
    return len(good) if good.all() else int(np.argmin(good))


def choose_rows(
    time: np.ndarray, contacts: Sequence[tuple[float, float]], most: int = MOST_FRAMES
) -> np.ndarray:
    """Indices of the rows to keep, rising, both ends included."""
    count = len(time)
    if count <= 2:
        return np.arange(count)
    close = np.zeros(count, dtype=bool)
    for start, end in contacts:
        first, last = np.searchsorted(time, [start, end])
        close[max(0, first - AROUND) : last + AROUND + 1] = True
    ticks = np.arange(time[0], time[-1], max(FLIGHT_S, (time[-1] - time[0]) / (0.5 * most)))
    sparse = np.searchsorted(time, ticks).clip(0, count - 1)
    near = np.flatnonzero(close)
    room = max(most - len(sparse) - 2, 2)
    if len(near) > room:
        near = near[np.unique(np.linspace(0, len(near) - 1, room).astype(int))]
    return np.unique(np.concatenate([[0, count - 1], sparse, near]))


Tables = Mapping[str, Any]
ON_ORBIT = "force on orbit"
FAINT, SOLID = 0.12, 0.7  # opacity of a satellite around its robot, and in orbit


class RunLike(Protocol):
    """What a scene needs of a run."""

    scenario: Any
    series: Any
    contacts: list[dict[str, Any]]
    status: str

    @property
    def reference(self) -> Any: ...


def build_scene(
    run: RunLike,
    name: str = "",
    reference: bool = True,
    facility: Tables | None = None,
    folder: Path | None = None,
    exaggerate: bool = True,
) -> Scene:
    """Scene of the rig: mock-ups where the robots had them. `reference`: with it as a
    ghost.

    `facility`: a table in place of the scenario's own, for a picture with other robots; `folder`:
    of arm files that it names; `exaggerate`: also show the reference with enlarged differences.
    """
    tables, series = run.scenario.tables, run.series
    if facility is not None:
        tables = {**tables, "facility": facility}
    shown = count_readable_rows(
        _stack_positions(series, ("mock_up.chaser", "mock_up.target", "chaser", "target"))
    )
    windows = _list_contact_windows(run.contacts)
    rows = choose_rows(np.asarray(series["time"])[: max(shown, 1)], windows)
    time = np.asarray(series["time"])[rows]
    tracks = read_tracks(tables, series, rows)
    robots: list[Robot] = []
    refused: list[str] = []
    if "facility" in tables:
        from softdock.results.scene.robots import (
            find_robots,
            locate_flanges,
            make_robot_parts,
            summarise_joints,
        )

        robots, refused = find_robots(tables, series, rows, folder)
    held = locate_flanges(tables) if robots else {}
    furniture = furnish(tables, _make_satellite_tracks(series, shown), held)
    parts, meshes = _set_opacity(furniture.parts, FAINT if robots else None), dict(furniture.meshes)
    parts, shapes, ways = draw_servicer(tables, series, rows, parts, tracks)
    meshes, tracks = meshes | shapes, tracks | ways
    factor, notes = 1.0, [*(robot.usage for robot in robots), *refused, *furniture.notes]
    if reference and len(run.reference.series["time"]) > 1:
        factor = _add_ghosts(run, furniture, tracks, parts, time, exaggerate)
    joints: list[RobotJoints] = []
    for robot in robots:
        links, surfaces, ways = make_robot_parts(robot)
        parts, meshes, tracks = [*parts, *links], meshes | surfaces, tracks | ways
        joints.append(summarise_joints(robot))
    parts, meshes, tracks = _add_limits(tables, parts, meshes, tracks, robots)
    force = np.asarray(series["true.chaser.force"])[rows]
    torque = np.asarray(series["true.chaser.torque"])[rows]
    return _assemble(
        name=name or run.scenario.name,
        furniture=furniture,
        tables=tables,
        scenario=run.scenario,
        time=time,
        tracks=tracks,
        meshes=meshes,
        parts=tuple(parts),
        pushes=(force, torque, _read_reference_force(run, time) if reference else None),
        speed=_read_speed(tables, series, rows, run.contacts),
        contacts=run.contacts,
        factor=factor,
        ended="" if run.status == "completed" else run.status,
        notes=notes,
        robots=tuple(joints),
    )


def _set_opacity(parts: Sequence[Part], opacity: float | None) -> list[Part]:
    """Satellite boxes with another opacity: lower if robots stand in them, higher without a rig;
    None: unchanged."""
    return [
        replace(part, opacity=opacity) if opacity and part.layer == "satellites" else part
        for part in parts
    ]


def build_reference_scene(run: RunLike, name: str = "on orbit") -> Scene:
    """Scene of the same bodies as the reference moves them, without a rig."""
    return make_scene_from_reference(run.scenario, run.reference, name)


def make_scene_from_reference(scenario: Any, reference: Any, name: str = "on orbit") -> Scene:
    """Scene of a reference that has been simulated (`softdock.reference.Orbit`)."""
    tables = scenario.tables
    shown = count_readable_rows(_stack_positions(reference.series, ("chaser", "target")))
    windows = _list_contact_windows(reference.contacts)
    rows = choose_rows(np.asarray(reference.series["time"])[: max(shown, 1)], windows)
    tracks = {
        f"mock_up.{key}": read_track(reference.series, key, rows) for key in ("chaser", "target")
    }
    tracks |= {key: tracks[f"mock_up.{key}"] for key in ("chaser", "target")}
    furniture = furnish(tables, _make_satellite_tracks(reference.series, shown))
    force = np.asarray(reference.series["true.chaser.force"])[rows]
    return _assemble(
        name=name,
        furniture=furniture,
        tables=tables,
        scenario=scenario,
        time=np.asarray(reference.series["time"])[rows],
        tracks=tracks,
        meshes=dict(furniture.meshes),
        parts=tuple(_set_opacity(furniture.parts, SOLID)),
        pushes=(force, np.zeros_like(force), None),
        speed=_read_speed(tables, reference.series, rows, reference.contacts),
        contacts=reference.contacts,
        factor=1.0,
        ended="" if reference.status == "completed" else reference.status,
        notes=list(furniture.notes),
        grounded=False,
    )


def _stack_positions(series: Any, names: Sequence[str]) -> np.ndarray:
    return np.concatenate([np.asarray(series[f"{name}.position"]) for name in names], axis=1)


def _list_contact_windows(contacts: Sequence[Mapping[str, Any]]) -> list[tuple[float, float]]:
    return [(float(c["start_s"]), float(c["end_s"])) for c in contacts]


def _make_satellite_tracks(series: Any, shown: int) -> dict[str, Track]:
    """The satellites at every row. Sizes are derived from these, so that all rigs are drawn in one
    size."""
    rows = np.arange(max(shown, 1))
    return {key: read_track(series, key, rows) for key in ("chaser", "target")}


def read_tracks(tables: Tables, series: Any, rows: np.ndarray) -> dict[str, Track]:
    """Mock-ups and satellites at some rows."""
    tracks = {key: read_track(series, key, rows) for key in ("mock_up.chaser", "mock_up.target")}
    return tracks | _read_satellites(tables, series, rows, tracks["mock_up.target"])


def _read_satellites(
    tables: Tables, series: Any, rows: np.ndarray, target: Track
) -> dict[str, Track]:
    """The satellites' tracks; where robots share the relative motion, placed at the target's
    mock-up."""
    own = {key: read_track(series, key, rows) for key in ("chaser", "target")}
    if tables["laboratory"]["mapping"] == "absolute":
        return own
    return {"target": target, "chaser": place_at(relative_to(own["chaser"], own["target"]), target)}


def _add_ghosts(
    run: RunLike,
    furniture: Furniture,
    tracks: dict[str, Track],
    parts: list[Part],
    time: np.ndarray,
    exaggerate: bool,
) -> float:
    """Add the reference's chaser, as it is and with enlarged differences. Returns the factor."""
    reference = {
        key: interpolate_track(run.reference.series, key, time) for key in ("chaser", "target")
    }
    target = tracks["mock_up.target"]
    rig = relative_to(tracks["mock_up.chaser"], target)
    there = relative_to(reference["chaser"], reference["target"])
    factor = choose_factor(rig, there, furniture.scale) if exaggerate else 1.0
    tracks["orbit.chaser"] = place_at(there, target)
    ghosts = [("orbit", "orbit.chaser")]
    if factor > 1.0:
        tracks["orbit_far.chaser"] = place_at(exaggerate_motion(rig, there, factor), target)
        ghosts.append(("orbit_far", "orbit_far.chaser"))
    for layer, track in ghosts:
        for part in furniture.parts:
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


def _add_limits(
    tables: Tables,
    parts: list[Part],
    meshes: dict[str, Any],
    tracks: dict[str, Track],
    robots: Sequence[Robot],
) -> tuple[list[Part], dict[str, Any], dict[str, Track]]:
    """Add the reach of robots whose arm is not known, as spheres."""
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


def _read_reference_force(run: RunLike, time: np.ndarray) -> np.ndarray:
    """Contact force of the reference on the chaser at the frames, in the axes of the target's
    mock-up."""
    own = np.asarray(run.reference.series["time"])
    force = np.asarray(run.reference.series["true.chaser.force"])
    found = np.stack([np.interp(time, own, column, right=0.0) for column in force.T], axis=1)
    tables = run.scenario.tables
    if tables["laboratory"]["mapping"] == "nominal":
        found = rotate(turn_back(compute_free_motion(tables["target"], time)), found)
    return found


def _assemble(
    *,
    name: str,
    furniture: Furniture,
    tables: Tables,
    scenario: Any,
    time: np.ndarray,
    tracks: dict[str, Track],
    meshes: dict[str, Any],
    parts: tuple[Part, ...],
    pushes: tuple[np.ndarray, np.ndarray, np.ndarray | None],
    speed: np.ndarray | None,
    contacts: Sequence[Mapping[str, Any]],
    factor: float,
    ended: str,
    notes: list[str],
    robots: tuple[RobotJoints, ...] = (),
    grounded: bool = True,
) -> Scene:
    """The scene with arrows, trail, readings and cameras."""
    force = pushes[0]
    pairs, which = tables["contact"], motions.find_pairs(time, contacts)
    points = motions.locate_touches(tracks["mock_up.chaser"], force, pairs, which)
    touching = motions.find_touching(force)
    patches = make_patches(scenario, tracks, touching, furniture.scale)
    for patch in patches:
        points = patch.middles(points, tracks[patch.track])
    arrows = motions.make_arrows(furniture.scale, points, pushes, tracks)
    of_set = any(pair.get("tips") for pair in pairs)  # its patch jumps from tip to tip
    path = None if of_set else motions.make_trail(points, force, tracks["mock_up.target"])
    up = find_up(tables)
    ends = find_outer_corners(tracks, meshes, parts, bool(ended))
    return Scene(
        name=name,
        time=time,
        tracks=tracks,
        meshes=meshes,
        parts=parts,
        views=make_views(
            tracks,
            meshes,
            parts,
            along=rotate(tracks["mock_up.target"].attitude[0], furniture.along),
            up=up,
            touching=touching if furniture.touches else None,
            scale=furniture.scale,
            factor=factor,
            ended=bool(ended),
        ),
        arrows=tuple(arrows),
        trails=(path,) if path is not None else (),
        patches=patches,
        contacts=tuple(_list_contact_windows(contacts)),
        up=up,
        floor=float((ends @ up).min()),
        scale=furniture.scale,
        exaggeration=factor,
        ended=ended,
        notes=tuple(notes),
        robots=robots,
        grounded=grounded,
        readings=_make_readings(pushes, speed) if furniture.touches else (),
    )


def _make_readings(
    pushes: tuple[np.ndarray, np.ndarray, np.ndarray | None], speed: np.ndarray | None
) -> tuple[Reading, ...]:
    """Contact force, the reference's, and the relative speed of the points that meet."""
    force, _, beside = pushes
    readings = [Reading("force", "N", np.linalg.norm(np.nan_to_num(force), axis=1))]
    if beside is not None and np.any(beside):
        size = np.linalg.norm(np.nan_to_num(beside), axis=1)
        readings.append(Reading(ON_ORBIT, "N", size))
    if speed is not None:
        readings.append(Reading("speed", "mm/s", 1e3 * speed))
    return tuple(readings)


def _read_speed(
    tables: Tables, series: Any, rows: np.ndarray, contacts: Sequence[Mapping[str, Any]]
) -> np.ndarray | None:
    """Relative speed of the satellites at the chaser's tip [m/s]; None where no velocities are
    recorded."""
    pairs = tables["contact"]
    try:
        moving = {
            body: [
                np.asarray(series[f"{body}.{key}"])[rows]
                for key in ("position", "attitude", "velocity", "rate")
            ]
            for body in ("chaser", "target")
        }
    except KeyError:
        return None
    if not pairs:
        return None
    which = motions.find_pairs(np.asarray(series["time"])[rows], contacts).clip(0)
    tips = np.array([pair["tip_m"] for pair in pairs], dtype=float)[which]
    at = moving["chaser"][0] + rotate(moving["chaser"][1], tips)
    chaser, target = (
        velocity + np.cross(rotate(attitude, rate), at - position)
        for position, attitude, velocity, rate in moving.values()
    )
    return np.asarray(np.linalg.norm(np.nan_to_num(chaser - target), axis=1))


def find_up(tables: Tables) -> np.ndarray:
    """Unit vector against gravity, in reference axes; z without gravity."""
    laboratory = tables["laboratory"]
    gravity = np.asarray(laboratory["gravity_m_per_s2"], dtype=float)
    size = float(np.linalg.norm(gravity))
    if size == 0.0:
        return np.array([0.0, 0.0, 1.0])
    q = np.asarray(laboratory["attitude_wxyz"], dtype=float)
    return rotate(inverse(q / np.linalg.norm(q)), -gravity / size)
