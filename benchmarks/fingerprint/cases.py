"""Which cases there are, part by part, and what each one records.

In: names of parts, whether quickly. Out: cases, each a name and a function that makes its channels.

    presets     every preset and every rig of rigs/, whole, with its own methods; orbit beside it
    methods     every preset with every method and integrator that accept it, cut to 3000 cycles
    batches     runs on CPU threads, the loop stepped by hand, sampling phases
    campaigns   the campaign presets: every column of the outcome tables, and the summaries
    analysis    stability of every preset, comparisons, haptics
    papers      every table and figure of the papers (slow)
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.fingerprint.digests import flatten, of_array, of_value
from benchmarks.fingerprint.places import command, command_json, find, preset_names
from benchmarks.fingerprint.runs import batch_channels, run_channels, table_channels

PARTS = ("presets", "methods", "batches", "campaigns", "analysis", "papers")
MOST_CYCLES = 3000
ONE_PRESET = "epos_1d"  # of the quick set: every method accepts it
COMPARED = ("epos_1d", "lange_impact_delay")
CAMPAIGNS = {  # preset -> draws; grids are small enough to be run whole
    "adaptive_damping": 48,
    "epos_monte_carlo": 48,
    "nozzle_capture": None,
    "fidelity_map": None,
    "vbar_navigation": None,
    "probe_drogue_capture": None,
    "launch_ring_capture": None,
    "idss_ring_capture": None,
}
PAPERS = ("franken", "de-stefano", "zebenay", "lange")
RIGS = Path(__file__).parent / "rigs"
Channels = dict[str, str]


class Case(NamedTuple):
    name: str
    make: Callable[[], Channels]


def cases(parts: tuple[str, ...], quick: bool) -> Iterator[Case]:
    """All cases of some parts, cheap ones first."""
    made: dict[str, Callable[[bool], Iterator[Case]]] = {
        "presets": lambda quick: presets(),
        "methods": methods,
        "batches": lambda quick: iter(()) if quick else batches(),
        "campaigns": lambda quick: iter(()) if quick else campaigns(),
        "analysis": lambda quick: iter(()) if quick else analysis(),
        "papers": lambda quick: iter(()) if quick else papers(),
    }
    for part in parts:
        yield from made[part](quick)


def presets() -> Iterator[Case]:
    import softdock

    def whole(source: str) -> Channels:
        return run_channels(softdock.simulate(softdock.load_scenario(source)))

    for name in preset_names():
        yield Case(f"presets/{name}", lambda name=name: whole(name))
    for path in sorted(RIGS.glob("*.toml")):
        yield Case(f"rigs/{path.stem}", lambda path=path: whole(str(path)))


def cut(source: str) -> Any:
    """A scenario no longer than `MOST_CYCLES`."""
    import softdock

    scenario = softdock.load_scenario(source)
    time = scenario.tables["time"]
    longest = MOST_CYCLES * time["cycle_ms"] * 1e-3
    if time["duration_s"] <= longest:
        return scenario
    return softdock.load_scenario(source, {"time.duration_s": longest})


def methods(quick: bool) -> Iterator[Case]:
    """Every candidate of a comparison as a run of its own; what is refused, by name."""
    import softdock

    for preset in [ONE_PRESET] if quick else preset_names():
        scenario = cut(preset)
        integrators = [scenario.tables["satellites"]["integrator"]] if quick else "all"
        able, unable = find("candidates")(scenario, "all", integrators)
        refused = {f"{one.method}, {one.integrator}": "refused" for one in unable}
        yield Case(f"methods/{preset}/refused", lambda refused=refused: dict(refused))
        for one in able:
            name = f"methods/{preset}/{one.method}/{one.integrator}"
            yield Case(name, lambda one=one: run_channels(softdock.simulate(one.scenario)))


def batches() -> Iterator[Case]:
    import softdock

    def swept(preset: str, keys: dict[str, tuple[float, float]], runs: int = 100) -> Channels:
        random = np.random.default_rng(1)
        values = {key: random.uniform(low, high, runs) for key, (low, high) in keys.items()}
        scenario = cut(preset)
        return batch_channels(find("run_cpu")(*find("columns")(scenario, values)))

    delays = {"robots.chaser.delay_ms": (0.0, 32.0), "robots.target.delay_ms": (0.0, 32.0)}
    stiffness = {"contact.0.real.stiffness_N_per_m": (500.0, 2000.0)}
    noise = {"sensor.noise_N": (0.0, 0.3)}
    limits = {"robots.chaser.max_jerk_m_per_s3": (60.0, 200.0)}
    yield Case("batches/epos_1d", lambda: swept("epos_1d", delays | stiffness))
    yield Case("batches/epos_1d_noise", lambda: swept("epos_1d", stiffness | noise))
    yield Case("batches/epos_3d", lambda: swept("epos_3d", delays | noise))
    yield Case("batches/lange_impact_delay", lambda: swept("lange_impact_delay", limits))
    yield Case("batches/lange_remapped", lambda: swept("lange_remapped", limits, 32))
    yield Case("batches/whole_facility", lambda: swept(str(RIGS / "whole_facility.toml"), noise))

    def stepped() -> Channels:
        loop = softdock.Stepper(softdock.load_scenario("epos_1d"), rows=401)
        words = [loop.step(1 + k % 3) for k in range(200)]
        series = {f"series.{name}": of_array(loop.series[name]) for name in loop.series}
        return series | {"status": of_value(words), "time_s": of_value(loop.time_s)}

    yield Case("batches/stepped_by_hand", stepped)

    def in_phases() -> Channels:
        return run_channels(softdock.simulate_phases(softdock.load_scenario("epos_1d"), 8))

    yield Case("batches/phases", in_phases)


def campaigns() -> Iterator[Case]:
    def whole(preset: str, draws: int | None) -> Channels:
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "campaign"
            fewer = () if draws is None else ("--runs", str(draws))
            command("campaign", preset, "--backend", "cpu", "--out", str(out), *fewer)
            return table_channels(out)

    for preset, draws in CAMPAIGNS.items():
        yield Case(f"campaigns/{preset}", lambda p=preset, d=draws: whole(p, d))


def analysis() -> Iterator[Case]:
    def printed(*arguments: str) -> Channels:
        return flatten("", command_json(*arguments))

    for preset in preset_names():
        yield Case(f"stability/{preset}", lambda preset=preset: printed("stability", preset))
    yield Case("haptics/compare", lambda: printed("haptics", "--compare"))
    for preset in COMPARED:
        yield Case(f"compare/{preset}", lambda preset=preset: printed("compare", preset))


def papers() -> Iterator[Case]:
    for paper in PAPERS:
        yield Case(
            f"papers/{paper}", lambda paper=paper: flatten("", command_json("papers", paper))
        )
