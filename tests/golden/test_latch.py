"""A latch: what it holds with, when it engages in the facility and in orbit, its books, and what a
late rig makes of a latched pair."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from latched_pair import docking, held

from softdock import BadInput, build, run_loop, simulate
from softdock.loop.contact.latch import LATCH_CELLS
from softdock.methods.registry import METHODS
from softdock.reference import run_reference
from softdock.results.latches import (
    compute_deflections,
    compute_latch_growth,
    compute_mode_energies,
    compute_modes,
    summarise_times,
)
from softdock.scenario.latched_page import renewed
from softdock.studies.campaign.batch import run_cpu
from softdock.studies.campaign.columns import make_columns
from softdock.studies.stability.latched import describe_latched_modes, find_latched_modes

AT = LATCH_CELLS.at


def test_orbit_accounts_for_every_joule_and_both_momenta():
    """Kinetic + stored + dissipated - driven is constant to 1e-11 J while the latch engages, pulls
    in and goes hard; momenta of the pair stay."""
    scenario = build(docking())
    flown = run_reference(scenario)
    state = flown.latches[0]
    assert state[AT.state] == 2.0
    assert state[AT.engaged_at] == pytest.approx(0.1, abs=1e-12)  # at its seat from the start
    assert state[AT.hard_at] == pytest.approx(0.6, abs=1e-12)
    balance = flown.kinetic + flown.stored + flown.dissipated - flown.driven
    assert balance == pytest.approx(flown.kinetic_start, abs=1e-11)
    assert abs(flown.driven) > 1e-3
    s, masses = flown.series, (300.0, 500.0)
    momentum = sum(
        m * s[f"{b}.velocity"] for m, b in zip(masses, ("chaser", "target"), strict=True)
    )
    assert np.abs(momentum - momentum[0]).max() < 1e-10


def test_the_instant_at_which_orbit_latches_is_located():
    """Free flight to 3 mm before the wall, at 1 mm/s from 3.1 mm: 0.1 s, not the next cycle."""
    state = run_reference(build(held(speed=0.00107, duration_s=1.0))).latches[0]
    assert state[AT.engaged_at] == pytest.approx(0.0001 / 0.00107, abs=1e-10)
    assert state[AT.hard_at] == state[AT.engaged_at]


def test_the_facility_books_what_its_latch_does():
    """Without delay: work of the real contact = stored + dissipated - driven to 1e-3, the ledger's
    rows sum to the invented energy, and the rig follows orbit."""
    run = simulate(build(docking()))
    ledger, state = run.ledger, run.latches[0]
    assert state[AT.hard_at] == pytest.approx(0.6, abs=0.005)
    books = ledger["stored"] + ledger["dissipated"] - state[AT.driven]
    assert ledger["real"] == pytest.approx(books, abs=1e-3 * ledger["turnover"])
    assert sum(run.ledger_rows.values()) == pytest.approx(run.energy_added_J, abs=1e-12)
    far = np.abs(run.series["chaser.position"] - run.reference.series["chaser.position"]).max()
    assert far < 1e-3  # of half a cycle of lateness in the swings
    m = run.metrics
    assert m["latched"] is True
    assert m["latched_at_s"] == pytest.approx(m["reference"]["latched_at_s"], abs=0.005)
    assert m["latch"]["peak_force_N"] == pytest.approx(
        m["latch"]["orbit"]["peak_force_N"], rel=0.05
    )
    assert m["summary"].startswith("Latched at 0.6")


def test_a_latch_breaks_at_its_load_and_loses_what_it_stored():
    """In orbit at the located instant: the force there is the stated one, the pair parts, and the
    books still close."""
    flown = run_reference(build(docking(break_force_N=4.0)))
    state = flown.latches[0]
    assert state[AT.state] == 3.0
    assert math.sqrt(state[AT.peak_force]) == pytest.approx(4.0, rel=1e-6)
    assert state[AT.lost] > 0.0
    balance = flown.kinetic + flown.stored + flown.dissipated - flown.driven
    assert balance == pytest.approx(flown.kinetic_start, abs=1e-11)
    run = run_loop(build(docking(break_force_N=4.0)))
    assert run.latches[0, AT.state] == 3.0
    assert run.latches[0, AT.broken_at] == pytest.approx(state[AT.broken_at], abs=0.01)


@pytest.mark.parametrize("damping", [0.0, 80.0], ids=["grows", "decays"])
def test_growth_of_a_latched_pair(damping):
    """Measured on the rig, from the sampled loop's dominant root, and in closed form: 2 % of each
    other."""
    scenario = build(held(b=damping))
    run = run_loop(scenario)
    found = compute_latch_growth(scenario, run.series, run.latches)
    mode = next(m for m in find_latched_modes(scenario) if m.name == "along x")
    assert found["mode"] == "along x"
    assert found["growth_per_s"] == pytest.approx(mode.growth_per_s, rel=0.02)
    assert found["growth_error_per_s"] < 0.02 * abs(mode.growth_per_s)
    assert mode.closed_form_per_s == pytest.approx((4000.0 * 0.018 - damping) / 3000.0, rel=1e-9)
    assert mode.growth_per_s == pytest.approx(mode.closed_form_per_s, rel=0.02)
    assert mode.holding_time_s == pytest.approx(0.018, rel=0.01)
    words = " ".join(describe_latched_modes(find_latched_modes(scenario)))
    if damping:
        assert "decays" in words
        assert math.isnan(found["late_by_s"])  # nothing is said of lateness from a decay
    else:
        assert found["late_by_s"] == pytest.approx(0.018, rel=0.02)
        assert found["energy_doubles_in_s"] == pytest.approx(math.log(2.0) / 0.048, rel=0.02)
        assert "doubles every 14.4 s" in words
        assert "holds" not in words  # nothing is advised that was not run


@pytest.mark.parametrize("name", ["energy_ledger", "delay_passivity"])
def test_energy_methods_hold_a_latched_pair(name):
    """A lossless latched pair at 16 ms of delay gains no more than 1 % of its energy in 60 s, and
    does not lose it either; without a method it is 18 times as much."""
    method = {"name": name, **METHODS[name].suggest(build(held()))}
    scenario = build(held(duration_s=60.0, methods=[method]))
    run = run_loop(scenario)
    since = int(np.searchsorted(run.series["time"], summarise_times(run.latches)["latched_at_s"]))
    rest = run.latches[0, AT.offset : AT.offset + 6]
    energy = compute_mode_energies(
        compute_modes(scenario.tables),
        *compute_deflections(scenario.tables, run.series, rest, since),
    ).sum(axis=1)
    assert energy.max() < 1.01 * energy[0]
    assert energy[-250:].mean() > 0.97 * energy[0]


def test_every_method_says_what_it_does_while_latched():
    """A sentence, or why it must not run; the docs' table has the same words."""
    assert [n for n, m in METHODS.items() if not (m.while_latched or m.knows_no_latch)] == []
    page = (Path(__file__).parents[2] / "docs/latch.md").read_text(encoding="utf-8")
    assert page == renewed(page)
    with pytest.raises(BadInput, match="knows latches"):
        build(held(methods=[{"name": "remapping", "stiffness_N_per_m": 2000.0}]))


