"""The scene of a run, for the replay in pages, for pictures and for a live viewer.

`build_scene(run)` and `build_reference_scene(run)` are pure: a run in, plain arrays out (model.py).
Nothing here draws in a window; `poster` and `raster` project a frame by arithmetic alone.
"""

from softdock.results.scene.build import (
    build_reference_scene,
    build_scene,
    make_scene_from_reference,
)
from softdock.results.scene.model import LAYERS, Arrow, Mesh, Part, Scene, Track, Trail, View

__all__ = [
    "LAYERS",
    "Arrow",
    "Mesh",
    "Part",
    "Scene",
    "Track",
    "Trail",
    "View",
    "build_reference_scene",
    "build_scene",
    "make_scene_from_reference",
]
