"""`python -m benchmarks.judge RUN_FOLDER ...`: the verdict of runs saved with `--keep-phases`."""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.judge.phase import read_phase
from benchmarks.judge.verdict import judge


def main() -> None:
    for folder in sys.argv[1:]:
        places = sorted((Path(folder) / "phases").iterdir())
        found = judge([read_phase(place) for place in places])
        print(f"{folder}: {found.word}; failed: {', '.join(found.failed) or 'nothing'}")
        for name, number in found.numbers.items():
            print(f"  {name}: {'-' if number is None else f'{number:.6g}'}")


if __name__ == "__main__":
    main()
