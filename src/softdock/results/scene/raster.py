"""A frame as pixels, for PNG and GIF without a browser.

Flat shading with a depth buffer at twice the resolution, then averaged. Translucent faces are drawn
over opaque ones from far to near. The scene's name, time, force and speed are written on it.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from softdock.compile.jit import entry_point
from softdock.errors import printable
from softdock.loop.spatial.arrays import rotate
from softdock.results.scene.cameras import Camera, Faces, find_visible_faces, place_camera, project
from softdock.results.scene.model import Scene, make_floor_lines

FINER = 2
HEAD = 0.75  # of an arrow: where its head begins
Colour = tuple[int, int, int]
PALETTES: dict[str, dict[str, Colour]] = {  # as in assets/page.css
    "light": {
        "back": (246, 247, 249),
        "text": (29, 36, 47),
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
        "text": (232, 237, 243),
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
    text: bool = True,
) -> np.ndarray:
    """RGB pixels (height, width, 3) of one frame. `text`: with name, time, forces and speed."""
    chosen, palette = scene.views[view or scene.first_view], PALETTES[theme]
    shown = chosen.layers if layers is None else layers
    fine = (FINER * size[0], FINER * size[1])
    camera = place_camera(scene, chosen, frame, fine)
    paper = Image.new("RGB", fine, palette["back"])
    lines = ImageDraw.Draw(paper)
    for ends in make_floor_lines(scene) if chosen.floor and scene.grounded else ():
        _draw_line(lines, camera, np.array(ends), palette["floor"], 2)
    image = np.array(paper)
    _fill(image, find_visible_faces(scene, camera, frame, shown), palette)
    paper = Image.fromarray(image)
    _draw_overlay(ImageDraw.Draw(paper), camera, scene, frame, shown, palette)
    small = paper.reduce(FINER)
    if text and size[0] >= SMALLEST_TEXT:
        _write_readings(small, scene, frame, palette)
    return np.asarray(small)


SMALLEST_TEXT = 240  # pixels of width: text on smaller pictures cannot be read


def _write_readings(
    picture: Image.Image, scene: Scene, frame: int, palette: Mapping[str, Colour]
) -> None:
    """Name above; time, forces and speed below."""
    width, height = picture.size
    draw, edge = ImageDraw.Draw(picture), round(0.025 * width)
    large, small = (ImageFont.load_default(size) for size in (0.032 * width, 0.026 * width))
    draw.text((edge, edge), printable(scene.name), palette["text"], large)
    line = "     ".join(scene.describe_instant(frame))
    draw.text((edge, height - edge), line, palette["text"], small, anchor="ld")


def _fill(image: np.ndarray, faces: Faces, palette: Mapping[str, Colour]) -> None:
    """Opaque faces first, then translucent ones from far to near."""
    opaque = np.array([faces.parts[i].opacity >= 1.0 for i in faces.part], dtype=bool)
    order = np.concatenate([np.flatnonzero(opaque), np.flatnonzero(~opaque)])
    if not len(order):
        return
    bases = np.array([palette[part.role] for part in faces.parts], dtype=np.float32)
    opacities = np.array([part.opacity for part in faces.parts], dtype=np.float32)
    owner = faces.part[order]
    fill_faces(
        image,
        np.full(image.shape[:2], np.inf, dtype=np.float32),
        np.ascontiguousarray(faces.corners[order], dtype=np.float64),
        np.ascontiguousarray(faces.depths[order], dtype=np.float64),
        _shade(bases[owner], faces.light[order].astype(np.float32)),
        opacities[owner],
    )


def _shade(colours: np.ndarray, light: np.ndarray) -> np.ndarray:
    """Darker below 0.6 of the light, whiter above, as the page's style mixes it."""
    shine = light[:, None]
    dark = colours * (0.35 + 0.65 * shine / 0.6)
    bright = colours + (255.0 - colours) * (0.35 * (shine - 0.6) / 0.4)
    return np.where(shine < 0.6, dark, bright).astype(np.float32)


