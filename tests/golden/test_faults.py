"""Bad input, for every method that keeps energies honest: bounded output, the event in the run's
log, no NaN; and docs/bad_input.md states what comes out."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import pytest
from plain import run_plain
from scenarios import epos_wall

from softdock import load_scenario, run_loop
from softdock.papers.de_stefano.faults import (
    FAULTS,
    METHODS,
    end_speed,
    largest_speed,
    make_faults,
    over_bound,
    run_with_fault,
)

PAGE = Path(__file__).parents[2] / "docs" / "bad_input.md"
exhibit = functools.cache(make_faults)
IN_3D = 1.02  # times the energy before: a loan for each contact
AT_MOST = 1.0051  # times the approach speed: the loan is 1 % of its energy


@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_is_bounded_and_in_the_log(fault):
    """For good or for a while, at any depth: ten seconds later nobody is faster than the approach,
    but for what is stated."""
    for method in METHODS:
        run = run_with_fault(fault, method)
        assert run.status == "completed"
        assert np.isfinite(run.series.rows).all()
        assert any(event["what"] == FAULTS[fault][1] for event in run.events)
    assert (
        max(
            largest_speed(run_with_fault(fault, method))
            for method in ("ledger", "coupled", "per_axis")
        )
        < AT_MOST
    )
    assert (
        max(over_bound(run_with_fault(fault, method)) for method in ("integrator", "guarded"))
        < 1.0 + 1e-9
    )
    for method in ("integrator", "guarded"):  # what the measured force can have given
        run = run_with_fault(fault, method)
        felt = 0.004 * np.abs(run.series["measured.chaser.force"]).sum() / 63.0
        assert largest_speed(run) * 0.02 <= (0.02 + felt) * (1.0 + 1e-9)


def test_the_page_states_the_table():
    """Protects the page on faults: its rows are the numbers that are computed now."""
    text = PAGE.read_text(encoding="utf-8")
    for row in exhibit().rows:
        numbers = " | ".join(
            f"{row[method]:.3f} / {row[f'{method}_end']:.3f}" for method in METHODS
        )
        assert f"| {row['fault']} | {row['event']} | {numbers} |" in text


@pytest.mark.parametrize("method", ["energy_ledger", "delay_passivity"])
@pytest.mark.parametrize(
    "keys",
    [
        {"pose.delay_ms": 16.0},
        {"sensor.noise_N": 0.5, "sensor.freeze_for_s": 0.0, "sensor.jump_N": [30.0, 20.0, 30.0]},
    ],
)
def test_two_free_bodies(method, keys):
    """Lange's cone, a sensor that freezes in the first contact while late poses hide it, or that
    jumps by 47 N under noise: the pair gains no more than the loans, where the raw loop multiplies
    its energy by thousands."""
    fault = {
        "sensor.freeze_at_s": 1.79,
        "sensor.freeze_for_s": 1e9,
        "sensor.jump_at_s": 1.79,
        "robots.chaser.delay_ms": 16.0,
        "robots.target.delay_ms": 16.0,
    }
    run = run_loop(
        load_scenario("lange_cone", fault | keys).replace({"methods": [{"name": method}]})
    )
    kinetic = run.series["energy.kinetic"]
    assert kinetic.max() < IN_3D * kinetic[0]
    assert any("did not act" in warning or "was cut" in warning for warning in run.warnings)


@pytest.mark.parametrize("method", ["energy_ledger", "delay_passivity"])
@pytest.mark.parametrize(
    ("preset", "at", "size", "span"),
    [
        ("lange_cone", 3.28, 30.0, 0.0),
        ("lange_cone", 3.28, 90.0, 0.0),
        ("lange_cone", 3.92, 300.0, 0.004),
        ("epos_3d", 6.4, 10.0, 0.0),
    ],
)
def test_two_free_bodies_at_other_times(preset, at, size, span, method):
    """In later contacts, for good or for one cycle, by several sizes."""
    fault = {
        "sensor.jump_at_s": at,
        "sensor.jump_for_s": span,
        "sensor.jump_N": [size, 0.7 * size, size],
    }
    robots = {"robots.chaser.delay_ms": 16.0, "robots.target.delay_ms": 16.0}
    kinetic = run_loop(
        load_scenario(preset, fault | robots).replace({"methods": [{"name": method}]})
    ).series["energy.kinetic"]
    assert kinetic.max() < IN_3D * kinetic[0]


def test_one_bad_sample_costs_no_contact():
    """30 N for one cycle on the way out, seven times the force: the satellite leaves with what it
    came with, and the loan."""
    assert end_speed(
        run_with_fault("one cycle of +30 N, near the parting", "ledger")
    ) == pytest.approx(1.0, abs=0.0051)


@pytest.mark.parametrize("method", ["energy_ledger", "delay_passivity"])
def test_steps_of_a_coarse_sensor_are_no_freeze(method):
    """A slow contact read in steps of 0.5 N stands still for longer than frozen_ms, again and
    again; frozen for good at 4 N it is found all the same."""
    slow = epos_wall(delay_ms=16.0, speed=0.004) | {
        "methods": [{"name": method}],
        "sensor": {"resolution_N": 0.5},
    }
    slow["time"] = slow["time"] | {"duration_s": 6.0}
    run = run_loop(slow)
    force = run.series["measured.chaser.force.x"]
    edges = np.flatnonzero(np.diff(force))
    assert np.diff(edges).max() * 0.004 > 0.25
    assert run.method_books[method]["cycles_not_believed"] == 0.0
    frozen = epos_wall(delay_ms=16.0) | {
        "methods": [{"name": method}],
        "sensor": {"resolution_N": 0.5, "freeze_at_s": 0.9, "freeze_for_s": 1e9},
    }
    assert run_loop(frozen).method_books[method]["cycles_not_believed"] > 100


@pytest.mark.parametrize("method", ["energy_ledger", "delay_passivity"])
def test_a_hand_may_give_energy(method):
    """Nobody takes a hand that the scenario has for a contact that returns more than it took."""
    push = {
        "chaser": {
            "rows": [
                [0.1, 0.0, 0, 0, 0, 0, 0],
                [0.4, 5.0, 0, 0, 0, 0, 0],
                [0.7, 0.0, 0, 0, 0, 0, 0],
            ]
        }
    }
    tables = epos_wall(speed=-0.02) | {"hand": push}
    run, raw = (run_loop(tables | {"methods": [{"name": name}]}) for name in (method, "direct"))
    assert run.series["chaser.velocity.x"][-1] == pytest.approx(
        raw.series["chaser.velocity.x"][-1], rel=0.02
    )
    assert raw.series["chaser.velocity.x"][-1] > 0.04


NO_NUMBER = """
import math, sys
import numpy as np
import softdock.loop.facility.simulated as facility
from softdock import build
from softdock.results.stepper import Stepper
from softdock.loop.spatial.motion import Wrench
sys.path.insert(0, {tests!r})
from scenarios import epos_wall

