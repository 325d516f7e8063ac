"""How a method is set for a scenario that does not list it: as `softdock stability` advises for the
whole loop, and not by a rule of thumb.

In: a scenario without the method, with the integrator it will run with. Out: keys of the method, in
place of those that it suggests itself.

The advice is of the whole linear loop: the virtual damping with which one impact gives back what
the contact itself would, and the whole delay, with lag, filter, hold and integrator counted. A
method says what it makes of it (`Method.advised`).

Told is the stiffness that a commanded motion meets: the surface in series with the compliance
device, and with the robots' elastic joints, which give way too. A method that takes joints into
account itself (it has a key for their stiffness) is told surface and device alone.

    1/k = 1/k_surface + 1/k_device + sum of 1/k_joint;   d = d_surface (k / k_surface)^2
"""

from __future__ import annotations

import functools
import math
from typing import Any

from softdock.errors import BadInput
from softdock.loop.method.declaration import LinearAdvice, known_of
from softdock.loop.method.method import Method
from softdock.methods.registry import METHODS, RAW
from softdock.scenario.build import Scenario
from softdock.scenario.device import reachable_stiffness
from softdock.scenario.files import to_toml
from softdock.scenario.restitution import restitution_of_damping
from softdock.studies.stability.advice import damping_to_add
from softdock.studies.stability.analysis import total_delay
from softdock.studies.stability.critical import find_stretch
from softdock.studies.stability.from_scenario import loops_of
from softdock.studies.stability.loop import Loop

STIFFNESS, DAMPING = "stiffness_N_per_m", "damping_Ns_per_m"


def advise_settings(name: str, scenario: Scenario) -> dict[str, Any]:
    """Keys of a method; empty: its own suggestion is as good as any."""
    if known_of(scenario).stiffness is None:
        return {}
    loop = _make_raw_loop(scenario)
    if loop is None:
        return {}
    advice = LinearAdvice(total_delay(loop), loop.cycle or 0.0, find_neutral_damping(loop))
    return {**_suggest_softer(METHODS[name], scenario), **METHODS[name].advised(advice)}


def _suggest_softer(method: Method, scenario: Scenario) -> dict[str, Any]:
    """The stiffness, and the damping beside it, that the method suggests from the surface, with
    what gives way in series; and the same for a wanted contact that is the real one."""
    suggested = method.suggest(scenario)
    believed = [b.key for b in method.needs if b.kind == "stiffness" and b.key == STIFFNESS]
    if not believed or STIFFNESS not in suggested:
        return {}
    takes_joints = any("joint_stiffness" in p.key for p in method.group)
    surface = float(suggested[STIFFNESS])
    k = compute_series_stiffness(scenario, surface, with_joints=not takes_joints)
    if k == surface:
        return {}
    softer: dict[str, Any] = {STIFFNESS: k}
    if DAMPING in suggested:
        softer[DAMPING] = float(suggested[DAMPING]) * (k / surface) ** 2
    pairs = scenario.tables["contact"]
    law = any(p.key == f"wanted.{STIFFNESS}" for p in method.group)
    if law and all(pair["wanted"]["law"] == "same_as_real" for pair in pairs):
        k = compute_series_stiffness(
            scenario, surface, with_joints=False
        )  # in the reference there are no robots
        d = float(suggested.get(DAMPING, 0.0)) * (k / surface) ** 2
        softer["wanted"] = {"law": "spring_damper", STIFFNESS: k, DAMPING: d}
    return softer


def compute_series_stiffness(scenario: Scenario, surface: float, with_joints: bool = True) -> float:
    """The stiffness of a surface with the softest compliance device of its pairs, along their
    normals, and the robots' elastic joints [N/m]."""
    tables = scenario.tables
    compliances = [0.0]
    for i, pair in enumerate(tables["contact"]):
        if pair.get("device", {}).get("model", "rigid") != "rigid":
            felt = reachable_stiffness(scenario.vector, i, tilt_deg=0.0).sliding
            own = float(pair["real"][STIFFNESS])
            compliances.append(1.0 / math.sqrt(felt.low * felt.high) - 1.0 / own)
    whole = 1.0 / surface + max(compliances)
    if with_joints:
        joints = [robot["joint_stiffness_N_per_m"] for robot in tables["robots"].values()]
        whole += sum(1.0 / k for k in joints if k > 0.0)
    return 1.0 / whole if whole > 1.0 / surface else surface


@functools.lru_cache(maxsize=64)  # a comparison asks for every method, of one loop an integrator
def find_neutral_damping(loop: Loop) -> float | None:
    """The virtual damping [Ns/m] that takes out what the whole delay puts in, so that an impact
    gives back what the contact itself would; what makes it stable, where no damping does that;
    None: none does either."""
    own = restitution_of_damping(loop.stiffness, loop.damping, loop.mass)
    damping = damping_to_add(loop, own)
    if damping is None:
        stretch = find_stretch(loop.changed(virtual_damping=1e-9), "virtual_damping")
        damping = None if stretch is None else stretch[0]
    return None if damping is None or not math.isfinite(damping) else float(f"{damping:.4g}")


def _make_raw_loop(scenario: Scenario) -> Loop | None:
    """The least stable contact pair's, without methods, with the largest effective mass of the
    normals that it can meet: that of a hit along the axis, which decides the docking."""
    try:
        points = loops_of(scenario.replace({"methods": [{"name": RAW}]}))
    except BadInput:
        return None
    worst = min(points, key=lambda point: point.loop.mass)
    loop, pair = worst.loop.changed(mass=worst.mass_range_kg[1]), scenario.tables["contact"][0]
    surface = float(pair["real"][STIFFNESS])
    k = compute_series_stiffness(scenario, surface)  # stability has the device's stiffest direction
    if k == surface:
        return loop
    damping = float(pair["real"].get(DAMPING, 0.0)) * (k / surface) ** 2
    return loop.changed(stiffness=k, damping=damping)


# What to set, as lines to paste into a scenario file: the best candidate's integrator and methods,
# without the keys that stand at their defaults.


def format_lines_to_paste(ranked: list[dict[str, Any]]) -> str:
    """TOML of the first row that reached its end; empty: there is none."""
    best = next((row for row in ranked if row["status"] == "completed"), None)
    if best is None:
        return ""
    return to_toml(
        {
            "satellites": {"integrator": best["integrator"]},
            "methods": list_settings_to_paste(best["settings"]),
        }
    )


def list_settings_to_paste(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Methods' tables as a scenario file lists them."""
    return [_round_numbers(drop_defaults(entry)) for entry in entries]


def _round_numbers(value: Any) -> Any:
    """Numbers to six digits: more is not known of any rig."""
    if isinstance(value, dict):
        return {key: _round_numbers(x) for key, x in value.items()}
    if isinstance(value, list):
        return [_round_numbers(x) for x in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


def drop_defaults(entry: dict[str, Any]) -> dict[str, Any]:
    """A method's table without what its defaults say already."""
    kept: dict[str, Any] = {"name": entry["name"]}
    for parameter in METHODS[entry["name"]].group:
        value: Any = entry
        for part in parameter.key.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        default = parameter.default
        default = list(default) if isinstance(default, tuple) else default
        if value is None or value == default or (isinstance(value, list) and not value):
            continue
        *parents, last = parameter.key.split(".")
        here = kept
        for part in parents:
            here = here.setdefault(part, {})
        here[last] = value
    return kept
