"""What all tests share: Hypothesis without chance, so that a failure on one machine is a failure on
all; and methods compiled with every feature, so that a list of methods is compiled once
(tests/parity/test_features.py shows that it changes no bit). Scenarios are in scenarios.py."""

from __future__ import annotations

import gc
import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

os.environ.setdefault("SOFTDOCK_EVERY_FEATURE", "1")
# Before NumPy is there: threads of its linear algebra that wait for each other take four times the
# processor time of one, from the other workers.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Numba leaves millions of small objects that stay: to look through them for garbage every 700 new
# ones takes a sixth of its time, more in a process that has compiled much.
gc.set_threshold(400_000, 20, 100)

# The first example may compile for half a minute: no deadline.
settings.register_profile(
    "softdock",
    derandomize=True,
    deadline=None,
    max_examples=25,
    suppress_health_check=[HealthCheck.too_slow],
)
# `make prove`: many examples, others each time; what fails is kept in .hypothesis and tried first.
settings.register_profile(
    "prove",
    settings.get_profile("softdock"),
    derandomize=False,
    max_examples=1000,
    print_blob=True,
)
PROVE = os.environ.get("SOFTDOCK_PROVE") == "1"
settings.load_profile("prove" if PROVE else "softdock")

# Processor seconds of every file that was measured (cpu_times.py --keep).
FILE_TIMES = json.loads(Path(__file__).with_name("file_times.json").read_text(encoding="utf-8"))


# A file that was never measured may compile a list of methods: it begins after the heaviest groups
# and before all light ones.
UNMEASURED_S = 30.0

# Files that compile the same functions, parse the same sources or read what one of them made go to
# one worker, one after the other: the first makes and keeps it, the others use it. On two workers
# at once each would.
TOGETHER = {
    "a small campaign": (
        "tests/system/test_cli_campaign.py",
        "tests/system/test_campaign_cut_short.py",
    ),
    "exhibits of Lange's paper": (
        "tests/golden/test_lange_paper.py",
        "tests/golden/test_lange_paper_page.py",
    ),
    "sources read as text": (
        "tests/conformance/test_core_for_gpus.py",
        "tests/conformance/test_methods_at_home.py",
    ),
    "networks in the loop": (
        "tests/system/test_network_in_the_loop.py",
        "tests/system/test_virtual_networks.py",
    ),
    "a rig's program": (
        "tests/oracles/test_independent_peers.py",
        "tests/parity/test_seam.py",
        "tests/realtime/test_compiled_loop.py",
        "tests/realtime/test_loopback.py",
        "tests/realtime/test_rig_drivers.py",
        "tests/realtime/test_rig_energy.py",
        "tests/realtime/test_rig_fuzz.py",
        "tests/realtime/test_rig_loopback.py",
        "tests/realtime/test_rig_measure.py",
        "tests/realtime/test_rig_reasons.py",
        "tests/realtime/test_rig_shapes.py",
        "tests/realtime/test_rig_virtual.py",
        "tests/realtime/test_virtual_queue.py",
        "tests/system/test_replay.py",
    ),
}
GROUPS = {file: group for group, files in TOGETHER.items() for file in files}


def group_of(nodeid: str) -> str:
    """What goes to a worker as a whole: a file, or files that belong together."""
    file = nodeid.partition("::")[0]
    return GROUPS.get(file, file)


def seconds_of_groups(nodeids: Iterable[str]) -> dict[str, float]:
    """How long the files of each group take together, as measured."""
    seconds: dict[str, float] = {}
    for file in dict.fromkeys(nodeid.partition("::")[0] for nodeid in nodeids):
        group = group_of(file)
        seconds[group] = seconds.get(group, 0.0) + FILE_TIMES.get(file, UNMEASURED_S)
    return seconds


def pytest_collection_modifyitems(config: Any, items: list) -> None:
    """Tests marked `prove` are left to `make prove`. The heaviest group begins: the workers of
    `make test` end together. The order within a file stays."""
    left_out = [] if PROVE else [item for item in items if item.get_closest_marker("prove")]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]
    seconds = seconds_of_groups(item.nodeid for item in items)
    items.sort(key=lambda item: -seconds[group_of(item.nodeid)])


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: Any, log: Any) -> Any:
    """By groups where files were asked for (--dist loadfile)."""
    if config.getvalue("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class ByGroup(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return group_of(nodeid)

    return ByGroup(config, log)


@pytest.fixture
def own_registry() -> Iterator[None]:
    """What a test registers is gone after it."""
    from softdock.loop.method.method import BY_TYPE
    from softdock.methods.registry import METHODS

    methods, types_ = dict(METHODS), dict(BY_TYPE)
    yield
    for now, before in ((METHODS, methods), (BY_TYPE, types_)):
        now.clear()
        now.update(before)


@pytest.fixture
def compile_for_h200(monkeypatch):
    """Kernels compile to PTX with no GPU, given a compute capability. Without looking for garbage:
    that takes a quarter of the time."""
    from softdock.studies.campaign.cuda import load_numba_cuda

    cuda = load_numba_cuda()  # first: it puts numba.cuda in its place
    from numba.cuda import dispatcher

    device = type("Device", (), {"compute_capability": (9, 0)})
    monkeypatch.setattr(dispatcher, "get_current_device", device)
    gc.disable()
    yield lambda function, types: cuda.compile_ptx(function, types, cc=(9, 0))[0]
    gc.enable()
