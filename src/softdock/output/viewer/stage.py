"""A scene on a viser server, whose nodes are made once and then moved, and the clock of the scene.
Uses viser through its objects only."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from softdock.results.scene import Scene
from softdock.results.scene.model import WIDE, locate_floor
from softdock.results.scene.raster import PALETTES
from softdock.results.scene.surfaces import from_z_to

CONTACT_S = 3.0  # a contact takes at least this long on the screen
SLOWEST = 1.0 / 200.0
AROUND = 0.15  # of a contact's length, before and after it
SPEEDS = {"auto": None, "1": 1.0, "1/4": 0.25, "1/10": 0.1, "1/100": 0.01}


class Clock:
    """Run time over wall time: plays, pauses, and slows down in contacts."""

    def __init__(self, end: float = 0.0, contacts: Sequence[tuple[float, float]] = ()) -> None:
        self.time = 0.0
        self.playing = False
        self.speed = "auto"
        self.set_run(end, contacts)

    def set_run(self, end: float, contacts: Sequence[tuple[float, float]]) -> None:
        """Set another run; the time stays, limited to the run's end."""
        self.end = end
        self.slow = [
            (start - AROUND * (stop - start) - 0.01, stop + AROUND * (stop - start) + 0.01)
            for start, stop in contacts
        ]
        self.time = min(self.time, end)

    def rate(self) -> float:
        """Seconds of the run per second."""
        fixed = SPEEDS[self.speed]
        if fixed is not None:
            return fixed
        here = [b - a for a, b in self.slow if a <= self.time < b]
        return min(max(min(here) / CONTACT_S, SLOWEST), 1.0) if here else 1.0

    def advance(self, seconds: float) -> float:
        """Advance the time; restart at the end, and stop at the edges of contacts."""
        if not self.playing:
            return self.time
        if self.time >= self.end:
            self.time = 0.0
        left = seconds
        for _ in range(8):
            if left <= 0.0:
                break
            rate = self.rate()
            edges = [edge for window in self.slow for edge in window if edge > self.time + 1e-9]
            until = min([self.time + left * rate, self.end, *edges])
            left -= max(until - self.time, 1e-12) / rate
            self.time = until
            if until >= self.end:
                break
        return self.time


PANELS_PX = 630  # width of both panels
ABOVE_PANEL = 0.6  # of half the picture, from its centre
FLOATING_PX = 640  # narrower pictures have one panel, which floats and can be closed


