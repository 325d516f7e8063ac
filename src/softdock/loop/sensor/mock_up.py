"""The mock-up behind the sensor: its weight and inertia enter the reading, and are taken out again
with what the user believes of it.

The sensor sits at `sensor_m` on the body, axes as the body's. It reads what acts on the mock-up
from outside, less what moves the mock-up:

    f = f_contact + f_hand + m (g - a_c)    a_c: acceleration of the mock-up's centre of mass c
    t = ... + (c - s) x m (g - a_c) - (I alpha + w x I w)        about the sensor's origin s

Lange eqs. 3 and 4 have the weight only; the inertia, m a_c and I alpha, is added here (without it a
10 kg mock-up costs up to a tenth of the restitution). The compensation subtracts the same with the
believed mass, centre and inertia, and an acceleration from the commanded motion delayed by the
known delay, or from the measured motion.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from softdock.compile.jit import compiled
from softdock.loop.parameters import Group, Parameter
from softdock.loop.spatial.motion import Wrench
from softdock.loop.spatial.rotations import rotate, rotate_back
from softdock.loop.spatial.vectors import (
    add,
    add_scaled,
    cross,
    scale,
    subtract,
    symmetric_times,
)

if TYPE_CHECKING:
    from softdock.loop.spatial.motion import Motion

COMMANDED, MEASURED, IGNORED = 0, 1, 2
ACCELERATIONS = ("commanded", "measured", "ignored")

MOCK_UP = Group(
    "mock_up",
    "What the sensor carries on one robot, and what the user believes of it. Body axes, from "
    "the satellite's centre of mass.",
    Parameter("mass", "mass_kg", "mass beyond the sensor", 0.0, unit="kg", low=0.0, high=1e5),
    Parameter(
        "centre",
        "centre_m",
        "its centre of mass",
        (0.0, 0.0, 0.0),
        unit="m",
        size=3,
        low=-100.0,
        high=100.0,
    ),
    Parameter(
        "inertia",
        "inertia_kg_m2",
        "its inertia about its own centre of mass",
        (0.0, 0.0, 0.0),
        unit="kg m^2",
        size=6,
        kind="tool_inertia",
    ),
    Parameter(
        "sensor",
        "sensor_m",
        "where the sensor sits",
        (0.0, 0.0, 0.0),
        unit="m",
        size=3,
        low=-100.0,
        high=100.0,
    ),
    Parameter(
        "believed_mass",
        "believed.mass_kg",
        "mass used to compensate",
        "@mass_kg",
        unit="kg",
        low=0.0,
        high=1e5,
    ),
    Parameter(
        "believed_centre",
        "believed.centre_m",
        "centre of mass used to compensate",
        "@centre_m",
        unit="m",
        size=3,
        low=-100.0,
        high=100.0,
    ),
    Parameter(
        "believed_inertia",
        "believed.inertia_kg_m2",
        "inertia used to compensate",
        "@inertia_kg_m2",
        unit="kg m^2",
        size=6,
        kind="tool_inertia",
    ),
    Parameter(
        "acceleration",
        "believed.acceleration",
        "where the compensation takes the acceleration from",
        "commanded",
        choices=ACCELERATIONS,
    ),
)


class Load(NamedTuple):
    """Mass properties of a mock-up."""

    mass: float  # kg
    centre: tuple  # m, body axes
    inertia: tuple  # kg m^2


class MockUpParams(NamedTuple):
    true: Load
    believed: Load
    sensor: tuple  # m, body axes
    acceleration: int
    heavy: bool  # there is something to weigh


@compiled
def is_heavy(vector, base):
    """Whether there is anything to weigh, or believed to be."""
    keys = MOCK_UP(vector, base)
    loads = keys.mass + keys.believed_mass
    return loads + keys.inertia[0] + keys.believed_inertia[0] > 0.0


@compiled
def prepare_mock_up(vector, base):
    keys = MOCK_UP(vector, base)
    return MockUpParams(
        true=Load(keys.mass, keys.centre, keys.inertia),
        believed=Load(keys.believed_mass, keys.believed_centre, keys.believed_inertia),
        sensor=keys.sensor,
        acceleration=int(keys.acceleration),
        heavy=is_heavy(vector, base),
    )


@compiled
def weigh(load: Load, sensor, gravity_W, motion: Motion, a_W, alpha):
    """Weight and inertia of a mock-up at the sensor: force and torque, body axes, about the
    sensor's origin."""
    w, c = motion.w, load.centre
    a_B = rotate_back(motion.q, subtract(gravity_W, a_W))  # g - a of the body's reference point
    turning = add(cross(alpha, c), cross(w, cross(w, c)))
    force = scale(load.mass, subtract(a_B, turning))
    spin = add(symmetric_times(load.inertia, alpha), cross(w, symmetric_times(load.inertia, w)))
    return Wrench(force, subtract(cross(subtract(c, sensor), force), spin))


@compiled
def to_sensor(sensor, q, wrench: Wrench):
    """A wrench about the body's centre of mass in world axes, as the sensor feels it: about its
    origin, body axes."""
    force = rotate_back(q, wrench.force)
    return Wrench(force, subtract(rotate_back(q, wrench.torque), cross(sensor, force)))


@compiled
def from_sensor(sensor, q, reading: Wrench):
    """The reverse: about the body's centre of mass, world axes (Lange eqs. 3, 4)."""
    torque = add(reading.torque, cross(sensor, reading.force))
    return Wrench(rotate(q, reading.force), rotate(q, torque))


@compiled
def plus(a, factor, b):
    """a + factor b, both wrenches about the same point in the same axes."""
    return Wrench(add_scaled(a.force, factor, b.force), add_scaled(a.torque, factor, b.torque))
