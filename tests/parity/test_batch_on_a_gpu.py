"""A batch on CUDA, as far as a machine without a GPU can tell: kernels compile to PTX, know
what their runs share, and refuse what does not fit; stored results of a GPU show when they
are stale."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numba
import pytest

sys.path.insert(
    0, str(Path(__file__).parents[2])
)  # for `benchmarks`, which is no part of the package

from batch_cases import SWEPT, noisy_wall

from benchmarks import gpu_check, gpu_compare, kernels
from benchmarks.gpu_dockings import COMPENSATORS
from softdock.compile.sources import source_hash
from softdock.errors import BadInput, NoDevice
from softdock.methods.registry import METHODS
from softdock.studies.campaign import cuda as gpu
from softdock.studies.campaign.columns import make_columns
from softdock.studies.campaign.kernel_specialisation import MOST_LOCAL_FLOATS, tailor


@pytest.fixture(scope="module")
def scenario():
    return noisy_wall()


@pytest.mark.parametrize("names", [("passive_integrator",), COMPENSATORS])
def test_hooks_of_methods_compile_to_ptx_in_double_precision(scenario, compile_for_h200, names):
    """A method called from a kernel passes the CUDA compiler, computes in double precision alone
    and has its memory in local memory: no GPU needed to know. Whole kernels, of every method in
    double precision: `make prove`, part kernels, and `make gpu-check`; what compiled functions may
    be written with: tests/conformance/test_core_for_gpus.py."""
    listed = [{"name": name, **METHODS[name].suggest(scenario)} for name in names]
    base = scenario.replace({"methods": listed})
    ptx = kernels.hooks_of(base, base.mem_floats, compile_for_h200)
    assert kernels.what_is_wrong(ptx, 64) == ""
    assert kernels.what_is_wrong(ptx.replace("fma.rn.f64", "fma.rn.f32"), 64) != ""


def test_a_kernel_knows_what_its_runs_have_in_common(scenario):
    """What differs between two runs of a batch is not taken for a constant; what they share is,
    with its value."""
    swept = {
        "chaser.mass_kg": [60.0, 61.0],
        "robots.chaser.delay_ms": [16.0, 16.0],
        "contact.0.real.stiffness_N_per_m": [1000.0, 1000.0],
    }
    _, numbers, special = tailor(*make_columns(scenario, swept))
    assert (
        special.shared.chaser_mass,
        special.shared.target_mass,
        special.shared.pair,
        special.shared.delays,
    ) == (0, 1, 1, 1)
    assert numbers.delays == (0.016, 0.016)
    assert special.common.chaser_robot_cycles == special.common.pairs_kinds == 1
    assert special.kind.chaser_robot_cycles == 4
    assert (
        special.kind.memory_slots == 5
    )  # the four of the delay and the newest: no more than is read
    swept |= {
        "robots.chaser.delay_ms": [16.0, 17.0],
        "contact.0.real.stiffness_N_per_m": [1000.0, 1001.0],
    }
    _, _, other = tailor(*make_columns(scenario, swept))
    assert (
        other.shared.pair,
        other.shared.delays,
        other.common.on_stamps,
        other.common.integrator,
    ) == (0, 0, 0, 1)


def test_too_much_memory_for_a_gpu_is_refused_with_the_way_out(scenario):
    """A history of more than a megabyte a run is refused before the launch; a method with a long
    history runs in global memory."""
    model_mediated = {"time.cycle_ms": 1.0, "methods": [{"name": "model_mediated"}]}
    long = make_columns(scenario.replace(model_mediated), {"robots.chaser.delay_ms": 600.0})
    with pytest.raises(BadInput, match="or run it on the CPU"):
        tailor(*long)
    special = tailor(*make_columns(scenario, {"robots.chaser.delay_ms": 1900.0})).special
    device = gpu.Device("small", (9, 0), 4, 8 * 8 * special.floats * 100)
    assert special.floats > MOST_LOCAL_FLOATS
    assert gpu.find_launch_rows(device, special, 1000) == 64  # an eighth of its memory: 100 runs


def test_without_a_gpu_the_error_says_what_was_found(scenario):
    """Asking for a GPU where there is none is one clear line, and not a traceback from a driver."""
    if gpu.load_numba_cuda().is_available():
        pytest.skip("there is a GPU here")
    with pytest.raises(NoDevice, match=r"no usable GPU: .+"):
        gpu.run_cuda(*make_columns(scenario, SWEPT))


def test_gpu_check_without_a_gpu_exits_1(capsys):
    """`make gpu-check` on a laptop fails in one line."""
    if gpu.load_numba_cuda().is_available():
        pytest.skip("there is a GPU here")
    assert gpu_check.main([]) == 1
    assert capsys.readouterr().err.startswith("gpu-check: ")


def test_batches_on_a_gpu_are_judged_together():
    """All must have run, agree and touch; what is counted apart may be one in a hundred."""
    good = {"kind": "a", "runs": 200, "touched": 200, "split": 1, "amplifying": 0}
    good["worst"] = {"twist": 1e-12, "force": 2e-10}
    others = [
        good | {"worst": {"twist": 2e-9, "force": 0.0}},
        good | {"touched": 100},
        good | {"amplifying": 5},
        {"kind": "b", "failed": "no time left"},
    ]
    found = gpu_compare.judged([good, good], str)
    assert (found["passed"], found["runs"], found["worst"]["force"]) == (True, 400, 2e-10)
    assert not any(gpu_compare.judged([good, other], str)["passed"] for other in others)
    assert not gpu_compare.judged([], str)["passed"]


def test_stale_gpu_results_show(tmp_path):
    """Results measured on a GPU carry the hash of the sources they were measured with."""
    path = tmp_path / "gpu.json"
    assert gpu_check.is_stale(path) is None
    path.write_text(json.dumps({"source_hash": source_hash()}))
    assert gpu_check.is_stale(path) is False
    path.write_text(json.dumps({"source_hash": "of other sources"}))
    assert gpu_check.is_stale(path) is True
    assert gpu_check.hash_with(numba.__version__) == source_hash()
    stored = json.loads(gpu_check.RESULTS.read_text())
    fresh = stored["source_hash"] == gpu_check.hash_with(stored["numba"])
    assert gpu_check.is_stale() is not fresh  # the stored ones: reported, not judged
