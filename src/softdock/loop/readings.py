"""From raw readings to wrenches of the contact: the controller's half of stage 5 (facility/ has the
sensor's half).

In: raw readings (sensor axes) of sensors that carry a tool, with their age; the poses as reported,
with theirs; the set-points that the controller has sent. Out: wrenches [N, Nm] on both mock-ups,
about the centres of mass, world axes.

    the pose is coasted from its own instant to the sample's
    the acceleration is that of the set-points sent, a known delay before the sample ("commanded"),
    or what the reported twists gained since the report before ("measured")

The fused loop, the controller behind a seam and a rig call the same functions. A sensor without a
tool needs none of them but the dead band (`threshold`). Where a reading is a mean of several
samples, pose and acceleration are those at the middle of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from softdock.compile.features import is_full
from softdock.compile.generated import make_replacer
from softdock.compile.jit import by_type, compiled, noinline
from softdock.loop.bodies import CHASER, TARGET
from softdock.loop.command import prepare_laboratory
from softdock.loop.facility.reading import MOCK_UP_SIZE, ROBOT_SIZE
from softdock.loop.facility.state import Facility
from softdock.loop.instants import SAME_CYCLE
from softdock.loop.memory import REPORTS, Twist
from softdock.loop.method.interface import Output
from softdock.loop.robots.history import acceleration_at, push
from softdock.loop.robots.robot import whole_delay
from softdock.loop.sensor.force_torque import ON_BOTH, ON_CHASER, ON_TARGET
from softdock.loop.sensor.mock_up import (
    COMMANDED,
    MEASURED,
    MOCK_UP,
    from_sensor,
    plus,
    prepare_mock_up,
    weigh,
)
from softdock.loop.spatial.motion import (
    MOTION_FLOATS,
    Motion,
    Wrench,
    coasting,
    no_wrench,
)
from softdock.loop.spatial.vectors import norm, scale, subtract
from softdock.loop.vector import CHASER_MOCK_UP_AT, CHASER_ROBOT_AT, LABORATORY_AT

if TYPE_CHECKING:
    from softdock.loop.params import Params
    from softdock.loop.sensor.force_torque import Sampling
    from softdock.loop.sensor.mock_up import MockUpParams

# From what a force sensor reads to the wrench of the contact: the tool is taken out with what the
# user believes of it.
#
# In: the raw reading (N, Nm), sensor axes, about the sensor's origin; the reported motion of the
# body that carries the sensor, and its acceleration. Out: the wrench on that body about its centre
# of mass, world axes (Lange eqs. 3 and 4, with the inertia that they leave out;
# loop/sensor/mock_up.py).
#
# This is the controller's part: a simulated facility and a rig deliver the same raw reading, and
# this function is the only one that compensates. It holds as well as pose, acceleration and belief
# do: an error of 1 % of 10 kg is 1 N of weight.


@compiled
def compensate_wrench(
    mock_up: MockUpParams, gravity_W, motion: Motion, a_W, alpha, raw: RawReading
):
    """`mock_up`: MockUpParams; `motion`: where the body is believed to have been when the sample
    was taken; `a_W`: its acceleration [m/s^2], `alpha`: its angular acceleration [rad/s^2]."""
    load = weigh(mock_up.believed, mock_up.sensor, gravity_W, motion, a_W, alpha)
    return from_sensor(mock_up.sensor, motion.q, plus(raw, -1.0, load))


_with_reading = make_replacer(Facility, "reading")


@compiled
def _remember(features, params: Params, mem, stamp, command: Output):
    if params.flags.chaser_heavy or params.flags.target_heavy:
        m = params.memory
        push(mem, m.commands, m.command_slots, stamp, command.chaser)
        target = m.commands + m.command_slots * MOTION_FLOATS
        push(mem, target, m.command_slots, stamp, command.target)


@compiled
def _forget(features, params: Params, mem, stamp, command: Output):
    pass


@by_type(lambda cls: _remember if is_full(cls) else _forget)
def remember_command(features, params, mem, stamp, command):
    """Keep the set-points sent, where a tool's inertia is to be taken from them."""


@compiled
def read_mock_ups(params: Params, mem, facility: Facility):
    """The mock-ups as the facility reports them."""
    if params.flags.ideal_pose:
        return Output(facility.chaser, facility.target)
    return REPORTS(mem, params.memory.reports).seen


@compiled
def _whole(features, params: Params, vector, mem, facility: Facility, handed, k):
    if not (params.flags.chaser_heavy or params.flags.target_heavy or params.sensor.thresholded):
        return facility
    return _with_reading(facility, _compensate_both(params, vector, mem, facility, handed, k))


@compiled
def _threshold_alone(features, params: Params, vector, mem, facility: Facility, handed, k):
    """One sensor, on the chaser, without a tool: nothing but its threshold is left to do, and a
    loop of a few hundred nanoseconds does not pay for a call."""
    if not params.sensor.thresholded or facility.handed == handed:
        return facility
    if norm(facility.reading.force) < params.sensor.threshold:
        return _with_reading(facility, no_wrench())
    return facility