class Stage:
    """The three-dimensional view. Rebuilt only if shapes change."""

    def __init__(self, server: Any) -> None:
        self.server = server
        self.scene: Scene | None = None
        self.dark = True
        self.shown: set[str] = set()
        self.frames: dict[str, Any] = {}
        self.meshes: dict[str, tuple[Any, str]] = {}  # node -> handle and layer
        self.signature: tuple[Any, ...] = ()
        self.grown = 0  # points of the trail that are drawn

    @property
    def palette(self) -> dict[str, tuple[int, int, int]]:
        return PALETTES["dark" if self.dark else "light"]

    def show(self, scene: Scene) -> None:
        """Show another scene: equal shapes stay, motion is replaced."""
        known = self.scene is not None
        signature = (
            self.dark,
            *((p, scene.meshes[p.mesh].vertices.tobytes()) for p in scene.parts),
        )
        self.scene = scene
        if not known:
            self.shown = set(scene.views[scene.first_view].layers)
        with self.server.atomic():
            if signature != self.signature:
                self._rebuild(scene)
                self.signature = signature
            self._trails(scene)

    def move(self, scene: Scene) -> None:
        """Move the same bodies: a scene of one frame, beside a running rig."""
        grown = sum(len(trail.points) for trail in scene.trails)
        self.scene = scene
        self.set_time(float(scene.time[-1]))
        if grown != self.grown:
            self.grown = grown
            with self.server.atomic():
                self._trails(scene)

    def _rebuild(self, scene: Scene) -> None:
        for frame in self.frames.values():
            frame.remove()
        self.frames, self.meshes = {}, {}
        for i, key in enumerate(scene.tracks):
            self.frames[key] = self.server.scene.add_frame(f"/bodies/{i}", show_axes=False)
        names = {key: f"/bodies/{i}" for i, key in enumerate(scene.tracks)}
        for i, part in enumerate(scene.parts):
            mesh, node = scene.meshes[part.mesh], f"{names[part.track]}/part_{i}"
            handle = self.server.scene.add_mesh_simple(
                node,
                mesh.vertices.astype(np.float32),
                triangles(mesh.faces),
                color=self.palette[part.role],
                opacity=part.opacity if part.opacity < 1.0 else None,
                flat_shading=True,
                side="double" if part.opacity < 1.0 else "front",
                cast_shadow=False,
                receive_shadow=False,
            )
            self.meshes[node] = (handle, part.layer)
        centre, cell = locate_floor(scene)
        self.server.scene.add_grid(
            "/floor",
            width=12.0 * cell,
            height=12.0 * cell,
            cell_size=cell,
            section_size=4.0 * cell,
            cell_color=self.palette["floor"],
            section_color=self.palette["floor"],
            position=centre,
            wxyz=from_z_to(scene.up),
        )
        self.layers(self.shown)

    def _trails(self, scene: Scene) -> None:
        """Draw the track of the contact over the whole run."""
        for trail in scene.trails:
            pairs = np.stack([trail.points[:-1], trail.points[1:]], axis=1)
            near = np.flatnonzero(np.diff(trail.frames) == 1)  # not across the gap between contacts
            if not len(near):
                continue
            place = list(scene.tracks).index(trail.track)
            handle = self.server.scene.add_line_segments(
                f"/bodies/{place}/trail",
                pairs[near].astype(np.float32),
                colors=self.palette[trail.role],
                thickness=3.0,
                thickness_units="screen",
            )
            self.meshes["trail"] = (handle, trail.layer)
            handle.visible = trail.layer in self.shown

    def _patches(self, scene: Scene, frame: int) -> None:
        """Draw the outlines of the discs that touch at a frame."""
        for patch in scene.patches:
            around = patch.outlines(frame)
            pairs = np.stack([around, np.roll(around, 1, axis=1)], axis=2).reshape(-1, 2, 3)
            seen = patch.layer in self.shown and len(pairs) > 0
            place = list(scene.tracks).index(patch.track)
            self.server.scene.add_line_segments(
                f"/bodies/{place}/patch",
                (pairs if seen else np.zeros((1, 2, 3))).astype(np.float32),
                colors=self.palette[patch.role],
                thickness=4.0,
                thickness_units="screen",
                visible=seen,
            )

    def layers(self, shown: set[str]) -> None:
        """Set the visible layers."""
        self.shown = set(shown)
        for handle, layer in self.meshes.values():
            handle.visible = layer in self.shown

    def set_time(self, time: float) -> None:
        """Move every body to its pose at a time, interpolated between frames."""
        scene = self.scene
        if scene is None:
            return
        low = scene.frame_at(time)
        high = min(low + 1, len(scene.time) - 1)
        span = float(scene.time[high] - scene.time[low])
        part = min(max((time - float(scene.time[low])) / span, 0.0), 1.0) if span > 0.0 else 0.0
        with self.server.atomic():
            for key, handle in self.frames.items():
                track = scene.tracks[key]
                handle.position = interpolate(track.position, low, high, part)
                q = interpolate(track.attitude, low, high, part)
                handle.wxyz = q / np.linalg.norm(q)
            self._arrows(scene, low, high, part)
            self._patches(scene, low)

    def _arrows(self, scene: Scene, low: int, high: int, part: float) -> None:
        for i, arrow in enumerate(scene.arrows):
            at = interpolate(arrow.at, low, high, part)
            way = arrow.scale * interpolate(arrow.vector, low, high, part)
            length = float(np.linalg.norm(way))
            seen = "forces" in self.shown and length > 0.02 * scene.scale
            apart = 0.8 if arrow.role == "orbit" else 0.5  # inside the probe it would not be seen
            beside = apart * scene.scale * scene.up
            points = np.stack([at + beside, at + beside + way])[None].astype(np.float32)
            self.server.scene.add_arrows(
                f"/arrows/{i}",
                points if seen else points * 0.0,
                colors=self.palette[arrow.role],
                shaft_radius=0.05 * scene.scale,
                head_radius=0.13 * scene.scale,
                head_length=min(0.35 * scene.scale, 0.6 * length) if seen else 0.01,
                visible=seen,
            )

    def look(self, name: str, client: Any, time: float = 0.0) -> None:
        """Set a client's camera to a preset."""
        scene = self.scene
        if scene is None or name not in scene.views:
            return
        view = scene.views[name]
        gone = np.zeros(3)
        if view.follows:
            way = scene.tracks[view.follows].position
            gone = way[scene.frame_at(time)] - way[0]
        size = client.camera.image_width, client.camera.image_height
        back = distance_between_panels(*size, view.wide) * (view.eye - view.centre)
        if 0 < size[0] < FLOATING_PX:  # the panel covers the lower part: the contact goes above it
            half = math.tan(math.radians(0.5 * view.angle_deg)) * float(np.linalg.norm(back))
            gone = gone - ABOVE_PANEL * half * scene.up
        with client.atomic():
            client.camera.up_direction = scene.up
            client.camera.position = view.centre + back + gone
            client.camera.look_at = view.centre + gone
            client.camera.fov = math.radians(view.angle_deg)


def distance_between_panels(width: float, height: float, wide: float = WIDE) -> float:
    """How many times farther away a preset's camera stands, so that its picture fits between the
    panels at the sides. Sizes in pixels; zero if not known yet."""
    if not (width > 0 and height > 0):
        return 1.0
    panels = PANELS_PX if width >= FLOATING_PX else 0.0
    return max(1.0, wide / (max(width - panels, 0.25 * width) / height))


def triangles(faces: np.ndarray) -> np.ndarray:
    """Quads as pairs of triangles; triangles once."""
    first, second = faces[:, [0, 1, 2]], faces[:, [0, 2, 3]]
    return np.concatenate([first, second[faces[:, 2] != faces[:, 3]]]).astype(np.uint32)


def interpolate(values: np.ndarray, low: int, high: int, part: float) -> np.ndarray:
    return np.asarray((1.0 - part) * values[low] + part * values[high])
