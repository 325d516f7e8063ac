"""How long the answers take once compiled: `run` with its eight phases, `why` and `compare` of the
raw loop. CPU time of this process, the least of three.

Aims: `softdock run` of a preset within 1.5 s (benchmarks run_command has the whole command);
`why` and a comparison within 20 s on two idle cores."""

from __future__ import annotations

import time
from collections.abc import Callable

from softdock.results.phases import judge_in_phases
from softdock.results.simulation import simulate
from softdock.results.why import find_causes
from softdock.scenario.files import load_scenario
from softdock.studies.compare import compare

PRESETS = ("epos_1d", "epos_3d")


def cpu_s(task: Callable[[], object]) -> float:
    """The least of three, after one that compiles."""
    task()
    found = []
    for _ in range(3):
        begin = time.process_time()
        task()
        found.append(time.process_time() - begin)
    return min(found)


def main() -> None:
    for name in PRESETS:
        scenario = load_scenario(name)
        run = simulate(scenario)
        print(f"{name}: a run {cpu_s(lambda s=scenario: simulate(s)):.3f} s")
        print(f"{name}: judged at 8 phases {cpu_s(lambda r=run: judge_in_phases(r)):.3f} s")
        print(f"{name}: why {cpu_s(lambda s=scenario: find_causes(s)):.2f} s")
        print(f"{name}: compare, raw loop {cpu_s(lambda s=scenario: compare(s, 'direct')):.2f} s")


if __name__ == "__main__":
    main()
