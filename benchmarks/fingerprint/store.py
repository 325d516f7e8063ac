"""A fingerprint on disk: JSON, one object a line; the first says of which sources it is.

Each other one is a case: {"case": name, "channels": {channel: text}, "cpu_s": CPU time}.
"""

from __future__ import annotations

import json
import platform
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.fingerprint.places import source_root, tree_hash

FORMAT = "softdock fingerprint"
SAME_MACHINE = (
    "machine",
    "processor",
    "python",
    "numpy",
    "numba",
)  # else numbers may differ by rounding


class Fingerprint(NamedTuple):
    header: dict[str, Any]
    cases: dict[str, dict[str, str]]  # case -> channel -> text


class BadFile(Exception):
    """A file that is no fingerprint, or one of other sources."""


def about() -> dict[str, Any]:
    """Of which sources a fingerprint is, and where it is taken."""
    import numba
    import numpy

    return {
        "format": FORMAT,
        "tree": tree_hash(source_root()),
        "tool": tree_hash(Path(__file__).parent),
        "machine": platform.machine(),
        "processor": _processor(),
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "numba": numba.__version__,
        "compiled": not numba.config.DISABLE_JIT,
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def read(path: Path) -> Fingerprint:
    """A last line that was cut is no case."""
    lines = path.read_text().split("\n")
    try:
        header = json.loads(lines[0])
    except ValueError:
        header = None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise BadFile(f"{path} is no fingerprint")
    found: dict[str, dict[str, str]] = {}
    for line in lines[1:-1]:  # what follows the last newline is empty, or cut
        case = json.loads(line)
        found[case["case"]] = case["channels"]
    return Fingerprint(header, found)


def begin(path: Path) -> Fingerprint:
    """A new file, or one of the same sources to go on with. Never writes over another's."""
    header = about()
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(header) + "\n")
        return Fingerprint(header, {})
    before = read(path)
    other = [key for key in ("tree", *SAME_MACHINE) if before.header.get(key, True) != header[key]]
    if other:
        raise BadFile(f"{path} is of another {', '.join(other)}: give another file, or remove it")
    text = path.read_text()
    if not text.endswith("\n"):
        path.write_text(text[: text.rindex("\n") + 1])
    return before


def add(path: Path, case: str, channels: dict[str, str], cpu_s: float) -> None:
    line = json.dumps({"case": case, "channels": channels, "cpu_s": round(cpu_s, 3)})
    with path.open("a") as file:
        file.write(line + "\n")
