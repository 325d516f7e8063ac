"""The scene of a run, for the replay in pages, for pictures and for a live viewer.

`scene_of(run)` and `scene_of_orbit(run)` are pure: a run in, plain arrays out (model.py). Nothing
here draws in a window; `poster` and `raster` project a frame by arithmetic alone.
"""

from softdock.scene.build import orbit_scene, scene_of, scene_of_orbit
from softdock.scene.model import LAYERS, Arrow, Mesh, Part, Scene, Track, Trail, View

__all__ = [
    "LAYERS",
    "Arrow",
    "Mesh",
    "Part",
    "Scene",
    "Track",
    "Trail",
    "View",
    "orbit_scene",
    "scene_of",
    "scene_of_orbit",
]
