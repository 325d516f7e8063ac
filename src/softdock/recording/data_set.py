"""An open data set: logs as a laboratory would have them, from emulated rigs, with the truth beside
them; and the score of what is identified from such logs.

DIR/README.md, DIR/rig_07/contact.csv, contact.map.toml, tool.csv, tool.map.toml  (or .mcap)
DIR/truth/rig_07.json                what the rig is, and its verdict
DIR/truth/rig_07.toml                its scenario

Rig i of a seed is the same whatever is made beside it. Odd rigs log CSV, even ones MCAP; every
third corrects its loop. Each has two logs: a touch of a wall, sensor tared and tool weighed; and
free motion in which the tool turns, its weight and the sensor's bias in the readings. A log has
what a rig can measure or knows (`KNOWN_TO_A_RIG`), and no scenario.
"""

from __future__ import annotations

import json
import math
import statistics
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.files.atomic import write_whole
from softdock.files.folders import make_folder
from softdock.files.reading import Unreadable, read_text
from softdock.methods.registry import METHODS
from softdock.recording.logs.importing import import_contents
from softdock.recording.read import Contents, read_contents, write_contents
from softdock.recording.recording import KNOWN_TO_A_RIG, SCENARIO, Recording, make_recording
from softdock.recording.simulated import save_mcap
from softdock.recording.streams import CYCLE, About
from softdock.results.simulation import simulate
from softdock.scenario.build import build
from softdock.scenario.files import to_toml
from softdock.studies.identify import identify

RIGS = 40
FLIGHT_S, AFTER_S, TOOL_S = 0.6, 0.7, 8.0  # s: before the touch, after half a swing, of turning
SHORTEST_MS = 60.0  # half a swing of a contact
TIP_M, LEVER_M = 0.42, 0.2  # from the centre of mass: the tip's surface; off the axis, at most
CORRECTED = 3  # every third rig runs a method, the others none
TRUTH = "truth"
LARGEST = 1_000_000  # bytes of a file of the truth
Tables = dict[str, Any]
Say = Callable[[int, int], None]


def _round(value: float) -> float:
    """Four digits: what a person would write into a file."""
    return float(f"{value:.4g}")


