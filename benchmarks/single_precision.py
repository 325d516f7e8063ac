"""How far is single precision from double? `python -m benchmarks.single_precision [CAMPAIGN
[RUNS]]`, no GPU needed.

A campaign's runs with the core in single precision (campaign/single.py) compiled for the CPU,
beside the same runs in double. `nozzle_capture` unless another preset or file is named. A GPU
rounds like a CPU but for fused multiply-adds.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import numba
import numpy as np

from softdock.archive.campaign_folder import run_campaign
from softdock.campaign import engines, single
from softdock.campaign.batch import Batch, empty_batch
from softdock.campaign.plan import make_plan
from softdock.campaign.precision import said
from softdock.campaign.spec import load_spec, read_spec
from softdock.core.machine.compiled import OPTIONS


def compiled_loop() -> Any:
    """Runs one after the other, in single precision."""
    run_one, prepare = (
        single.load("core.machine.doors").run_one,
        single.load("core.machine.vector").prepare,
    )

    def loop(vectors, markers, mem, logs, outcomes):
        for i in range(vectors.shape[0]):
            for j in range(mem.shape[0]):
                mem[j] = 0.0
            run_one(vectors[i], prepare(vectors[i], markers), mem, logs[i], outcomes[i])

    return numba.njit(**OPTIONS)(loop)


class InSingle(engines.Cpu):
    """In the place of a GPU."""

    name = "gpu"

    def __init__(self, precision: str):
        super().__init__()
        self.words, self.loop = f"a CPU thread, {precision} precision", compiled_loop()

    def collect(self, launched: Any) -> tuple[Batch, float]:
        variant, runs, contacts = launched
        batch, real = (
            empty_batch(runs, contacts),
            np.float32 if single.is_forgetful(variant.markers) else np.float64,
        )
        self.loop(
            runs.expand(),
            single.twin(variant.markers),
            np.zeros(variant.mem_floats, real),
            batch.logs,
            batch.outcomes,
        )
        return batch, 1.0


def main(arguments: list[str]) -> int:
    spec = load_spec(arguments[0] if arguments else "nozzle_capture")
    runs = {"runs": int(arguments[1])} if len(arguments) > 1 else {}
    plan = make_plan(
        read_spec(spec.tables | runs | {"precision": "single"}, spec.locate, spec.folder)
    )
    engines.Gpu = InSingle  # type: ignore[assignment,misc]
    with tempfile.TemporaryDirectory() as folder:
        found = run_campaign(plan, Path(folder) / "c", "gpu")["precision"]
    print(json.dumps(found, indent=1))
    print(said(found))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
