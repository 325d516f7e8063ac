"""docs/ports.md: its programs run, and its numbers are those of the code."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import numpy as np
import pytest
from scenarios import epos_wall

import softdock
from softdock.networks import generalised_maxwell, rigid_satellite
from softdock.networks.haptic_loop import RENDERINGS
from softdock.networks.haptics import Setting, touch
from softdock.networks.satellite import bounce
from softdock.networks.telemanipulation import telemanipulate
from softdock.networks.walls import force_error, render_published, true_force
from softdock.papers.franken.figure_5 import compute_energies
from softdock.papers.franken.parameters import sine, sine_velocity

PAGE = (Path(__file__).parents[2] / "docs" / "ports.md").read_text(encoding="utf-8")
PROSE = " ".join(PAGE.split())  # wherever its lines end


def test_programs_run(tmp_path, monkeypatch):
    """Every Python block, as printed."""
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.S)
    assert len(blocks) == 3
    for block in blocks:
        exec(block, {})
    assert "<svg" in (tmp_path / "tissue.svg").read_text()


@pytest.mark.parametrize("rendering", RENDERINGS)
def test_the_bench_table(rendering):
    """Each row's speed, force and verdict."""
    row = next(line for line in PAGE.splitlines() if line.startswith(f"| `{rendering}`"))
    speed, force, quiet = (cell.strip() for cell in row.split("|")[2:5])
    found = touch(Setting(), rendering).numbers
    value, unit = speed.split()
    shown = found["rms_speed_mm_per_s"] * (1e-3 if unit == "m/s" else 1.0)
    assert float(value) == pytest.approx(shown, rel=0.04, abs=0.05)
    assert force == "-" or float(force.split()[0]) == pytest.approx(
        100.0 * found["force_error"], abs=0.5
    )
    assert quiet.startswith("yes") == found["stable"]


def test_the_table_of_errors():
    """Force errors at a wall, better step and published."""
    found = compute_energies(1000)
    assert (
        f"| {100 * found['better_error']:.3f} % | {100 * found['published_error']:.2f} % |" in PROSE
    )
    wall = generalised_maxwell(
        300.0, [(200.0, 0.01), (150.0, 0.03), (100.0, 0.1), (60.0, 0.3), (40.0, 1.0)]
    )
    truth = true_force(wall, 1e-3, 2000, sine, sine_velocity)
    force = render_published(wall, 1e-3, sine(np.arange(2001) * 1e-3)).force
    error, pushing = (
        force_error(force, truth.force),
        force_error(np.maximum(force, 0.0), truth.force),
    )
    pulling = true_force(wall, 1e-3, 2000, sine, sine_velocity, pull=True)
    assert f"| {100 * pushing:.1f} % ({100 * error:.1f} % with its pull, see below) |" in PROSE
    assert pushing == pytest.approx(0.038, abs=5e-4)  # by an independent prototype
    assert f"(to {force.min():.1f} N)" in PROSE
    assert (
        f"back where the wall began it is {100 * force_error(force, pulling.force):.1f} % off"
        in PROSE
    )


def test_the_bounces():
    """Euler's restitutions as stated."""
    values = [
        bounce(rigid_satellite(63.0), T, 0.02, 1000.0, "euler").restitution
        for T in (1e-3, 4e-3, 16e-3)
    ]
    assert "Euler " + ", ".join(f"{v:.4f}" for v in values) in PROSE


def test_telemanipulation_as_stated():
    """Shares of the static force, by delay where the wall must be found."""
    reflected = telemanipulate("reflected_layered", 50.0).numbers
    assert f"stable and {100 * (1 - reflected['force_over_static']):.0f} % too small" in PROSE
    found = [
        telemanipulate("local_model_layered", delay).numbers["force_over_static"]
        for delay in (0.0, 20.0, 50.0, 100.0)
    ]
    assert ", ".join(f"{share:.3f}" for share in found) + " of the static force" in PROSE


def test_the_scenarios_build():
    """Each scenario excerpt of the page, put into a scenario of a free mass and a wall."""
    excerpts = [
        block
        for block in re.findall(r"^```\w*\n(.*?)^```", PAGE, re.S | re.M)
        if "[[methods]]" in block
    ]
    assert len(excerpts) == 2
    for text in excerpts:
        given = tomllib.loads(text)
        assert softdock.build(epos_wall(delay_ms=0.0) | given).markers.methods
