"""What may take a rig away from orbit, as changes of its scenario that switch each cause off.

In: a scenario. Out: a list of causes that it has, each with the keys that make it ideal: robots
that are not late, a sensor without noise, a tool that weighs nothing. What is ideal already is no
cause. The contact itself is not touched, but for friction: friction belongs to orbit too, so that
run and orbit are both flown without it.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from softdock.analysis.sensor_faults import faults_in_words, switched_off
from softdock.core.robots.keys import DELAY, MODELS, ROBOT
from softdock.core.robots.models import robot_model_named
from softdock.scenario.build import Scenario

ENDS = ("chaser", "target")
LATE_ONLY = MODELS[DELAY]  # the robot that is late and nothing else
COMPARE = "`softdock compare`"
FINER = 4  # cycles in place of one, for what the sampling itself does
IDEAL_INTEGRATOR = "exact_hold"  # exact motion under the held force
_ZERO3 = [0.0, 0.0, 0.0]


class Cause(NamedTuple):
    name: str
    what: str  # in words, with its size
    off: dict[str, Any]  # keys that switch it off
    helps: str  # what an engineer can do about it
    of_sensor: bool = False  # part of the ledger's row sensor
    in_orbit: bool = False  # orbit has it too
    in_free_flight: bool = False  # it pushes before anything touches


def causes(scenario: Scenario) -> list[Cause]:
    """All that the scenario has, in the order of the loop."""
    t = scenario.tables
    found = [
        *(cause for body in ENDS for cause in _robot(t, body)),
        *_sensor(t),
        *(cause for body in ENDS for cause in _tool(t, body)),
        *_poses(t),
        *_friction(t),
        *_sampling(t),
    ]
    return [cause for cause in found if _differs(t, cause.off)]


def _robot(t: dict[str, Any], body: str) -> list[Cause]:
    robot, at = t["robots"][body], f"robots.{body}"
    late = {
        f"{at}.{key}": 0.0
        for key in (
            "delay_ms",
            "computation_ms",
            "transport_ms",
            "delay_ramp_ms_per_s",
            "delay_wobble_ms",
            "delay_jitter_ms",
            "dropout_probability",
        )
    }
    total = robot["delay_ms"] + robot["computation_ms"] + robot["transport_ms"]
    method = f"a method that takes delay out ({COMPARE}), or a faster robot"
    found = [
        Cause(f"{body}'s robot: delay", f"{total:g} ms with computing and sending", late, method)
    ]
    if robot["model"] != LATE_ONLY:
        own = [p.key for p in ROBOT if p.when is not None and p.when[0] in ("model", "joints")]
        off = {f"{at}.model": LATE_ONLY, **{f"{at}.{k}": None for k in own if k in robot}}
        model = robot_model_named(robot["model"])
        linear = model.linear(robot)
        size = model.words
        if model.size is not None:
            size = model.size(robot)
        elif linear.lag > 0.0:
            behind = 2e3 * linear.damping_ratio / linear.lag
            size = f"{linear.lag / (2.0 * math.pi):.3g} Hz: {behind:.3g} ms late"
        better = "a faster, stiffer or stronger robot"
        found.append(Cause(f"{body}'s robot: {model.words}", size, off, better))
    joint = {f"{at}.joint_stiffness_N_per_m": 0.0}
    words = f"{robot['joint_stiffness_N_per_m']:g} N/m"
    found.append(Cause(f"{body}'s robot: elastic joint", words, joint, "a stiffer robot"))
    return found


def _sensor(t: dict[str, Any]) -> list[Cause]:
    s = t["sensor"]
    late = {"sensor.period_ms": 0.0, "sensor.delay_ms": 0.0, "sensor.handover": "latest"}
    rate = f"a sample every {s['period_ms']:g} ms, {s['handover']}, {s['delay_ms']:g} ms late"
    noise = {f"sensor.{k}": 0.0 for k in ("noise_N", "noise_Nm", "resolution_N", "resolution_Nm")}
    bias: dict[str, Any] = {
        f"sensor.{k}": _ZERO3 for k in ("bias_N", "bias_Nm", "drift_N_per_s", "drift_Nm_per_s")
    }
    faults = {f"sensor.{key}": value for key, value in switched_off().items()}
    happened = faults_in_words(s, t["time"]["duration_s"])
    cut = {f"sensor.{k}": 0.0 for k in ("threshold_N", "range_N", "range_Nm")}
    size = f"{s['noise_N']:g} N, {s['noise_Nm']:g} Nm"
    biased = f"{max(map(abs, s['bias_N'])):g} N, {max(map(abs, s['bias_Nm'])):g} Nm"
    return [
        Cause(name="sensor: age", what=rate, off=late, helps="a faster hand-over", of_sensor=True),
        Cause(
            name="sensor: noise",
            what=size,
            off=noise,
            helps="a threshold, the mean, a quieter sensor",
            of_sensor=True,
        ),
        Cause(
            name="sensor: filter",
            what=f"{s['lowpass_Hz']:g} Hz low-pass",
            off={"sensor.lowpass_Hz": 0.0},
            helps="a higher cut-off: a filter is delay",
            of_sensor=True,
        ),
        Cause(
            name="sensor: threshold and range",
            what=f"below {s['threshold_N']:g} N nothing",
            off=cut,
            helps="a lower threshold, a larger range",
            of_sensor=True,
        ),
        Cause(
            "sensor: bias",
            biased,
            bias,
            "tare it before each run",
            of_sensor=True,
            in_free_flight=True,
        ),
        Cause(
            name="sensor: faults",
            what=happened,
            off=faults,
            helps="another sensor, or another cable",
            of_sensor=True,
        ),
    ]


def _tool(t: dict[str, Any], body: str) -> list[Cause]:
    tool, at = t["mock_up"][body], f"mock_up.{body}"
    off: dict[str, Any] = {f"{at}.mass_kg": 0.0, f"{at}.believed.mass_kg": 0.0}
    off |= {f"{at}.{k}": _ZERO3 for k in ("inertia_kg_m2", "believed.inertia_kg_m2")}
    wrong = 1e3 * (tool["mass_kg"] - tool["believed"]["mass_kg"])
    apart = 1e3 * math.dist(tool["centre_m"], tool["believed"]["centre_m"])
    said = [f"{tool['mass_kg']:g} kg"]
    if wrong:
        said.append(f"believed {-wrong:+.3g} g off")
    if apart:
        said.append(f"its centre {apart:.3g} mm off")
    if not (wrong or apart):
        said.append("weighed rightly")
    helps = "weigh it, and find its centre (`softdock calibrate`)"
    return [
        Cause(
            f"{body}'s tool: weight",
            ", ".join(said),
            off,
            helps,
            of_sensor=True,
            in_free_flight=bool(wrong or apart),
        )
    ]


def _poses(t: dict[str, Any]) -> list[Cause]:
    off = {
        f"pose.{key}": 0.0
        for key, value in t["pose"].items()
        if isinstance(value, float | int) and not isinstance(value, bool)
    }
    return [Cause("measured poses", f"{t['pose']['delay_ms']:g} ms late", off, "measure sooner")]


def _friction(t: dict[str, Any]) -> list[Cause]:
    off = {
        f"contact.{i}.{law}.friction": 0.0
        for i, pair in enumerate(t["contact"])
        for law in ("real", "wanted")
        if "friction" in pair.get(law, {})
    }
    largest = max((pair["real"].get("friction", 0.0) for pair in t["contact"]), default=0.0)
    helps = "a smoother tip; no method repairs late friction"
    return [Cause("friction", f"coefficient {largest:g}", off, helps, in_orbit=True)]


def _sampling(t: dict[str, Any]) -> list[Cause]:
    chosen, cycle = t["satellites"]["integrator"], t["time"]["cycle_ms"]
    steps = max(1, int(t["time"]["plant_steps"]) // FINER)
    finer = {"time.cycle_ms": cycle / FINER, "time.plant_steps": steps}
    return [
        Cause(
            "integrator",
            chosen,
            {"satellites.integrator": IDEAL_INTEGRATOR},
            f'satellites.integrator = "{IDEAL_INTEGRATOR}"',
        ),
        Cause("cycle", f"the force is held over {cycle:g} ms", finer, "a faster cycle"),
    ]


def _differs(t: dict[str, Any], off: dict[str, Any]) -> bool:
    """Whether switching off changes anything."""
    return any(value is not None and _look_up(t, key) != value for key, value in off.items())


def _look_up(t: Any, path: str) -> Any:
    for part in path.split("."):
        t = t[int(part)] if isinstance(t, list) else t.get(part)
    return t