@pytest.mark.parametrize(
    ("changed", "key", "allowed"),
    [
        ({"pull_in_s": 0.01}, "pull_in_s", "at least 8 cycles"),
        ({"place_m": [-0.2, 0.0, 0.0]}, "place_m", "within 0.003 m of the seat"),
        ({"pair": 1}, "pair", "below 1"),
        ({"real": {"stiffness_N_per_m": [0.0, 0.0, 0.0]}}, "stiffness_N_per_m", "holds"),
        ({"real": {"stiffness_N_per_m": [4e9 / 4, 1.0, 1.0]}}, "stiffness_N_per_m", "cycles"),
        ({"soft_share": 0.0}, "soft_share", "> 0"),
    ],
)
def test_impossible_latches_are_refused(changed, key, allowed):
    """A pull-in that the cycle does not resolve, a seat outside the geometry, nothing that holds:
    refused before the clock starts, with key and reason."""
    tables = held()
    tables["capture"]["latch"][0] |= changed
    with pytest.raises(BadInput) as caught:
        build(tables)
    (problem,) = caught.value.problems
    assert problem.key.endswith(key)
    assert problem.key.startswith("capture.latch.0.")
    assert allowed in problem.allowed


def test_a_batch_latches_as_single_runs_do():
    """Outcomes of a campaign: when the last latch went hard and what it bore, NaN where it never
    did; the same as of single runs."""
    scenario = build(held(duration_s=2.0, delay_ms=8.0))
    speeds = np.array([0.001, 0.002, -0.001])
    columns_ = make_columns(scenario, {"chaser.velocity_m_per_s.0": speeds})
    batch = run_cpu(*columns_, threads=1)
    for i, speed in enumerate(speeds):
        run = run_loop(scenario.replace({"chaser.velocity_m_per_s": [float(speed), 0.0, 0.0]}))
        found = summarise_times(run.latches)
        assert batch.column("latched_at_s")[i] == pytest.approx(found["latched_at_s"], nan_ok=True)
        assert batch.column("latch_peak_force_N")[i] == pytest.approx(found["peak_force_N"])
    assert np.isnan(batch.column("latched_at_s")).tolist() == [False, False, True]


def test_two_latches_hold_as_one_of_twice_the_stiffness():
    """Several latches add: two of half the stiffness at the same place are one."""
    one, two = held(duration_s=2.0), held(k=2000.0, duration_s=2.0)
    two["capture"]["latch"] = two["capture"]["latch"] * 2
    a, b = run_reference(build(one)), run_reference(build(two))
    assert b.latches.shape[0] == 2
    assert b.chaser == pytest.approx(a.chaser, abs=1e-10)
    assert compute_modes(build(two).tables).squared == pytest.approx(
        compute_modes(build(one).tables).squared, rel=1e-12
    )
