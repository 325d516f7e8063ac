"""Whether a robot has gone beyond its reach."""

from __future__ import annotations

from softdock.compile.features import is_full
from softdock.compile.jit import by_type, compiled, noinline
from softdock.loop.command import map_to_laboratory, prepare_laboratory
from softdock.loop.robots.keys import ROBOT
from softdock.loop.spatial.vectors import norm, subtract
from softdock.loop.vector import CHASER_ROBOT_AT, LABORATORY_AT, TARGET_ROBOT_AT


@compiled
def _in_reach(features, vector, chaser, target):
    return False


@noinline
def _out_of_reach(features, vector, chaser, target):
    """Whether a robot has gone beyond its reach; both mock-ups' positions in orbit axes."""
    lab = prepare_laboratory(vector, LABORATORY_AT)
    return _beyond(vector, CHASER_ROBOT_AT, map_to_laboratory(lab, chaser)) or _beyond(
        vector, TARGET_ROBOT_AT, map_to_laboratory(lab, target)
    )


@by_type(lambda cls: _out_of_reach if is_full(cls) else _in_reach)
def out_of_reach(features, vector, chaser, target):
    """Whether a robot has gone beyond its reach."""


@compiled
def _beyond(vector, robot, point):
    keys = ROBOT(vector, robot)
    return keys.reach > 0.0 and norm(subtract(point, keys.reach_centre)) > keys.reach
