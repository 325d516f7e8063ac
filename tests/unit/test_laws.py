"""Contact laws: push, energy and loss, each against its formula."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softdock import contact
from softdock.compiled import door
from softdock.contact import laws
from softdock.contact.laws import HUNT_CROSSLEY, LAWS, SPRING_DAMPER, SPRING_DAMPER_PULL
from softdock.contact.pairs import Law
from softdock.contact.touch import Touch

elastic_force, normal_force, stored_energy = door(laws.elastic_force), door(laws.normal_force), door(laws.stored_energy)
law_force = door(contact._law_force)

EXAMPLES = {
    "spring_damper": Law(SPRING_DAMPER, 4000.0, 50.0, 1.0),
    "spring_damper_pull": Law(SPRING_DAMPER_PULL, 4000.0, 50.0, 1.0),
    "hunt_crossley": Law(HUNT_CROSSLEY, 8000.0, 0.6, 1.5),
}
depths = st.integers(1, 2000).map(lambda n: n * 1e-5)  # m
rates = st.integers(-2000, 2000).map(lambda n: n * 1e-3)  # m/s


def test_every_law_has_an_example():
    """A law that joins the list must be tested here."""
    assert set(EXAMPLES) == set(LAWS)


@pytest.mark.parametrize("name", LAWS)
@given(depth=depths, rate=rates)
def test_only_the_pulling_law_pulls(name, depth, rate):
    """A contact never pulls; the papers' linear law may, by name, and does when it opens fast enough."""
    law, force = EXAMPLES[name], normal_force(EXAMPLES[name], depth, rate)
    if name == "spring_damper_pull":
        assert force == pytest.approx(4000.0 * depth + 50.0 * rate, abs=1e-9)
    else:
        assert force >= 0.0
    if rate >= 0.0:
        assert force >= elastic_force(law, depth)


def test_forces_by_hand():
    """Golden by hand: k d + b d'; k d^n (1 + lambda d'); clamp and pull where that is negative."""
    assert normal_force(EXAMPLES["spring_damper"], 0.01, 0.2) == pytest.approx(50.0, rel=1e-14)
    assert normal_force(EXAMPLES["spring_damper"], 0.01, -2.0) == 0.0
    assert normal_force(EXAMPLES["spring_damper_pull"], 0.01, -2.0) == pytest.approx(-60.0, rel=1e-14)
    assert normal_force(EXAMPLES["hunt_crossley"], 0.01, 0.5) == pytest.approx(8000.0 * 0.001 * 1.3, rel=1e-14)
    assert normal_force(EXAMPLES["hunt_crossley"], 0.01, -2.0) == 0.0


@pytest.mark.parametrize("name", LAWS)
@given(depth=depths)
def test_the_elastic_force_is_the_slope_of_the_stored_energy(name, depth):
    """V' = f, by central differences; V(0) = 0: what is stored can be given back exactly. 1e-6: the differences' own error."""
    law, h = EXAMPLES[name], 1e-4 * depth
    slope = (stored_energy(law, depth + h) - stored_energy(law, depth - h)) / (2 * h)
    assert elastic_force(law, depth) == pytest.approx(slope, rel=1e-6)
    assert stored_energy(law, 0.0) == 0.0


@pytest.mark.parametrize("name", LAWS)
@given(depth=depths, rate=rates)
def test_what_is_absorbed_is_stored_or_dissipated(name, depth, rate):
    """f d' = dV/dt + dissipated, and dissipated >= 0: no law makes energy, the clamp included."""
    law = EXAMPLES[name]
    force, stored, dissipated = law_force(law, Touch(depth, (1.0, 0.0, 0.0)), rate)
    assert dissipated >= 0.0
    assert force * rate == pytest.approx(elastic_force(law, depth) * rate + dissipated, rel=1e-12, abs=1e-12)
    assert stored == stored_energy(law, depth)


@pytest.mark.parametrize("name", LAWS)
def test_no_touch_no_force(name):
    """At depth 0 or a gap there is neither force nor energy nor loss, however fast the approach."""
    for depth in (0.0, -1e-3):
        assert law_force(EXAMPLES[name], Touch(depth, (1.0, 0.0, 0.0)), 1.0) == (0.0, 0.0, 0.0)


def test_hunt_crossley_has_no_jump_at_touch():
    """Its force starts at zero, unlike the spring-damper's, which jumps by b d'."""
    assert normal_force(EXAMPLES["hunt_crossley"], 1e-9, 0.1) < 1e-8
    assert normal_force(EXAMPLES["spring_damper"], 1e-9, 0.1) == pytest.approx(5.0, rel=1e-5)
    assert np.isfinite(normal_force(EXAMPLES["hunt_crossley"], 0.0, 0.1))
