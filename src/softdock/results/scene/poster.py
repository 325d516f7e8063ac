"""A frame as SVG in the page's own colours: shown first, without WebGL, and in print.

Faces are drawn from the farthest to the nearest, each in one of few shades of its role's colour,
which the page's style mixes (assets/replay.css) for light and dark. It contains no text of a
scenario.
"""

from __future__ import annotations

import re

import numpy as np

from softdock.loop.spatial.arrays import rotate
from softdock.results.scene.cameras import Camera, find_visible_faces, place_camera, project
from softdock.results.scene.model import Arrow, Scene, make_floor_lines

SHADES = 8
PATCH = 0.8  # opacity of the discs that touch
SIZE = (960, 540)  # pixels of the drawing; it scales with the page


def choose_poster_frame(scene: Scene) -> int:
    """Frame of the largest contact force; the middle frame without a contact."""
    for arrow in scene.arrows:
        if arrow.kind == "force" and arrow.role != "orbit":
            return int(np.argmax(np.linalg.norm(arrow.vector, axis=1)))
    return len(scene.time) // 2


def draw_poster(
    scene: Scene,
    view: str = "",
    frame: int | None = None,
    size: tuple[int, int] = SIZE,
    layers: tuple[str, ...] | None = None,
) -> str:
    """One frame as an SVG element."""
    chosen = scene.views[view or scene.first_view]
    at = choose_poster_frame(scene) if frame is None else frame
    shown = chosen.layers if layers is None else layers
    camera = place_camera(scene, chosen, at, size)
    body = [
        _draw_floor(scene, camera) if chosen.floor and scene.grounded else "",
        _draw_faces(scene, camera, at, shown),
    ]
    if "trail" in shown:
        body += [_draw_trail(scene, camera, at), _draw_patches(scene, camera, at)]
    if "forces" in shown:
        body += [_draw_arrow(arrow, camera, at) for arrow in scene.arrows if arrow.kind == "force"]
    width, height = size
    return (
        f'<svg class="poster" viewBox="0 0 {width} {height}" role="img" '
        f'preserveAspectRatio="xMidYMid meet" aria-hidden="true">{"".join(body)}</svg>'
    )


def _draw_faces(scene: Scene, camera: Camera, frame: int, layers: tuple[str, ...]) -> str:
    faces = find_visible_faces(scene, camera, frame, layers)
    shade = np.minimum((faces.light * SHADES).astype(int), SHADES - 1)
    found: list[tuple[str, float, list[str]]] = []
    for corners, k, i in zip(faces.corners, shade, faces.part, strict=True):
        part = faces.parts[i]
        kind = f"r-{_clean_role(part.role)} k{k}"
        outline = _format_outline(corners)
        if found and found[-1][:2] == (kind, part.opacity):
            found[-1][2].append(outline)
        else:
            found.append((kind, part.opacity, [outline]))
    return "".join(_format_path(kind, opacity, outlines) for kind, opacity, outlines in found)


def _format_path(kind: str, opacity: float, outlines: list[str]) -> str:
    through = f' opacity="{opacity:g}"' if opacity < 1.0 else ""
    return f'<path class="{kind}"{through} d="{"".join(outlines)}"/>'


def _clean_role(role: str) -> str:
    """The role as a CSS class; other characters are removed."""
    return re.sub(r"[^a-z0-9_]", "", role)


def _format_outline(corners: np.ndarray) -> str:
    points = np.round(corners, 1)
    count = 3 if np.array_equal(points[2], points[3]) else 4
    return "M" + "L".join(f"{x:g} {y:g}" for x, y in points[:count]) + "Z"


def _draw_patches(scene: Scene, camera: Camera, frame: int) -> str:
    found = []
    for patch in scene.patches:
        track, outlines = scene.tracks[patch.track], patch.outlines(frame)
        if not len(outlines):
            continue
        points = track.position[frame] + rotate(track.attitude[frame], outlines.reshape(-1, 3))
        flat, _ = project(camera, points)
        ways = [
            "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in one) + "Z"
            for one in flat.reshape(len(outlines), -1, 2)
        ]
        found.append(_format_path(f"r-{_clean_role(patch.role)} k{SHADES - 1}", PATCH, ways))
    return "".join(found)


def _draw_trail(scene: Scene, camera: Camera, frame: int) -> str:
    found = []
    for trail in scene.trails:
        track, until = scene.tracks[trail.track], trail.frames <= frame
        if until.sum() < 2:
            continue
        points = track.position[frame] + rotate(track.attitude[frame], trail.points[until])
        flat, _ = project(camera, points)
        line = "L".join(f"{x:.1f} {y:.1f}" for x, y in flat)
        found.append(f'<path class="r-{_clean_role(trail.role)} line" d="M{line}"/>')
    return "".join(found)


def _draw_arrow(arrow: Arrow, camera: Camera, frame: int) -> str:
    """Shaft and head, in front of everything: a force inside a probe must be visible."""
    way = arrow.scale * arrow.vector[frame]
    ends, depth = project(camera, np.stack([arrow.at[frame], arrow.at[frame] + way]))
    along = ends[1] - ends[0]
    length = float(np.hypot(*along))
    if length < 4.0 or depth.min() <= camera.nearest:
        return ""
    along = along / length
    head = min(18.0, 0.5 * length)
    neck, across = ends[1] - head * along, 0.42 * head * np.array([-along[1], along[0]])
    shaft = f"M{ends[0][0]:.1f} {ends[0][1]:.1f}L{neck[0]:.1f} {neck[1]:.1f}"
    tips = (ends[1], neck + across, neck - across)
    point = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in tips) + "Z"
    role = _clean_role(arrow.role)
    return f'<path class="r-{role} line" d="{shaft}"/><path class="r-{role} head" d="{point}"/>'


def _draw_floor(scene: Scene, camera: Camera) -> str:
    """Grid under everything, as far as it is in front of the camera."""
    lines = []
    for start, end in make_floor_lines(scene):
        flat, depth = project(camera, np.stack([start, end]))
        if depth.min() > camera.nearest and np.abs(flat).max() < 4000.0:
            lines.append("M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in flat))
    return f'<path class="floor" d="{"".join(lines)}"/>' if lines else ""
