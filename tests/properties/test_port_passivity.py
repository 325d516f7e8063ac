"""Passive at the sampled port whatever the motion: what networks of every kind may give away is
what was stored, and the tank."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softdock.networks import (
    Network,
    Sampled,
    chain,
    flexible_satellite,
    generalised_maxwell,
    hunt_crossley,
    maxwell,
    single_spring,
    standard_linear_solid,
    three_axis_wall,
    tissue_between_two_devices,
    voigt,
)
from softdock.networks.walls import render_better

T, SAMPLES, TANK = 1e-3, 20_000, 1e-5  # s, 20 s, J


def stiffening_mass() -> Network:
    """A hardening spring to a mass that a quadratic damper holds."""
    net = (
        Network("stiffening")
        .port("hand", "position")
        .polynomial_spring("S", 500.0, 0.0, 5e7)
        .mass("M", 0.05)
        .damper("B", 0.2, quadratic=1.0)
    )
    net.one("hand_moves").zero("force").one("mass_moves").connect("hand", "hand_moves").connect(
        "hand_moves", "force"
    )
    return net.connect("force", "S", "mass_moves").connect("mass_moves", "M", "B")


NETWORKS = {
    "single spring": single_spring(5000.0),
    "sls": standard_linear_solid(500.0, 50.0, 100.0),
    "five-branch maxwell": generalised_maxwell(
        300.0, [(200.0, 0.01), (150.0, 0.03), (100.0, 0.1), (60.0, 0.3), (40.0, 1.0)]
    ),
    "chain": chain(10, 0.02, 2000.0, 0.5, 200.0, 0.5),
    "tissue, two devices": tissue_between_two_devices(0.1, 1000.0, 0.5, 200.0, 0.2),
    "three axes": three_axis_wall((500.0, 50.0, 100.0), (200.0, 50.0, 10.0)),
    "hunt-crossley": hunt_crossley(8000.0, 1.5, 0.6),
    "stiffening mass": stiffening_mass(),
}


def motion(kind: str, ports: int) -> np.ndarray:
    """Displacements per sample [m] that try to get energy out."""
    rng = np.random.default_rng(4)
    flips = np.where(rng.random((SAMPLES, ports)) < 0.02, -1.0, 1.0).cumprod(axis=0)
    if kind == "random walk":
        return rng.uniform(-2e-5, 2e-5, (SAMPLES, ports))
    if kind == "reversals":
        return 2e-4 * flips
    if kind == "nyquist":
        return 3e-4 * np.tile((-1.0) ** np.arange(SAMPLES), (ports, 1)).T
    return np.clip(np.cumsum(2e-6 * flips, axis=0), -3e-4, 3e-4)  # bang-bang acceleration


KINDS = ("random walk", "reversals", "nyquist", "bang-bang")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", NETWORKS)
def test_no_motion_gets_more_out_than_the_tank(name, kind):
    """32 pairs of network and motion, 20 s at 1 kHz, with the cap for that motion's acceleration:
    fed-in energy never below minus the tank."""
    dq = motion(kind, len(NETWORKS[name].ports))
    step = Sampled(
        NETWORKS[name],
        T,
        most_acceleration=np.abs(np.diff(dq, axis=0, prepend=0.0)).max() / T**2,
        tank_J=TANK,
    )
    fed = np.cumsum(np.sum(step.run(dq) * dq, axis=1))
    assert fed.min() >= -TANK * (1.0 + 1e-9)
    assert step.short_J < 1e-15
    assert step.fed_J == pytest.approx(fed[-1], abs=1e-12)


@pytest.mark.parametrize("name", ["sls", "hunt-crossley"])
def test_without_the_cap_it_is_not_guaranteed(name):
    """What the cap is for: the same motion at the Nyquist rate draws energy without it, and the
    books say so."""
    dq = motion("nyquist", 1)
    step = Sampled(NETWORKS[name], T, tank_J=TANK)
    assert np.cumsum(step.run(dq) * dq).min() < -10.0 * TANK
    assert step.short_J > 10.0 * TANK


@given(seed=st.integers(0, 10_000), stiffness=st.floats(50.0, 5000.0), tau=st.floats(0.005, 2.0))
def test_books_of_a_wall(seed, stiffness, tau):
    """Fed in + tank at the start = stored + dissipated + tank now; dissipated only grows; forces
    never pull."""
    rng = np.random.default_rng(seed)
    knots = rng.uniform(-8e-3, 4e-3, 12)
    q = np.interp(np.arange(301), np.linspace(0, 300, 12), [5e-3, *knots[1:]])
    most = np.abs(np.diff(q, 2, prepend=q[0])).max() / T**2
    found = render_better(
        generalised_maxwell(stiffness, [(0.5 * stiffness, tau)]),
        T,
        q,
        tank_J=TANK,
        most_acceleration=most,
    )
    fed, put_in, stored, tank = found.books.T
    assert np.abs(fed + TANK - put_in - tank).max() < 1e-12
    assert np.diff(put_in - stored).min() > -1e-12
    assert tank.min() >= 0.0
    assert found.force.min() >= 0.0


@pytest.mark.parametrize(
    "network",
    [
        voigt(500.0, 2.0),
        maxwell(500.0, 2.0),
        flexible_satellite(50.0, 5.0, 100.0, 0.5),
        *NETWORKS.values(),
    ],
    ids=lambda n: n.name,
)
def test_structure(network):
    """D and J skew, R symmetric and not negative: energy is neither made nor lost by the way
    elements are joined."""
    eq = network.equations
    assert np.array_equal(network.dirac.matrix, -network.dirac.matrix.T)
    assert np.allclose(eq.J, -eq.J.T)
    assert np.allclose(eq.R, eq.R.T)
    whole = np.block([[eq.R, np.zeros_like(eq.G)], [np.zeros_like(eq.G.T), 0.5 * (eq.Y + eq.Y.T)]])
    coupling = 0.5 * (eq.C.T - eq.G)
    whole[: len(eq.R), len(eq.R) :], whole[len(eq.R) :, : len(eq.R)] = coupling, coupling.T
    assert np.linalg.eigvalsh(whole).min() > -1e-9 * max(1.0, np.abs(whole).max())


@given(values=st.lists(st.floats(0.1, 10.0), min_size=3, max_size=3), ratio=st.floats(0.2, 5.0))
def test_loops_of_dampers_are_solved(values, ratio):
    """Dampers in series and behind a lever feed each other; what the port feels is what circuit
    theory says."""
    a, b, c = values
    net = (
        Network("loop")
        .port("p", "position")
        .damper("A", a)
        .damper("B", b)
        .damper("C", c)
        .transformer("lever", ratio)
    )
    net.zero("series").one("behind").connect("p", "series").connect("series", "A", "lever").connect(
        "lever", "behind"
    ).connect("behind", "B", "C")
    behind = ratio**2 * (b + c)
    assert net.equations.Y[0, 0] == pytest.approx(a * behind / (a + behind), rel=1e-9)
