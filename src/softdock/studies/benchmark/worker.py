"""`python -m softdock.studies.benchmark.worker`: measures cells, one line of JSON each way.

The first line in is the plan's part that all cells share: entries, levels, phases, and the texts
of the user's own files of methods, which its user named (they are run here as well). Every other
line is a cell: its number, which entry, the case's text. Out: one line per cell. Ctrl-C is the
parent's: it ends this process by closing its input or by killing it.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tomllib

from softdock.scenario.build import build
from softdock.scenario.features import SWITCH
from softdock.scenario.method_file import load_method_sources
from softdock.studies.benchmark.cell import FAILED, make_refusal, measure_cell
from softdock.studies.benchmark.plan import parse_entry


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ[SWITCH] = "1"  # one loop a method, whatever a case needs
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever else prints does not mix with the answers
    shared = json.loads(sys.stdin.readline())
    for sources in shared["method_files"]:
        load_method_sources(dict(sources))
    entries = [parse_entry(row) for row in shared["entries"]]
    for line in sys.stdin:
        task = json.loads(line)
        try:
            case = build(tomllib.loads(task["case"]))
            cell = measure_cell(case, entries[task["entry"]], shared["phases"], shared["knowledge"])
        except Exception as error:  # whatever it was, the other cells go on
            why = f"{type(error).__name__}: {error}"
            rows = {level: make_refusal(FAILED, why) for level in shared["knowledge"]}
            cell = {
                "knowledge": rows,
                "cost": {"ns_per_cycle": None, "ratio_to_direct": None},
                "cpu_s": 0.0,
            }
        out.write(json.dumps({"number": task["number"], **cell}, allow_nan=False) + "\n")
        out.flush()


if __name__ == "__main__":
    main()