def draw_rig(seed: int, number: int) -> tuple[Tables, Tables]:
    """Scenarios of the touch and of the turning tool."""
    random = np.random.Generator(np.random.PCG64([seed, number]))

    def uniform(low: float, high: float) -> float:
        return _round(random.uniform(low, high))

    cycle = float(random.choice([2.0, 4.0, 8.0]))
    late = _round(math.exp(random.uniform(math.log(1.0), math.log(32.0))))  # ms
    mass, fixed = uniform(100.0, 1500.0), random.random() < 0.3
    other = uniform(100.0, 1500.0)
    aside = [0.0, 0.0] if random.random() < 0.5 else [uniform(-LEVER_M, LEVER_M) for _ in "yz"]
    inertia = [_round(0.2 * mass) for _ in "xyz"]
    lever = math.hypot(*aside)
    mobility = 1.0 / mass + lever**2 / inertia[0]
    mobility += 0.0 if fixed else 1.0 / other + lever**2 / (0.2 * other)
    # at least 12 cycles, and six delays, so that the raw loop returns after one bounce
    swing = uniform(1.0, 3.0) * 1e-3 * max(SHORTEST_MS, 12.0 * cycle, 6.0 * late)
    stiffness = _round((math.pi / swing) ** 2 / mobility)
    damping = _round(uniform(0.02, 0.5) * 2.0 * math.sqrt(stiffness / mobility))
    speed = uniform(0.01, 0.05)
    friction = uniform(0.1, 0.3) if random.random() < 0.4 else 0.0
    noise = math.exp(random.uniform(math.log(0.02), math.log(0.5)))  # N
    sensor: Tables = {"period_ms": 1.0, "noise_N": _round(noise)}
    sensor["noise_Nm"] = _round(0.1 * sensor["noise_N"])
    sensor["delay_ms"] = float(random.integers(0, 7))
    if random.random() < 0.5:
        sensor["handover"] = "mean"
    robots = {"chaser": {"delay_ms": late}, "target": {"delay_ms": _round(0.8 * late)}}
    common: Tables = {
        "robots": robots,
        "random": {"seed": int(random.integers(1, 2**31))},
        "pose": {"delay_ms": uniform(0.0, 8.0), "noise_m": uniform(1e-6, 2e-5)},
    }
    tool: Tables = {
        "mass_kg": uniform(2.0, 15.0),
        "centre_m": [uniform(-0.15, 0.15) for _ in "xyz"],
        "inertia_kg_m2": [0.05, 0.05, 0.05],
    }
    touch = {
        "schema": 1,
        "name": f"rig_{number:02d}",
        "time": {"cycle_ms": cycle, "duration_s": _round(FLIGHT_S + 1.3 * swing + AFTER_S)},
        "chaser": {
            "mass_kg": mass,
            "inertia_kg_m2": inertia,
            "position_m": [_round(TIP_M + speed * FLIGHT_S), 0.0, 0.0],
            "velocity_m_per_s": [-speed, _round(0.5 * speed) if friction else 0.0, 0.0],
        },
        "target": {"mass_kg": other, "inertia_kg_m2": [_round(0.2 * other)] * 3, "fixed": fixed},
        "contact": [
            {
                "geometry": "wall",
                "tip_m": [-0.4, *aside],
                "tip_radius_m": 0.02,
                "axis": [1.0, 0.0, 0.0],
                "real": {
                    "stiffness_N_per_m": stiffness,
                    "damping_Ns_per_m": damping,
                    **({"friction": friction} if friction else {}),
                },
            }
        ],
        "sensor": sensor,
        "mock_up": {"chaser": tool},
        "verdict": {"phases": 1},
        **common,
    }
    bias = {
        "bias_N": [uniform(-1.0, 1.0) for _ in "xyz"],
        "bias_Nm": [uniform(-0.1, 0.1) for _ in "xyz"],
    }
    turning = {
        "schema": 1,
        "name": f"rig_{number:02d}_tool",
        "time": {"cycle_ms": cycle, "duration_s": TOOL_S},
        "chaser": {
            "mass_kg": 3000.0,
            "inertia_kg_m2": [5000.0, 6000.0, 7000.0],
            "rate_rad_per_s": [uniform(0.1, 0.3), uniform(0.1, 0.3), uniform(-0.3, -0.1)],
        },
        "target": {
            "mass_kg": 100.0,
            "inertia_kg_m2": [10.0, 10.0, 10.0],
            "fixed": True,
            "position_m": [100.0, 0.0, 0.0],
        },
        "sensor": {**sensor, **bias},
        "mock_up": {
            "chaser": tool | {"believed": {"mass_kg": 0.0, "inertia_kg_m2": [0.0, 0.0, 0.0]}}
        },
        **common,
    }
    return touch, turning


def list_truth(touch: Tables, turning: Tables) -> Tables:
    """What there is to identify, as `identify` has it: SI units in the keys."""
    law, sensor = touch["contact"][0]["real"], touch["sensor"]
    cycle, robots = touch["time"]["cycle_ms"], touch["robots"]
    age = sensor["delay_ms"]
    if "handover" in sensor:
        age += 0.5 * (cycle - sensor["period_ms"])
    tool = turning["mock_up"]["chaser"]
    delays = {body: 1e-3 * robot["delay_ms"] for body, robot in robots.items()}
    moving = [body for body in delays if not touch[body].get("fixed")]
    return {
        "stiffness_N_per_m": law["stiffness_N_per_m"],
        "damping_Ns_per_m": law["damping_Ns_per_m"],
        "friction": law.get("friction", 0.0),
        **{f"delay_{body}_s": delays[body] for body in moving},
        "loop_delay_s": max(delays[body] for body in moving) + 1e-3 * age,
        "tool_mass_kg": tool["mass_kg"],
        "tool_centre_m": tool["centre_m"],
        "bias_N": turning["sensor"]["bias_N"],
    }


# One log, as a laboratory writes it.

COLUMNS = (  # in the log, series, scale; then the map's table, key and lines
    ("cmd_{b}", "command.{b}", "command", True),
    ("act_{b}", "seen.{b}", "measured", False),
    ("sat_{b}", "{b}", "satellite", True),
)


