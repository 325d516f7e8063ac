"""Whether an arm of the facility cannot follow its set-points, and why (robots/arm)."""

from __future__ import annotations

from softdock.compile.features import Arms
from softdock.compile.jit import by_type, compiled
from softdock.loop.arms.robot_layout import STATE_AT, S

STATUS_AT = STATE_AT + S.status


@compiled
def _none(features, params, mem):
    return 0


@compiled
def _trouble(features, params, mem):
    m = params.memory
    chaser = int(mem[m.chaser_robot + STATUS_AT])
    return chaser if chaser != 0 else int(mem[m.target_robot + STATUS_AT])


@by_type(lambda cls: _trouble if cls is Arms else _none)
def trouble_of_arms(features, params, mem):
    """Status of loop/arms/follow.py of the first arm that could not follow; 0: both could."""
