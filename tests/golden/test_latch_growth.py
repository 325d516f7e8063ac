"""Growth of latched pairs on a rig: pulses are left out; damping is advised after it was run."""

from __future__ import annotations

import math

import numpy as np
import pytest
from latched_pair import held

from softdock import build, load_scenario, run_loop, simulate
from softdock.results.latches import (
    compute_latch_growth,
    fit_run_swings,
    fit_swings,
    use_corrected_motion,
)
from softdock.results.momenta import PARTS
from softdock.studies.stability.latched import describe_tried_damping, find_latched_modes

PULSE = ((0.0, 0.0), (0.01, 1.0), (0.05, 1.0), (0.06, 0.0))  # s, and share of its force


def test_pulses_on_a_latched_pair_are_left_out():
    """A latched pair that decays, kicked eight times by a schedule: found in the momenta of rig
    and orbit, it decays as the sampled loop's root says, and nothing is said of lateness; taken for
    free flight they would not tell it. Corrected channels are looked at where a method has them."""
    rows: list[list[float]] = []
    for k in range(8):
        start, push = 5.0 + 5.0 * k, 10.0 * 1.5**k
        rows += [[start + t, f * push, *[0.0] * 5] for t, f in PULSE]
    tables = held(b=80.0, duration_s=45.0, external={"chaser": {"rows": rows}})
    tables["capture"]["latch"][0]["real"]["stiffness_N_per_m"] = [40000.0, 0.0, 0.0]
    tables["capture"]["latch"][0]["real"]["damping_Ns_per_m"] = [1000.0, 0.0, 0.0]
    scenario = build(tables)
    run = simulate(scenario)
    root = find_latched_modes(scenario)[0].growth_per_s
    mine, orbits = fit_run_swings(run)
    assert mine.per_s == pytest.approx(root, rel=0.005)
    assert orbits.per_s == pytest.approx(-0.5 * 1000.0 / 1500.0, rel=0.03)
    assert math.isnan(compute_latch_growth(scenario, run.series, run.latches)["late_by_s"])
    del tables["external"]
    unseen = fit_swings(build(tables), run.series, run.latches).per_s
    assert abs(unseen - root) > 10.0 * abs(mine.per_s - root)
    names = [f"{b}.{part}" for b in ("chaser", "target") for part in PARTS]
    series = {name: run.series[name] for name in ("time", "contact.depth", *names)}
    series |= {"energy.external": run.series["energy.external"]}
    series |= {"corrected.chaser.peak_force": np.zeros(1)}
    series |= {f"corrected.{name}": run.reference.series[name] for name in names}
    assert fit_swings(scenario, use_corrected_motion(series), run.reference.latches) == orbits


def test_advised_damping_holds_when_it_is_set():
    """soft_dock: with the root's damping in the latch alone the pair still grows, because the tip
    reaches the undamped bottom, and that is what is said; with the advised line, which has the
    contact's too, a longer run than the one tried holds."""
    scenario = load_scenario("soft_dock")
    refused, advised = describe_tried_damping(scenario, find_latched_modes(scenario))
    assert "still grows" in refused
    assert "reaches the contact" in refused
    assert "is held" in advised
    keys = dict(line.split("=", 1) for line in advised.split("'")[1::2])
    assert set(keys) > {"contact.0.real.damping_Ns_per_m"}
    changes = [f"{key}={value}" for key, value in keys.items()]
    run = run_loop(load_scenario("soft_dock", [*changes, "time.duration_s=120"]))
    assert fit_swings(run.scenario, run.series, run.latches).growth < 0.01
    alone = [c for c in changes if not c.startswith("contact")]
    run = run_loop(load_scenario("soft_dock", [*alone, "time.duration_s=60"]))
    assert fit_swings(run.scenario, run.series, run.latches).growth > 0.2