def _known_contents(run: Any) -> Contents:
    """The recording of a run without anything that a rig cannot know."""
    with tempfile.TemporaryDirectory() as folder:
        contents = read_contents(save_mcap(run, Path(folder) / "whole.mcap"))
    stream = contents.streams[0]
    kept = [i for i, channel in enumerate(stream.channels) if channel.name in KNOWN_TO_A_RIG]
    own = replace(
        stream,
        width=len(kept),
        channels=tuple(stream.channels[i] for i in kept),
        places=tuple(range(len(kept))),
    )
    tables = {"run": {**contents.about.tables["run"], "kind": "rig"}}
    about = About(name=contents.about.name, attachments={}, tables=tables)
    rows = {CYCLE: np.ascontiguousarray(contents.rows[CYCLE][:, kept])}
    end = {key: value for key, value in contents.end.items() if key != "why"} | {"why": "completed"}
    return replace(contents, about=about, streams=(own,), rows=rows, events=[], end=end)


def _write_csv(series: Any, stem: Path) -> None:
    """CSV in millimetres and newton millimetres, and its map."""
    columns: dict[str, np.ndarray] = {"t_s": series["time"]}
    text = ['schema = 1\nname = "rig"\nrows = "log"', '[clock.log]\ncolumn = "t_s"\nunit = "s"']

    def add(stem: str, values: np.ndarray, axes: str, scale: float = 1.0) -> str:
        names = [f"{stem}_{axis}" for axis in axes]
        columns.update({name: scale * values[:, i] for i, name in enumerate(names)})
        return json.dumps(names)

    for body in ("chaser", "target"):
        for short, long, table, is_moving in COLUMNS:
            own, name = long.format(b=body), short.format(b=body)
            lines = [
                f"[{body}.{table}]",
                f"position = {add(name, series[f'{own}.position'], 'xyz', 1e3)}",
                'position_unit = "mm"',
                f"attitude = {add(f'{name}_q', series[f'{own}.attitude'], 'wxyz')}",
                'attitude_form = "wxyz"',
            ]
            if is_moving:
                lines += [
                    f"velocity = {add(f'{name}_v', series[f'{own}.velocity'], 'xyz', 1e3)}",
                    'velocity_unit = "mm/s"',
                    f"rate = {add(f'{name}_w', series[f'{own}.rate'], 'xyz')}",
                ]
            else:
                columns["pose_age_ms"] = 1e3 * series["pose_age"]
                lines += ['age = "pose_age_ms"', 'age_unit = "ms"']
            text.append("\n".join(lines))
        for kind, source in (("wrench_on_satellite", "satellite"), ("wrench", "measured")):
            if kind == "wrench" and body == "target":
                continue
            name, own = f"{source}_{body}", f"{source}.{body}"
            lines = [
                f"[{body}.{kind}]",
                f"force = {add(f'{name}_f', series[f'{own}.force'], 'xyz')}",
                f"torque = {add(f'{name}_t', series[f'{own}.torque'], 'xyz', 1e3)}",
                'torque_unit = "Nmm"',
            ]
            if kind == "wrench":
                columns["force_age_ms"] = 1e3 * series["force_age"]
                lines += ['axes = "world"', 'age = "force_age_ms"', 'age_unit = "ms"']
            text.append("\n".join(lines))
    rows = np.column_stack(list(columns.values()))
    lines = [",".join(columns), *(",".join(f"{one:.12g}" for one in row) for row in rows)]
    write_whole(stem.with_suffix(".csv"), ("\n".join(lines) + "\n").encode())
    write_whole(stem.with_suffix(".map.toml"), ("\n\n".join(text) + "\n").encode())


def _write_log(tables: Tables, stem: Path, as_csv: bool) -> dict[str, Any]:
    """One log; the run's own verdict."""
    run = simulate(tables)
    if as_csv:
        _write_csv(run.series, stem)
    else:
        write_contents(_known_contents(run), stem.with_suffix(".mcap"))
    return dict(run.metrics["verdict"])


