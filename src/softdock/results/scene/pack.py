"""Scenes as one JSON-able table with all numbers in a single compressed string, for the replay.

Each array is rounded to whole steps (1 um, 1 us, a part in a million of an attitude), stored as
differences from row to row and column by column, its bytes sorted by weight: motions are smooth, so
most bytes are zero and deflate makes them small. Equal arrays are stored once. `unpack_array` is
the inverse, as output/pages/assets/replay_scene.js has it.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from softdock.results.scene.model import LAYERS, Arrow, Reading, Scene, locate_floor


def synchronise(scenes: Sequence[Scene]) -> list[Scene]:
    """The scenes with common cameras (of the first scene, or of the first with robots, which needs
    most room), floor and arrow scale."""
    if not scenes:
        return []
    first = next((scene for scene in scenes if scene.robots), scenes[0])
    smallest = {
        kind: min((a.scale for s in scenes for a in s.arrows if a.kind == kind), default=1.0)
        for kind in ("force", "torque")
    }

    def scaled(arrow: Arrow) -> Arrow:
        return replace(arrow, scale=smallest[arrow.kind])

    return [
        replace(
            scene,
            views=first.views,
            floor=first.floor,
            scale=first.scale,
            arrows=tuple(scaled(arrow) for arrow in scene.arrows),
        )
        for scene in scenes
    ]


VERSION = 1
NORMAL_STEP = 1e-3
STEP = 1e-6  # m, s, or of a quaternion
LARGEST = 2e9  # steps: what 32 bits hold
PARTS_OF_TOP = 2e5  # steps of an arrow's largest value


class _Store:
    """Arrays in one row of 32-bit integers."""

    def __init__(self) -> None:
        self.columns: list[np.ndarray] = []
        self.length = 0
        self.known: dict[tuple[bytes, float], dict[str, Any]] = {}

    def put(self, values: np.ndarray, step: float = STEP) -> dict[str, Any]:
        """Store an array; returns where it is."""
        table = np.asarray(values, dtype=float).reshape(len(values), -1)
        step = max(step, float(np.abs(table).max(initial=0.0)) / LARGEST)  # far away: coarser
        whole = np.round(table / step).astype(np.int64)
        key = (whole.tobytes() + bytes(str(whole.shape), "ascii"), step)
        if key not in self.known:
            change = np.diff(whole, axis=0, prepend=0).astype(np.int32)
            self.known[key] = {"at": self.length, "rows": table.shape[0], "step": step}
            self.known[key]["columns"] = table.shape[1]
            self.columns.append(change.T.ravel())
            self.length += change.size
        return self.known[key]

    def text(self) -> str:
        row = np.concatenate(self.columns) if self.columns else np.zeros(0, np.int32)
        planes = row.astype("<i4").view(np.uint8).reshape(-1, 4).T
        return base64.b64encode(zlib.compress(planes.tobytes(), 6)).decode()


def pack_scenes(scenes: Sequence[Scene]) -> dict[str, Any]:
    """Table for the replay's script."""
    store = _Store()
    panels = [_pack_panel(scene, store) for scene in scenes]
    return {
        "version": VERSION,
        "layers": LAYERS,
        "panels": panels,
        "length": store.length,
        "numbers": store.text(),
    }


def unpack_array(numbers: str, length: int, slot: Mapping[str, Any]) -> np.ndarray:
    """One stored array (rows, columns)."""
    raw = np.frombuffer(zlib.decompress(base64.b64decode(numbers)), np.uint8)
    row = np.ascontiguousarray(raw.reshape(4, length).T).view("<i4").ravel()
    rows, columns, at = slot["rows"], slot["columns"], slot["at"]
    change = row[at : at + rows * columns].astype(np.int64).reshape(columns, rows)
    return np.asarray(np.cumsum(change, axis=1).T * slot["step"])


def _pack_panel(scene: Scene, store: _Store) -> dict[str, Any]:
    tracks = {
        key: {"p": store.put(track.position), "q": store.put(track.attitude)}
        for key, track in scene.tracks.items()
    }
    meshes = {
        key: {"v": store.put(mesh.vertices), "f": store.put(mesh.faces, 1.0)}
        for key, mesh in scene.meshes.items()
    }
    centre, cell = locate_floor(scene)
    return {
        "name": scene.name,
        "time": store.put(scene.time),
        "tracks": tracks,
        "meshes": meshes,
        "parts": [
            {
                "mesh": p.mesh,
                "track": p.track,
                "role": p.role,
                "layer": p.layer,
                "opacity": p.opacity,
            }
            for p in scene.parts
        ],
        "arrows": [_pack_arrow(arrow, store) for arrow in scene.arrows],
        "trails": [
            {
                "role": t.role,
                "layer": t.layer,
                "track": t.track,
                "points": store.put(t.points),
                "frames": store.put(t.frames, 1.0),
            }
            for t in scene.trails
        ],
        "patches": [
            {
                "role": p.role,
                "layer": p.layer,
                "track": p.track,
                "frames": store.put(p.frames, 1.0),
                "points": store.put(p.points),
                "normals": store.put(p.normals, NORMAL_STEP),
                "radii": store.put(p.radii),
            }
            for p in scene.patches
        ],
        "views": {key: _pack_view(view) for key, view in scene.views.items()},
        "firstView": scene.first_view,
        "contacts": [list(window) for window in scene.contacts],
        "up": scene.up,
        "floor": {"centre": centre, "cell": cell},
        "grounded": scene.grounded,
        "readings": [_pack_reading(reading, store) for reading in scene.readings],
        "scale": scene.scale,
        "exaggeration": scene.exaggeration,
        "ended": scene.ended,
    }


def _pack_arrow(arrow: Any, store: _Store) -> dict[str, Any]:
    top = float(np.abs(arrow.vector).max(initial=0.0)) or 1.0
    return {
        "name": arrow.name,
        "kind": arrow.kind,
        "role": arrow.role,
        "layer": arrow.layer,
        "unit": arrow.unit,
        "scale": arrow.scale,
        "at": store.put(arrow.at),
        "vector": store.put(arrow.vector, top / PARTS_OF_TOP),
    }


def _pack_reading(reading: Reading, store: _Store) -> dict[str, Any]:
    top = float(np.abs(reading.values).max(initial=0.0)) or 1.0
    return {
        "name": reading.name,
        "unit": reading.unit,
        "digits": reading.digits,
        "values": store.put(reading.values, top / PARTS_OF_TOP),
    }


def _pack_view(view: Any) -> dict[str, Any]:
    return {
        "eye": view.eye,
        "centre": view.centre,
        "follows": view.follows,
        "layers": list(view.layers),
        "angle": view.angle_deg,
        "wide": view.wide,
        "floor": view.floor,
    }
