"""Kernels of a campaign: one for all its slices, compiled to PTX, kept and, when damaged,
forgotten."""

from __future__ import annotations

import pytest

from softdock.studies.campaign.cuda import (
    compile_expansion_kernel,
    keep_if_possible,
    load_if_whole,
    load_numba_cuda,
)
from softdock.studies.campaign.kernel_specialisation import CommonValues, tailor
from softdock.studies.campaign.plan import load_plan


def test_slices_of_a_campaign_share_one_kernel():
    """A grid's slices agree within themselves in what differs between them: taken for constants,
    each would need a kernel of its own, or be wrong."""
    made = load_plan("fidelity_map")
    variant, per_delay = made.variants[0], 13
    markers, floats = variant.scenario.markers, variant.mem_floats
    common = CommonValues(markers, floats)
    common.add(made.select_runs(0, 0, made.design.runs))
    special = [
        tailor(made.select_runs(0, at, at + per_delay), markers, floats, common).special
        for at in (0, per_delay, 2 * per_delay)
    ]
    assert special[0] == special[1] == special[2]
    assert special[0].common.chaser_robot_cycles == special[0].common.on_stamps == 0
    alone = tailor(made.select_runs(0, 0, per_delay), markers, floats).special
    assert alone.common.chaser_robot_cycles == 1
    grown = CommonValues(markers, floats)
    tailor(made.select_runs(0, 0, per_delay), markers, floats, grown)
    assert (
        tailor(
            made.select_runs(0, per_delay, 2 * per_delay), markers, floats, grown
        ).special.common.chaser_robot_cycles
        == 0
    )


def test_the_kernel_that_expands_runs_compiles_to_ptx(monkeypatch):
    """Protects campaigns on a GPU where none is at hand: the kernel compiles, barrier included."""
    import numba

    cuda = load_numba_cuda()
    from numba.cuda import dispatcher

    monkeypatch.setattr(
        dispatcher, "get_current_device", type("Device", (), {"compute_capability": (9, 0)})
    )
    matrix = numba.float64[:, ::1]
    types = (numba.float64[::1], numba.int64[::1], matrix, matrix, matrix, numba.float64[:, :, ::1])
    ptx = cuda.compile_ptx(compile_expansion_kernel().py_func, types, cc=(9, 0))[0]
    assert "bar.sync" in ptx  # the base everywhere before a run's own numbers


def test_a_kernel_that_cannot_be_kept_is_no_error():
    """numba-cuda refuses to keep a kernel with a library linked into it; anything else that goes
    wrong is said."""

    def keep(_signature, kernel):
        if kernel is not None:
            raise RuntimeError(kernel)

    tried = keep_if_possible(keep)
    tried("signature", None)
    tried("signature", "Cannot pickle CUDACodeLibrary with linking files")
    with pytest.raises(RuntimeError, match="disc"):
        tried("signature", "the disc failed")


def test_a_damaged_file_of_kernels_is_forgotten():
    """Numba's own cache raises whatever pickle raises: it is emptied, and the kernel compiled."""

    class Damaged:
        cache_path, flushed = "somewhere", 0

        def load_overload(self, *kernel):
            raise EOFError("Ran out of input")

        def flush(self):
            self.flushed += 1

    cache = Damaged()
    assert load_if_whole(cache)("signature", None) is None
    assert cache.flushed == 1
