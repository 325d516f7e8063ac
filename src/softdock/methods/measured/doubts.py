"""Doubts: plausibility checks of the force sensor, and what a method notes of their failures. A
sensor may freeze, saturate, jump, or give no number.

A force that is not believed does not act. A frozen one goes on to act while it takes energy, so
that nobody drives on into a contact, and no longer when it would give. A jump beyond `jump_N` is
held back for one cycle. Saturation is noted. What a sensor can do, its range and resolution, is
read from the scenario.

And of the contact: it is passive, unless a hand is at the rig. Whatever its sensor says, since
touch it cannot have returned more than it took; readings that say so are not believed beyond a
margin for noise, and once they are far astray none of them gives energy until the force is gone.
This bounds what any fault of the sensor can do.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled, noinline
from softdock.loop.method.interface import Measured, Wrenches
from softdock.loop.spatial.motion import Wrench, load_wrench, no_wrench, opposite, store_wrench
from softdock.loop.spatial.rotations import rotate_back
from softdock.loop.spatial.vectors import add, cross, load3, norm, subtract
from softdock.methods.measured.paired_poses import (
    load_poses,
    poses_of,
    relative_displacement,
    store_poses,
    work_on,
)
from softdock.methods.measured.projection import line_of

# of a reading: changes below are the rounding of a turn to its axes and back, and of moving a
# torque over some metres
SAME_READING = 1e-12
AT_RANGE = 1e-9  # of the range
# of the sensor's resolution, by which the force should have changed before an unchanged reading is
# a frozen one
STEPS = 3.0
# of the satellites' energy at the opening: a contact that returned so much more than it took is no
# contact
FAR_ASTRAY = 0.5
NOISE_MARGIN = 4.0  # standard deviations of the noise's work

DOUBTS = Cells(
    "doubts",
    Cell("reading", 6, "N, Nm", "wrench on the chaser that is believed in this cycle"),
    Cell("raw", 6, "N, Nm", "the sensor's last wrench, in the axes of its mock-up"),
    Cell("same", 1, "cycles", "since the reading last changed"),
    Cell("frozen", 1, "cycles", "in which a frozen reading did not act"),
    Cell("jumps", 1, "-", "readings held back for a cycle"),
    Cell("saturated", 1, "cycles", "with a channel at its range"),
    Cell(
        "overdrawn", 1, "J", "most by which the readings had the contact return more than it took"
    ),
    Cell("changed", 14, "m, -", "poses of the mock-ups when the reading last changed"),
    Cell("untouched", 14, "m, -", "poses of the mock-ups when the force was last no contact"),
    Cell("distrust", 1, "-", "1: no reading of this contact may give energy until the force ends"),
    Cell("lifted", 1, "J", "what the contact absorbed beyond what the readings say"),
    Cell("no_number", 1, "cycles", "in which a reading that was no number did not act"),
    Cell("astray", 1, "cycles", "in which a reading that gave far more than it took did not act"),
    Cell("cut", 1, "cycles", "in which a wrench was cut (passive_ceiling.py)"),
)
DOUBT = DOUBTS.at


class Doubts(NamedTuple):
    """When a reading is not believed."""

    frozen: float  # s; 0: never
    jump: float  # N; 0: never
    range_force: float  # N; 0: no limit
    range_torque: float  # Nm
    resolution_force: float  # N; 0: none
    resolution_torque: float  # Nm
    on_target: bool  # which mock-up the sensor is behind; of two sensors, the chaser's axes count
    place: tuple  # m, of the sensor, body axes
    hands: bool  # the environment may give energy of its own


NO_DOUBTS = Doubts(
    frozen=0.0,
    jump=0.0,
    range_force=0.0,
    range_torque=0.0,
    resolution_force=0.0,
    resolution_torque=0.0,
    on_target=False,
    place=(0.0, 0.0, 0.0),
    hands=False,
)


PLACES = Cells(  # written by scenario/build.py: places of other keys in the vector
    "sensor_places",
    Cell("limits"),
    Cell("on"),
    Cell("on_chaser"),
    Cell("on_target"),
    Cell("chaser_hand"),
    Cell("target_hand"),
)
LIMITS = Cells(
    "sensor_limits",
    Cell("range_force", 1, "N"),
    Cell("range_torque", 1, "Nm"),
    Cell("resolution_force", 1, "N"),
    Cell("resolution_torque", 1, "Nm"),
)
PLACE, LIMIT = PLACES.at, LIMITS.at


@noinline
def prepare_doubts(vector, frozen, jump, told_range, sensor):
    """`sensor`: where in the vector the six places stand that `scenario.build` wrote."""
    v = vector
    limits, on_target = int(v[sensor + PLACE.limits]), int(v[int(v[sensor + PLACE.on])]) == 1
    place = load3(
        v, int(v[sensor + PLACE.on_target]) if on_target else int(v[sensor + PLACE.on_chaser])
    )
    hands = (
        v[int(v[sensor + PLACE.chaser_hand])] > 0.0 or v[int(v[sensor + PLACE.target_hand])] > 0.0
    )
    range_force = told_range if told_range > 0.0 else v[limits + LIMIT.range_force]
    return Doubts(
        frozen=frozen,
        jump=jump,
        range_force=range_force,
        range_torque=v[limits + LIMIT.range_torque],
        resolution_force=v[limits + LIMIT.resolution_force],
        resolution_torque=v[limits + LIMIT.resolution_torque],
        on_target=on_target,
        place=place,
        hands=hands,
    )


@compiled
def _largest(a):
    return max(abs(a[0]), abs(a[1]), abs(a[2]))


@compiled
def _at_range(limit, resolution, value):
    """Whether a channel is saturated; quantised, it may read half a step less."""
    return limit > 0.0 and value >= (limit - 0.5 * resolution) * (1.0 - AT_RANGE)


@compiled
def _should_have_changed(mem, at, doubts, wrench, poses):
    """Whether the mock-ups moved so far since the reading last changed that the force must be
    another: by the growth of force with depth since touch."""
    size, step = norm(wrench.force), doubts.resolution_force
    if step == 0.0:
        return True
    changed = load_poses(mem, at + DOUBT.changed)
    depth = (
        -work_on(wrench, relative_displacement(load_poses(mem, at + DOUBT.untouched), changed))
        / size
    )
    way = abs(work_on(wrench, relative_displacement(changed, poses))) / size
    return (size - step) * way > STEPS * step * max(depth, 0.0)


@noinline
def _doubt(mem, at, T, doubts, threshold, measured, giving):
    """Put the wrench that is believed into its cell; True if it is not the one delivered.
    `giving`: the wrench now gives energy to the satellites."""
    body, wrench = (
        (measured.mock_ups.target, measured.wrenches.target)
        if doubts.on_target
        else (measured.mock_ups.chaser, measured.wrenches.chaser)
    )
    f, t = rotate_back(body.q, wrench.force), rotate_back(body.q, wrench.torque)
    if not is_finite(wrench):
        mem[at + DOUBT.no_number] += 1.0
        store_wrench(mem, at + DOUBT.reading, no_wrench())
        return True
    raw, poses, size = load_wrench(mem, at + DOUBT.raw), poses_of(measured.mock_ups), norm(f)
    change = norm(subtract(f, raw.force))
    same = change <= SAME_READING * size and norm(subtract(t, raw.torque)) <= SAME_READING * (
        norm(t) + size
    )
    saturated = _at_range(doubts.range_force, doubts.resolution_force, _largest(f))
    saturated = saturated or _at_range(
        doubts.range_torque, doubts.resolution_torque, _largest(subtract(t, cross(doubts.place, f)))
    )
    mem[at + DOUBT.same] = (
        mem[at + DOUBT.same] + 1.0 if same and size > threshold and not saturated else 0.0
    )
    mem[at + DOUBT.saturated] += 1.0 if saturated else 0.0
    store_wrench(mem, at + DOUBT.raw, Wrench(f, t))
    if size <= threshold:
        store_poses(mem, at + DOUBT.untouched, poses)
        mem[at + DOUBT.distrust] = 0.0
    if not same:
        store_poses(mem, at + DOUBT.changed, poses)
    frozen = (
        doubts.frozen > 0.0
        and mem[at + DOUBT.same] * T > doubts.frozen
        and _should_have_changed(mem, at, doubts, measured.wrenches.chaser, poses)
    )
    if giving and (frozen or mem[at + DOUBT.distrust] != 0.0):
        mem[at + (DOUBT.frozen if frozen else DOUBT.astray)] += 1.0
        store_wrench(mem, at + DOUBT.reading, no_wrench())
        return True
    if doubts.jump > 0.0 and change > doubts.jump:
        mem[at + DOUBT.jumps] += 1.0
        return True  # the last one believed stays for this cycle
    store_wrench(mem, at + DOUBT.reading, measured.wrenches.chaser)
    return False


@compiled
def is_finite(wrench):
    return math.isfinite(norm(wrench.force) + norm(wrench.torque))


@compiled
def _exchanged(wrench, old, new):
    """A wrench with one part of it replaced by another."""
    force, torque = (
        add(subtract(wrench.force, old.force), new.force),
        add(subtract(wrench.torque, old.torque), new.torque),
    )
    return Wrench(force, torque)


@compiled
def believe(mem, at, rig, doubts, threshold, measured, satellites, wrenches):
    """What was measured with the wrench that is believed, and the wrenches on the satellites with
    it in place of the one delivered."""
    giving = line_of(rig, satellites, measured.wrenches.chaser).speed > 0.0
    if not _doubt(mem, at, rig.T, doubts, threshold, measured, giving):
        return measured, wrenches
    m, chaser = measured, load_wrench(mem, at + DOUBT.reading)
    target = opposite(chaser, subtract(satellites.chaser.p, satellites.target.p))
    believed = Measured(
        wrenches=Wrenches(chaser, target),
        mock_ups=m.mock_ups,
        force_age=m.force_age,
        pose_age=m.pose_age,
        mismatch=m.mismatch,
    )
    if not is_finite(m.wrenches.chaser):
        return believed, Wrenches(chaser, target)
    acting = Wrenches(
        _exchanged(wrenches.chaser, m.wrenches.chaser, chaser),
        _exchanged(wrenches.target, m.wrenches.target, target),
    )
    return believed, acting


@compiled
def least_absorbed(doubts, spare, variance):
    """The least energy [J] that the contact can have absorbed since touch: a passive one none below
    zero. `spare`: J, what may be missing anyhow; `variance`: J^2, of the noise's work."""
    return -math.inf if doubts.hands else -spare - NOISE_MARGIN * math.sqrt(max(variance, 0.0))


@compiled
def is_felt(mem, at, threshold):
    """Whether the sensor delivers a force, believed or not."""
    return norm(load3(mem, at + DOUBT.raw)) > threshold


@compiled
def lifted(mem, at, least, absorbed, touching, energy):
    """By how much the readings' `absorbed` [J] is below the least that it can be. Judged while a
    force is felt, and kept after: what a contact takes and gives below the threshold need not have
    been booked both. `energy`: J, of the satellites when it opened."""
    if touching:
        mem[at + DOUBT.lifted] = max(least - absorbed, 0.0)
        mem[at + DOUBT.overdrawn] = max(mem[at + DOUBT.overdrawn], least - absorbed)
        if least - absorbed > FAR_ASTRAY * energy:
            mem[at + DOUBT.distrust] = 1.0
        elif absorbed >= least:  # one bad sample, and its way is over
            mem[at + DOUBT.distrust] = 0.0
    return mem[at + DOUBT.lifted]
