"""A batch is the single run, many times, bit for bit, whatever the threads and the neighbours."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(
    0, str(Path(__file__).parents[2])
)  # for `benchmarks`, which is no part of the package

from batch_cases import SWEPT, noisy_wall

from softdock.errors import BadInput
from softdock.loop import entry_points
from softdock.loop.cycle import STATUSES
from softdock.loop.vector import MEMORY, MEMORY_AT, METHODS_AT
from softdock.results.simulation import run_loop
from softdock.scenario.features import features_with
from softdock.scenario.files import load_scenario
from softdock.studies.campaign.batch import run_cpu
from softdock.studies.campaign.columns import list_sweepable, make_columns
from softdock.studies.campaign.kernel_specialisation import tailor


@pytest.fixture(scope="module")
def scenario():
    return noisy_wall()


@pytest.fixture(scope="module")
def batch(scenario):
    return run_cpu(*make_columns(scenario, SWEPT), threads=1)


def test_a_batch_is_the_single_run_bit_for_bit(scenario, batch):
    """Whoever sweeps gets the very numbers of the runs made one by one, with each value written
    into the scenario."""
    for i in (0, 7, 23):
        changes = {key: float(values[i]) for key, values in SWEPT.items() if not key.endswith(".0")}
        velocity = {"chaser.velocity_m_per_s": [SWEPT["chaser.velocity_m_per_s.0"][i], 0.0, 0.0]}
        run = run_loop(scenario.replace(changes | velocity | {"random.run": i}))
        assert batch.column("cycles")[i] == run.cycles
        assert batch.column("contacts")[i] == run.contact_count
        assert batch.column("energy_added_J")[i] == run.energy_added_J
        assert batch.column("restitution")[i] == run.restitution
        assert batch.contact(0, "peak_force_real_N")[i] == run.contacts[0]["peak_force_real_N"]
        at = entry_points.OUTCOME_COLUMNS.index("chaser.px")
        np.testing.assert_array_equal(batch.outcomes[i, at : at + 26], run.series.rows[-1, 1:27])


@pytest.mark.parametrize(("threads", "chunk"), [(1, 5), (2, 1), (3, 7), (8, 1000)])
def test_neither_threads_nor_chunks_change_a_bit(scenario, batch, threads, chunk):
    """A result may not depend on the machine's cores: two laptops must agree."""
    other = run_cpu(*make_columns(scenario, SWEPT), threads=threads, chunk=chunk)
    np.testing.assert_array_equal(other.outcomes, batch.outcomes)
    np.testing.assert_array_equal(other.logs, batch.logs)


def test_a_run_does_not_depend_on_its_neighbours(scenario, batch):
    """Part of a batch, with the run indices it had, gives that part of the results, though its
    memory map is smaller."""
    part = {key: values[:5] for key, values in SWEPT.items()}
    small = make_columns(scenario, part)
    assert small.mem_floats < make_columns(scenario, SWEPT).mem_floats
    np.testing.assert_array_equal(run_cpu(*small).outcomes, batch.outcomes[:5])


def test_every_run_draws_its_own_noise(scenario):
    """The run index is the second half of the random key: equal rows are different draws, and the
    same index is the same draw."""
    draws = run_cpu(*make_columns(scenario, {}, runs=3)).column("restitution")
    assert len(set(draws)) == 3
    again = run_cpu(*make_columns(scenario, {"random.run": [2, 1, 0]})).column("restitution")
    np.testing.assert_array_equal(draws, again[::-1])


@pytest.mark.parametrize(
    ("key", "column", "written"),
    [
        ("robots.chaser.delay_ms", [3.3, 17.0], 17.0),
        ("contact.0.real.stiffness_N_per_m", [500.0, 1234.5], 1234.5),
        ("chaser.mass_kg", [50.0, 70.5], 70.5),
        ("chaser.position_m", [[0.02, 0.0, 0.0], [0.03, 0.1, -0.2]], [0.03, 0.1, -0.2]),
        (
            "chaser.attitude_wxyz",
            [[1.0, 0.0, 0.0, 0.0], [0.9, 0.1, 0.2, 0.3]],
            [0.9, 0.1, 0.2, 0.3],
        ),
        ("chaser.inertia_kg_m2", [[10.0, 10.0, 10.0], [10.0, 11.0, 12.0]], [10.0, 11.0, 12.0]),
        ("time.cycle_ms", [4.0, 2.0], 2.0),
        ("random.seed", [3, 9], 9),
    ],
)
def test_a_column_is_what_build_would_write(scenario, key, column, written):
    """A sweep scales and lays out a value exactly as a scenario file does; only the memory map is
    that of the largest row."""
    row = make_columns(scenario, {key: column, "random.run": 0}).vectors[1]
    built = scenario.replace({key: written}).vector
    different = np.flatnonzero(row != built)
    assert all(_is_memory_map(i) for i in different)


