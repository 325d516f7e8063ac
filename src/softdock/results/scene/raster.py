"""A frame as pixels, for PNG and GIF without a browser.

Flat shading with a depth buffer at twice the resolution, then averaged. Translucent faces are drawn
over opaque ones from far to near.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import pairwise

import numpy as np

from softdock.loop.spatial.arrays import rotate
from softdock.results.scene.cameras import Camera, Faces, find_visible_faces, place_camera, project
from softdock.results.scene.model import Scene, make_floor_lines

FINER = 2
HEAD = ((0.75, 9.0), (0.8, 7.5), (0.85, 6.0), (0.9, 4.5))  # parts of an arrow, and their thickness
Colour = tuple[int, int, int]
PALETTES: dict[str, dict[str, Colour]] = {  # as in assets/page.css
    "light": {
        "back": (246, 247, 249),
        "floor": (214, 219, 226),
        "satellite": (11, 99, 197),
        "mock_up": (217, 115, 13),
        "orbit": (47, 58, 72),
        "measured": (139, 149, 163),
        "arm": (205, 211, 219),
        "c4": (179, 38, 30),
        "c5": (122, 79, 191),
        "c6": (138, 109, 0),
        "c8": (0, 130, 155),
    },
    "dark": {
        "back": (18, 22, 28),
        "floor": (44, 53, 66),
        "satellite": (111, 177, 255),
        "mock_up": (255, 166, 87),
        "orbit": (223, 229, 236),
        "measured": (139, 149, 163),
        "arm": (176, 186, 198),
        "c4": (255, 138, 128),
        "c5": (195, 161, 255),
        "c6": (224, 195, 65),
        "c8": (94, 211, 234),
    },
}


def draw_picture(
    scene: Scene,
    frame: int,
    size: tuple[int, int] = (960, 540),
    view: str = "",
    theme: str = "light",
    layers: Collection[str] | None = None,
) -> np.ndarray:
    """RGB pixels (height, width, 3) of one frame."""
    chosen, palette = scene.views[view or scene.first_view], PALETTES[theme]
    shown = chosen.layers if layers is None else layers
    fine = (FINER * size[0], FINER * size[1])
    camera = place_camera(scene, chosen, frame, fine)
    image = np.empty((fine[1], fine[0], 3), dtype=np.float32)
    image[:] = palette["back"]
    depth = np.full((fine[1], fine[0]), np.inf, dtype=np.float32)
    for start, end in make_floor_lines(scene) if chosen.floor and scene.grounded else ():
        _draw_line(image, camera, start, end, palette["floor"], 1.0)
    faces = find_visible_faces(scene, camera, frame, shown)
    _fill(image, depth, faces, palette)
    _draw_overlay(image, camera, scene, frame, shown, palette)
    height, width = size[1], size[0]
    small = image.reshape(height, FINER, width, FINER, 3).mean(axis=(1, 3))
    return np.clip(np.round(small), 0, 255).astype(np.uint8)


def _fill(
    image: np.ndarray, depth: np.ndarray, faces: Faces, palette: Mapping[str, Colour]
) -> None:
    """Opaque faces first, then translucent ones from far to near."""
    opaque = np.array([faces.parts[i].opacity >= 1.0 for i in faces.part], dtype=bool)
    for index in (*np.flatnonzero(opaque), *np.flatnonzero(~opaque)):
        part = faces.parts[faces.part[index]]
        colour = _shade(palette[part.role], float(faces.light[index]))
        corners, away = faces.corners[index], faces.depths[index]
        for a, b, c in ((0, 1, 2), (0, 2, 3)):
            _draw_triangle(image, depth, corners[[a, b, c]], away[[a, b, c]], colour, part.opacity)


def _shade(colour: Colour, light: float) -> np.ndarray:
    """Darker below 0.6 of the light, whiter above, as the page's style mixes it."""
    base = np.array(colour, dtype=np.float32)
    if light < 0.6:
        return base * (0.35 + 0.65 * light / 0.6)
    return base + (255.0 - base) * 0.35 * (light - 0.6) / 0.4


def _draw_triangle(
    image: np.ndarray,
    depth: np.ndarray,
    corners: np.ndarray,
    away: np.ndarray,
    colour: np.ndarray,
    opacity: float,
) -> None:
    height, width = depth.shape
    low = np.maximum(np.floor(corners.min(axis=0)).astype(int), 0)
    high = np.minimum(np.ceil(corners.max(axis=0)).astype(int) + 1, (width, height))
    if (high <= low).any():
        return
    (ax, ay), (bx, by), (cx, cy) = corners
    area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    if abs(area) < 1e-9:
        return
    x = np.arange(low[0], high[0]) + 0.5
    y = (np.arange(low[1], high[1]) + 0.5)[:, None]
    u = ((x - ax) * (cy - ay) - (y - ay) * (cx - ax)) / area
    v = ((bx - ax) * (y - ay) - (by - ay) * (x - ax)) / area
    near = 1.0 / (
        1.0 / away[0] + u * (1.0 / away[1] - 1.0 / away[0]) + v * (1.0 / away[2] - 1.0 / away[0])
    )
    part = depth[low[1] : high[1], low[0] : high[0]]
    inside = (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0) & (near < part)
    if not inside.any():
        return
    shown = image[low[1] : high[1], low[0] : high[0]]
    shown[inside] += opacity * (colour - shown[inside])
    if opacity >= 1.0:
        part[inside] = near[inside]


def _draw_overlay(
    image: np.ndarray,
    camera: Camera,
    scene: Scene,
    frame: int,
    layers: Collection[str],
    palette: Mapping[str, Colour],
) -> None:
    """Trails and arrows, in front of everything."""
    for trail in scene.trails if "trail" in layers else ():
        track, until = scene.tracks[trail.track], trail.frames <= frame
        points = track.position[frame] + rotate(track.attitude[frame], trail.points[until])
        for start, end in pairwise(points):
            _draw_line(image, camera, start, end, palette[trail.role], 2.0)
    for arrow in scene.arrows if "forces" in layers else ():
        way = arrow.scale * arrow.vector[frame]
        if arrow.kind == "force" and np.any(way):
            colour, at = palette[arrow.role], arrow.at[frame]
            _draw_line(image, camera, at, at + way, colour, 3.0)
            for share, thick in HEAD:
                _draw_line(
                    image,
                    camera,
                    at + share * way,
                    at + min(share + 0.05, 1.0) * way,
                    colour,
                    thick,
                )


def _draw_line(
    image: np.ndarray,
    camera: Camera,
    start: np.ndarray,
    end: np.ndarray,
    colour: Colour,
    thick: float,
) -> None:
    flat, depth = project(camera, np.stack([start, end]))
    if depth.min() <= camera.nearest or np.abs(flat).max() > 2e4:
        return
    count = int(np.ceil(np.abs(flat[1] - flat[0]).max())) + 1
    way = np.linspace(flat[0], flat[1], count)
    reach = np.arange(-int(thick), int(thick) + 1)
    for dx in reach:
        for dy in reach:
            if dx * dx + dy * dy > thick * thick:
                continue
            x, y = np.floor(way[:, 0] + dx).astype(int), np.floor(way[:, 1] + dy).astype(int)
            good = (x >= 0) & (y >= 0) & (x < camera.size[0]) & (y < camera.size[1])
            image[y[good], x[good]] = colour
