"""`python -m benchmarks.model_mediated [--cases] [--draws N] [--fresh N] [--verdicts N] [--random
N] [--tilted N] [--hardware N [--only CLASS]] [--materials N [--relative-noise R]] [--ablation]
[--noise SEEDS [--noisy N]] [--cost [--repeats N]] [--seed N]`: errors of `model_mediated` against
the on-orbit reference with no prior knowledge, as Markdown tables, the verdicts of good runs, and
the cost of a cycle. Without a choice: cases and ten draws. Every error is the worse of the two that
a run has, over the sampling phases given by `--phases`."""

from __future__ import annotations

import argparse
import copy
import math
import tomllib
from collections.abc import Iterable
from typing import Any

import numpy as np

from benchmarks.model_mediated import cost
from benchmarks.model_mediated.cases import CASES, NOISY, Tables, drawn
from benchmarks.model_mediated.fresh import fresh
from benchmarks.model_mediated.hardware import CLASSES, draw, hardware
from benchmarks.model_mediated.materials import materials
from benchmarks.model_mediated.tilted import tilted
from softdock import build, simulate
from softdock.errors import BadInput
from softdock.methods.registry import METHODS
from softdock.results.noise_bound import compute_distance_bound
from softdock.studies.benchmark.draws import draw_case

PARTS = ("tare", "poses", "lead", "damping", "powers", "elements", "friction", "surface", "rewind")


def looked_at(
    tables: Tables, method: dict[str, Any], phase: float = 0.0, seed: int = 1
) -> tuple[float, bool]:
    """Distance of one run, infinite where it has none; and whether the method doubts it."""
    given = copy.deepcopy(tables) | {"methods": [method], "random": {"seed": seed}}
    v, T = given["chaser"].get("velocity_m_per_s", [0.0] * 3), 1e-3 * given["time"]["cycle_ms"]
    place = given["chaser"]["position_m"]
    given["chaser"]["position_m"] = [p + phase * T * q for p, q in zip(place, v, strict=True)]
    run = simulate(build(given))
    both = [run.metrics["error_against_orbit"], run.metrics["error_against_orbit_later"]]
    vouches, books = METHODS[method["name"]].vouches, run.method_books.get(method["name"], {})
    far = max(x if x is not None and not math.isnan(x) else math.inf for x in both)
    return far, bool(vouches is not None and vouches(books))


def distance(tables: Tables, method: dict[str, Any], phase: float = 0.0, seed: int = 1) -> float:
    """Of one run; infinite where it has none."""
    return looked_at(tables, method, phase, seed)[0]


def worst(tables: Tables, method: dict[str, Any], phases: int) -> float:
    return max(distance(tables, method, i / phases, 1 + i) for i in range(phases))


def verdicts(count: int, seed: int) -> None:
    """What is said of runs within 1 % of orbit, one phase each, and by what criteria those that are
    not faithful fail."""
    good, failed = 0, []
    for i in range(count):
        run = simulate(build(fresh(seed, i) | {"methods": [{"name": "model_mediated"}]}))
        far = run.metrics["error_against_orbit_worst"]
        if run.status != "completed" or far is None or not far <= 0.01:
            continue
        good += 1
        said = run.metrics["verdict"]
        if said["word"] != "faithful":
            numbers = {name: said["criteria"][name]["number"] for name in said["failed"]}
            failed.append(f"  {i}: {said['word']} {numbers}")
    print(
        f"of {good} runs within 1 % of orbit {len(failed)} are not called faithful",
        *failed,
        sep="\n",
    )


def _share(found: Iterable[float]) -> str:
    values = list(found)
    return (
        f"{len(values)} runs: within 1 % {sum(x <= 0.01 for x in values)}, "
        f"within 0.1 % {sum(x <= 0.001 for x in values)}, median {100 * np.median(values):.2g} %"
    )


def _doubts(found: list[tuple[float, bool]]) -> str:
    """How often the method says itself that it did not learn all."""
    missed = [doubted for x, doubted in found if x > 0.01]
    return (
        f"doubted {sum(doubted for _, doubted in found)}, of {len(missed)} beyond 1 % {sum(missed)}"
    )


def cases(method: dict[str, Any], phases: int) -> None:
    found = {name: worst(tables, method, phases) for name, tables in CASES.items()}
    print("| case | distance from orbit |\n|---|---:|")
    for name, value in found.items():
        print(f"| {name} | {100 * value:.4f} % |", flush=True)
    print(_share(found.values()))


def draws(method: dict[str, Any], count: int, seed: int) -> None:
    smooth: list[float] = []
    rubbing: list[float] = []
    for i in range(count):
        tables = drawn(seed + i)
        try:
            value = distance(tables, method)
        except BadInput:
            continue  # touching at the start, or a contact too short
        (rubbing if tables["contact"][0]["real"]["friction"] > 0.0 else smooth).append(value)
        if value > 0.001:
            print(f"seed {seed + i}: {100 * value:.3f} %", flush=True)
    print(f"no friction, {_share(smooth)}\nfriction, {_share(rubbing)}")


