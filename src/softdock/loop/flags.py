"""Flags of the loop: what a run has or has not, found once per run from the parameter vector.

A flag is one function here under `@flag`: its name is the field of `params.flags`, its docstring
the meaning, what it returns the value. `Flags` and the function that fills it are generated, and
so are a kernel's constants (specialise.py): a run on a GPU that has not what a flag asks for has
none of its code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from softdock.compile.features import Every, Plain
from softdock.compile.generated import generate
from softdock.compile.jit import compiled
from softdock.loop.command import NOMINAL, SHARED, is_mapped
from softdock.loop.contact.seat import CAPTURE
from softdock.loop.keys import MEMORY
from softdock.loop.robots.keys import ROBOT
from softdock.loop.robots.robot import Follower, is_compliant
from softdock.loop.schedules import schedule_at
from softdock.loop.sensor.force_torque import Sampling
from softdock.loop.sensor.mock_up import is_heavy
from softdock.loop.sensor.pose import prepare_pose
from softdock.loop.tide import has_tide
from softdock.loop.vector_layout import (
    CAPTURE_AT,
    CHASER_EXTERNAL_AT,
    CHASER_HAND_AT,
    CHASER_MOCK_UP_AT,
    CHASER_ROBOT_AT,
    LABORATORY_AT,
    MEMORY_AT,
    ORBIT_AT,
    POSE_AT,
    TARGET_EXTERNAL_AT,
    TARGET_HAND_AT,
    TARGET_MOCK_UP_AT,
    TARGET_ROBOT_AT,
)

FLAGS: dict[str, Any] = {}  # compiled functions (vector, known), by the flag's name


class Known(NamedTuple):
    """What is prepared before the flags and may be asked beside the vector."""

    T: float  # s
    plant_steps: int
    sensor: Sampling
    chaser_robot: Follower
    target_robot: Follower
    features: Plain | Every


def flag(function: Any) -> Any:
    """Register a compiled function of the vector and `Known` as a flag of the loop."""
    FLAGS[getattr(function, "py_func", function).__name__] = function
    return function


@flag
@compiled
def single_rate(vector, known):
    """One plant step and one force sample a cycle."""
    return known.plant_steps == 1 and known.sensor.period == known.T


@flag
@compiled
def on_stamps(vector, known):
    """Single rate, and both mock-ups on a set-point at the end of each cycle: delays of whole
    cycles."""
    whole = known.chaser_robot.whole and known.target_robot.whole
    return whole and known.plant_steps == 1 and known.sensor.period == known.T


@flag
@compiled
def shared(vector, known):
    """The robots share the relative motion."""
    return is_mapped(vector, LABORATORY_AT, SHARED)


@flag
@compiled
def nominal(vector, known):
    """The robots carry the motion relative to the target's free one."""
    return is_mapped(vector, LABORATORY_AT, NOMINAL)


@compiled
def _is_pushed(vector, at):
    return schedule_at(vector, at).rows > 0


@flag
@compiled
def chaser_light(vector, known):
    """Nothing to weigh and no hand on the mock-up: the sensor feels the contact alone."""
    return not is_heavy(vector, CHASER_MOCK_UP_AT) and not _is_pushed(vector, CHASER_HAND_AT)


@flag
@compiled
def target_light(vector, known):
    """The same of the target's."""
    return not is_heavy(vector, TARGET_MOCK_UP_AT) and not _is_pushed(vector, TARGET_HAND_AT)


@flag
@compiled
def chaser_heavy(vector, known):
    """The mock-up's inertia matters."""
    return is_heavy(vector, CHASER_MOCK_UP_AT)


@flag
@compiled
def target_heavy(vector, known):
    """The same of the target's."""
    return is_heavy(vector, TARGET_MOCK_UP_AT)


@compiled
def _any_elastic(vector, features):
    return is_compliant(features, vector, CHASER_ROBOT_AT) or is_compliant(
        features, vector, TARGET_ROBOT_AT
    )


@flag
@compiled
def elastic(vector, known):
    """A robot has an elastic joint."""
    return _any_elastic(vector, known.features)


@flag
@compiled
def ideal_pose(vector, known):
    """Poses are measured at once and exactly, and are the mock-ups'."""
    return prepare_pose(vector, POSE_AT).ideal and not _any_elastic(vector, known.features)


@flag
@compiled
def hands(vector, known):
    """A hand pushes a mock-up."""
    return _is_pushed(vector, CHASER_HAND_AT) or _is_pushed(vector, TARGET_HAND_AT)


@flag
@compiled
def external(vector, known):
    """A schedule or the tide pushes a satellite."""
    return (
        has_tide(vector, ORBIT_AT)
        or _is_pushed(vector, CHASER_EXTERNAL_AT)
        or _is_pushed(vector, TARGET_EXTERNAL_AT)
    )


@flag
@compiled
def tide(vector, known):
    """Both are on an orbit."""
    return has_tide(vector, ORBIT_AT)


@flag
@compiled
def bounded(vector, known):
    """A robot has a reach."""
    return ROBOT(vector, CHASER_ROBOT_AT).reach > 0.0 or ROBOT(vector, TARGET_ROBOT_AT).reach > 0.0


@flag
@compiled
def captures(vector, known):
    """The scenario asks for captures."""
    return CAPTURE(vector, CAPTURE_AT).hold > 0.0


@flag
@compiled
def torques(vector, known):
    """The largest torque is kept."""
    return CAPTURE(vector, CAPTURE_AT).torque != 0.0


@flag
@compiled
def compares(vector, known):
    """A batch is compared with orbit: its motion after the last contact is kept
    (settled_motion.py)."""
    return MEMORY(vector, MEMORY_AT).orbit_done > 0.0


if TYPE_CHECKING:
    Flags: TypeAlias = Any
else:  # a field for every flag
    Flags = NamedTuple("Flags", [(name, bool) for name in FLAGS])


def _find_flags() -> Any:
    """`find_flags(vector, known)`: all of them."""
    values = "".join(f"        {name}={name}(vector, known),\n" for name in FLAGS)
    text = f"def find_flags(vector, known):\n    return Flags(\n{values}    )\n"
    return generate("find_flags", text, {**FLAGS, "Flags": Flags})


find_flags = _find_flags()
