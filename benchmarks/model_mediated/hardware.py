"""Random docking cases on hardware that is not as the scenario says: error against orbit, and how
often a miss above 1 % or a hit carries a doubt.

Shapes, masses, laws, friction and delays are those of `softdock benchmark --random`; its robots and
sensors are taken out, and the faults of a class put in. A fault of the mock-ups (tilt, tip aside)
is behind the facility: the scenario is as drawn, the true one is what runs, and orbit has it too.
"""

from __future__ import annotations

import copy
import math
import tomllib
from collections.abc import Callable
from typing import Any

import numpy as np

from softdock import SimulatedFacility, build, drive, run_reference, simulate
from softdock.errors import BadInput
from softdock.methods.model_mediated.notes import list_doubts
from softdock.studies.benchmark.draws import draw_case

Tables = dict[str, Any]
Random = np.random.Generator
METHOD = {"name": "model_mediated"}
JOINT_KEYS = ("joint_stiffness_N_per_m", "moving_mass_kg")


class Case:
    """A scenario as it is declared, and what is true of it beside that."""

    def __init__(self, tables: Tables):
        self.tables = tables
        self.true: Tables = {}  # by contact pair
        self.told: Tables = {}  # to the method
        found = run_reference(build(copy.deepcopy(tables)))
        self.peak = max(one["peak_force_satellite_N"] for one in found.contacts)
        self.first_s = found.contacts[0]["start_s"]

    @property
    def stiffness(self) -> float:
        """Of the deepest contact about, of a spring of as much energy [N/m]."""
        t = self.tables
        moved = 1.0 / t["chaser"]["mass_kg"]
        moved += 0.0 if t["target"]["fixed"] else 1.0 / t["target"]["mass_kg"]
        speed = abs(t["chaser"]["velocity_m_per_s"][0])
        return moved * (self.peak / speed) ** 2


Fault = Callable[[Case, Random], None]


def _draw_direction(random: Random) -> np.ndarray:
    way = random.normal(size=3)
    return way / np.linalg.norm(way)


def _offset_poses(least: float, most: float) -> Fault:
    def put(case: Case, random: Random) -> None:
        offset = math.exp(random.uniform(math.log(least), math.log(most))) * _draw_direction(random)
        share = random.uniform(0.0, 1.0)
        case.tables["pose"] = case.tables.get("pose", {}) | {
            "chaser_offset_m": (share * offset).tolist(),
            "target_offset_m": ((share - 1.0) * offset).tolist(),
        }

    return put


def _move_tip(case: Case, random: Random) -> None:
    offset = math.exp(random.uniform(math.log(2e-5), math.log(2e-3))) * _draw_direction(random)
    for i, pair in enumerate(case.tables["contact"]):
        case.true[f"contact.{i}.tip_m"] = (np.array(pair["tip_m"]) + offset).tolist()


def _tilt(case: Case, random: Random) -> None:
    """All surfaces as one turned by up to 2 degrees about the target's axes."""
    turn = math.radians(random.uniform(0.0, 2.0)) * _draw_direction(random)
    angle = float(np.linalg.norm(turn))
    k = turn / angle
    for i, pair in enumerate(case.tables["contact"]):
        axis = np.array(pair.get("axis", [1.0, 0.0, 0.0]))
        turned = axis * math.cos(angle) + np.cross(k, axis) * math.sin(angle)
        turned += k * (k @ axis) * (1.0 - math.cos(angle))
        case.true[f"contact.{i}.axis"] = turned.tolist()


def _low_pass(least: float, most: float) -> Fault:
    def put(case: Case, random: Random) -> None:
        cut = math.exp(random.uniform(math.log(least), math.log(most)))
        case.tables["sensor"] = case.tables.get("sensor", {}) | {"lowpass_Hz": cut}

    return put


def _preload(case: Case, random: Random) -> None:
    """A spring that begins with a share of the peak force."""
    k = case.stiffness
    rise, first = 0.02 * case.peak / k, random.uniform(0.1, 0.6) * case.peak
    far = 100.0 * case.peak / k
    rows = [[0.0, 0.0], [rise, first], [far, first + k * far]]
    for pair in case.tables["contact"]:
        law = {"law": "table", "table_m_N": rows}
        pair["real"] = law | {key: v for key, v in pair["real"].items() if "friction" in key}


