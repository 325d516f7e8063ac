"""The energy bounds where nothing seems to touch, and with thrusters: what else could leave a rig
with more energy than is stated (rig/supervisor/energy.py)."""

from __future__ import annotations

import pytest
from rig_altered import AlteredRig, fields
from rig_energies import FLOOR_J, ends_of
from rig_runs import APPROACH, MASS, fly

from softdock.rig.outcome import compute_outcome

HELD_S = 0.5  # that a rig which bears it holds a force
BEARS = {
    "limits.stale_ms": 1e3,
    "limits.restitution": 1.12,
    "limits.energy_floor_J": 0.0,
    "limits.energy_contact": 1.0,
    "limits.energy_run": 5.0,
}
BEFORE_J = 0.5 * MASS * APPROACH**2


def test_a_force_held_after_the_parting_is_within_the_contact_s_bound():
    """A force too small for a contact, for 0.5 s after it, because no record came: the bound of
    that contact still counts, and the rig stops before more than that has left."""
    most, parted = [0.0], []

    def held(values, t):
        force = abs(1e-6 * values[3])
        most[0] = max(most[0], force)
        if parted and t < parted[0] + HELD_S:
            return []
        if most[0] > 3.0 and 0.1 < force < 0.24 and not parted:
            parted.append(t)
        return None

    program = AlteredRig({"sensor": fields(held)}, changes=BEARS).program
    found = compute_outcome(program)
    assert found.reason == "restitution"
    assert parted
    assert found.force_age_most_ms > 20.0
    assert 0.98 < found.kinetic_most_J / found.kinetic_bound_J <= 1.0


def test_a_bounce_too_soft_for_a_contact_is_within_the_run_s_bound():
    """Nothing is above `touch_N`, and the bounce invents a quarter of the approach's energy: the
    bound of the run counts from the start."""
    _, found = fly({"limits.touch_N": 20.0, "limits.energy_run": 0.1})
    assert (found.reason, found.contacts) == ("energy_run", 0)
    _, found = fly({"limits.touch_N": 20.0, "limits.energy_run": 0.3})
    assert (found.reason, found.contacts) == ("completed", 0)


def story(begin, comes_back, restitution):
    """Thrusters bring the chaser from a speed to that of the approach, then it touches and comes
    back so much faster."""
    work = BEFORE_J - 0.5 * MASS * begin**2
    return {
        "masses_kg": (MASS, None),
        "restitution": restitution,
        "energy_run": 5.0,
        "cycles": [
            ((-begin, 0.0), 0.0, 0.0),
            ((-APPROACH, 0.0), work, 0.0),
            ((-0.5 * APPROACH, 0.0), work, 3.0),
            *[((comes_back * APPROACH, 0.0), work, 0.0)] * 20,
        ],
    }


def test_thrusters_do_not_move_the_bound_of_a_contact():
    """Thrusters that have taken away three quarters of the energy before the touch, or given all of
    it: the bound is that of a bounce from the approach's speed, on either side of it."""
    begins = (2.0 * APPROACH, APPROACH, 0.0)
    found = ends_of([story(v, e, 1.1) for v in begins for e in (1.13, 1.16)])
    assert [reason for reason, _ in found] == ["none", "restitution"] * 3
    for _, bound in found:  # the floor lets 1.13 through, not 1.16
        assert bound == pytest.approx(1.1**2 * BEFORE_J + FLOOR_J, rel=1e-12)


def test_thrusters_on_both_satellites_do_not_widen_the_pair_s_bound():
    """Two free satellites that are pushed alike while they touch: their common motion gains what
    the thrusters give, and the pair's bound is as without; only what moves the pair counts."""
    masses, drift = (2.0 * MASS, 2.0 * MASS), 0.05
    pair = {"masses_kg": masses, "restitution": 1.1, "energy_run": 5.0}
    half = 0.5 * APPROACH
    pushed = 0.5 * sum(masses) * drift**2
    rows = [((-half, half), 0.0, 0.0), ((0.0, 0.0), 0.0, 3.0)]
    found = ends_of(
        [
            {**pair, "cycles": [*rows, *[((drift + e * half, drift - e * half), work, 0.0)] * 20]}
            for work in (pushed, 0.0)
            for e in (1.13, 1.16)
        ]
    )
    assert [reason for reason, _ in found] == ["none", "restitution", "restitution", "restitution"]