@by_type(lambda cls: _whole if is_full(cls) else _threshold_alone)
def compensate_readings(features, params, vector, mem, facility, handed, k):
    """The simulated facility at t_k with the readings as the controller has them from here on.
    `handed`: number of the newest sample that it knew before."""


@noinline
def _compensate_both(params: Params, vector, mem, facility: Facility, handed, k):
    on, t, reports = params.sensor.on, k * params.T, REPORTS(mem, params.memory.reports)
    seen = read_mock_ups(params, mem, facility)
    force_age, pose_age = t - facility.reading_time, t - facility.seen_time
    note_twists(params, mem, k, pose_age, seen)
    if facility.handed == handed:
        return facility.reading
    chaser = facility.reading if on != ON_TARGET else no_wrench()
    target = reports.second if on != ON_CHASER else no_wrench()
    if params.flags.chaser_heavy and on != ON_TARGET:
        raw = RawReading(
            which=CHASER, wrench=chaser, motion=seen.chaser, force_age=force_age, pose_age=pose_age
        )
        chaser = compensate_reading(params.features, params, vector, mem, k, raw)
    if params.flags.target_heavy and on != ON_CHASER:
        raw = RawReading(
            which=TARGET, wrench=target, motion=seen.target, force_age=force_age, pose_age=pose_age
        )
        target = compensate_reading(params.features, params, vector, mem, k, raw)
    chaser, target = apply_threshold(params.sensor, chaser, target)
    if on != ON_CHASER:
        reports.second = target
    return target if on == ON_TARGET else chaser


@compiled
def apply_threshold(sensor: Sampling, chaser, target):
    """Both wrenches of the contact; zero where the force is below the sensor's threshold."""
    if not sensor.thresholded:
        return chaser, target
    force = norm(chaser.force) if sensor.on != ON_TARGET else norm(target.force)
    if sensor.on == ON_BOTH:
        force = 0.5 * norm(subtract(chaser.force, target.force))
    if force < sensor.threshold:
        return no_wrench(), no_wrench()
    return chaser, target


class RawReading(NamedTuple):
    """A new reading of one sensor, before what the mock-up weighs is taken off."""

    which: int  # CHASER or TARGET: whose
    wrench: Wrench  # sensor axes, about the sensor's origin
    motion: Motion  # of the mock-up, as reported
    force_age: float  # s, of the reading
    pose_age: float  # s, of the motion


@compiled
def _turn_reading(features, params: Params, vector, mem, k, raw: RawReading):
    motion = raw.motion
    if raw.pose_age != raw.force_age:
        motion = coasting(motion, raw.pose_age - raw.force_age)
    keys = MOCK_UP(vector, CHASER_MOCK_UP_AT + raw.which * MOCK_UP_SIZE)
    return from_sensor(keys.sensor, motion.q, raw.wrench)


@noinline
def _compensate(features, params: Params, vector, mem, k, raw: RawReading):
    m, T = params.memory, params.T
    which, motion, force_age, pose_age = raw.which, raw.motion, raw.force_age, raw.pose_age
    mock_up = prepare_mock_up(vector, CHASER_MOCK_UP_AT + which * MOCK_UP_SIZE)
    gravity = prepare_laboratory(vector, LABORATORY_AT).gravity
    a, alpha = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    if mock_up.heavy and mock_up.acceleration == COMMANDED:
        late = force_age + whole_delay(vector, CHASER_ROBOT_AT + which * ROBOT_SIZE)
        # a reading older than what is kept of the commands gets the oldest kept
        cycles = max((k * T - late) / T, k - m.command_slots + 2.0)
        ring = m.commands + which * m.command_slots * MOTION_FLOATS
        a, alpha = acceleration_at(T, mem, ring, m.command_slots, cycles)
    elif mock_up.heavy and mock_up.acceleration == MEASURED:
        a, alpha = REPORTS(mem, m.reports).gains[which]
    if pose_age != force_age:
        motion = coasting(motion, pose_age - force_age)
    return compensate_wrench(mock_up, gravity, motion, a, alpha, raw.wrench)


@by_type(lambda cls: _compensate if is_full(cls) else _turn_reading)
def compensate_reading(features, params, vector, mem, k, raw):
    """One new raw reading as the wrench of the contact."""


@compiled
def note_twists(params: Params, mem, k, pose_age, seen: Output):
    """Keep what the reported twists gained since the report before [m/s^2, rad/s^2]."""
    if not (params.flags.chaser_heavy or params.flags.target_heavy):
        return
    s, time = REPORTS(mem, params.memory.reports), k * params.T - pose_age
    dt = time - s.twists_time
    if k > 0 and dt <= SAME_CYCLE * params.T:
        return  # the same poses as before
    s.twists_time = time
    _note_twist(s, CHASER, 1.0 / dt if k > 0 else 0.0, seen.chaser)
    _note_twist(s, TARGET, 1.0 / dt if k > 0 else 0.0, seen.target)


@compiled
def _note_twist(s, which, per_dt, motion: Motion):
    was = s.twists[which]
    s.gains[which] = Twist(
        scale(per_dt, subtract(motion.v, was.v)), scale(per_dt, subtract(motion.w, was.w))
    )
    s.twists[which] = Twist(motion.v, motion.w)