@entry_point
def fill_faces(image, depth, corners, away, colours, opacities):
    """Fill quads (m, 4), each as two triangles, one after the other, where nothing nearer is.

    `corners`: pixels; `away`: depths [m]; `depth`: of the opaque pixel that is nearest so far.
    """
    for face in range(len(corners)):
        for half in range(2):
            ax, ay = corners[face, 0]
            bx, by = corners[face, 1 + half]
            cx, cy = corners[face, 2 + half]
            area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
            if abs(area) < 1e-9:
                continue
            a = 1.0 / away[face, 0]
            b = 1.0 / away[face, 1 + half] - a
            c = 1.0 / away[face, 2 + half] - a
            opacity = opacities[face]
            left = max(int(math.floor(min(ax, bx, cx))), 0)
            right = min(int(math.ceil(max(ax, bx, cx))) + 1, depth.shape[1])
            top = max(int(math.floor(min(ay, by, cy))), 0)
            bottom = min(int(math.ceil(max(ay, by, cy))) + 1, depth.shape[0])
            across_u, across_v = (cy - ay) / area, -(by - ay) / area  # change along a row
            for row in range(top, bottom):
                y = row + 0.5 - ay
                start_u, start_v = -y * (cx - ax) / area, y * (bx - ax) / area
                first, last = left, right
                for edge in range(3):  # columns between the edges, and one more on each side
                    slope, start = across_u, start_u
                    if edge == 1:
                        slope, start = across_v, start_v
                    elif edge == 2:
                        slope, start = -across_u - across_v, 1.0 - start_u - start_v
                    if abs(slope) < 1e-12:
                        continue
                    crossing = ax - start / slope
                    if slope > 0.0 and crossing > first:
                        first = min(int(crossing) - 1, right)
                    elif slope < 0.0 and crossing < last:
                        last = max(int(crossing) + 2, left)
                for column in range(max(first, left), min(last, right)):
                    x = column + 0.5 - ax
                    u, v = start_u + across_u * x, start_v + across_v * x
                    if u < 0.0 or v < 0.0 or u + v > 1.0:
                        continue
                    near = 1.0 / (a + u * b + v * c)
                    if near >= depth[row, column]:
                        continue
                    for k in range(3):
                        below = image[row, column, k]
                        image[row, column, k] = int(
                            below + opacity * (colours[face, k] - below) + 0.5
                        )
                    if opacity >= 1.0:
                        depth[row, column] = near


def _draw_overlay(
    draw: ImageDraw.ImageDraw,
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
        if len(points) > 1:
            _draw_line(draw, camera, points, palette[trail.role], 4)
    for arrow in scene.arrows if "forces" in layers else ():
        way = arrow.scale * arrow.vector[frame]
        if arrow.kind == "force" and np.any(way):
            colour, at = palette[arrow.role], arrow.at[frame]
            neck = at + HEAD * way
            _draw_line(draw, camera, np.stack([at, neck]), colour, 8)
            _draw_head(draw, camera, np.stack([neck, at + way]), colour)


def _draw_line(
    draw: ImageDraw.ImageDraw, camera: Camera, points: np.ndarray, colour: Colour, thick: int
) -> None:
    """A line through points of the world, if all are in front of the camera and near the
    picture."""
    flat, depth = project(camera, points)
    if depth.min() > camera.nearest and np.abs(flat).max() < 2e4:
        draw.line(flat.ravel().tolist(), fill=colour, width=thick, joint="curve")


def _draw_head(draw: ImageDraw.ImageDraw, camera: Camera, ends: np.ndarray, colour: Colour) -> None:
    flat, depth = project(camera, ends)
    along = flat[1] - flat[0]
    if depth.min() <= camera.nearest or np.abs(flat).max() > 2e4:
        return
    across = 0.4 * np.array([-along[1], along[0]])
    corners = np.stack([flat[1], flat[0] + across, flat[0] - across])
    draw.polygon(corners.ravel().tolist(), fill=colour)
