"""The list of robot models, in the order of keys.MODELS.

delay     the mock-up is where the set-points were a delay ago; delay zero is the ideal robot
lag       the same, followed with a second-order lag
limited   the same, followed within limits of speed, acceleration and jerk
arm       the same in the joints of an arm: at once, with a lag or within limits, stiff or elastic
"""

from __future__ import annotations

from softdock.compile.generated import make_chooser
from softdock.loop.arms.motors import ARM_ROBOT
from softdock.loop.robots.delay import DELAY_MODEL
from softdock.loop.robots.keys import MODELS
from softdock.loop.robots.lag import LAG_MODEL
from softdock.loop.robots.limited import LIMITED_MODEL
from softdock.loop.robots.model import RobotModel

ROBOT_MODELS: tuple[RobotModel, ...] = (
    DELAY_MODEL,
    LAG_MODEL,
    LIMITED_MODEL,
    ARM_ROBOT,
)
if tuple(model.name for model in ROBOT_MODELS) != MODELS:
    raise TypeError(f"models.py and keys.py list other robot models: {', '.join(MODELS)}")

ARGUMENTS = "vector, carrier, robot, mem, motion, t0, t1"
# an arm's code is compiled for loops with arms alone; elsewhere its number is never met
follow_set_points = make_chooser(
    "follow_set_points",
    ARGUMENTS,
    "robot.model",
    [ROBOT_MODELS[0].follow if model.is_arm else model.follow for model in ROBOT_MODELS],
)
follow_with_arms = make_chooser(
    "follow_with_arms", ARGUMENTS, "robot.model", [model.follow for model in ROBOT_MODELS]
)


def robot_model_named(name: str) -> RobotModel:
    """A model by its name in a scenario."""
    return ROBOT_MODELS[MODELS.index(name)]
