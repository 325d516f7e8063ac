"""What needs large numbers, at full size: `python -m benchmarks.prove [PART...] [--seed N]`, or
`make prove`.

A part is a function of a seed under `@part`; it returns numbers, and `"met": True` if what it says
held. `make test` has the same at a reduced size. Every part's result is stored with the hash of the
core and of the packages above it that the part judges, the seed and the time it took (proved.py):
`--report` says which are of other sources, or were never made. A fresh seed each time unless one is
given. Exits 0 if all held, 1 if not, 130 if interrupted: what a part had by then is stored.
"""

from __future__ import annotations

import argparse
import os
import secrets
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.proved import NOW, RESULTS, load, state_of

ROOT = Path(__file__).parents[1]

Run = Callable[[int], dict[str, Any]]  # seed in; numbers out, with "met"


class Part(NamedTuple):
    name: str
    says: str  # what holds if it is met
    run: Run


PARTS: dict[str, Part] = {}


def part(name: str, says: str) -> Callable[[Run], Run]:
    """Register a part by its name."""

    def add(run: Run) -> Run:
        if name in PARTS:
            raise ValueError(f"two parts are called {name}")
        PARTS[name] = Part(name, says, run)
        return run

    return add


@part("passive_contacts", "methods that claim passivity never give back more than was left")
def _passive_contacts(seed: int) -> dict[str, Any]:
    from benchmarks.passive_contacts import CLAIMS, claim

    claims = {name: claim(name, seed=seed) for name in CLAIMS}
    return {**claims, "met": all(found["failures"] == 0 for found in claims.values())}


@part(
    "model_mediated_passive",
    "satellites of `model_mediated` part with at most 1.01 of what they had",
)
def _model_mediated_passive(seed: int) -> dict[str, Any]:
    from benchmarks.model_mediated.passive import excesses

    found = excesses(10_000, seed)
    return {**found, "met": found["failures"] == 0}


@part("first_causes", "the first cause of `why` is that of an exhaustive ablation on 98 % of rigs")
def _first_causes(seed: int) -> dict[str, Any]:
    from benchmarks.explained import first_causes

    return first_causes(200, seed)


@part(
    "advice", "advised lines hold, and where pairs of settings help on 95 % of rigs one is advised"
)
def _advice(seed: int) -> dict[str, Any]:
    from benchmarks.explained import advice

    return advice(60, seed)


@part("verdicts", "the verdict of random rigs equals one computed by other code from their series")
def _verdicts(seed: int) -> dict[str, Any]:
    from benchmarks.judge.campaign import agree, lengths

    found, longer = agree(200, seed), lengths(40, seed)
    return {**found, "lengths": longer, "met": found["met"] and longer["met"]}


@part("noise_confidence", "satellites leave faster than they came as seldom as `confidence` says")
def _noise_confidence(seed: int) -> dict[str, Any]:
    from benchmarks import noise_confidence

    noise_confidence.SEED = seed
    return noise_confidence.run()


@part("kernels", "the kernel of every method compiles to PTX")
def _kernels(seed: int) -> dict[str, Any]:
    from benchmarks import kernels

    return kernels.run()


def _tests(seed: int, *chosen: str) -> dict[str, Any]:
    """Tests as `make prove` has them (tests/conftest.py): with Hypothesis' profile `prove`, and
    with those that are marked `prove`."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, f"--hypothesis-seed={seed}", *chosen],
        cwd=ROOT,
        env={**os.environ, "SOFTDOCK_PROVE": "1"},
        capture_output=True,
        text=True,
    )
    lines = done.stdout.strip().splitlines() or [""]
    failed = [line for line in lines if line.startswith("FAILED")]
    return {"summary": lines[-1], "failed": failed, "met": done.returncode == 0}


@part("properties", "properties hold on a thousand random examples each, others each time")
def _properties(seed: int) -> dict[str, Any]:
    return _tests(seed, "tests/properties")


@part("tests_left_out", "what compiles too much for `make test` holds: tests marked `prove`")
def _tests_left_out(seed: int) -> dict[str, Any]:
    found = _tests(seed, "-m", "prove", "tests")
    return {**found, "met": found["met"] and "skipped" not in found["summary"]}


@part("recording", "an hour at 2 x 250 Hz and a 7 kHz sensor is recorded without a lost row")
def _recording(seed: int) -> dict[str, Any]:
    from benchmarks.recording import in_real_time

    return in_real_time(3600.0)


@part("rig_hour", "an hour of a whole emulated rig: every row of its loop is in the file")
def _rig_hour(seed: int) -> dict[str, Any]:
    from benchmarks.rig_hour import recorded

    return recorded(float(NOW.number(3600.0)), tell=NOW.tell)


def _held(found: dict[str, Any]) -> dict[str, Any]:
    """A hostile user's numbers: met if there was something to try and nothing failed."""
    return {**found, "met": found["count"] > 0 and not found["failures"]}


