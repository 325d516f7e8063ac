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
from typing import Any, NamedTuple

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled, noinline
from softdock.loop.method.interface import Measured, Rig, Satellites, Wrenches
from softdock.loop.spatial.motion import Wrench, no_wrench, opposite
from softdock.loop.spatial.rotations import rotate_back
from softdock.loop.spatial.vectors import add, cross, load3, norm, subtract
from softdock.methods.measured.paired_poses import (
    Poses,
    compute_pair_work,
    compute_relative_displacement,
    take_poses,
)
from softdock.methods.measured.projection import find_line

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

OVERDRAFT = 0.01  # of a contact's energy: less is not worth a warning

DOUBTS = Cells(  # the state; in these functions `s`
    "doubts",
    Cell("reading", Wrench, "N, Nm", "on the chaser, that is believed in this cycle"),
    Cell("raw", Wrench, "N, Nm", "the sensor's last, in the axes of its mock-up"),
    Cell("same", int, "cycles", "since the reading last changed"),
    Cell("frozen", int, "cycles", "in which a frozen reading did not act"),
    Cell("jumps", int, "-", "readings held back for a cycle"),
    Cell("saturated", int, "cycles", "with a channel at its range"),
    Cell(
        "overdrawn",
        float,
        "J",
        "most by which the readings had the contact return more than it took",
    ),
    Cell("changed", Poses, "m, -", "of the mock-ups when the reading last changed"),
    Cell("untouched", Poses, "m, -", "of the mock-ups when the force was last no contact"),
    Cell("distrust", bool, "-", "no reading of this contact may give energy until the force ends"),
    Cell("lifted", float, "J", "what the contact absorbed beyond what the readings say"),
    Cell("no_number", int, "cycles", "in which a reading that was no number did not act"),
    Cell("astray", int, "cycles", "in which a reading that gave far more than it took did not act"),
    Cell("cut", int, "cycles", "in which a wrench was cut (passive_ceiling.py)"),
)


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
    Cell("limits", int),
    Cell("on", int),
    Cell("on_chaser", int),
    Cell("on_target", int),
    Cell("chaser_hand", int),
    Cell("target_hand", int),
)
LIMITS = Cells(
    "sensor_limits",
    Cell("range_force", float, "N"),
    Cell("range_torque", float, "Nm"),
    Cell("resolution_force", float, "N"),
    Cell("resolution_torque", float, "Nm"),
)


@noinline
def prepare_doubts(vector, frozen, jump, given_range, sensor):
    """`given_range`: N, of the method's own key; `sensor`: where in the vector the six places stand
    that `scenario.build` wrote."""
    places = PLACES(vector, sensor)
    limits, on_target = LIMITS(vector, places.limits), int(vector[places.on]) == 1
    place = load3(vector, places.on_target if on_target else places.on_chaser)
    hands = vector[places.chaser_hand] > 0.0 or vector[places.target_hand] > 0.0
    return Doubts(
        frozen=frozen,
        jump=jump,
        range_force=given_range if given_range > 0.0 else limits.range_force,
        range_torque=limits.range_torque,
        resolution_force=limits.resolution_force,
        resolution_torque=limits.resolution_torque,
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
def _should_have_changed(s, doubts: Doubts, wrench: Wrench, poses: Poses):
    """Whether the mock-ups moved so far since the reading last changed that the force must be
    another: by the growth of force with depth since touch."""
    size, step = norm(wrench.force), doubts.resolution_force
    if step == 0.0:
        return True
    changed = s.changed
    entered = compute_relative_displacement(s.untouched, changed)
    depth = -compute_pair_work(wrench, entered) / size
    way = abs(compute_pair_work(wrench, compute_relative_displacement(changed, poses))) / size
    return (size - step) * way > STEPS * step * max(depth, 0.0)


@noinline
def _judge_reading(s, T, doubts: Doubts, threshold, measured: Measured, giving):
    """Put the wrench that is believed into its cell; True if it is not the one delivered.
    `giving`: the wrench now gives energy to the satellites."""
    body, wrench = (
        (measured.mock_ups.target, measured.wrenches.target)
        if doubts.on_target
        else (measured.mock_ups.chaser, measured.wrenches.chaser)
    )
    f, t = rotate_back(body.q, wrench.force), rotate_back(body.q, wrench.torque)
    if not is_finite(wrench):
        s.no_number += 1
        s.reading = no_wrench()
        return True
    raw, poses, size = s.raw, take_poses(measured.mock_ups), norm(f)
    change = norm(subtract(f, raw.force))
    same = change <= SAME_READING * size and norm(subtract(t, raw.torque)) <= SAME_READING * (
        norm(t) + size
    )
    saturated = _at_range(doubts.range_force, doubts.resolution_force, _largest(f))
    saturated = saturated or _at_range(
        doubts.range_torque, doubts.resolution_torque, _largest(subtract(t, cross(doubts.place, f)))
    )
    s.same = s.same + 1 if same and size > threshold and not saturated else 0
    s.saturated += 1 if saturated else 0
    s.raw = Wrench(f, t)
    if size <= threshold:
        s.untouched = poses
        s.distrust = False
    if not same:
        s.changed = poses
    frozen = (
        doubts.frozen > 0.0
        and s.same * T > doubts.frozen
        and _should_have_changed(s, doubts, measured.wrenches.chaser, poses)
    )
    if giving and (frozen or s.distrust):
        if frozen:
            s.frozen += 1
        else:
            s.astray += 1
        s.reading = no_wrench()
        return True
    if doubts.jump > 0.0 and change > doubts.jump:
        s.jumps += 1
        return True  # the last one believed stays for this cycle
    s.reading = measured.wrenches.chaser
    return False


@compiled
def is_finite(wrench: Wrench):
    return math.isfinite(norm(wrench.force) + norm(wrench.torque))


@compiled
def _exchange(wrench: Wrench, old: Wrench, new: Wrench):
    """A wrench with one part of it replaced by another."""
    force, torque = (
        add(subtract(wrench.force, old.force), new.force),
        add(subtract(wrench.torque, old.torque), new.torque),
    )
    return Wrench(force, torque)


@compiled
def believe(
    s,
    rig: Rig,
    doubts: Doubts,
    threshold,
    measured: Measured,
    satellites: Satellites,
    wrenches: Wrenches,
):
    """What was measured with the wrench that is believed, and the wrenches on the satellites with
    it in place of the one delivered."""
    giving = find_line(rig, satellites, measured.wrenches.chaser).speed > 0.0
    if not _judge_reading(s, rig.T, doubts, threshold, measured, giving):
        return measured, wrenches
    m, chaser = measured, s.reading
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
        _exchange(wrenches.chaser, m.wrenches.chaser, chaser),
        _exchange(wrenches.target, m.wrenches.target, target),
    )
    return believed, acting


