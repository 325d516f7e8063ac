"""Contact laws: push, energy and loss, each against its formula."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softdock.compile.jit import entry_point
from softdock.loop import contact
from softdock.loop.contact import laws
from softdock.loop.contact.laws import HUNT_CROSSLEY, LAWS, SPRING_DAMPER, SPRING_DAMPER_PULL, TABLE
from softdock.loop.contact.pairs import WALL, Law, Pair, Shape
from softdock.loop.contact.touch import Touch

law_entry_point = entry_point(contact._law_force)
elastic_entry_point, normal_entry_point, stored_entry_point = (
    entry_point(laws.elastic_force),
    entry_point(laws.normal_force),
    entry_point(laws.stored_energy),
)

# a stiffening table with a kink at each row, at some place in the vector: depth, force, energy up
# to there
TABLE_AT = 5
ROWS = np.array(
    [[0.0, 0.0, 0.0], [0.002, 4.0, 0.004], [0.005, 19.0, 0.0385], [0.012, 89.0, 0.4165]]
)
VECTOR = np.concatenate([np.full(TABLE_AT, np.nan), ROWS.ravel()])

EXAMPLES = {
    "spring_damper": Law(
        kind=SPRING_DAMPER,
        stiffness=4000.0,
        damping=50.0,
        exponent=1.0,
        at=0,
        rows=0,
        rubs=False,
        friction=0.0,
        slip_speed=1e-3,
    ),
    "spring_damper_pull": Law(
        kind=SPRING_DAMPER_PULL,
        stiffness=4000.0,
        damping=50.0,
        exponent=1.0,
        at=0,
        rows=0,
        rubs=False,
        friction=0.0,
        slip_speed=1e-3,
    ),
    "hunt_crossley": Law(
        kind=HUNT_CROSSLEY,
        stiffness=8000.0,
        damping=0.6,
        exponent=1.5,
        at=0,
        rows=0,
        rubs=False,
        friction=0.0,
        slip_speed=1e-3,
    ),
    "table": Law(
        kind=TABLE,
        stiffness=0.0,
        damping=50.0,
        exponent=1.0,
        at=TABLE_AT,
        rows=len(ROWS),
        rubs=False,
        friction=0.0,
        slip_speed=1e-3,
    ),
}
depths = st.integers(1, 2000).map(lambda n: n * 1e-5)  # m
rates = st.integers(-2000, 2000).map(lambda n: n * 1e-3)  # m/s


def elastic_force(law, depth):
    return elastic_entry_point(VECTOR, law, depth)


def normal_force(law, depth, rate):
    return normal_entry_point(law, elastic_force(law, depth), rate)


def stored_energy(law, depth):
    return stored_entry_point(VECTOR, law, depth)


def touching(law, depth, v=(0.0, 0.0, 0.0), spin=(0.0, 0.0, 0.0), radius=0.0):
    """Force and torque on a tip, stored energy and dissipated power, on a face whose normal is
    x."""
    shape = Shape(
        axis=(1.0, 0.0, 0.0),
        radius=0.0,
        bottom_radius=0.0,
        sine=0.0,
        cosine=0.0,
        length=0.0,
        depth=0.0,
        thickness=0.0,
        closed=False,
    )
    pair = Pair(
        geometry=WALL,
        tip=(0.0, 0.0, 0.0),
        tip_radius=radius,
        origin=(0.0, 0.0, 0.0),
        shape=shape,
        law=law,
    )
    return law_entry_point(VECTOR, pair, Touch(depth, (1.0, 0.0, 0.0)), v, spin)


def law_force(law, depth, rate):
    """Normal force, stored energy and dissipated power of a frictionless touch."""
    force, torque, stored, dissipated = touching(law, depth, (-rate, 0.0, 0.0))
    assert force[1] == force[2] == 0.0
    assert torque == (0.0, 0.0, 0.0)
    return force[0], stored, dissipated


def test_every_law_has_an_example():
    """A law that joins the list must be tested here."""
    assert set(EXAMPLES) == set(LAWS)


@pytest.mark.parametrize("name", LAWS)
@given(depth=depths, rate=rates)
def test_only_the_pulling_law_pulls(name, depth, rate):
    """A contact never pulls; the papers' linear law may, by name, and does when it opens fast
    enough."""
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
    assert normal_force(EXAMPLES["spring_damper_pull"], 0.01, -2.0) == pytest.approx(
        -60.0, rel=1e-14
    )
    assert normal_force(EXAMPLES["hunt_crossley"], 0.01, 0.5) == pytest.approx(
        8000.0 * 0.001 * 1.3, rel=1e-14
    )
    assert normal_force(EXAMPLES["hunt_crossley"], 0.01, -2.0) == 0.0


@pytest.mark.parametrize("name", LAWS)
@given(depth=depths)
def test_the_elastic_force_is_the_slope_of_the_stored_energy(name, depth):
    """V' = f, by central differences; V(0) = 0: what is stored can be given back exactly. 1e-6: the
    differences' own error."""
    law, h = EXAMPLES[name], 1e-4 * depth
    if name == "table" and np.abs(ROWS[:, 0] - depth).min() < 2 * h:
        return  # on a kink the slope has two sides
    slope = (stored_energy(law, depth + h) - stored_energy(law, depth - h)) / (2 * h)
    assert elastic_force(law, depth) == pytest.approx(slope, rel=1e-6)
    assert stored_energy(law, 0.0) == 0.0


