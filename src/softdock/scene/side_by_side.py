"""Several scenes in step: the same cameras, the same floor, arrows in one scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from softdock.scene.model import Arrow, Scene


def in_step(scenes: Sequence[Scene]) -> list[Scene]:
    """The scenes as they can be held against each other; cameras are those of the first, or of the
    first with robots, which needs most room."""
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
            opens=first.first_view,
            floor=first.floor,
            scale=first.scale,
            arrows=tuple(scaled(arrow) for arrow in scene.arrows),
        )
        for scene in scenes
    ]
