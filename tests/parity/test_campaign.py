"""A campaign is its single runs: the same to the bit whatever the shards, the threads or the
machine, and again by itself."""

from __future__ import annotations

import numpy as np
import pytest

from softdock.loop.contact.log import LOG_COLUMNS
from softdock.loop.entry_points import OUTCOMES
from softdock.loop.specialise import Kind
from softdock.reference import run_reference
from softdock.results.fidelity import compute_distance
from softdock.results.momenta import read_mass_properties, read_motions
from softdock.results.simulation import simulate
from softdock.studies.campaign.arrow_arrays import to_numbers
from softdock.studies.campaign.batch import Batch, run_cpu
from softdock.studies.campaign.digest import read_tables
from softdock.studies.campaign.distances import rotate_back
from softdock.studies.campaign.engines import CpuEngine
from softdock.studies.campaign.execute import run_shards
from softdock.studies.campaign.kernel_specialisation import tailor
from softdock.studies.campaign.plan import make_plan
from softdock.studies.campaign.references import Instant, compute_distances_at, simulate_references
from softdock.studies.campaign.replay import extract_outcomes, list_differences
from softdock.studies.campaign.shards import begin_folder, make_plan_from_texts, make_plan_texts
from softdock.studies.campaign.spec import read_spec

TABLES = {
    "name": "small",
    "scenario": "epos_3d",
    "runs": 12,
    "seed": 3,
    "sampling": "sobol",
    "reference": True,
    "set": {
        "chaser": {"rate_rad_per_s": [0.1, 0.0, 0.0]},
        "contact": {"0": {"real": {"damping_Ns_per_m": 6000.0}}},
        "capture": {"for_s": 0.5, "within_m": 0.01},
        "sensor": {"delay_ms": 3.0, "handover": "mean"},
    },
    "vary": [
        {
            "key": "robots.chaser.delay_ms",
            "also": ["robots.target.delay_ms"],
            "uniform": [0.0, 30.0],
        },
        {"key": "chaser.position_m.1", "normal": [0.0, 0.02]},
        {
            "key": "chaser.attitude_wxyz",
            "turn_about": [0.0, 0.0, 1.0],
            "keep_tip": True,
            "list": [-2.0, 2.0],
        },
        {"key": "chaser.mass_kg", "uniform": [2000.0, 4000.0]},
        {
            "key": "time.duration_s",
            "list": [5.0, 9.0],
        },  # with 5 s some are still in contact at the end
    ],
}


@pytest.fixture(scope="module")
def plan():
    return make_plan(read_spec(TABLES))


def columns_of(plan, folder, shard_runs, threads):
    begun = begin_folder(plan, folder, shard_runs)
    run_shards(plan, begun, CpuEngine(threads))
    parts = list(read_tables(folder))
    return {
        name: np.concatenate([to_numbers(part[name]) for part in parts])
        for name in parts[0].column_names
    }


@pytest.fixture(scope="module")
def columns(plan, tmp_path_factory):
    return columns_of(plan, tmp_path_factory.mktemp("whole") / "c", 1000, 1)


def test_neither_shards_nor_threads_change_a_bit(plan, columns, tmp_path):
    """Protects resuming and clusters: how runs are split over shards and threads is not in the
    numbers."""
    other = columns_of(plan, tmp_path / "c", 5, 2)
    assert other.keys() == columns.keys()
    for name in columns:
        np.testing.assert_array_equal(other[name], columns[name], err_msg=name)


def test_an_attitude_turned_back_does_not_depend_on_the_runs_beside_it():
    """Tumbling bodies of unequal inertias, one fast and one slow: alone or together, the same
    bits."""
    inertia = {"key": "chaser.inertia_kg_m2.1", "list": [420.0, 470.0, 560.0]}
    runs = make_plan(read_spec({"scenario": "epos_3d", "vary": [inertia]})).select_runs(0, 0, 3)
    motions = np.zeros((3, 2, 13))
    motions[:, :, 3] = 1.0
    motions[:, 0, 10:13] = np.array([[0.01, 0.02, 0.0], [0.5, 0.2, -0.4], [2.0, 0.1, 0.3]])
    by = np.array([1.0, 2.3, 0.7])
    together = rotate_back(runs, motions, by)
    assert np.abs(together[:, 0, 4:7]).max() > 0.1
    for i in range(3):
        np.testing.assert_array_equal(
            rotate_back(runs.select(i, i + 1), motions[i : i + 1], by[i : i + 1])[0], together[i]
        )


def test_a_plan_made_again_from_its_texts_is_the_same(plan):
    """What a worker far away is sent, and what a folder holds."""
    again = make_plan_from_texts(make_plan_texts(plan))
    np.testing.assert_array_equal(
        again.select_runs(0, 0, plan.runs).expand(), plan.select_runs(0, 0, plan.runs).expand()
    )
    assert make_plan_texts(again) == make_plan_texts(plan)


@pytest.mark.parametrize("run", [0, 6, 18, 40])
def test_a_replay_is_the_run(plan, columns, run):
    """A worst case looked at by itself is that case, in every outcome to the bit; orbit's, flown
    without a record, to its own accuracy. The capture is worked out anew as well, from the
    series."""
    made = simulate(plan.scenario_of(run))
    single, row = (
        extract_outcomes(made.metrics),
        {name: float(x[run]) for name, x in columns.items()},
    )
    of_orbit = {name for name in single if "orbit" in name}
    assert np.isnan(
        row.pop("observed_J")
    )  # force and pose differ in age: paired in a single run's record alone
    del single["observed_J"]
    for name, value in single.items():
        assert row[name] == pytest.approx(
            value, nan_ok=True, rel=1e-8 if name in of_orbit else 0.0, abs=0.0
        ), name
    assert single["captured_at_s"] == pytest.approx(captured_at(made), nan_ok=True, abs=1e-9)
    assert list_differences(row, single) == []
    assert np.isnan(row["error_against_orbit"]) == (run in (0, 6))  # no contact; still in one
    assert list_differences(row | {"contacts": 7.0}, single) == [
        f"contacts {single['contacts']:.6g} (7 in the table)"
    ]