@pytest.mark.parametrize("name", LAWS)
@given(depth=depths, rate=rates)
def test_what_is_absorbed_is_stored_or_dissipated(name, depth, rate):
    """f d' = dV/dt + dissipated, and dissipated >= 0: no law makes energy, the clamp included."""
    law = EXAMPLES[name]
    force, stored, dissipated = law_force(law, depth, rate)
    assert dissipated >= 0.0
    assert force * rate == pytest.approx(
        elastic_force(law, depth) * rate + dissipated, rel=1e-12, abs=1e-12
    )
    assert stored == stored_energy(law, depth)


@pytest.mark.parametrize("name", LAWS)
def test_no_touch_no_force(name):
    """At depth 0 or a gap there is neither force nor energy nor loss, however fast the approach."""
    for depth in (0.0, -1e-3):
        assert law_force(EXAMPLES[name], depth, 1.0) == (0.0, 0.0, 0.0)


def test_hunt_crossley_has_no_jump_at_touch():
    """Its force starts at zero, unlike the spring-damper's, which jumps by b d'."""
    assert normal_force(EXAMPLES["hunt_crossley"], 1e-9, 0.1) < 1e-8
    assert normal_force(EXAMPLES["spring_damper"], 1e-9, 0.1) == pytest.approx(5.0, rel=1e-5)
    assert np.isfinite(normal_force(EXAMPLES["hunt_crossley"], 0.0, 0.1))


def test_a_table_by_hand():
    """Linear between its rows, on beyond the last at its slope; the energy is the area."""
    law = EXAMPLES["table"]
    assert elastic_force(law, 0.001) == pytest.approx(2.0, rel=1e-14)
    assert elastic_force(law, 0.003) == pytest.approx(4.0 + 5000.0 * 0.001, rel=1e-14)
    assert elastic_force(law, 0.015) == pytest.approx(89.0 + 10000.0 * 0.003, rel=1e-14)
    assert stored_energy(law, 0.005) == pytest.approx(0.004 + 0.5 * 23.0 * 0.003, rel=1e-14)


@given(depth=depths, rate=rates, slide=rates, turn=rates)
def test_friction_acts_against_the_sliding_and_only_loses(depth, rate, slide, turn):
    """mu f v / sqrt(v^2 + v_0^2) against the velocity of the touching point, the tip's spin
    included; its power is lost, never gained."""
    mu, slow, radius = 0.3, 0.01, 0.05
    law = EXAMPLES["spring_damper"]._replace(rubs=True, friction=mu, slip_speed=slow)
    force, torque, _, dissipated = touching(
        law, depth, (-rate, slide, 0.0), (0.0, 0.0, turn), radius
    )
    smooth, _, _, lost = touching(
        EXAMPLES["spring_damper"], depth, (-rate, slide, 0.0), (0.0, 0.0, turn), radius
    )
    arm = 0.5 * depth - radius
    sliding = slide + turn * arm
    assert force[0] == smooth[0]
    assert force[1] == pytest.approx(-mu * force[0] * sliding / np.hypot(sliding, slow), abs=1e-12)
    assert torque[2] == pytest.approx(arm * force[1], abs=1e-12)
    assert dissipated - lost == pytest.approx(-force[1] * sliding, abs=1e-12)
    assert dissipated >= 0.0
