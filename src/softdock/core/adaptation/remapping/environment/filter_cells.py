"""What the filter of environment = filter remembers, and what it is told."""

from __future__ import annotations

from typing import NamedTuple

from softdock.core.machine.cells import Cell, Cells

STATES = 5  # of the filter
DIAGONAL = STATES + 1  # from one number of its diagonal to the next
FILTER_CELLS = Cells(
    "environment_filter",
    Cell("started", 1, "-", "1: the first cycle is over"),
    Cell("touched", 1, "-", "FELT_ONCE, IN_CONTACT, or 0"),
    Cell("delta", 1, "m", "place of the environment"),
    Cell("deflection", 3, "m", "of the chaser's mock-up from its motors"),
    Cell("velocity", 3, "m/s", "of the chaser's mock-up"),
    Cell("motor", 3, "m", "position of the chaser's motors"),
    Cell("motor_speed", 3, "m/s", "velocity of the chaser's motors"),
    Cell("target", 12, "m, m/s", "the same four of the target's robot"),
    Cell("force", 3, "N", "on the chaser's mock-up at the last sample"),
    Cell("on_chaser", 3, "m", "the point on the chaser, chaser axes"),
    Cell("on_target", 3, "m", "the same point on the target, target axes"),
    Cell("covariance", STATES * STATES, "m, m/s", "of the five states, row by row"),
    Cell("normal", 3, "-", "direction of the force, target axes"),
    Cell("normal_variance", 1, "rad^2", "of each direction across"),
)


KALMAN = FILTER_CELLS.at


ROBOT = KALMAN.target - KALMAN.deflection  # from a cell of the chaser's robot to the target's


FELT_ONCE, IN_CONTACT = 0.5, 1.0  # of `touched`


class BelievedJoint(NamedTuple):
    stiffness: float  # N/m; 0: rigid
    mass: float  # kg
    w: float  # rad/s
    zeta: float
    response: tuple  # deflection and its rate after a cycle from both before: ee, er, re, rr


class FilterParams(NamedTuple):
    chaser: BelievedJoint
    target: BelievedJoint
    noise_force: float  # N
    noise_position: float  # m, of each motor