def _all_held(found: dict[str, dict[str, Any]]) -> dict[str, Any]:
    return {**found, "met": all(_held(one)["met"] for one in found.values())}


def _rig_chunks(kind: str, whole: int, seed: int, **more: str) -> dict[str, Any]:
    """Chunks of benchmarks/rig_chunks.py, on all cores."""
    from benchmarks.rig_chunks import held, shared

    workers = len(os.sched_getaffinity(0))
    total = shared(kind, NOW.number(whole), seed, NOW.tell, workers, **more)
    return {**total, "met": held(total)}


@part("rig_packets", "a million hostile packets: no crash, no reply jumps, always a reason")
def _rig_packets(seed: int) -> dict[str, Any]:
    return _rig_chunks("packets", 1_000_000, seed)


@part("rig_packets_checked", "the same with every index checked, in a cache folder of its own")
def _rig_packets_checked(seed: int) -> dict[str, Any]:
    """Numba's cache may not tell a checked build from another: hence the folder."""
    with tempfile.TemporaryDirectory() as folder:
        checked = {"NUMBA_BOUNDSCHECK": "1", "SOFTDOCK_CACHE_DIR": folder}
        return _rig_chunks("packets", 1_000_000, seed, **checked)


@part("rig_energy", "1e5 random rigs: the motion that leaves has at most the energy of its bound")
def _rig_energy(seed: int) -> dict[str, Any]:
    return _rig_chunks("energy", 100_000, seed)


@part("hostile_scenarios", "random scenarios run: no hang, books close, attitudes are rotations")
def _hostile_scenarios(seed: int) -> dict[str, Any]:
    from benchmarks.hostile.scenarios import random_scenarios

    return _held(random_scenarios(2000, seed))


@part(
    "hostile_files",
    "mutated files of every kind are taken, or refused with key and line",
)
def _hostile_files(seed: int) -> dict[str, Any]:
    from benchmarks.hostile.files import mutated_files
    from benchmarks.hostile.kinds import KINDS

    return _all_held({name: mutated_files(name, 1000, seed) for name in KINDS})


@part("logs", "damaged and odd CSV, Parquet and MCAP logs are imported, or refused by name")
def _logs(seed: int) -> dict[str, Any]:
    from benchmarks.hostile.log_samples import FORMATS
    from benchmarks.hostile.logs import damaged_logs

    mutants = {name: damaged_logs(name, NOW.number(1000), seed, odd=False) for name in FORMATS}
    odd = {f"odd_{name}": damaged_logs(name, NOW.number(200), seed, odd=True) for name in FORMATS}
    return _all_held(mutants | odd)


@part("hostile_code", "mutated method and outcome files end as one message")
def _hostile_code(seed: int) -> dict[str, Any]:
    from benchmarks.hostile.code_files import mutated_code

    return _all_held({kind: mutated_code(kind, 500, seed) for kind in ("method", "outcome")})


@part("hostile_folders", "damaged run and campaign folders are refused, or made again to the bit")
def _hostile_folders(seed: int) -> dict[str, Any]:
    from benchmarks.hostile.folders import campaign_folders, flip_in_shards, run_folders

    return _all_held(
        {
            "runs": run_folders(1000, seed),
            "campaigns": campaign_folders(1000, seed),
            "bits_of_shards": campaign_folders(400, seed, (flip_in_shards,)),
        }
    )


