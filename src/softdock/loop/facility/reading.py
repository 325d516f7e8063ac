"""One sample of a force sensor with its tool: contact, weight and inertia of the mock-up, a hand's
push, and the electronics (stage 5).

In: the true wrench of the contact and the mock-up's motion at the instant of the sample. Out: the
raw wrench [N, Nm] in sensor axes at the sensor's origin, or the contact's own wrench in world axes
where no tool is carried. What a scenario does not have is neither prepared nor computed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from softdock.compile.features import is_full
from softdock.compile.jit import by_type, compiled, noinline
from softdock.loop.command import prepare_laboratory
from softdock.loop.memory import REPORTS
from softdock.loop.robots.memory import ROBOT_STATE
from softdock.loop.robots.robot import ROBOT, is_elastic
from softdock.loop.schedules import schedule_at, scheduled
from softdock.loop.sensor.force_torque import prepare_sensor, read_sensor, sensor_noise
from softdock.loop.sensor.mock_up import (
    MOCK_UP,
    from_sensor,
    plus,
    prepare_mock_up,
    to_sensor,
    weigh,
)
from softdock.loop.spatial.vectors import scale, subtract
from softdock.loop.vector import (
    CHASER_HAND_AT,
    CHASER_MOCK_UP_AT,
    CHASER_ROBOT_AT,
    LABORATORY_AT,
    SCHEDULE,
    SENSOR_AT,
)

if TYPE_CHECKING:
    from softdock.loop.facility.state import Felt, Tick
    from softdock.loop.robots.prepare import Carrier, Chance
    from softdock.loop.sensor.force_torque import Sampling
    from softdock.loop.spatial.motion import Wrench

# the target's part of the vector follows the chaser's
ROBOT_SIZE, MOCK_UP_SIZE, SCHEDULE_SIZE = ROBOT.size, MOCK_UP.size, SCHEDULE.size


@compiled
def sample_contact(vector, sensor: Sampling, chance: Chance, which, tick: Tick, contact: Wrench, q):
    """A sensor that feels the contact alone: no need to go to its axes and back, but for the
    noise."""
    if not sensor.noisy:
        return contact
    at = MOCK_UP(vector, CHASER_MOCK_UP_AT + which * MOCK_UP_SIZE).sensor
    return plus(
        contact, 1.0, from_sensor(at, q, sensor_noise(sensor, chance, which, tick.k, tick.sample))
    )


@compiled
def _contact_alone(features, vector, mem, carrier: Carrier, reports, tick: Tick, felt: Felt):
    return felt.contact


@noinline
def _full_reading(features, vector, mem, carrier: Carrier, reports, tick: Tick, felt: Felt):
    """One sample of a sensor with all that it carries and does. With a tool: as it is read, sensor
    axes (readings.py compensates); without: moved to the centre of mass, world axes."""
    contact, was, motion = felt
    which, moving, t, dt = carrier.follower.which, ROBOT_STATE(mem, carrier.state), tick.t, tick.dt
    sensor = prepare_sensor(vector, SENSOR_AT, carrier.T)
    mock_up = prepare_mock_up(vector, CHASER_MOCK_UP_AT + which * MOCK_UP_SIZE)
    hand = scheduled(
        vector, schedule_at(vector, CHASER_HAND_AT + which * SCHEDULE_SIZE), t, motion.q
    )
    pushed = to_sensor(mock_up.sensor, motion.q, plus(contact, 1.0, hand))
    gravity = prepare_laboratory(vector, LABORATORY_AT).gravity
    elastic = is_elastic(vector, CHASER_ROBOT_AT + which * ROBOT_SIZE)
    if mock_up.heavy:
        true = (
            scale(1.0 / dt, subtract(motion.v, was.v)) if elastic else moving.acceleration
        )  # in `mem` are the motors' accelerations
        pushed = plus(
            pushed,
            1.0,
            weigh(
                mock_up.true,
                mock_up.sensor,
                gravity,
                motion,
                true,
                moving.turning,
            ),
        )
    filters = REPORTS(mem, reports).filters
    reading, filtered = read_sensor(sensor, carrier.chance, which, tick, filters[which], pushed)
    filters[which] = filtered
    if mock_up.heavy:
        return reading
    return from_sensor(mock_up.sensor, motion.q, reading)


@by_type(lambda cls: _full_reading if is_full(cls) else _contact_alone)
def sample_full_sensor(features, vector, mem, carrier, reports, tick, felt):
    """One sample of a sensor that is more than noise on the contact."""
