"""A campaign is its single runs: the same to the bit whatever the shards, the threads or the machine, and again by itself."""

from __future__ import annotations

import numpy as np
import pytest

from softdock.campaign.arrow import to_numbers
from softdock.campaign.cpu import run_cpu
from softdock.campaign.cuda import expanding_kernel, keep_if_possible, load_numba_cuda
from softdock.campaign.digest import tables
from softdock.campaign.engines import Cpu
from softdock.campaign.execute import run_shards
from softdock.campaign.plan import load_plan, make_plan
from softdock.campaign.shards import begin, plan_from, plan_texts
from softdock.campaign.spec import read_spec
from softdock.campaign.tailoring import Common, tailor
from softdock.fidelity import distance_from_orbit, mass_properties, motions
from softdock.kinds import Kind
from softdock.simulation import simulate

TABLES = {
    "name": "small",
    "scenario": "epos_3d",
    "runs": 12,
    "seed": 3,
    "sampling": "sobol",
    "reference": True,
    "set": {"time": {"duration_s": 9.0}, "contact": {"0": {"real": {"damping_Ns_per_m": 6000.0}}}, "capture": {"for_s": 0.5, "within_m": 0.01}},
    "vary": [
        {"key": "robots.chaser.delay_ms", "also": ["robots.target.delay_ms"], "uniform": [0.0, 30.0]},
        {"key": "chaser.position_m.1", "normal": [0.0, 0.02]},
        {"key": "chaser.attitude_wxyz", "turn_about": [0.0, 0.0, 1.0], "keep_tip": True, "list": [-2.0, 2.0]},
        {"key": "chaser.mass_kg", "uniform": [2000.0, 4000.0]},
    ],
}


@pytest.fixture(scope="module")
def plan():
    return make_plan(read_spec(TABLES))


def columns_of(plan, folder, shard_runs, threads):
    begun = begin(plan, folder, shard_runs)
    run_shards(plan, begun, Cpu(threads))
    parts = list(tables(folder))
    return {name: np.concatenate([to_numbers(part[name]) for part in parts]) for name in parts[0].column_names}


@pytest.fixture(scope="module")
def columns(plan, tmp_path_factory):
    return columns_of(plan, tmp_path_factory.mktemp("whole") / "c", 1000, 1)


def test_neither_shards_nor_threads_change_a_bit(plan, columns, tmp_path):
    other = columns_of(plan, tmp_path / "c", 5, 2)
    assert other.keys() == columns.keys()
    for name in columns:
        np.testing.assert_array_equal(other[name], columns[name], err_msg=name)


def test_a_plan_made_again_from_its_texts_is_the_same(plan):
    """What a worker far away is sent, and what a folder holds."""
    again = plan_from(plan_texts(plan))
    np.testing.assert_array_equal(again.thin(0, 0, plan.runs).expand(), plan.thin(0, 0, plan.runs).expand())
    assert plan_texts(again) == plan_texts(plan)


@pytest.mark.parametrize("run", [0, 7, 23])
def test_a_replay_is_the_run(plan, columns, run):
    """A worst case looked at by itself is that case, to the bit; with the capture and the distance worked out anew, from its series."""
    made = simulate(plan.scenario_of(run))
    assert columns["energy_invented_J"][run] == made.energy_invented_J
    assert columns["contacts"][run] == made.contact_count
    assert columns["restitution"][run] == pytest.approx(made.restitution, nan_ok=True, rel=0.0, abs=0.0)
    assert columns["peak_force_real_N"][run] == max((c["peak_force_real_N"] for c in made.contacts), default=0.0)
    assert columns["captured_at_s"][run] == pytest.approx(captured_at(made), nan_ok=True, abs=1e-9)
    start, end, orbit = motions(made.series, 0), motions(made.series, -1), np.stack([made.orbit.chaser, made.orbit.target])
    wanted = distance_from_orbit(mass_properties(made.scenario.vector), start, end, orbit)
    assert columns["distance_from_orbit"][run] == pytest.approx(wanted, rel=1e-9)
    assert columns["distance_from_orbit"][run] == pytest.approx(made.metrics["fidelity"]["distance_from_orbit_at_end"], rel=1e-6)


