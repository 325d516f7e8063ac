"""The scene of a run as plain data: bodies, their motion, cameras. No viewer.

Lengths in metres, times in seconds, attitudes as unit quaternions wxyz (world from part), world
axes as in a run's series. Colours are roles of the pages' palette (assets/page.css): each viewer
chooses light or dark. Names come from scenario files and are text; viewers escape them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from softdock.loop.spatial.arrays import rotate


def make_floor_lines(scene: Scene, cells: int = 12) -> list[tuple[np.ndarray, np.ndarray]]:
    """Lines of the floor's grid [m, world]."""
    centre, step = locate_floor(scene, cells)
    up = scene.up
    first = np.cross(up, np.eye(3)[int(np.argmin(np.abs(up)))])
    first = first / np.linalg.norm(first)
    second = np.cross(up, first)
    half = 0.5 * cells * step
    lines = []
    for i in range(cells + 1):
        away = -half + i * step
        lines.append((centre + away * first - half * second, centre + away * first + half * second))
        lines.append((centre + away * second - half * first, centre + away * second + half * first))
    return lines


def locate_floor(scene: Scene, cells: int = 12) -> tuple[np.ndarray, float]:
    """Middle of the floor and the size of its cells [m]."""
    centre = np.asarray(scene.views["rig"].centre)
    centre = centre + (scene.floor - float(centre @ scene.up)) * scene.up
    distance = float(np.linalg.norm(scene.views["rig"].eye - centre))
    return centre, 1.6 * distance / cells


CAMERAS = ("contact", "rig", "satellites", "top")
LAYERS = {  # what a reader can switch on and off, with its label
    "mock_ups": "mock-ups",
    "robots": "robots",
    "satellites": "satellites",
    "forces": "forces",
    "trail": "touches",
    "orbit": "chaser on orbit",
    "orbit_far": "chaser on orbit, difference enlarged",
    "limits": "limits",
}


@dataclass(frozen=True)
class Mesh:
    """A surface. `faces`: four corners each, counter-clockwise from outside."""

    vertices: np.ndarray  # (n, 3) m
    faces: np.ndarray  # (m, 4); a triangle names its last corner twice


@dataclass(frozen=True)
class Track:
    """Where a part is at each frame."""

    position: np.ndarray  # (n, 3) m, world
    attitude: np.ndarray  # (n, 4) wxyz, world from part


@dataclass(frozen=True)
class Part:
    """One thing to draw: a mesh on a track."""

    name: str
    mesh: str  # key of Scene.meshes
    track: str  # key of Scene.tracks
    role: str  # of the palette
    layer: str  # key of LAYERS
    opacity: float = 1.0


@dataclass(frozen=True)
class Arrow:
    """A vector that changes with time, drawn at a point that moves."""

    name: str
    kind: str  # force or torque
    role: str
    layer: str
    unit: str
    at: np.ndarray  # (n, 3) m, world
    vector: np.ndarray  # (n, 3) in `unit`, world axes
    scale: float  # m drawn for each unit


@dataclass(frozen=True)
class Trail:
    """Points on a body, each visible from its frame on."""

    name: str
    role: str
    layer: str
    track: str
    points: np.ndarray  # (k, 3) m, in the axes of the track's body
    frames: np.ndarray  # (k,) first frame in which each is seen


@dataclass(frozen=True)
class Patch:
    """Where tips touch: discs on a body, each seen at one frame."""

    role: str
    layer: str
    track: str
    frames: np.ndarray  # (k,) the frame of each, rising
    points: np.ndarray  # (k, 3) m, its middle in the axes of the track's body
    normals: np.ndarray  # (k, 3) the same axes
    radii: np.ndarray  # (k,) m

    def outlines(self, frame: int, sides: int = 16) -> np.ndarray:
        """The discs of a frame as polygons (discs, sides, 3) [m], in the axes of the body."""
        first, last = np.searchsorted(self.frames, [frame, frame + 1])
        n = self.normals[first:last]
        away = np.eye(3)[np.argmin(np.abs(n), axis=1)]
        across = np.cross(n, away)
        across /= np.linalg.norm(across, axis=1, keepdims=True)
        third = np.cross(n, across)
        turns = 2.0 * np.pi * np.arange(sides) / sides
        around = np.cos(turns)[:, None] * across[:, None] + np.sin(turns)[:, None] * third[:, None]
        return np.asarray(
            self.points[first:last, None] + self.radii[first:last, None, None] * around
        )

    def middles(self, points: np.ndarray, track: Track) -> np.ndarray:
        """World points, one a frame, moved to the middle of the frame's discs where there are
        some."""
        weights = self.radii**2
        number = np.bincount(self.frames, weights, minlength=len(points))
        own = np.flatnonzero(number)
        sums = [np.bincount(self.frames, weights * x, minlength=len(points)) for x in self.points.T]
        middle = np.stack(sums, axis=1)[own] / number[own, None]
        moved = points.copy()
        moved[own] = track.position[own] + rotate(track.attitude[own], middle)
        return moved