README = """Logs of {count} emulated rigs, made by
`softdock benchmark --make-logs DIR --seed {seed}` of softdock {version}.

rig_NN/contact: a touch of a wall, tool compensated, sensor tared.
rig_NN/tool: free motion, the tool turning, its weight and the sensor's bias in the readings.
CSV with a map of its columns (mm, N, Nmm, s; quaternions scalar first), or MCAP.

truth/rig_NN.json: what there is to identify, SI units, and the verdict.
truth/rig_NN.toml: the scenario. `softdock benchmark --logs DIR` scores softdock.
"""


def _choose_method() -> str:
    """The last listed method that claims passivity and needs no prior knowledge."""
    return [
        name
        for name, method in METHODS.items()
        if method.settles_energy and method.claims_passivity and not method.needs
    ][-1]


def make_logs(
    folder: str | Path, seed: int, count: int = RIGS, say: Say = lambda i, n: None
) -> Path:
    """Write the data set into a new folder."""
    from softdock._version import __version__

    if Path(folder).is_dir() and any(Path(folder).iterdir()):
        raise BadInput(Problem("--make-logs", str(folder), "a new or an empty folder"))
    path = make_folder(folder)
    readme = README.format(count=count, seed=seed, version=__version__)
    write_whole(path / "README.md", readme.encode())
    (path / TRUTH).mkdir()
    for number in range(1, count + 1):
        touch, turning = draw_rig(seed, number)
        name = touch["name"]
        if number % CORRECTED == 0:
            method = _choose_method()
            keys = METHODS[method].suggest(build(touch))
            touch["methods"] = [{"name": method, **keys}]
        (path / name).mkdir()
        verdict = _write_log(touch, path / name / "contact", number % 2 == 1)
        _write_log(turning, path / name / "tool", number % 2 == 1)
        truth = {"truth": list_truth(touch, turning), "verdict": verdict["word"]}
        write_whole(path / TRUTH / f"{name}.json", (json.dumps(truth, indent=1) + "\n").encode())
        write_whole(path / TRUTH / f"{name}.toml", to_toml(build(touch).tables).encode())
        say(number, count)
    return path


# The score.

RELATIVE = ("stiffness_N_per_m", "damping_Ns_per_m", "tool_mass_kg")
UNCERTAINTIES = 2.0  # that should hold the truth in 95 of 100


def read_log(stem: Path, scenario: str = "") -> Recording:
    """A log of the data set, CSV or MCAP; `scenario`: text of one to judge it with."""
    if stem.with_suffix(".csv").is_file():
        return make_recording(
            import_contents(stem.with_suffix(".csv"), stem.with_suffix(".map.toml"), scenario)
        )
    contents = read_contents(stem.with_suffix(".mcap"))
    if scenario:
        attached = {**contents.about.attachments, SCENARIO: scenario}
        contents = replace(contents, about=replace(contents.about, attachments=attached))
    return make_recording(contents)


def list_found(contact: Recording, tool: Recording) -> dict[str, Any]:
    """Estimates by the names of the truth; None, or absent: `identify` cannot tell."""
    found: dict[str, Any] = {}
    with suppress(BadInput):  # no contact that it takes for one
        touched = identify(contact)
        found = {
            "stiffness_N_per_m": touched.stiffness,
            "damping_Ns_per_m": touched.damping,
            "friction": touched.friction,
            **{f"delay_{body}_s": one for body, one in touched.robot_delay.items()},
            "loop_delay_s": touched.loop_delay,
        }
    with suppress(BadInput):
        weighed = identify(tool, tool_only=True).tools["chaser"]
        found |= {
            "tool_mass_kg": weighed.mass,
            "tool_centre_m": weighed.centre,
            "bias_N": weighed.bias_force,
        }
    return found