@compiled
def compute_least_absorbed(doubts: Doubts, spare, variance):
    """The least energy [J] that the contact can have absorbed since touch: a passive one none below
    zero. `spare`: J, what may be missing anyhow; `variance`: J^2, of the noise's work."""
    return -math.inf if doubts.hands else -spare - NOISE_MARGIN * math.sqrt(max(variance, 0.0))


@compiled
def delivers_force(s, threshold):
    """Whether the sensor delivers a force, believed or not."""
    return norm(s.raw.force) > threshold


@compiled
def update_lifted(s, least, absorbed, touching, energy):
    """By how much the readings' `absorbed` [J] is below the least that it can be. Judged while a
    force is felt, and kept after: what a contact takes and gives below the threshold need not have
    been counted both. `energy`: J, of the satellites when it opened."""
    if touching:
        s.lifted = max(least - absorbed, 0.0)
        s.overdrawn = max(s.overdrawn, least - absorbed)
        if least - absorbed > FAR_ASTRAY * energy:
            s.distrust = True
        elif absorbed >= least:  # one bad sample, and its way is over
            s.distrust = False
    return s.lifted


def count_doubts(s: Any) -> dict[str, float]:
    """What was not believed in a run, after it."""
    return {
        "cycles_not_believed": float(s.frozen + s.no_number + s.astray),
        "cycles_frozen": float(s.frozen),
        "cycles_no_number": float(s.no_number),
        "cycles_far_astray": float(s.astray),
        "cycles_cut": float(s.cut),
        "jumps": float(s.jumps),
        "cycles_saturated": float(s.saturated),
        "overdrawn_J": float(s.overdrawn),
    }


def describe_doubts(s: Any, energy: float) -> list[str]:
    """The same in words, for the run's log. `energy`: J, of a contact; a hundredth of it too much
    is no event."""
    counts, found = count_doubts(s), []
    for key, words in (
        ("frozen", "froze"),
        ("no_number", "was no number"),
        ("far_astray", "had given far more than it took"),
    ):
        if counts[f"cycles_{key}"]:
            found.append(
                f"the force {words}: it did not act in {counts[f'cycles_{key}']:.0f} cycles"
            )
    if counts["cycles_cut"]:
        found.append(
            "the wrench would have given more than a passive contact can return: it was cut "
            f"in {counts['cycles_cut']:.0f} cycles"
        )
    if counts["jumps"]:
        found.append(
            f"the force jumped {counts['jumps']:.0f} times; each jump was held back for a cycle"
        )
    if counts["cycles_saturated"]:
        found.append(
            f"a channel of force or torque was saturated in {counts['cycles_saturated']:.0f} "
            "cycles: the real work was larger than what is booked"
        )
    if counts["overdrawn_J"] > OVERDRAFT * energy:
        found.append(
            f"by the readings the contact returned up to {counts['overdrawn_J']:.3g} J more than "
            "it took, which no passive contact does: not given"
        )
    return found
