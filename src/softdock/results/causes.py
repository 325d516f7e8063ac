"""What may take a rig away from the reference, as changes of its scenario that switch each cause
off.

In: a scenario. Out: its causes, each with the keys that make it ideal: robots that are not late, a
sensor without noise. What is ideal already is no cause. Every key outside the contact that can move
a rig away from the reference belongs to one (tests/unit/test_causes.py tries all keys).

Two causes touch the contact. Friction belongs to the reference too, so that run and reference are
both simulated without it. Where the mock-ups' contact or latch is not the wanted one, and no method
puts the wanted one in its place, the mock-ups get the wanted one.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from softdock.loop.method.method import nothing_replaced
from softdock.loop.robots.keys import DELAY, MODELS, ROBOT
from softdock.loop.robots.models import robot_model_named
from softdock.loop.satellites import INTEGRATORS
from softdock.methods.registry import METHODS
from softdock.results.faults import describe_faults, make_faultless_keys
from softdock.scenario.build import Scenario

ENDS = ("chaser", "target")
LATE_ONLY = MODELS[DELAY]  # the robot that is late and nothing else
FINER = 4  # cycles in place of one, for what the sampling itself does
# the one that adds no delay of its own to a contact: exact_hold adds half a cycle
IDEAL_INTEGRATOR = min(INTEGRATORS, key=lambda one: one.effective_delay).name
_ZERO3 = [0.0, 0.0, 0.0]
Keys = dict[str, Any]


class Cause(NamedTuple):
    name: str
    what: str  # in words, with its size: "40 ms delay of the chaser's robot"
    off: Keys  # keys that switch it off; None: the key is taken out
    helps: str  # what an engineer can do about it
    of_sensor: bool = False  # part of the ledger's row sensor
    in_orbit: bool = False  # the reference has it too
    in_free_flight: bool = False  # it pushes before anything touches


def list_causes(scenario: Scenario) -> list[Cause]:
    """All that the scenario has, in the order of the loop."""
    t = scenario.tables
    causes = [
        *(cause for body in ENDS for cause in _list_robot_causes(t, body)),
        *_list_sensor_causes(t),
        *(cause for body in ENDS for cause in _list_tool_causes(t, body)),
        *(
            *_list_pose_causes(t["pose"]),
            *_list_contact_causes(t),
            *_list_limit_causes(t),
            *_list_sampling_causes(t),
        ),
    ]
    return [cause for cause in causes if _has_effect(t, cause.off)]


def _list_robot_causes(t: Keys, body: str) -> list[Cause]:
    robot, at, whose = t["robots"][body], f"robots.{body}", f"of the {body}'s robot"

    def off(*keys: str) -> Keys:
        return {f"{at}.{key}": 0.0 for key in keys}

    fixed = ("delay_ms", "computation_ms", "transport_ms")
    varying = ("delay_ramp_ms_per_s", "delay_wobble_ms", "delay_jitter_ms")
    late = f"{sum(robot[key] for key in fixed):g} ms"
    if any(robot[key] for key in varying):
        late += " (and varying)"
    joint = f"{robot['joint_stiffness_N_per_m']:g} N/m elastic joint {whose}"
    lost = f"{100.0 * robot['dropout_probability']:g} % of set-points lost on the way {whose}"
    return [
        Cause(
            f"{body}'s robot: delay",
            f"{late} delay {whose}",
            off(*fixed, *varying),
            "a method that compensates delay, or a faster robot",
        ),
        Cause(
            f"{body}'s robot: lost set-points",
            lost,
            off("dropout_probability"),
            "a more reliable connection",
        ),
        Cause(
            f"{body}'s robot: interpolation",
            f"interpolation {robot['interpolation']} {whose}",
            {f"{at}.interpolation": "hermite"},
            "set-points with their velocity (hermite)",
        ),
        *_list_model_causes(robot, at, body, whose),
        Cause(
            f"{body}'s robot: elastic joint",
            joint,
            off("joint_stiffness_N_per_m"),
            "a stiffer robot",
        ),
    ]


def _list_model_causes(robot: Keys, at: str, body: str, whose: str) -> list[Cause]:
    """What a robot is beside late."""
    if robot["model"] == LATE_ONLY:
        return []
    own = [p.key for p in ROBOT if p.when is not None and p.when[0] in ("model", "joints")]
    off = {f"{at}.model": LATE_ONLY, **{f"{at}.{k}": None for k in own if k in robot}}
    model = robot_model_named(robot["model"])
    linear = model.linear(robot)
    size = model.words
    if model.size is not None:
        size = f"{model.words} ({model.size(robot)})"
    elif linear.lag > 0.0:
        behind = 2e3 * linear.damping_ratio / linear.lag
        size = f"{linear.lag / (2.0 * math.pi):.3g} Hz lag ({behind:.3g} ms)"
    better = "a faster, stiffer or stronger robot"
    return [Cause(f"{body}'s robot: {model.words}", f"{size} {whose}", off, better)]


def _list_sensor_causes(t: Keys) -> list[Cause]:
    s = t["sensor"]

    def cause(name: str, what: str, off: Keys, helps: str, free_flight: bool = False) -> Cause:
        keys = {f"sensor.{key}": value for key, value in off.items()}
        return Cause(
            f"sensor: {name}", what, keys, helps, of_sensor=True, in_free_flight=free_flight
        )

    samples = f"a sample every {s['period_ms']:g} ms, {s['handover']}" if s["period_ms"] else ""
    late = f"{s['delay_ms']:g} ms latency" if s["delay_ms"] else ""
    age = f"age of the force ({', '.join(filter(None, (samples, late)))})"
    wrong = ("bias_N", "bias_Nm", "drift_N_per_s", "drift_Nm_per_s")
    ranges = _format_sizes(s, ("range_N", "range_Nm"))
    return [
        cause(
            "age",
            age,
            {"period_ms": 0.0, "delay_ms": 0.0, "handover": "latest"},
            "a higher cut-off of the sensor's low-pass or a shorter control cycle",
        ),
        cause(
            "noise",
            f"{_format_sizes(s, ('noise_N', 'noise_Nm'))} noise of the sensor",
            {"noise_N": 0.0, "noise_Nm": 0.0},
            "a dead band, the mean of the samples, or a sensor with less noise",
        ),
        cause(
            "resolution",
            f"{_format_sizes(s, ('resolution_N', 'resolution_Nm'))} resolution of the sensor",
            {"resolution_N": 0.0, "resolution_Nm": 0.0},
            "a sensor with finer steps",
        ),
        cause(
            "filter",
            f"{s['lowpass_Hz']:g} Hz low-pass of the sensor",
            {"lowpass_Hz": 0.0},
            "a higher cut-off: a filter is delay",
        ),
        cause(
            "threshold",
            f"{s['threshold_N']:g} N dead band of the sensor",
            {"threshold_N": 0.0},
            "a smaller dead band",
        ),
        cause(
            "range",
            f"{ranges} range of the sensor",
            {"range_N": 0.0, "range_Nm": 0.0},
            "a sensor with a larger range",
        ),
        cause(
            "bias",
            f"{_format_sizes(s, wrong)} bias of the sensor",
            dict.fromkeys(wrong, _ZERO3),
            "tare it before each run",
            free_flight=True,
        ),
        cause(
            "faults",
            f"faults of the sensor ({describe_faults(s, t['time']['duration_s'])})",
            make_faultless_keys(),
            "another sensor, or another cable",
        ),
    ]


def _list_tool_causes(t: Keys, body: str) -> list[Cause]:
    tool, at = t["mock_up"][body], f"mock_up.{body}"
    off: Keys = {f"{at}.mass_kg": 0.0, f"{at}.believed.mass_kg": 0.0}
    off |= {f"{at}.{k}": _ZERO3 for k in ("inertia_kg_m2", "believed.inertia_kg_m2")}
    wrong = 1e3 * (tool["mass_kg"] - tool["believed"]["mass_kg"])
    apart = 1e3 * math.dist(tool["centre_m"], tool["believed"]["centre_m"])
    errors = [f"{tool['mass_kg']:g} kg"]
    if wrong:
        errors.append(f"weighing error {-wrong:+.3g} g")
    if apart:
        errors.append(f"its centre {apart:.3g} mm off")
    if not (wrong or apart):
        errors.append("weighed correctly")
    return [
        Cause(
            f"{body}'s tool: weight",
            f"weight of the {body}'s tool ({', '.join(errors)})",
            off,
            "weigh it, and find its centre (`softdock calibrate`)",
            of_sensor=True,
            in_free_flight=bool(wrong or apart),
        )
    ]


def _list_pose_causes(pose: Keys) -> list[Cause]:
    def cause(name: str, what: str, helps: str, *keys: str) -> Cause:
        off = {
            f"pose.{key}": [0.0] * len(v) if isinstance(v := pose[key], list) else 0.0
            for key in keys
        }
        return Cause(f"measured poses: {name}", f"{what} of measured poses", off, helps)

    noise = ("noise_m", "noise_rad", "resolution_m", "resolution_rad")
    offsets = ("chaser_offset_m", "target_offset_m")
    off_mm = ", ".join(f"{1e3 * math.hypot(*pose[key]):.3g} mm" for key in offsets)
    return [
        cause(
            "age",
            f"{pose['delay_ms']:g} ms delay",
            "measure poses sooner",
            *("delay_ms", "period_ms", "dropout_probability"),
        ),
        cause("noise", f"{_format_sizes(pose, noise)} noise", "a finer pose measurement", *noise),
        cause("offset", f"{off_mm} offset", "calibrate the measured poses", *offsets),
    ]


def _list_contact_causes(t: Keys) -> list[Cause]:
    pairs = list(enumerate(t["contact"]))
    off = {
        f"contact.{i}.{law}.friction": 0.0
        for i, pair in pairs
        for law in ("real", "wanted")
        if "friction" in pair.get(law, {})
    }
    largest = max((pair["real"].get("friction", 0.0) for _, pair in pairs), default=0.0)
    helps = "a smoother tip; no method corrects delayed friction"
    causes = [Cause("friction", f"friction (coefficient {largest:g})", off, helps, in_orbit=True)]
    replaces = any(METHODS[m["name"]].replaced is not nothing_replaced for m in t["methods"])
    if replaces:
        return causes
    other: Keys = {}
    for i, pair in pairs:
        if pair["wanted"]["law"] != "same_as_real":
            other |= {f"contact.{i}.real": dict(pair["wanted"])}
            other |= {f"contact.{i}.device": {"model": "rigid"}} if "device" in pair else {}
    for i, latch in enumerate(t["capture"].get("latch", [])):
        if latch["wanted"]["law"] != "same_as_real":
            wanted = {key: value for key, value in latch["wanted"].items() if key != "law"}
            other[f"capture.latch.{i}.real"] = wanted
    helps = "a method that puts the wanted contact in the mock-ups' place, or other mock-ups"
    what = "the mock-ups' contact, which is not the wanted one"
    return [*causes, Cause("contact: the mock-ups'", what, other, helps)]


def _list_limit_causes(t: Keys) -> list[Cause]:
    """Limits at which a run stops."""
    off = {"stop.force_N": 0.0, "stop.torque_Nm": 0.0}
    off |= {f"robots.{body}.reach_m": 0.0 for body in ENDS}
    listed = ", ".join(f"{key} = {_look_up(t, key):g}" for key in off if _look_up(t, key))
    return [Cause("limits", f"limits of the rig ({listed})", off, "limits that are farther away")]


def _list_sampling_causes(t: Keys) -> list[Cause]:
    chosen, cycle = t["satellites"]["integrator"], t["time"]["cycle_ms"]
    steps = max(1, int(t["time"]["plant_steps"]) // FINER)
    finer = {"time.cycle_ms": cycle / FINER, "time.plant_steps": steps}
    return [
        Cause(
            "integrator",
            f"integrator {chosen}",
            {"satellites.integrator": IDEAL_INTEGRATOR},
            f'satellites.integrator = "{IDEAL_INTEGRATOR}"',
        ),
        Cause("cycle", f"{cycle:g} ms cycle", finer, "a faster cycle"),
    ]


def _format_sizes(table: Keys, keys: tuple[str, ...]) -> str:
    """What of these is not zero, with units: noise_N = 0.3 as "0.3 N"."""
    sizes = []
    for key in keys:
        size = max(map(abs, value)) if isinstance(value := table[key], list) else value
        if size:
            sizes.append(f"{size:g} {key.split('_', 1)[1].replace('_per_', '/')}")
    return ", ".join(sizes)


def _has_effect(t: Keys, off: Keys) -> bool:
    """Whether switching off changes anything."""
    return any(value is not None and _look_up(t, key) != value for key, value in off.items())


def _look_up(t: Any, path: str) -> Any:
    for part in path.split("."):
        t = t[int(part)] if isinstance(t, list) else t.get(part)
    return t