def score_rig(folder: Path, name: str) -> dict[str, Any]:
    """Errors of one rig by quantity, and both verdicts."""
    try:
        known = json.loads(read_text(folder / TRUTH / f"{name}.json", LARGEST, "truth"))
        scenario = read_text(folder / TRUTH / f"{name}.toml", LARGEST, "scenario")
    except (Unreadable, ValueError) as error:
        raise BadInput(
            Problem("--logs", f"{TRUTH}/{name}", f"truth of that rig ({error})")
        ) from None
    contact = read_log(folder / name / "contact", scenario)
    found = list_found(contact, read_log(folder / name / "tool"))
    rows: dict[str, Any] = {}
    for what, truth in known["truth"].items():
        estimate = found.get(what)
        if estimate is None:
            rows[what] = None
            continue
        off = np.atleast_1d(np.subtract(estimate.value, truth))
        sigma = np.maximum(np.atleast_1d(estimate.uncertainty), 1e-300)
        rows[what] = {
            "error": float(np.linalg.norm(off)) / (abs(truth) if what in RELATIVE else 1.0),
            "held": int(np.sum(np.abs(off) <= UNCERTAINTIES * sigma)),
            "numbers": len(off),
        }
    word = contact.judge(name)["word"]
    return {"rig": name, "rows": rows, "verdict": word, "true_verdict": known["verdict"]}


def find_rigs(folder: str | Path) -> list[str]:
    """Names of the rigs; `BadInput` where there are none."""
    names = sorted(path.stem for path in (Path(folder) / TRUTH).glob("rig_*.json"))
    if not names:
        allowed = "a data set: `softdock benchmark --make-logs DIR` makes one"
        raise BadInput(Problem("--logs", str(folder), allowed))
    return names


def score_logs(folder: str | Path, say: Say = lambda i, n: None) -> dict[str, Any]:
    """What is identified from every log, beside the truth."""
    names, rigs = find_rigs(folder), []
    for i, name in enumerate(names):
        rigs.append(score_rig(Path(folder), name))
        say(i + 1, len(names))
    quantities = {what: dict(_summarise(rigs, what)) for what in dict.fromkeys(_list_names(rigs))}
    same = sum(one["verdict"] == one["true_verdict"] for one in rigs)
    return {
        "rigs": len(rigs),
        "quantities": quantities,
        "verdicts": {
            "same": same,
            "differ": [one["rig"] for one in rigs if one["verdict"] != one["true_verdict"]],
        },
        "by_rig": rigs,
    }


def _list_names(rigs: list[dict[str, Any]]) -> Iterator[str]:
    for one in rigs:
        yield from one["rows"]


def _summarise(rigs: list[dict[str, Any]], what: str) -> Iterator[tuple[str, Any]]:
    asked = [one["rows"][what] for one in rigs if what in one["rows"]]
    identified = [row for row in asked if row is not None]
    yield "asked", len(asked)
    yield "identified", len(identified)
    yield "relative", what in RELATIVE
    if identified:
        errors = [row["error"] for row in identified]
        yield "median", statistics.median(errors)
        yield "worst", max(errors)
        numbers = sum(row["numbers"] for row in identified)
        yield "held", sum(row["held"] for row in identified) / numbers


# Of a quantity: its name in words, the unit of its error and what makes that of SI or of a share.
SHOWN = {
    "stiffness_N_per_m": ("contact stiffness", "%", 1e2),
    "damping_Ns_per_m": ("contact damping", "%", 1e2),
    "friction": ("friction", "", 1.0),
    "delay_chaser_s": ("delay of the chaser's robot", "ms", 1e3),
    "delay_target_s": ("delay of the target's robot", "ms", 1e3),
    "loop_delay_s": ("loop delay", "ms", 1e3),
    "tool_mass_kg": ("tool mass", "%", 1e2),
    "tool_centre_m": ("its centre of mass", "mm", 1e3),
    "bias_N": ("bias of the force", "N", 1.0),
}


def tabulate(score: dict[str, Any]) -> list[tuple[str, ...]]:
    """What was identified of how many, median and worst error, share within two uncertainties."""
    rows = []
    for what, one in score["quantities"].items():
        name, unit, factor = SHOWN[what]
        numbers = ["-", "-", "-"]
        if one["identified"]:
            numbers = [f"{factor * one[key]:.2g} {unit}".rstrip() for key in ("median", "worst")]
            numbers.append(f"{100.0 * one['held']:.0f} %")
        rows.append((name, f"{one['identified']} of {one['asked']}", *numbers))
    return rows