true = facility.sample_wrenches
bad = Wrench((math.nan,) * 3, (math.inf,) * 3)
def sample_wrenches(params, vector, mem, tick, *rest):
    return bad if 150 <= tick.k < 155 else true(params, vector, mem, tick, *rest)
facility.sample_wrenches = sample_wrenches
for name in ("energy_ledger", "delay_passivity", "passive_integrator"):
    loop = Stepper(build(epos_wall(speed=0.05) | {{"methods": [{{"name": name}}]}}), rows=301)
    loop.step(300)
    kinds = ("position", "velocity")
    parts = [f"{{what}}chaser.{{kind}}" for what in ("", "command.") for kind in kinds]
    moved = [loop.series[part] for part in parts]
    assert not np.isfinite(loop.series["measured.chaser.force.x"]).all()
    assert np.isfinite(np.hstack(moved)).all(), name
    assert np.abs(loop.series["chaser.velocity"]).max() < 0.06, name
    assert np.isfinite(loop.method_memory(0)).all(), name
"""


def test_a_reading_that_is_no_number():
    """Five cycles of NaN and infinity in a contact, in plain Python: they do not act, and
    satellites, set-points and the method's memory stay finite."""
    code = NO_NUMBER.format(tests=str(Path(__file__).parents[1]))
    done = run_plain(code)
    assert done.returncode == 0, done.stderr