def _long_cycle(case: Case, random: Random) -> None:
    case.tables["time"]["cycle_ms"] = 12.0


def _wrong_tool(case: Case, random: Random) -> None:
    mass = random.uniform(2.0, 20.0)
    believed = mass * float(random.choice([0.95, 1.05]))
    case.tables["mock_up"] = {"chaser": {"mass_kg": mass, "believed": {"mass_kg": believed}}}


def _refine_plant(case: Case) -> None:
    """As many steps of a cycle as what moves behind the joints needs."""
    for steps in (16, 32, 64, 128, 256):
        case.tables["time"]["plant_steps"] = steps
        try:
            build(copy.deepcopy(case.tables))
        except BadInput:
            continue
        return


def _elastic(wrong: float) -> Fault:
    """Both robots on elastic joints; the method is told their stiffness `wrong` times."""

    def put(case: Case, random: Random) -> None:
        joint = math.exp(random.uniform(math.log(2.0), math.log(50.0))) * case.stiffness
        share = random.uniform(0.3, 0.7)
        for body, part in (("chaser", share), ("target", 1.0 - share)):
            case.tables["robots"][body] |= {
                "joint_stiffness_N_per_m": joint / part,
                "moving_mass_kg": random.uniform(5.0, 20.0),
            }
        _refine_plant(case)
        if wrong != 1.0:
            robots = case.tables["robots"].values()
            k, m = ([one[key] for one in robots] for key in JOINT_KEYS)
            case.told = {JOINT_KEYS[0]: [wrong * x for x in k], JOINT_KEYS[1]: m}

    return put


def _noise(case: Case, random: Random) -> None:
    sensor = {"noise_N": case.peak * random.uniform(0.002, 0.02)}
    case.tables["sensor"] = case.tables.get("sensor", {}) | sensor


def _bias(case: Case, random: Random) -> None:
    bias = (case.peak * random.uniform(-0.2, 0.2, 3)).tolist()
    case.tables["sensor"] = case.tables.get("sensor", {}) | {"bias_N": bias}


def _jitter(case: Case, random: Random) -> None:
    for body in ("chaser", "target"):
        jitter = random.uniform(0.2, 0.9) * case.tables["time"]["cycle_ms"]
        case.tables["robots"][body]["delay_jitter_ms"] = jitter


def _robot_lag(case: Case, random: Random) -> None:
    for body in ("chaser", "target"):
        robot = {"model": "lag", "lag_Hz": random.uniform(6.0, 20.0)}
        case.tables["robots"][body] |= robot


def _robot_limits(case: Case, random: Random) -> None:
    """Acceleration limits of 0.5 to 2 times what orbit's contact takes."""
    most = random.uniform(0.5, 2.0)
    for body in ("chaser", "target"):
        limit = most * case.peak / case.tables[body]["mass_kg"]
        robot = {"model": "limited", "max_acceleration_m_per_s2": limit}
        case.tables["robots"][body] |= robot


def _one_of(*faults: Fault) -> Fault:
    def put(case: Case, random: Random) -> None:
        faults[int(random.integers(len(faults)))](case, random)

    return put


def _late_readings(case: Case, random: Random) -> None:
    case.tables["sensor"] = case.tables.get("sensor", {}) | {"delay_ms": random.uniform(1.0, 8.0)}
    case.tables["pose"] = case.tables.get("pose", {}) | {"delay_ms": random.uniform(1.0, 8.0)}


def _several(*also: Fault) -> Fault:
    """Two to four faults at once, `also` among them."""

    def put(case: Case, random: Random) -> None:
        others: list[Fault] = [_noise, _bias, _jitter, _late_readings]
        others += [_low_pass(20.0, 80.0), _offset_poses(2e-5, 2e-3)]
        count = int(random.integers(2, 5)) - len(also)
        chosen = random.choice(len(others), size=count, replace=False)
        for fault in (*also, *(others[i] for i in sorted(chosen))):
            fault(case, random)

    return put


def _both(*faults: Fault) -> Fault:
    def put(case: Case, random: Random) -> None:
        for fault in faults:
            fault(case, random)

    return put


