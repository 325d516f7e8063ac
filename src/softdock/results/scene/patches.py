"""The contact patch: which tips of a set touch a shape or a mesh, where, and how wide the overlap
is. From the compiled contact itself, at the mock-ups' poses of each frame."""

from __future__ import annotations

from typing import Any

import numpy as np

from softdock.compile.features import Every
from softdock.loop.contact.models import shape_named
from softdock.loop.contact.pair import PAIR_FLOATS
from softdock.loop.entry_points import list_touches
from softdock.loop.vector import PAIRS_MEM
from softdock.results.scene.model import Patch, Track

MOST_DISCS = 6000  # of a scene: of each frame only the widest, where there are more
MOST_TOUCHES = 200_000
LEAST = 0.04  # of the size of what touches: a narrower disc is drawn as wide


def make_patches(
    scenario: Any, tracks: dict[str, Track], touching: np.ndarray, scale: float
) -> tuple[Patch, ...]:
    """Of scenarios with a mesh or a set of tips: of one ball against a smooth shape the arrow says
    as much. `touching`: whether each frame is one of a contact; `scale`: of what touches [m]."""
    pairs = scenario.tables["contact"]
    frames = np.flatnonzero(touching)
    told = any(shape_named(pair["geometry"]).place_file or pair.get("tips") for pair in pairs)
    if not told or not len(frames):
        return ()
    bodies = [tracks["mock_up.chaser"], tracks["mock_up.target"]]
    poses = np.hstack([x[frames] for one in bodies for x in (one.position, one.attitude)])
    mem = np.zeros(PAIRS_MEM + len(pairs) * PAIR_FLOATS)
    out = np.empty((MOST_TOUCHES, 8))
    count = int(list_touches(scenario.vector, Every(0), mem, np.ascontiguousarray(poses), out))
    if count == 0:  # what pushes is a latch
        return ()
    found = _thin(out[: min(count, MOST_TOUCHES)], len(frames))
    return (
        Patch(
            role="c4",
            layer="trail",
            track="mock_up.target",
            frames=frames[found[:, 0].astype(int)],
            points=found[:, 1:4],
            normals=found[:, 4:7],
            radii=np.maximum(found[:, 7], LEAST * scale),
        ),
    )


def _thin(found: np.ndarray, frames: int) -> np.ndarray:
    """At most so many discs in all: of each frame the widest."""
    if len(found) <= MOST_DISCS:
        return found
    most = max(MOST_DISCS // frames, 1)
    by_width = found[np.lexsort((-found[:, 7], found[:, 0]))]
    _, first, count = np.unique(by_width[:, 0], return_index=True, return_counts=True)
    rank = np.arange(len(by_width)) - np.repeat(first, count)
    return np.asarray(by_width[rank < most])
