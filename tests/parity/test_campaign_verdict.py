"""The verdict of a campaign's runs, kept without a record, is that of single runs."""

from __future__ import annotations

import pytest

from softdock.loop.settled_motion import SETTLED_ROWS
from softdock.results.simulation import simulate
from softdock.results.verdict import ALL_WORDS, choose_word
from softdock.studies.campaign.batch import CONTACTS, run_cpu
from softdock.studies.campaign.outcome import ReferenceResults, ShardResult
from softdock.studies.campaign.plan import make_plan
from softdock.studies.campaign.references import (
    add_reference_times,
    collect_ends,
    compute_distances_at,
    compute_reachable_energies,
    find_instants,
    simulate_references,
    split_stored_motions,
)
from softdock.studies.campaign.spec import read_spec
from softdock.studies.campaign.verdicts import compute_criteria, judge_runs


def test_a_campaign_judges_as_a_single_run_does():
    """Late rigs with noise, a filter, bias of both signs and wrong tools: every criterion that a
    batch keeps without a record is that of the series of a single run, and so is the word."""
    made = make_plan(
        read_spec(
            {
                "scenario": "epos_3d",
                "reference": True,
                "runs": 6,
                "seed": 20261118,
                "sampling": "random",
                "set": {"sensor": {"lowpass_Hz": 40.0}, "time": {"duration_s": 11.0}},
                "vary": [
                    {
                        "key": "robots.chaser.delay_ms",
                        "also": ["robots.target.delay_ms"],
                        "uniform": [0.0, 40.0],
                    },
                    {"key": "sensor.bias_N.0", "uniform": [-0.05, 0.05]},
                    {"key": "chaser.position_m.1", "uniform": [-0.02, 0.02]},
                ],
            }
        )
    )
    runs = made.select_runs(0, 0, 6)
    orbits = simulate_references(runs, made.base.markers.methods)
    variant = made.variants[0]
    batch, watched = split_stored_motions(
        run_cpu(
            add_reference_times(runs, orbits, 1.0),
            variant.scenario.markers,
            variant.mem_floats,
            contacts=CONTACTS + SETTLED_ROWS,
        )
    )
    scale = compute_reachable_energies(runs, batch, orbits)
    instants = (*find_instants(runs, batch, watched, orbits), collect_ends(runs, batch))
    after, later, at_end = (
        compute_distances_at(runs, batch, one, orbits, scale) for one in instants
    )
    beside = ReferenceResults(
        orbits=orbits, distance=after, later=later, at_end=at_end, scale=scale, watched=watched
    )
    whole = ShardResult(
        plan=made, variant=0, first=0, runs=runs, batch=batch, reference_results=beside
    )
    found, words = compute_criteria(whole), judge_runs(whole)
    names = ("energy", "energy_kept", "distance", "peak_force", "latch_force", "free_flight")
    numbers = [number for _, bound, number in found if bound]
    by_name = dict(zip(names, numbers, strict=True))
    for run in range(6):
        single = simulate(made.scenario_of(run)).metrics
        for name in ("energy", "distance", "free_flight"):
            assert by_name[name][run] == pytest.approx(single["criteria"][name], rel=1e-6), name
        assert by_name["peak_force"][run] == pytest.approx(
            abs(single["criteria"]["peak_force"]), rel=1e-6
        )
        assert ALL_WORDS[words[run]] == choose_word(single["criteria"], single["verdict"]["bounds"])
