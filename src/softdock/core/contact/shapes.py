"""From a pair's geometry to its touches."""

from __future__ import annotations

from softdock.core.contact.cone import touch_cone
from softdock.core.contact.pairs import CONE, SPHERE
from softdock.core.contact.sphere import touch_sphere
from softdock.core.contact.wall import touch_wall
from softdock.core.machine.compiled import compiled


@compiled
def touch_pair(pair, side, active, tip):
    """The touches of one pair. `side`: of the touch under way (`active`), or where the tip last
    was; `tip`: from the shape, target axes."""
    if pair.geometry == CONE:
        return touch_cone(pair.shape, tip, pair.tip_radius, side, active)
    if pair.geometry == SPHERE:
        return touch_sphere(pair.shape, tip, pair.tip_radius)
    return touch_wall(pair.shape, tip, pair.tip_radius)