def unseen(method: dict[str, Any], count: int, seed: int, ours: bool) -> None:
    """Random cases by group: those of fresh.py (`ours`), or of `softdock benchmark --random`."""
    groups: dict[str, list[tuple[float, bool]]] = {}
    for i in range(count):
        tables = fresh(seed, i) if ours else tomllib.loads(draw_case(seed, i)[1])
        rubs = any(pair["real"].get("friction", 0.0) > 0.0 for pair in tables["contact"])
        noisy = tables.get("sensor", {}).get("noise_N", 0.0) > 0.0
        group = "noise" if noisy else ("friction" if rubs else "no friction")
        value, doubted = looked_at(tables, method)
        groups.setdefault(group, []).append((value, doubted))
        if len(tables["contact"]) > 1 and not noisy:
            groups.setdefault("several pairs", []).append((value, doubted))
        if value > (0.001 if group == "no friction" else 0.01):
            said = ", doubted" if doubted else ""
            print(f"number {i}, {group}: {100 * value:.3g} %{said}", flush=True)
    for group, found in groups.items():
        print(f"{group}, {_share(x for x, _ in found)}; {_doubts(found)}")


def ablation(phases: int) -> None:
    """Each part switched off, over the cases."""
    print("| switched off | within 1 % | within 0.1 % | worst |\n|---|---:|---:|---:|")
    for part in ("", *PARTS):
        method = {"name": "model_mediated"} | ({part: False} if part else {})
        found = [worst(tables, method, phases) for tables in CASES.values()]
        print(
            f"| {part or 'nothing'} | {sum(x <= 0.01 for x in found)} of {len(found)} | "
            f"{sum(x <= 0.001 for x in found)} | {100 * max(found):.3g} % |",
            flush=True,
        )


def noise(seeds: int, count: int, seed: int) -> None:
    """Root mean square over noise seeds against the Cramer-Rao bound: of the cases by hand, or of
    `count` that are drawn and have a bound."""
    cases = dict(NOISY)
    if count:
        put = CLASSES["noise 0.2 to 2 %"]
        cases = {f"number {i}": draw(seed, i, put).tables for i in range(count)}
    print("| case | root mean square | bound | ratio |\n|---|---:|---:|---:|")
    ratios = []
    for name, tables in cases.items():
        bound = compute_distance_bound(build(copy.deepcopy(tables)))
        if bound is None or not bound > 0.0:
            continue
        found = [distance(tables, {"name": "model_mediated"}, seed=1 + i) for i in range(seeds)]
        rms = float(np.sqrt(np.mean(np.square(found))))
        ratios.append(rms / bound)
        print(
            f"| {name} | {100 * rms:.3f} % | {100 * bound:.3f} % | {rms / bound:.2f} |", flush=True
        )
    print(f"within twice the bound: {sum(x <= 2.0 for x in ratios)} of {len(ratios)}")


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--cases", action="store_true")
    asked.add_argument("--draws", type=int, default=0)
    asked.add_argument("--fresh", type=int, default=0)
    asked.add_argument("--verdicts", type=int, default=0, help="of good runs among so many")
    asked.add_argument("--random", type=int, default=0)
    asked.add_argument("--tilted", type=int, default=0, help="rigs a class, walls tilted")
    asked.add_argument(
        "--hardware", type=int, default=0, help="cases a class, hardware with faults"
    )
    asked.add_argument("--only", default="", help="classes of --hardware with this in their name")
    asked.add_argument("--materials", type=int, default=0, help="rigs of each unknown material")
    asked.add_argument("--relative-noise", type=float, default=0.0, help="of the materials' force")
    asked.add_argument("--cost", action="store_true")
    asked.add_argument("--repeats", type=int, default=100_000, help="of a cycle that rewinds")
    asked.add_argument("--ablation", action="store_true")
    asked.add_argument("--noise", type=int, default=0, help="seeds of noise a case")
    asked.add_argument("--noisy", type=int, default=0, help="drawn cases of --noise")
    asked.add_argument("--seed", type=int, default=1000)
    asked.add_argument("--phases", type=int, default=1)
    asked.add_argument("--method", default="model_mediated")
    given = asked.parse_args()
    method = {"name": given.method}
    chosen = (
        given.cases,
        given.draws,
        given.verdicts,
        given.fresh,
        given.random,
        given.ablation,
        given.noise,
        given.tilted,
        given.hardware,
        given.materials,
    )
    nothing = not (any(chosen) or given.cost)
    if given.cases or nothing:
        cases(method, given.phases)
    if given.draws or nothing:
        draws(method, given.draws or 10, given.seed)
    if given.verdicts:
        verdicts(given.verdicts, given.seed)
    if given.fresh:
        unseen(method, given.fresh, given.seed, True)
    if given.random:
        unseen(method, given.random, given.seed, False)
    if given.tilted:
        tilted(given.tilted, given.seed)
    if given.hardware:
        hardware(given.hardware, given.seed, given.only)
    if given.materials:
        materials(given.materials, given.seed, given.relative_noise)
    if given.cost:
        cost.main(given.repeats)
    if given.ablation:
        ablation(given.phases)
    if given.noise:
        noise(given.noise, given.noisy, given.seed)


if __name__ == "__main__":
    main()
