"""What the facility reports: samples of the force sensors, what is delivered of them at t_k, and
the measured poses.

Part of the facility (simulated.py calls it); the models themselves are in sensor/. A sensor that
feels nothing but the contact takes the short way; what a mock-up weighs, what electronics do and
what a hand pushes is prepared from the vector only where a scenario has it.
"""

from __future__ import annotations

from softdock.core.facility.moving import chaser_carrier, target_carrier
from softdock.core.facility.poses import Watch, see_poses
from softdock.core.facility.reading import full_reading, noisy_contact
from softdock.core.facility.state import Felt
from softdock.core.machine.compiled import apart, compiled
from softdock.core.machine.vector import WRENCH_FLOATS, sample_floats
from softdock.core.rings import Ring, masked_row
from softdock.core.sensor.force_torque import LATEST, ON_BOTH, ON_CHASER, ON_TARGET, newest_arrived
from softdock.core.sensor.mock_up import plus
from softdock.core.spatial.motion import load_wrench, no_wrench, store_wrench

__all__ = ["Watch", "see_poses"]


@compiled
def _sample_at(m, on, sample):
    """Where one sample (number from the start) is kept."""
    return masked_row(Ring(m.samples, m.sample_slots, sample_floats(on)), sample)


@compiled
def _targets(on):
    """Offset from there to the target's wrench."""
    return WRENCH_FLOATS if on == ON_BOTH else 0


@compiled
def sample_wrenches(params, vector, mem, tick, before, now, true):
    """One sample of the force sensors, as the report has it: with a tool raw in sensor axes, else
    about the centre of mass, world axes. The chaser's is returned; and into its slot, unless it is
    delivered at once. `before`, `now`: both mock-ups at the begin and the end of the plant's
    step; `true`: the contact's wrenches on them."""
    m, sensor, chance = params.memory, params.sensor, params.chance
    slot = _sample_at(m, sensor.on, tick.sample)
    first = no_wrench()
    if sensor.on != ON_TARGET:
        if sensor.plain and params.flags.chaser_light:
            first = noisy_contact(vector, sensor, chance, 0, tick, true.chaser, now.chaser.q)
        else:
            robot, felt = chaser_carrier(params), Felt(true.chaser, before.chaser, now.chaser)
            first = full_reading(params.features, vector, mem, robot, m.filters, tick, felt)
        if not sensor.direct:
            store_wrench(mem, slot, first)
    if sensor.on != ON_CHASER:
        if sensor.plain and params.flags.target_light:
            reading = noisy_contact(vector, sensor, chance, 1, tick, true.target, now.target.q)
        else:
            robot, felt = target_carrier(params), Felt(true.target, before.target, now.target)
            filters = m.filters + WRENCH_FLOATS
            reading = full_reading(params.features, vector, mem, robot, filters, tick, felt)
        store_wrench(mem, slot + _targets(sensor.on), reading)
    return first


@compiled
def hand_over(params, mem, handed, k, sampled, reading, reading_time):
    """What the controller gets at t_k: the newest sample that has arrived, or the mean of those
    that arrived since the last hand-over."""
    m, sensor = params.memory, params.sensor
    if sensor.direct:
        return k, sampled, k * params.T
    newest = k if sensor.prompt else newest_arrived(sensor, k * params.T)
    if not sensor.prompt and (newest <= handed or newest < 0):
        return handed, reading, reading_time
    when = newest * sensor.period
    if sensor.handover == LATEST and not sensor.thresholded and sensor.on == ON_CHASER:
        return newest, load_wrench(mem, _sample_at(m, sensor.on, newest)), when
    if sensor.handover != LATEST:
        when -= (
            0.5 * (newest - max(handed + 1, newest - m.sample_slots + 1)) * sensor.period
        )  # a mean is as old as its samples are on average
    return newest, _gathered(sensor, m, mem, handed, newest), when


@apart
def _gathered(sensor, m, mem, handed, newest):
    """Latest or mean, both sensors. The target's reading goes to `mem`; returned is the
    chaser's, or the only sensor's."""
    first = newest if sensor.handover == LATEST else max(handed + 1, newest - m.sample_slots + 1)
    weight = 1.0 / (newest - first + 1)
    chaser, target = no_wrench(), no_wrench()
    for sample in range(first, newest + 1):
        slot = _sample_at(m, sensor.on, sample)
        if sensor.on != ON_TARGET:
            chaser = plus(chaser, weight, load_wrench(mem, slot))
        if sensor.on != ON_CHASER:
            target = plus(target, weight, load_wrench(mem, slot + _targets(sensor.on)))
    if sensor.on != ON_CHASER:
        store_wrench(mem, m.second, target)
    return target if sensor.on == ON_TARGET else chaser
