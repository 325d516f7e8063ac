"""Whether an arm of the facility cannot follow its set-points, and why (robots/arm)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from softdock.compile.features import Arms
from softdock.compile.jit import by_type, compiled
from softdock.loop.arms.robot_layout import arm_state

if TYPE_CHECKING:
    from softdock.loop.params import Params


@compiled
def _none(features, params: Params, mem):
    return 0


@compiled
def _trouble(features, params: Params, mem):
    m = params.memory
    chaser = arm_state(mem, m.chaser_robot).status
    return chaser if chaser != 0 else arm_state(mem, m.target_robot).status


@by_type(lambda cls: _trouble if cls is Arms else _none)
def find_arm_trouble(features, params, mem):
    """Status of loop/arms/follow.py of the first arm that could not follow; 0: both could."""
