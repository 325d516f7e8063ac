"""`model_mediated` at materials that are none of its laws, against the independent integrator of
benchmarks/model_mediated/material_laws.py behind the public seam."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.model_mediated.material_laws import NAMES
from benchmarks.model_mediated.materials import Rig, draw, touch_once
from softdock.methods.model_mediated.notes import list_doubts

SEED = 1795102901
LONG = 0.2  # of the contact's time: a delay below
LATE = 0.035  # s: a robot later
RIGS = 4  # of each material, whose doubts are counted


def draw_late(kind: int) -> Rig:
    """The first rig of a material whose contact is over before its late robot reacts."""
    rng = np.random.default_rng([SEED, kind])
    while True:
        rig = draw(rng, kind, 0.0)
        if rig.late > LATE and np.pi * rig.numbers[2] / rig.speed < rig.late:
            return rig


def draw_long(kind: int) -> Rig:
    """The first rig of a material whose contact is longer than five delays."""
    rng = np.random.default_rng([SEED, kind])
    while True:
        rig = draw(rng, kind, 0.0)
        if rig.late < LONG * np.pi * rig.numbers[2] / rig.speed:
            return rig


@pytest.mark.parametrize("kind", range(len(NAMES)))
def test_a_contact_of_an_unknown_material_is_near_its_truth(kind):
    """Contacts longer than five delays: within 1 %, or doubted."""
    error, said = touch_once(draw_long(kind))
    assert said["contact_0_law"] in ("passive elements", "spring")
    assert abs(error) <= 0.01 or list_doubts(said)


def test_of_what_is_near_its_truth_at_most_three_in_ten_are_doubted():
    """Of all materials and lengths of contacts."""
    near, doubted = 0, 0
    for kind in range(len(NAMES)):
        rng = np.random.default_rng([SEED, 100 + kind])
        for _ in range(RIGS):
            error, said = touch_once(draw(rng, kind, 0.0))
            near += abs(error) <= 0.01
            doubted += abs(error) <= 0.01 and bool(list_doubts(said))
    assert near > 0.6 * RIGS * len(NAMES)
    assert doubted <= 0.3 * near


def test_the_first_touch_pushes_less_than_mock_ups_that_go_on():
    """A contact that is over before a robot can react: the way of one that goes on at the speed of
    the touch for its delay is not gone. The stages are lossless: force is depth."""
    said = touch_once(draw_late(6))[1]
    assert said["contact_0_peak_force_N"] < said["contact_0_force_before_reaction_N"]


def test_without_elements_it_is_much_further():
    """The named laws alone miss a rubber by more than five times as much."""
    rig = draw_long(0)
    alone = touch_once(rig, elements=False)[0]
    assert abs(alone) > 5.0 * abs(touch_once(rig)[0])


def test_a_lossless_contact_is_not_doubted():
    """Three lossless stages: nothing is lost, so nothing can be lost wrongly."""
    assert touch_once(draw_long(6))[1]["contact_0_doubt"] < 0.005