@dataclass(frozen=True)
class Reading:
    """A number that is written beside the picture as it changes with time."""

    name: str
    unit: str
    values: np.ndarray  # (n,)

    @property
    def digits(self) -> int:
        """Digits after the point: the largest value has three significant ones."""
        largest = float(np.abs(self.values).max(initial=0.0))
        return min(max(2 - math.floor(math.log10(largest)), 0), 6) if largest > 0.0 else 1

    def describe(self, frame: int) -> str:
        return f"{self.name} {self.values[frame]:.{self.digits}f} {self.unit}"


WIDE = 1.5  # width over height of what a camera shows at least


@dataclass(frozen=True)
class View:
    """A camera preset, with the layers to show."""

    name: str
    eye: np.ndarray  # m, world, at the first frame
    centre: np.ndarray  # m
    up: np.ndarray
    follows: str = ""  # key of the track whose way is added to eye and centre
    layers: tuple[str, ...] = ()
    angle_deg: float = 32.0  # vertical field of view; wider where the picture is narrower than
    wide: float = WIDE  # width over height
    floor: bool = True  # whether a floor is drawn


@dataclass(frozen=True)
class RobotJoints:
    """A robot's joints and their ranges, for the panel beside the picture."""

    body: str
    arm: str
    names: tuple[str, ...]
    joints: np.ndarray  # (n, axes) rad; a rail: m
    low: np.ndarray  # (axes,)
    high: np.ndarray
    usage: str  # what of its limits it used over the whole run


@dataclass(frozen=True)
class Scene:
    """Everything to show of one run."""

    name: str
    time: np.ndarray  # (n,) s, rising
    tracks: dict[str, Track]
    meshes: dict[str, Mesh]
    parts: tuple[Part, ...]
    views: dict[str, View]  # contact, rig, satellites, top; contact only where a shape is described
    arrows: tuple[Arrow, ...] = ()
    trails: tuple[Trail, ...] = ()
    patches: tuple[Patch, ...] = ()
    contacts: tuple[tuple[float, float], ...] = ()  # s, from first touch to last
    up: np.ndarray = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    floor: float = 0.0  # m along `up`, where a floor is drawn
    scale: float = 1.0  # m, size of what touches
    exaggeration: float = 1.0  # factor on the differences from orbit, on the layer orbit_far
    ended: str = ""  # why the run stopped early; empty for one that reached its end
    notes: tuple[str, ...] = ()
    robots: tuple[RobotJoints, ...] = ()
    grounded: bool = True  # a floor is under it; not in orbit
    readings: tuple[Reading, ...] = ()  # force and speed

    @property
    def layers(self) -> list[str]:
        """Layers that hold something, in the order of LAYERS."""
        held = {part.layer for part in self.parts} | {arrow.layer for arrow in self.arrows}
        held |= {trail.layer for trail in self.trails} | {one.layer for one in self.patches}
        return [layer for layer in LAYERS if layer in held]

    @property
    def first_view(self) -> str:
        """The camera to begin with: the contact where a shape is described."""
        return "contact" if "contact" in self.views else "rig"

    def frame_at(self, time: float) -> int:
        """The last frame not after a time."""
        found = int(np.searchsorted(self.time, time + 1e-12, side="right")) - 1
        return min(max(found, 0), len(self.time) - 1)

    def describe_instant(self, frame: int) -> list[str]:
        """Time, forces and speed at a frame."""
        return [f"{self.time[frame]:.3f} s", *(one.describe(frame) for one in self.readings)]