@part("hostile_kills", "a campaign killed at random moments and resumed is the same to the bit")
def _hostile_kills(seed: int) -> dict[str, Any]:
    from benchmarks.hostile.processes import kills

    return _held(kills(20, seed))


@part("hostile_discs", "a full disc or a damaged cache costs a message and no number")
def _hostile_discs(seed: int) -> dict[str, Any]:
    from benchmarks.hostile.processes import damaged_caches, full_disc

    return _all_held({"full_disc": full_disc(60, seed), "caches": damaged_caches(10, seed)})


@part("unwritable_places", "a place that cannot be written ends every command in one message")
def _unwritable_places(seed: int) -> dict[str, Any]:
    return _tests(seed, "tests/system/test_unwritable.py", "tests/unit/test_folders.py")


@part("machine_code", "swapped machine code is never run, and others' folders stay")
def _machine_code(seed: int) -> dict[str, Any]:
    from benchmarks.hostile.processes import swapped_caches

    return _held(swapped_caches(10, seed))


@part("hostile_recordings", "no changed byte of a recording is read back or recovered")
def _hostile_recordings(seed: int) -> dict[str, Any]:
    from benchmarks.hostile.recordings import changed_recordings

    return _held(changed_recordings(1000, seed))


@part("public_functions", "wrong arguments of public functions are refused by name in a second")
def _public_functions(seed: int) -> dict[str, Any]:
    from benchmarks.hostile.functions import wrong_calls

    return _held(wrong_calls(100, seed))


@part("interrupts", "Ctrl-C while compiling, running, in campaigns and views ends in 130")
def _interrupts(seed: int) -> dict[str, Any]:
    from benchmarks.hostile.interrupts import interrupts

    return _held(interrupts(25, seed))


@part("rig_faults", "every fault of robots, sensor, clock and processes ends as it should")
def _rig_faults(seed: int) -> dict[str, Any]:
    from benchmarks.hostile.rig_faults import rows

    return _held(rows([], seed))


@part("valid_scenarios", "random valid rigs run: no traceback, hang or NaN, books close")
def _valid_scenarios(seed: int) -> dict[str, Any]:
    from benchmarks.hostile.valid import valid_scenarios

    return _held(valid_scenarios(NOW.number(2000), seed))


def prove(names: list[str], seed: int, path: Path = RESULTS, share: float = 1.0) -> bool:
    """Run parts and store each as it ends; what is stored of the others stays."""
    held = True
    for name in names:
        print(f"{name}: {PARTS[name].says} (seed {seed})", flush=True)
        NOW.begin(name, path, seed, share)
        try:
            result = PARTS[name].run(seed)
        except KeyboardInterrupt:
            NOW.store({**NOW.found, "met": False, "interrupted": True})
            raise
        except Exception as error:
            result = {"met": False, "failed": f"{type(error).__name__}: {str(error)[:2000]}"}
        stored = NOW.store(result)
        held = held and stored["met"]
        print(f"  {'met' if stored['met'] else 'NOT met'} after {stored['wall_s']} s", flush=True)
    return held


def report(path: Path = RESULTS) -> list[str]:
    """One line a part."""
    stored = load(path)
    return [f"{name}: {state_of(name, stored)}" for name in PARTS]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.prove", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}")
    parser.add_argument("--seed", type=int, help="default: a fresh one")
    parser.add_argument("--out", type=Path, default=RESULTS, help="where the results go")
    parser.add_argument(
        "--share",
        type=float,
        default=1.0,
        help="of the rig's parts: 0.01 tries a hundredth of them; needs --out",
    )
    parser.add_argument("--report", action="store_true", help="say what is stored, run nothing")
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.parts) - set(PARTS))
    if unknown:
        parser.error(f"no part is called {', '.join(unknown)}; there are {', '.join(PARTS)}")
    if options.report:
        print("\n".join(report(options.out)))
        return 0
    if options.share != 1.0 and options.out == RESULTS:
        parser.error("--share is to try parts: state another file with --out")
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # what there is gets stored
    seed = secrets.randbelow(2**31) if options.seed is None else options.seed
    names = options.parts or list(PARTS)
    try:
        return 0 if prove(names, seed, options.out, options.share) else 1
    except KeyboardInterrupt:
        print(f"interrupted: what there was is in {options.out}", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
