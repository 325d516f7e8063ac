"""Camera presets: the whole facility, the touch, and both satellites as in orbit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from softdock.core.spatial.arrays import rotate
from softdock.scene.model import Mesh, Part, Track, View
from softdock.scene.scenario_bodies import Furniture
from softdock.scene.turning import frame_along

NEAR_LAYERS = ("mock_ups", "robots", "forces", "trail")
FAR_LAYERS = ("mock_ups", "robots", "satellites", "forces", "limits")
ORBIT_LAYERS = ("mock_ups", "satellites", "orbit", "forces")
SOLID = ("mock_ups", "satellites", "robots")
SIDE, BACK, ABOVE = 1.0, 0.55, 0.42  # of the distance, from where one looks


def sideways(along: np.ndarray, up: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Unit vectors across the approach and along it, both level."""
    level = along - (along @ up) * up
    if np.linalg.norm(level) < 1e-6:
        level = frame_along(up)[0]
    level = level / np.linalg.norm(level)
    return np.cross(up, level), level


def looking(
    name: str,
    centre: np.ndarray,
    radius: float,
    along: np.ndarray,
    up: np.ndarray,
    follows: str = "",
    layers: tuple[str, ...] = (),
    lean: tuple[float, float, float] = (SIDE, BACK, ABOVE),
) -> View:
    """From the side, some way back and above, so far that a ball of `radius` fills the picture."""
    across, level = sideways(along, up)
    to_eye = -lean[0] * across - lean[1] * level + lean[2] * up
    angle = 32.0
    distance = radius / np.sin(np.radians(0.5 * angle))
    eye = centre + distance * to_eye / np.linalg.norm(to_eye)
    return View(
        name=name,
        eye=eye,
        centre=centre,
        up=up,
        follows=follows,
        layers=layers,
        angle_deg=angle,
        floor=not follows,
    )


def corners(
    tracks: Mapping[str, Track],
    meshes: Mapping[str, Mesh],
    parts: Sequence[Part],
    ended: bool = False,
) -> np.ndarray:
    """Corners of all solid parts at the first, the middle and the last frame [m, world].

    `ended`: of a run that stopped, whose last frames may be anywhere, earlier ones.
    """
    found = []
    count = len(next(iter(tracks.values())).position)
    frames = (0, count // 4, count // 2) if ended else (0, count // 2, count - 1)
    ends = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)])
    for part in parts:
        if part.layer not in SOLID:
            continue
        track, vertices = tracks[part.track], meshes[part.mesh].vertices
        low, high = vertices.min(axis=0), vertices.max(axis=0)
        for frame in frames:
            turned = rotate(track.attitude[frame], low + ends * (high - low))
            found.append(track.position[frame] + turned)
    return np.concatenate(found) if found else np.zeros((1, 3))


def views_of(
    made: Furniture,
    tracks: Mapping[str, Track],
    up: np.ndarray,
    parts: Sequence[Part],
    factor: float,
    everything: np.ndarray,
) -> dict[str, View]:
    """The presets; near ones only where a shape is described that can be touched. `everything`:
    the corners of all solid parts."""
    centre = 0.5 * (everything.min(axis=0) + everything.max(axis=0))
    radius = 0.5 * float(np.linalg.norm(np.ptp(everything, axis=0))) or 1.0
    target = tracks["mock_up.target"]
    along = rotate(target.attitude[0], made.along)
    views = {}
    if made.touches:
        focus = target.position[0] + rotate(target.attitude[0], made.focus)
        near = (*NEAR_LAYERS, "orbit_far" if factor > 1.0 else "orbit")
        views["contact"] = looking(
            "contact",
            focus,
            made.near,
            along,
            up,
            follows="mock_up.target",
            layers=near,
            lean=(1.0, 0.62, 0.5),
        )
    # how far known arms reach hides what they do: it is there to be switched on
    hidden = ("limits",) if any(part.layer == "robots" for part in parts) else ()
    far = tuple(layer for layer in FAR_LAYERS if layer not in hidden)
    views["facility"] = looking("facility", centre, 0.72 * radius, along, up, layers=far)
    views["orbit"] = looking(
        "orbit",
        centre,
        0.85 * radius,
        along,
        up,
        layers=ORBIT_LAYERS,
        lean=(0.5, 1.0, 0.75),
    )
    return views
