"""One tester at a size of one's own: `python -m benchmarks.hostile PART COUNT [--seed N]`.

Prints counts and failures as JSON; exits 1 if something failed. `make prove` runs them all.
"""

from __future__ import annotations

import argparse
import json
import secrets
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from benchmarks.hostile import code_files, files, folders, processes, scenarios
from benchmarks.hostile.kinds import KINDS

TESTERS: dict[str, Callable[[int, int], dict[str, Any]]] = {
    "scenarios": scenarios.random_scenarios,
    **{name: partial(files.mutated_files, name) for name in KINDS},
    "method": partial(code_files.mutated_code, "method"),
    "outcome": partial(code_files.mutated_code, "outcome"),
    "run_folders": folders.run_folders,
    "campaign_folders": folders.campaign_folders,
    "bits_of_shards": partial(folders.campaign_folders, kinds=(folders.flip_in_shards,)),
    "kills": processes.kills,
    "full_disc": processes.full_disc,
    "caches": processes.damaged_caches,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hostile", description=__doc__)
    parser.add_argument("part", choices=list(TESTERS))
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, help="default: a fresh one")
    options = parser.parse_args()
    seed = secrets.randbelow(2**31) if options.seed is None else options.seed
    found = TESTERS[options.part](options.count, seed)
    print(json.dumps({"part": options.part, "seed": seed, **found}, indent=1, default=str))
    return 1 if found["failures"] or not found["count"] else 0


if __name__ == "__main__":
    sys.exit(main())