def captured_at(run):
    """From the series of a run, in numpy: a cone along -x, tip and mouth 1 m from the centres of mass."""
    series, capture, pair = run.series, run.scenario.tables["capture"], run.scenario.tables["contact"][0]
    depth = (pair["mouth_radius_m"] - pair["bottom_radius_m"]) / np.tan(np.radians(pair["half_angle_deg"]))
    seated = 0
    for k in range(1, len(series["time"])):
        chaser, target = motions(series, k)
        tip = chaser[0:3] + _matrix(chaser[3:7]) @ [1.0, 0.0, 0.0]
        v_tip = chaser[7:10] + np.cross(_matrix(chaser[3:7]) @ chaser[10:13], tip - chaser[0:3])
        v_there = target[7:10] + np.cross(_matrix(target[3:7]) @ target[10:13], tip - target[0:3])
        x, y, z = _matrix(target[3:7]).T @ (tip - target[0:3]) + [1.0, 0.0, 0.0]
        at_seat = x >= 0.0 and np.hypot(y, z) <= pair["mouth_radius_m"] and depth - x <= capture["within_m"]
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
    vary = [{"key": "robots.chaser.delay_ms", "grid": [0.0, 16.0, 5]}, {"key": "contact.0.real.stiffness_N_per_m", "list": [800.0, 1000.0]}]
    made = make_plan(read_spec({"scenario": "epos_1d", "reference": True, "vary": vary}))
    spent = run_shards(made, begin(made, tmp_path / "c", 100), Cpu(1))
    assert (spent.runs, spent.orbits) == (10, 2)


def test_slices_of_a_campaign_share_one_kernel():
    """A grid's slices agree within themselves in what differs between them: taken for constants, each would need a kernel of its own, or be wrong."""
    made = load_plan("honesty_map")
    variant, per_delay = made.variants[0], 13
    markers, floats = variant.scenario.markers, variant.mem_floats
    common = Common(markers, floats)
    common.see(made.thin(0, 0, made.design.runs))
    special = [tailor(made.thin(0, at, at + per_delay), markers, floats, common).special for at in (0, per_delay, 2 * per_delay)]
    assert special[0] == special[1] == special[2]
    assert special[0].common.chaser_cycles == special[0].common.on_stamps == 0
    alone = tailor(made.thin(0, 0, per_delay), markers, floats).special
    assert alone.common.chaser_cycles == 1
    grown = Common(markers, floats)
    tailor(made.thin(0, 0, per_delay), markers, floats, grown)
    assert tailor(made.thin(0, per_delay, 2 * per_delay), markers, floats, grown).special.common.chaser_cycles == 0


def test_thin_runs_made_ready_for_a_gpu_give_the_same_results(plan):
    """With the short history of a kernel, on the CPU."""
    variant = plan.variants[0]
    runs = make_plan(read_spec(TABLES | {"runs": 4, "vary": TABLES["vary"][1:]})).thin(0, 0, 4)
    lean = tailor(runs, variant.scenario.markers, variant.mem_floats)
    assert Kind(*lean.special.kind).captures == 1
    short = run_cpu(lean.vectors, variant.scenario.markers, lean.special.floats)
    np.testing.assert_array_equal(short.outcomes, run_cpu(runs, variant.scenario.markers, variant.mem_floats).outcomes)


def test_the_kernel_that_expands_runs_compiles_to_ptx(monkeypatch):
    import numba

    cuda = load_numba_cuda()
    from numba.cuda import dispatcher

    monkeypatch.setattr(dispatcher, "get_current_device", type("Device", (), {"compute_capability": (9, 0)}))
    matrix = numba.float64[:, ::1]
    types = (numba.float64[::1], numba.int64[::1], matrix, matrix, matrix, numba.float64[:, :, ::1])
    ptx = cuda.compile_ptx(expanding_kernel().py_func, types, cc=(9, 0))[0]
    assert "bar.sync" in ptx  # the base everywhere before a run's own numbers


def test_a_kernel_that_cannot_be_kept_is_no_error():
    """numba-cuda refuses to keep a kernel with a library linked into it; anything else that goes wrong is said."""

    def keep(_signature, kernel):
        if kernel is not None:
            raise RuntimeError(kernel)

    tried = keep_if_possible(keep)
    tried("signature", None)
    tried("signature", "Cannot pickle CUDACodeLibrary with linking files")
    with pytest.raises(RuntimeError, match="disc"):
        tried("signature", "the disc failed")
