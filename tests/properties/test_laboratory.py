"""Only relative motion touches: the laboratory's mapping, share, attitude and place do not change a
run."""

from __future__ import annotations

import numpy as np
import pytest
from scenarios import cone_docking, epos_wall, sphere_on_sphere

from softdock import run_loop
from softdock.loop.energy.ledger import ROWS

DOCKINGS = {
    "wall": lambda: epos_wall(delay_ms=16.0),
    "spheres": lambda: sphere_on_sphere(delay_ms=10.0, damping=10.0),
    "cone": lambda: cone_docking("symplectic_euler", delay_ms=6.0),
}


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("docking", DOCKINGS)
def test_who_carries_the_motion_does_not_matter(docking, share):
    """Shared with any share, or absolute: the same restitution, contacts, energies, velocities to
    1e-9 (rounding, magnified by contacts), and the books close."""
    tables = DOCKINGS[docking]()
    plain = run_loop(tables)
    tables["laboratory"] = {
        "mapping": "shared",
        "chaser_share": share,
        "attitude_wxyz": [0.7, 0.1, -0.6, 0.2],
        "position_m": [4.0, -1.0, 2.0],
    }
    shared = run_loop(tables)
    assert shared.contact_count == plain.contact_count >= 1
    for a, b in zip(plain.contacts, shared.contacts, strict=True):
        for key in (
            "restitution",
            "restitution_energetic",
            "peak_force_real_N",
            "impulse_Ns",
            "start_s",
            "end_s",
        ):
            assert b[key] == pytest.approx(a[key], rel=1e-9), key
    size = plain.ledger["kinetic_start"]
    for name in ("kinetic", "real", "dissipated", "integrator", "sensor"):
        assert shared.ledger[name] == pytest.approx(plain.ledger[name], abs=1e-9 * size), name
    assert shared.energy_added_J == pytest.approx(plain.energy_added_J, abs=1e-9 * size)
    assert sum(shared.ledger[row] for row in ROWS) == pytest.approx(
        shared.energy_added_J, abs=1e-12 * shared.ledger["turnover"] + 1e-12
    )
    for channel in ("chaser.velocity", "target.velocity", "chaser.rate", "target.rate"):
        assert shared.series[channel] == pytest.approx(plain.series[channel], abs=1e-9)


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_the_shared_point_rests(share):
    """(1 - s) p_chaser + s p_target stays where it is: with share 1 the target's mock-up does not
    move, with share 0 the chaser's."""
    tables = sphere_on_sphere(delay_ms=10.0)
    tables["laboratory"] = {"mapping": "shared", "chaser_share": share}
    series = run_loop(tables).series
    for part in ("position", "velocity"):
        resting = (1.0 - share) * series[f"mock_up.chaser.{part}"] + share * series[
            f"mock_up.target.{part}"
        ]
        assert np.abs(resting).max() < 1e-12
        apart = series[f"command.chaser.{part}"] - series[f"command.target.{part}"]
        assert apart == pytest.approx(
            series[f"chaser.{part}"] - series[f"target.{part}"], abs=1e-12
        )
    for name in ("chaser", "target"):  # attitudes are never shared
        assert (series[f"command.{name}.attitude"] == series[f"{name}.attitude"]).all()
