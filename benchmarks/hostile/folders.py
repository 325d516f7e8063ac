"""Damaged folders: a run's is read to the same bits or refused; a campaign's is found damaged, and
`--resume` makes its table again to the bit.

Damages: single flipped bits, short, copied, swapped, stray and missing files.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import softdock
from benchmarks.hostile.files import HUNG_S, Hung, stopping_after
from benchmarks.hostile.mutations import flip_a_bit, mutant
from softdock.errors import SoftdockError
from softdock.studies.campaign.digest import read_plan_tables
from softdock.studies.campaign.engines import CpuEngine
from softdock.studies.campaign.execute import run_shards
from softdock.studies.campaign.plan import load_plan
from softdock.studies.campaign.shards import begin_folder, resume

Rng = np.random.Generator
CAMPAIGN = """name = "small"
scenario = "epos_1d"
runs = 60
[set]
time.duration_s = 0.8
[[vary]]
key = "robots.chaser.delay_ms"
uniform = [0.0, 20.0]
"""


def _some_file(rng: Rng, folder: Path) -> Path:
    files = sorted(p for p in folder.rglob("*") if p.is_file())
    return files[int(rng.integers(len(files)))]


def flip(rng: Rng, folder: Path) -> str:
    file = _some_file(rng, folder)
    file.write_bytes(flip_a_bit(rng, file.read_bytes()))
    return f"a bit of {file.name}"


def change(rng: Rng, folder: Path) -> str:
    file = _some_file(rng, folder)
    made = mutant(rng, file.read_bytes())
    file.write_bytes(made.data)
    return f"{made.what} in {file.name}"


def shorten(rng: Rng, folder: Path) -> str:
    file = _some_file(rng, folder)
    data = file.read_bytes()
    file.write_bytes(data[: int(rng.integers(len(data)))])
    return f"{file.name} is short"


def copy_over(rng: Rng, folder: Path) -> str:
    one, other = _some_file(rng, folder), _some_file(rng, folder)
    if one != other:
        shutil.copyfile(one, other)
    return f"{one.name} over {other.name}"


def add_stray(rng: Rng, folder: Path) -> str:
    file = _some_file(rng, folder)
    stray = file.with_name(f"part-{int(rng.integers(100, 999)):06d}{file.suffix}")
    shutil.copyfile(file, stray)
    return f"a copy of {file.name} as {stray.name}"


def remove(rng: Rng, folder: Path) -> str:
    file = _some_file(rng, folder)
    file.unlink()
    return f"no {file.name}"


def replace_by_folder(rng: Rng, folder: Path) -> str:
    file = _some_file(rng, folder)
    file.unlink()
    file.mkdir()
    return f"{file.name} is a folder"


DAMAGES: tuple[Callable[[Rng, Path], str], ...] = (
    *(flip, flip, flip, change, shorten, copy_over, add_stray, remove, replace_by_folder),
)


def _damage(rng: Rng, folder: Path) -> str:
    return DAMAGES[int(rng.integers(len(DAMAGES)))](rng, folder)


def _tried(call: Callable[[], str]) -> tuple[str, str]:
    """An outcome, and what is wrong with it."""
    try:
        with stopping_after(HUNG_S):
            wrong = call()
    except SoftdockError as error:
        return "refused", "" if str(error) else "a refusal without a reason"
    except (Exception, Hung) as error:
        return "failed", f"{type(error).__name__}: {str(error)[:300]}"
    return "read", wrong


def _counted(count: int, seed: int, one: Callable[[Rng], tuple[str, str, str]]) -> dict[str, Any]:
    counts: dict[str, int] = {}
    failures = []
    for i in range(count):
        what, status, wrong = one(np.random.default_rng([seed, i]))
        counts[status] = counts.get(status, 0) + 1
        if wrong:
            failures.append({"seed": seed, "index": i, "what": what, "wrong": wrong})
    return {"count": count, "outcomes": counts, "failures": failures}


def run_folders(count: int, seed: int) -> dict[str, Any]:
    """A stored run, damaged: what is read is what was written."""
    with tempfile.TemporaryDirectory() as made:
        whole, copy = Path(made) / "run", Path(made) / "copy"
        run = softdock.simulate(softdock.load_scenario("epos_1d", {"time.duration_s": 0.8}))
        run.save(whole)
        rows = run.series.rows

        def read(folder: Path) -> str:
            again = softdock.open_run(folder)
            return "" if np.array_equal(again.series.rows, rows, equal_nan=True) else "other rows"

        def one(rng: Rng) -> tuple[str, str, str]:
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(whole, copy)
            what = _damage(rng, copy)
            return (what, *_tried(lambda: read(copy)))

        return _counted(count, seed, one)


def _bytes_of(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in (folder / "runs").iterdir()}


def small_campaign(folder: Path) -> Path:
    """A file of a campaign of 60 short runs."""
    path = folder / "small.toml"
    path.write_text(CAMPAIGN)
    return path


def campaign_folders(count: int, seed: int, kinds: Any = None) -> dict[str, Any]:
    """A campaign of twelve shards, damaged: either the damage is named, or every number is what it
    was; and `--resume` makes the same bytes again. `kinds`: the damages, all unless given."""
    with tempfile.TemporaryDirectory() as made:
        whole, copy = Path(made) / "whole", Path(made) / "copy"
        plan, engine = load_plan(small_campaign(Path(made))), CpuEngine(threads=1)
        run_shards(plan, begin_folder(plan, whole, 5), engine)
        right = _bytes_of(whole)
        numbers = [table.to_pydict() for table in read_plan_tables(plan, whole)]

        def read() -> str:
            found = [table.to_pydict() for table in read_plan_tables(plan, copy)]
            same = json.dumps(found) == json.dumps(numbers)
            return "" if same or len(found) < len(numbers) else "other numbers"

        def mend() -> str:
            folder, _ = resume(plan, copy)
            run_shards(plan, folder, engine)
            return "" if _bytes_of(copy) == right else "resumed to other bytes"

        def one(rng: Rng) -> tuple[str, str, str]:
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(whole, copy)
            chosen = kinds or DAMAGES
            what = chosen[int(rng.integers(len(chosen)))](rng, copy)
            status, wrong = _tried(read)
            mended, then = _tried(mend)
            told = "; ".join(said for said in (wrong, then) if said)
            return what, f"{status}, then {'made again' if mended == 'read' else mended}", told

        return _counted(count, seed, one)


def flip_in_shards(rng: Rng, folder: Path) -> str:
    return flip(rng, folder / "runs")
