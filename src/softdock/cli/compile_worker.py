"""`python -m softdock.cli.compile_worker`: compiles what it is told, one line of JSON a task, and
answers with the seconds it took. See compile_ahead.py."""

from __future__ import annotations

import json
import sys
import time

from softdock.cli.compile_ahead import Task, compile_task
from softdock.cli.numba_start import start_numba


def main() -> None:
    start_numba()
    for line in sys.stdin:
        began = time.perf_counter()
        try:
            compile_task(Task(*json.loads(line)))
        except Exception as error:  # who needs it meets the error again, and says it well
            print(f"softdock: {type(error).__name__} while compiling ahead", file=sys.stderr)
        print(f"{time.perf_counter() - began:.3f}", flush=True)


if __name__ == "__main__":
    main()
