"""Sensors far from any contact and in one, and many readings of them."""

from __future__ import annotations

from scenarios import epos_wall, sphere_on_sphere

from softdock import build
from softdock.compile.jit import entry_point
from softdock.loop.robots.robot import Chance
from softdock.loop.sensor import force_torque
from softdock.loop.spatial.motion import Wrench
from softdock.loop.vector import SENSOR_AT

read_sensor, prepare_sensor = (
    entry_point(force_torque.read_sensor),
    entry_point(force_torque.prepare_sensor),
)
T, CHANCE = 0.004, Chance(11, 0)
NOTHING = Wrench((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
TRUE = Wrench((3.0, -4.0, 5.0), (0.1, 0.2, -0.3))


def far_apart(**sensor):
    """Nothing touches: the reading is noise alone."""
    tables = epos_wall()
    tables["chaser"]["position_m"] = [1.0, 0.0, 0.0]
    tables["chaser"]["velocity_m_per_s"] = [0.0, 0.0, 0.0]
    tables["time"]["duration_s"] = 40.0
    tables["sensor"] = sensor
    tables["random"] = {"seed": 11}
    return tables


def sensor(**keys):
    """What the core prepares from a user's keys."""
    return prepare_sensor(build(far_apart(**keys)).vector, SENSOR_AT, T)


def in_contact(**sensor):
    tables = sphere_on_sphere(delay_ms=6.0)
    tables["sensor"] = sensor
    return tables
