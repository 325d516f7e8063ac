"""What all tests share: Hypothesis without chance, so that a failure on one machine is a failure on
all; and methods compiled with every feature, so that a list of methods is compiled once
(tests/parity/test_features.py shows that it changes no bit). Scenarios are in scenarios.py."""

from __future__ import annotations

import gc
import json
import math
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

os.environ.setdefault("SOFTDOCK_EVERY_FEATURE", "1")
# Numba leaves millions of small objects that stay: to look through them for garbage every 700 new
# ones takes a sixth of its time, more in a process that has compiled much.
gc.set_threshold(100_000, 20, 100)

# The first example may compile for half a minute: no deadline.
settings.register_profile(
    "softdock",
    derandomize=True,
    deadline=None,
    max_examples=50,
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
settings.load_profile("prove" if os.environ.get("SOFTDOCK_PROVE") == "1" else "softdock")

# Processor seconds of every file that was measured (cpu_times.py --keep).
FILE_TIMES = json.loads(Path(__file__).with_name("file_times.json").read_text(encoding="utf-8"))


def pytest_collection_modifyitems(items: list) -> None:
    """New files first, which may be of any weight, then the heaviest: the two workers of `make
    test` end together. The order within a file stays."""
    items.sort(key=lambda item: -FILE_TIMES.get(item.nodeid.partition("::")[0], math.inf))


@pytest.fixture
def compile_for_h200(monkeypatch):
    """Kernels compile to PTX with no GPU, given a compute capability. Without looking for garbage:
    that takes a quarter of the time."""
    from softdock.campaign.cuda import load_numba_cuda

    cuda = load_numba_cuda()  # first: it puts numba.cuda in its place
    from numba.cuda import dispatcher

    device = type("Device", (), {"compute_capability": (9, 0)})
    monkeypatch.setattr(dispatcher, "get_current_device", device)
    gc.disable()
    yield lambda function, types: cuda.compile_ptx(function, types, cc=(9, 0))[0]
    gc.enable()
