"""What was identified written back: into a scenario, and into a rig file.

In: an identification and a base, which says everything that a log cannot (masses, shapes, start).
Out: the base with the identified values in it, as text; a comment for each says value, uncertainty
and what stood there before. What the log cannot tell stays as the base has it, and is said too.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from softdock.drivers.rig_file import load_rig
from softdock.errors import BadInput, Problem
from softdock.files.atomic import refuse_unwritable, write_whole
from softdock.identification.estimate import Estimate
from softdock.identification.result import Identification
from softdock.scenario.build import Scenario
from softdock.scenario.files import to_toml

Changes = dict[str, tuple[float | list[float], str]]  # key: value, uncertainty in words


def scenario_changes(found: Identification, base: Scenario) -> Changes:
    """Keys of a scenario that the log told."""
    tables = base.tables
    made: Changes = {}
    for i, pair in enumerate(tables["contact"]):
        for key, estimate in (
            ("stiffness_N_per_m", found.stiffness),
            ("damping_Ns_per_m", found.damping),
            ("friction", found.friction),
        ):
            if estimate is not None and key in pair.get("real", {}):
                made[f"contact.{i}.real.{key}"] = _positive(estimate)
    for body, delay in found.robot_delay.items():
        if delay is not None:
            made[f"robots.{body}.delay_ms"] = _milliseconds(delay)
    sensor = tables["sensor"]
    if found.force_delay_s is not None:
        cycle = float(tables["time"]["cycle_ms"])
        period = float(sensor["period_ms"]) or cycle
        waited = 0.5 * (cycle - period) if sensor["handover"] == "mean" else 0.0
        made["sensor.delay_ms"] = (max(1e3 * found.force_delay_s - waited, 0.0), "mean age")
    if found.pose_delay_s is not None:
        made["pose.delay_ms"] = (1e3 * found.pose_delay_s, "mean age")
    return made


def rig_changes(found: Identification, has: Mapping[str, Any]) -> Changes:
    """Keys of a rig file that the log told. `has`: the rig's tables."""
    made: Changes = {}
    for body, delay in found.robot_delay.items():
        if delay is not None and body in has["robots"]:
            made[f"robots.{body}.delay_ms"] = _milliseconds(delay)
            if found.pose_delay_s is not None:
                made[f"robots.{body}.pose_age_ms"] = (1e3 * found.pose_delay_s, "mean age")
    for body, tool in found.tools.items():
        if body not in has["sensors"]:
            continue
        if found.force_delay_s is not None:
            made[f"sensors.{body}.delay_ms"] = (1e3 * found.force_delay_s, "mean age")
        if tool.mass is not None and tool.centre is not None:
            made[f"tools.{body}.mass_kg"] = _positive(tool.mass)
            made[f"tools.{body}.centre_m"] = _vector(tool.centre)
    return made


def _positive(estimate: Estimate) -> tuple[float, str]:
    return max(float(estimate.value), 0.0), f"+- {estimate.uncertainty:.2g}"


def _milliseconds(estimate: Estimate) -> tuple[float, str]:
    return max(1e3 * float(estimate.value), 0.0), f"+- {1e3 * estimate.uncertainty:.2g}"


def _vector(estimate: Estimate) -> tuple[list[float], str]:
    spread = ", ".join(f"{float(s):.2g}" for s in estimate.uncertainty)
    return [float(v) for v in estimate.value], f"+- {spread}"


def scenario_back(found: Identification, base: Scenario) -> str:
    """The text of a scenario with what was identified."""
    changes = scenario_changes(found, base)
    made = base.with_keys({key: value for key, (value, _) in changes.items()})
    return _head(found, changes, base.tables, base.name) + to_toml(made.tables)


def rig_back(found: Identification, base: str | Path) -> str:
    """The text of a rig file with what was identified."""
    rig = load_rig(base)
    changes = rig_changes(found, rig.tables())
    made = load_rig(base, {key: value for key, (value, _) in changes.items()})
    return _head(found, changes, rig.tables(), rig.name) + made.toml()


def _head(found: Identification, changes: Changes, before: Mapping[str, Any], name: str) -> str:
    """Comments above the file: every value that is new, and what stayed."""
    lines = [f"# {name} with what was identified from a log:"]
    for key, (value, spread) in changes.items():
        old = _before(before, key)
        was = "" if old is None else f", was {_short(old)}"
        lines.append(f"#   {key} = {_short(value)} ({spread}{was})")
    for what, why in found.cannot_tell.items():
        lines.append(f"#   {what}: cannot tell, as before: {' '.join(why.split())}")
    return "\n".join(lines) + "\n\n"


def _before(tables: Any, key: str) -> Any:
    for part in key.split("."):
        if isinstance(tables, list):
            tables = tables[int(part)]
        elif isinstance(tables, Mapping) and part in tables:
            tables = tables[part]
        else:
            return None
    return tables


def _short(value: Any) -> str:
    if isinstance(value, list | tuple):
        return "[" + ", ".join(f"{float(v):.6g}" for v in value) + "]"
    return f"{float(value):.6g}"


def write_new(path: Path, text: str, force: bool) -> None:
    """Refuses a file that exists, unless `force`."""
    refuse_unwritable(path, "out")
    if path.exists() and not force:
        raise BadInput(Problem("out", str(path), "a new file; --force writes over this one"))
    write_whole(path, text.encode())
