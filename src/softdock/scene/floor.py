"""The floor: a grid under everything, so that a reader sees where down is."""

from __future__ import annotations

import numpy as np

from softdock.scene.model import Scene


def floor_lines(scene: Scene, cells: int = 12) -> list[tuple[np.ndarray, np.ndarray]]:
    """Lines of the floor's grid [m, world]."""
    centre, step = floor_place(scene, cells)
    up = scene.up
    first = np.cross(up, np.eye(3)[int(np.argmin(np.abs(up)))])
    first = first / np.linalg.norm(first)
    second = np.cross(up, first)
    half = 0.5 * cells * step
    found = []
    for i in range(cells + 1):
        away = -half + i * step
        found.append((centre + away * first - half * second, centre + away * first + half * second))
        found.append((centre + away * second - half * first, centre + away * second + half * first))
    return found


def floor_place(scene: Scene, cells: int = 12) -> tuple[np.ndarray, float]:
    """Middle of the floor and the size of its cells [m]."""
    centre = np.asarray(scene.views["facility"].centre)
    centre = centre + (scene.floor - float(centre @ scene.up)) * scene.up
    distance = float(np.linalg.norm(scene.views["facility"].eye - centre))
    return centre, 1.6 * distance / cells