def _is_memory_map(index: int) -> bool:
    return (
        MEMORY_AT <= index < MEMORY_AT + MEMORY.size or index == METHODS_AT
    )  # `direct` has one slot: where its memory begins


@pytest.mark.parametrize(
    ("swept", "named"),
    [
        ({"robots.chaser.dely_ms": [1.0]}, r"did you mean 'robots\.chaser\.delay_ms'"),
        (
            {"robots.chaser.delay_ms": [1.0, -2.0, 3.0]},
            r"robots\.chaser\.delay_ms\[1\]: given -2\.0; allowed: .*>= 0 and <= 2000 \[ms\]",
        ),
        ({"contact.0.real.stiffness_N_per_m": [1.0, float("nan")]}, r"stiffness_N_per_m\[1\]"),
        ({"satellites.integrator": [1]}, r"a choice"),
        ({"contact.0.mouth_radius_m": [0.1]}, r"mouth_radius_m: given"),
        ({"contact.1.real.stiffness_N_per_m": [1.0]}, r"contact\.1\.real"),
        (
            {"time.plant_steps": [1, 1.5]},
            r"time\.plant_steps\[1\]: given 1\.5; allowed: a whole number",
        ),
        ({"chaser.inertia_kg_m2": [[1.0, 1.0, 1.0], [1.0, 1.0, 3.0]]}, r"inertia_kg_m2\[1\]"),
        ({"chaser.mass_kg": ["heavy"]}, r"chaser\.mass_kg: given \['heavy'\]"),
        ({"chaser.position_m": [[0.0, 1.0]]}, r"shape \(1, 2\)"),
        (
            {"chaser.mass_kg": [60.0, 70.0], "robots.chaser.delay_ms": [1.0, 2.0, 3.0]},
            r"'2 values'; allowed: 3 values",
        ),
        (
            {"robots.chaser.delay_ms": 1900.0, "time.cycle_ms": 1.0},
            r"at most \d+ cycles, the largest history",
        ),
    ],
)
def test_a_bad_column_is_refused_before_anything_runs(scenario, swept, named):
    """The message names the key, the first bad row, what was given and what is allowed."""
    with pytest.raises(BadInput, match=named):
        make_columns(scenario, swept)


def test_a_run_that_starts_in_contact_says_so_and_the_others_go_on(scenario):
    """One impossible row of a thousand must not stop a campaign, nor pass for a result."""
    mixed = run_cpu(
        *make_columns(scenario, {"chaser.position_m.0": [0.01, -1.0, 0.01], "random.run": 0})
    )
    assert [STATUSES[int(code)] for code in mixed.column("status")] == [
        "completed",
        "deep in contact at the start",
        "completed",
    ]
    np.testing.assert_array_equal(mixed.outcomes[0], mixed.outcomes[2])


def test_progress_reaches_the_total(scenario):
    """A progress bar ends full."""
    seen = []
    run_cpu(
        *make_columns(scenario, SWEPT),
        threads=2,
        chunk=4,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert seen[-1] == (24, 24)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_an_unknown_outcome_suggests_one(batch):
    """A misspelt outcome is answered with the nearest one, and not with an empty column."""
    with pytest.raises(KeyError, match="did you mean 'restitution'"):
        batch.column("restitucion")


@pytest.mark.parametrize("name", ["epos_1d", "epos_3d"])
def test_a_short_history_gives_the_same_run(name):
    """The GPU keeps as few set-points and samples as are read, at other places of `mem`: bit for
    bit the run with the long rings."""
    part = make_columns(
        load_scenario(name).replace({"methods": [{"name": "direct"}]}),
        {"chaser.mass_kg": [55.0, 60.0, 65.0], "sensor.delay_ms": [0.0, 1.0, 3.0]},
    )
    lean = tailor(*part)
    assert lean.special.floats < part.mem_floats
    short = run_cpu(lean.vectors, part.markers, lean.special.floats)
    np.testing.assert_array_equal(short.outcomes, run_cpu(*part).outcomes)


def test_a_sweep_that_brings_a_feature_gets_a_loop_with_it(scenario):
    """A plain scenario whose robots jitter in some rows: the batch is that of runs made one by one,
    not of a loop without jitter."""
    assert type(scenario.markers.features).__name__ == "Plain"
    part = make_columns(scenario, {"robots.chaser.delay_jitter_ms": [0.0, 2.0]})
    assert type(part.markers.features).__name__ == "Every"
    run = run_loop(scenario.replace({"robots.chaser.delay_jitter_ms": 2.0, "random.run": 1}))
    assert run_cpu(*part).column("restitution")[1] == run.restitution
    jitter = list_sweepable(scenario)["robots.chaser.delay_jitter_ms"].at
    assert type(features_with(scenario.vector, [jitter])).__name__ == "Every"
    assert (
        type(
            features_with(scenario.vector, [list_sweepable(scenario)["chaser.mass_kg"].at])
        ).__name__
        == "Plain"
    )