CLASSES: dict[str, Fault] = {
    "as declared": _both(),
    "noise 0.2 to 2 %": _noise,
    "bias, jitter, lag, limits or late readings": _one_of(
        _bias, _jitter, _robot_lag, _robot_limits, _late_readings
    ),
    "pose offset 0.02 to 0.3 mm": _offset_poses(2e-5, 3e-4),
    "pose offset 0.3 to 2 mm": _offset_poses(3e-4, 2e-3),
    "tip 0.02 to 2 mm aside": _move_tip,
    "tilt up to 2 deg": _tilt,
    "low-pass 5 to 80 Hz": _low_pass(5.0, 80.0),
    "low-pass with pre-load": _both(_preload, _low_pass(5.0, 80.0)),
    "low-pass 20 Hz, 12 ms cycle": _both(_long_cycle, _low_pass(20.0, 20.0)),
    "tool mass 5 % wrong": _wrong_tool,
    "tool mass and others": _several(_wrong_tool),
    "two to four faults": _several(),
    "elastic joints": _elastic(1.0),
    "elastic joints, set 5 % stiffer": _elastic(1.05),
    "elastic joints, taken as rigid": _elastic(1e3),
}


def draw(seed: int, number: int, put: Fault) -> Case:
    """Case `number` of a class, whatever is drawn beside it."""
    random = np.random.default_rng([seed, number])
    tables = tomllib.loads(draw_case(seed, number)[1])
    tables["sensor"] = {}
    for body in ("chaser", "target"):
        tables["robots"][body] = {"delay_ms": tables["robots"][body]["delay_ms"]}
    case = Case(tables)
    put(case, random)
    return case


def measure(case: Case, method: Tables = METHOD) -> tuple[float, list[str], Any]:
    """Error of a case, the worse of those after the contact and at the end; the doubts; the run."""
    tables = case.tables | {"methods": [method | case.told]}
    try:
        if not case.true:
            run = simulate(build(copy.deepcopy(tables)))
            both = [run.metrics["error_against_orbit"], run.metrics["error_against_orbit_later"]]
            error = max(math.inf if x is None or math.isnan(x) else x for x in both)
        else:
            given = build(copy.deepcopy(tables))
            true = _build_true(case)
            run = drive(given, SimulatedFacility(true))
            parted = [
                one.series["chaser.velocity"][-1] - one.series["target.velocity"][-1]
                for one in (run, run_reference(true))
            ]
            speed = np.linalg.norm(tables["chaser"]["velocity_m_per_s"])
            error = float(np.linalg.norm(parted[0] - parted[1]) / speed)
    except BadInput as refused:
        return math.nan, [str(refused)], None
    return error, list_doubts(run.method_books["model_mediated"]), run


def _build_true(case: Case) -> Any:
    tables = copy.deepcopy(case.tables)
    for key, value in case.true.items():
        _, i, name = key.split(".")
        tables["contact"][int(i)][name] = value
    return build(tables)


def hardware(count: int, seed: int, only: str = "") -> None:
    """A row for each class."""
    print(
        f"\n| seed {seed} | within 1 % | within 0.1 % | median | 90 % | misses doubted | "
        "hits doubted |\n|---|---:|---:|---:|---:|---:|---:|"
    )
    missed = []
    for name, put in CLASSES.items():
        if only not in name:
            continue
        found = [measure(draw(seed, i, put))[:2] for i in range(count)]
        refused = sum(math.isnan(error) for error, _ in found)
        errors = np.array([error for error, _ in found if not math.isnan(error)])
        misses = [doubts for error, doubts in found if error > 0.01]
        hits = [doubts for error, doubts in found if error <= 0.01]
        said = f" ({refused} refused)" if refused else ""
        print(
            f"| {name} | {len(hits)} of {len(errors)}{said} | {sum(errors <= 0.001)} | "
            f"{100.0 * np.median(errors):.2g} % | {100.0 * np.percentile(errors, 90.0):.2g} % | "
            f"{sum(map(bool, misses))} of {len(misses)} | {sum(map(bool, hits))} of {len(hits)} |",
            flush=True,
        )
        missed += [
            f"{name}, number {i}: {100.0 * error:.2g} %, {'; '.join(doubts) or 'no doubt'}"
            for i, (error, doubts) in enumerate(found)
            if not error <= 0.01
        ]
    print(*missed, sep="\n")
