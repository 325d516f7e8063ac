"""Networks: what follows from a description, what is refused and how, what is printed and drawn."""

from __future__ import annotations

import itertools
import math
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from small_networks import SLS, one_junction

from softdock import BadInput
from softdock.cli.main import cli
from softdock.networks import (
    Sampled,
    hunt_crossley,
    load_network,
    network_from,
    standard_linear_solid,
    tissue_between_two_devices,
    voigt,
)
from softdock.networks.continuous import simulate_continuous
from softdock.networks.laws import flatten_laws


def test_a_table_is_the_same_network():
    """TOML tables and Python lines give the same structure."""
    assert np.array_equal(
        network_from(SLS).dirac.matrix, standard_linear_solid(500.0, 50.0, 100.0).dirac.matrix
    )
    ready = network_from(
        {"model": "standard_linear_solid", "arguments": {"k1": 500.0, "k2": 50.0, "b1": 100.0}}
    )
    assert np.array_equal(ready.equations.R, network_from(SLS).equations.R)


def test_the_order_of_bonds_does_not_matter():
    """Causality comes from the structure."""
    turned = SLS | {"bonds": SLS["bonds"][::-1]}
    assert np.array_equal(network_from(turned).dirac.matrix, network_from(SLS).dirac.matrix)


def test_the_six_steps_are_printed(tmp_path: Path):
    """`softdock network` prints all six; the damper given the force is marked time-dependent; the
    bond graph has a bond for each bond."""
    file, svg = tmp_path / "tissue.toml", tmp_path / "tissue.svg"
    lines = [
        'name = "tissue"',
        f"bonds = {SLS['bonds']}".replace("'", '"'),
        "[junctions]",
        "together = 1",
        "in_series = 0",
    ]
    lines += [
        "[ports.hand]",
        'causality = "position"',
        "[springs.S1]",
        "stiffness_N_per_m = 500.0",
        "[springs.S2]",
        "stiffness_N_per_m = 50.0",
    ]
    file.write_text("\n".join([*lines, "[dampers.B1]", "damping_Ns_per_m = 0.05"]))
    result = CliRunner().invoke(cli, ["network", str(file), "--svg", str(svg)])
    assert result.exit_code == 0, result.output
    for step in (
        "1. Continuous model",
        "2. Causality",
        "3. Energy functions",
        "4. Balances",
        "5. Hierarchy",
        "6. Bookkeeping",
    ):
        assert step in result.output
    assert "B1: damper, given a force, answers with a motion (admittance)" in result.output
    assert "B1: dH = F^2 T / b                       TIME-DEPENDENT" in result.output
    picture = ElementTree.parse(svg).getroot()
    assert len(picture.findall(".//{*}path")) == 5
    assert [t.text for t in picture.findall(".//{*}text")].count("R: B1") == 1
    assert load_network(file).dirac.ports == ("hand",)


def test_a_potential_of_ones_own():
    """V given as a function: the sampled effort follows dV/dx."""

    def potential(x: float) -> float:
        return 200.0 * x * x + 1e6 * x**4

    own = one_junction().potential_spring("S", potential, (-0.02, 0.02)).connect("together", "S")
    same = one_junction().polynomial_spring("S", 200.0, 0.0, 1e6).connect("together", "S")
    dq = 1e-4 * np.cos(np.arange(300) * 0.02)
    a, b = (Sampled(n, 1e-3).run(dq) for n in (own, same))
    assert np.abs(a - b).max() < 1e-3 * np.abs(b).max()
    x = np.concatenate([[0.0], np.cumsum(dq)])
    mean = [(potential(e) - potential(s)) / (e - s) for s, e in itertools.pairwise(x[50:100])]
    assert b[50:99, 0] == pytest.approx(mean, rel=2e-3)


def test_several_ports_at_once():
    """Two devices on one lump: moved alike they feel alike, and the continuous network agrees."""
    net = tissue_between_two_devices(0.1, 1000.0, 0.5, 200.0, 0.2)
    speed = lambda t: np.stack([2e-3 * 2 * np.pi * np.cos(2 * np.pi * t)] * 2, axis=1)  # noqa: E731
    truth = simulate_continuous(net, 1e-3, 500, speed)
    q = 2e-3 * np.sin(2 * np.pi * np.arange(501) * 1e-3)
    found = Sampled(net, 1e-3, tank_J=1e-4).run(np.stack([np.diff(q)] * 2, axis=1))
    assert found[:, 0] == pytest.approx(found[:, 1], rel=1e-9, abs=1e-12)
    assert np.sqrt(np.mean((found - truth.mean_effort) ** 2)) < 0.02 * np.sqrt(
        np.mean(truth.mean_effort**2)
    )


def test_hunt_crossley_in_compression_only():
    """No force in tension, k d^n at rest in compression."""
    step = Sampled(hunt_crossley(8000.0, 1.5, 0.6), 1e-3, states=[1e-3])
    assert step.run(np.full(5, 1e-4)) == pytest.approx(np.zeros((5, 1)))
    step = Sampled(hunt_crossley(8000.0, 1.5, 0.6), 1e-3, states=[-4e-3])
    assert step.run(np.zeros(5))[-1, 0] == pytest.approx(-8000.0 * 4e-3**1.5, rel=1e-6)


def test_haptics_command(tmp_path: Path):
    """Stable or buzzing in the terminal, the page beside it."""
    result = CliRunner().invoke(
        cli,
        ["haptics", "--rendering", "euler", "--rendering", "better_step", "--out", str(tmp_path)],
    )
    assert result.exit_code == 0, result.output
    assert "buzzing" in result.output
    assert "stable" in result.output
    assert "Energy fed into the wall" in (tmp_path / "haptics.html").read_text()
    assert CliRunner().invoke(cli, ["haptics", "--times-limit", "30"]).exit_code == 2


def test_the_six_steps_name_what_a_dampers_force_depends_on():
    """Protects the description in words: a damper whose force depends on a spring's names that
    spring."""
    assert "B1: dH = lambda |F_S1| dx^2 / T" in hunt_crossley(8000.0, 1.5, 0.6).describe()


@pytest.mark.parametrize("wrong", [{"most_acceleration": [1.0, 2.0]}, {"states": [math.nan]}])
def test_a_sampled_network_refuses_what_is_not_its_size_or_no_number(wrong):
    """A sampled network refuses lists of the wrong length and values that are no numbers."""
    with pytest.raises(BadInput):
        Sampled(voigt(500.0, 1.0), 1e-3, **wrong)


def test_zeros_behind_a_polynomials_coefficients_say_nothing():
    """However many stand there: they were once written beyond the row of their store."""
    given = [(200.0, 0.0, 1e6), (200.0, 0.0, 1e6, *[0.0] * 12)]
    nets = [one_junction().polynomial_spring("S", *c).connect("together", "S") for c in given]
    short, long = (flatten_laws(net).stores for net in nets)
    assert np.array_equal(short, long)