def test_pushes_in_orbit_count_up_to_the_instant_after_the_last_contact():
    """A thruster pushes before and after the contact: orbit is taken at the instants of
    `fidelity.instants`, neither at its start nor at its end."""
    push = {"rows": [[0.1, -0.2, 0, 0, 0, 0, 0], [2.4, 0.4, 0, 0, 0, 0, 0]]}
    made = make_plan(
        read_spec(
            {
                "scenario": "epos_1d",
                "reference": True,
                "runs": 2,
                "set": {"external": {"chaser": push}},
            }
        )
    )
    runs, recorded = made.select_runs(0, 0, 2), run_reference(made.base)
    end, T = recorded.contacts[0]["end_s"], 0.004
    after = int(end / T) + 9
    motion = np.stack([read_motions(recorded.series, after)] * 2)
    motion[1, 0, 7] += 0.003
    batch = Batch(np.zeros((2, OUTCOMES)), np.zeros((2, 1, len(LOG_COLUMNS))))
    batch.column("contacts")[:] = 1.0
    batch.logs[:, 0, LOG_COLUMNS.index("start_s")] = recorded.contacts[0]["start_s"] + 2.0 * T
    flown = simulate_references(runs, made.base.markers.methods)
    scale = np.full(2, recorded.reach)
    found = compute_distances_at(runs, batch, Instant(motion, np.full(2, after * T)), flown, scale)
    bodies = read_mass_properties(made.base.vector)
    assert found[0] < 1e-7
    assert found[1] == pytest.approx(
        compute_distance(bodies, recorded.reach, motion[1], read_motions(recorded.series, after)),
        rel=1e-6,
    )
    assert found[1] != pytest.approx(
        compute_distance(bodies, recorded.reach, motion[1], read_motions(recorded.series, -1)),
        rel=0.1,
    )
    still_touching = compute_distances_at(
        runs, batch, Instant(motion, np.full(2, np.nan)), flown, scale
    )
    assert np.isnan(still_touching).all()


def captured_at(run):
    """From the series of a run, in numpy: a cone along -x, tip and mouth 1 m from the centres of
    mass."""
    series, capture, pair = (
        run.series,
        run.scenario.tables["capture"],
        run.scenario.tables["contact"][0],
    )
    depth = (pair["mouth_radius_m"] - pair["bottom_radius_m"]) / np.tan(
        np.radians(pair["half_angle_deg"])
    )
    seated = 0
    for k in range(1, len(series["time"])):
        chaser, target = read_motions(series, k)
        tip = chaser[0:3] + _matrix(chaser[3:7]) @ [1.0, 0.0, 0.0]
        v_tip = chaser[7:10] + np.cross(_matrix(chaser[3:7]) @ chaser[10:13], tip - chaser[0:3])
        v_there = target[7:10] + np.cross(_matrix(target[3:7]) @ target[10:13], tip - target[0:3])
        x, y, z = _matrix(target[3:7]).T @ (tip - target[0:3]) + [1.0, 0.0, 0.0]
        at_seat = (
            x >= 0.0
            and np.hypot(y, z) <= pair["mouth_radius_m"]
            and depth - x <= capture["within_m"]
        )
        slow = np.linalg.norm(v_tip - v_there) <= capture["below_m_per_s"]
        seated = seated + 1 if at_seat and slow else 0
        if seated * 0.004 >= capture["for_s"] - 1e-9:
            return series["time"][k]
    return np.nan


def _matrix(q):
    w, x, y, z = q
    skew = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + 2.0 * w * skew + 2.0 * skew @ skew


def test_some_are_captured_and_some_are_not(columns):
    """Else the test above would prove little."""
    assert 0 < np.isfinite(columns["captured_at_s"]).sum() < len(columns["run"])
    np.testing.assert_array_equal(columns["captured"] == 1.0, np.isfinite(columns["captured_at_s"]))


def test_orbit_is_flown_once_for_what_it_does_not_know(tmp_path):
    """Delays, noise and methods are no matter of orbit's."""
    vary = [
        {"key": "robots.chaser.delay_ms", "grid": [0.0, 16.0, 5]},
        {"key": "contact.0.real.stiffness_N_per_m", "list": [800.0, 1000.0]},
    ]
    made = make_plan(read_spec({"scenario": "epos_1d", "reference": True, "vary": vary}))
    spent = run_shards(made, begin_folder(made, tmp_path / "c", 100), CpuEngine(1))
    assert (spent.runs, spent.orbits) == (10, 2)


def test_thin_runs_made_ready_for_a_gpu_give_the_same_results(plan):
    """With the short history of a kernel, on the CPU."""
    variant = plan.variants[0]
    runs = make_plan(read_spec(TABLES | {"runs": 4, "vary": TABLES["vary"][1:]})).select_runs(
        0, 0, 4
    )
    lean = tailor(runs, variant.scenario.markers, variant.mem_floats)
    assert Kind(*lean.special.kind).captures == 1
    short = run_cpu(lean.vectors, variant.scenario.markers, lean.special.floats)
    np.testing.assert_array_equal(
        short.outcomes, run_cpu(runs, variant.scenario.markers, variant.mem_floats).outcomes
    )
