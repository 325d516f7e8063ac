"""Results of `make prove`: stored part by part with the hash of the sources of compiled code and of
the other packages that the part judges, and what has been found of a part that is still at work.

Several processes may prove at once: a result goes into the file as it is then, under a lock. A part
that takes long hands on what it has (`NOW.tell`): it is printed and stored every few seconds as
`interrupted`, so that whatever ends the process, what it had is there.
"""

from __future__ import annotations

import contextlib
import datetime
import fcntl
import hashlib
import json
import os
import resource
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results" / "prove.json"
JUDGED = {  # packages that a part judges beside compiled code
    "advice": ("results", "scenario"),
    "first_causes": ("results", "scenario"),
    "recording": ("recording",),
    "rig_hour": ("recording", "rig"),
    "rig_faults": ("cli", "recording", "rig"),
    "rig_packets": ("rig",),
    "rig_packets_checked": ("rig",),
    "rig_energy": ("rig",),
    "verdicts": ("results", "scenario"),
    "hostile_scenarios": ("results", "scenario"),
    "hostile_files": ("files", "loop/arms", "rig", "scenario", "studies/campaign"),
    "logs": ("files", "output/folders", "recording/logs", "studies/identify"),
    "hostile_code": ("scenario", "studies/campaign"),
    "hostile_folders": ("files", "output/folders", "studies/campaign"),
    "hostile_kills": ("files", "output/folders", "studies/campaign"),
    "hostile_discs": ("files", "output/folders", "studies/campaign"),
    "unwritable_places": ("cli", "files"),
    "hostile_recordings": ("files", "output/folders", "recording"),
    "public_functions": ("output/folders", "results", "scenario", "studies/stability"),
    "interrupts": ("cli", "output/viewer", "studies/campaign"),
    "valid_scenarios": ("results", "scenario"),
}
EVERY_S = 10.0  # between two stores of a part at work


def load(path: Path = RESULTS) -> dict[str, dict[str, Any]]:
    """Stored results by part."""
    return json.loads(path.read_text())["parts"] if path.exists() else {}


def host_hash(name: str) -> str:
    """A hash of the other packages that a part judges; empty: it judges none."""
    import softdock

    root, digest = Path(softdock.__file__).parent, hashlib.sha256()
    packages = JUDGED.get(name, ())
    for path in sorted(path for one in packages for path in (root / one).rglob("*.py")):
        digest.update(str(path.relative_to(root)).encode() + path.read_bytes())
    return digest.hexdigest()[:16] if packages else ""


def state_of(name: str, stored: dict[str, dict[str, Any]]) -> str:
    """`missing`, `interrupted`, `failed`, `stale` (of other sources), or `met`."""
    from softdock.compile.sources import source_hash

    result = stored.get(name)
    if result is None:
        return "missing"
    if not result["met"]:
        return "interrupted" if result.get("interrupted") else "failed"
    made = (result["source_hash"], result.get("host_hash", ""))
    return "met" if made == (source_hash(result["numba"]), host_hash(name)) else "stale"


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Nobody else stores in this folder."""
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def store(path: Path, name: str, result: dict[str, Any]) -> None:
    """One part's result; what is stored of the others stays, also what came meanwhile."""
    with _alone(path.parent):
        parts = {**load(path), name: result}
        new = path.with_suffix(f".{os.getpid()}")
        new.write_text(json.dumps({"parts": parts}, indent=2, default=str) + "\n")
        new.replace(path)


def cpu_s() -> float:
    """Of this process and of those it has started and waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


class Ongoing:
    """The part at work."""

    def __init__(self) -> None:
        self.name, self.path, self.seed, self.share = "", RESULTS, 0, 1.0
        self.found: dict[str, Any] = {}
        self._began, self._cpu, self._told = 0.0, 0.0, 0.0

    def begin(self, name: str, path: Path, seed: int, share: float) -> None:
        self.name, self.path, self.seed, self.share, self.found = name, path, seed, share, {}
        self._began, self._cpu = time.perf_counter(), cpu_s()
        self._told = self._began

    def number(self, whole: float) -> int:
        """Of a size at the share that is asked for."""
        return max(1, round(whole * self.share))

    def tell(self, found: dict[str, Any]) -> None:
        """What there is so far; printed and stored now and then."""
        self.found, now = dict(found), time.perf_counter()
        if now - self._told >= EVERY_S:
            self._told = now
            brief = {k: v for k, v in found.items() if not isinstance(v, dict | list)}
            said = ", ".join(f"{k} {v:g}" for k, v in brief.items() if isinstance(v, int | float))
            print(f"  {now - self._began:.0f} s: {said}", flush=True)
            self.store({**found, "met": False, "interrupted": True})

    def store(self, result: dict[str, Any]) -> dict[str, Any]:
        """A result, whole or not, with all that it is of."""
        import numba

        from softdock.compile.sources import source_hash

        whole = {
            **result,
            "met": bool(result["met"]),
            "seed": self.seed,
            "share": self.share,
            "wall_s": round(time.perf_counter() - self._began, 1),
            "cpu_s": round(cpu_s() - self._cpu, 1),
            "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "source_hash": source_hash(),
            "host_hash": host_hash(self.name),
            "numba": numba.__version__,
        }
        store(self.path, self.name, whole)
        return whole


NOW = Ongoing()
