"""A scenario on a rig: the rig file's values win, and every difference is said.

In: a `Rig` and a `Scenario`. Out: the scenario with the rig's delays, tools, sensors and
`[facility]`, the frames that the wire needs (robot base in orbit, mock-up's centre of mass in what
RIst tells; mm and degrees), and a sentence for each value that both state and that differs. A cycle
that the robots do not have is refused.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from softdock.arms.facility import Facility, Frame
from softdock.arms.scenario_facility import facility_of
from softdock.core.spatial.motion import Pose
from softdock.core.wire import doors
from softdock.drivers.rig_model import Rig
from softdock.errors import BadInput, Problem
from softdock.scenario.build import Scenario

Six = tuple[float, ...]


@dataclass(frozen=True)
class OnRig:
    """A scenario as a rig would run it."""

    rig: Rig
    scenario: Scenario
    facility: Facility
    differences: tuple[str, ...]  # sentences

    def base_in_orbit(self, which: str) -> Six:
        """The robot's base in the loop's world frame: X, Y, Z [mm], A, B, C [degrees]."""
        mount = self.facility.robots().get(which)
        if mount is None:  # not said: the base has the axes of orbit
            return (0.0,) * 6
        return _six(self.facility.orbit.back().then(mount.base))

    def centre_from_flange(self, which: str) -> Six:
        """The satellite's frame at its centre of mass, in the frame that RIst tells."""
        mount = self.facility.robots().get(which)
        return (0.0,) * 6 if mount is None else _six(mount.satellite)


def _six(frame: Frame) -> Six:
    return tuple(float(v) for v in doors.frame_of(Pose(frame.p, frame.q)))


def on_rig(rig: Rig, scenario: Scenario) -> OnRig:
    """The scenario with the rig's values. Raises `BadInput` where they cannot be had together."""
    tables = scenario.tables
    cycle = float(tables["time"]["cycle_ms"])
    if cycle != rig.clock.cycle_ms:
        allowed = (
            f"{rig.clock.cycle_ms:g}, the cycle of {rig.clock.mode} in {rig.file} "
            f"(--scenario-set time.cycle_ms={rig.clock.cycle_ms:g}, or another clock.mode)"
        )
        raise BadInput(Problem("time.cycle_ms", cycle, allowed))
    facility, differences = _facility(rig, tables)
    changes = dict(_changes(rig))
    for key, value in changes.items():
        stated = _stated(tables, key)
        if stated is not None and not _same(stated, value):
            differences.append(_difference(key, value, stated))
    made = scenario.with_keys(changes) if changes else scenario
    return OnRig(rig, made, facility, tuple(differences))


def _changes(rig: Rig) -> Iterator[tuple[str, Any]]:
    """Keys of the scenario that the rig file states."""
    for which, robot in rig.robots.items():
        if robot.delay_ms is not None:
            yield f"robots.{which}.delay_ms", robot.delay_ms
    yield "sensor.on", "both" if len(rig.sensors) == 2 else next(iter(rig.sensors))
    for which, tool in rig.tools.items():
        at = f"mock_up.{which}"
        yield f"{at}.sensor_m", list(tool.sensor_m)
        yield f"{at}.believed.mass_kg", tool.mass_kg
        yield f"{at}.believed.centre_m", list(tool.centre_m)
        yield f"{at}.believed.inertia_kg_m2", list(tool.inertia_kg_m2)


def _stated(tables: Mapping[str, Any], key: str) -> Any:
    here: Any = tables
    for part in key.split("."):
        if not isinstance(here, Mapping) or part not in here:
            return None
        here = here[part]
    return here


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, str) or isinstance(b, str):
        return bool(a == b)
    a, b = np.asarray(a, float), np.asarray(b, float)
    if a.ndim == 2 and b.ndim == 1:  # an inertia: a matrix, and its diagonal
        b = np.diag(b)
    return a.shape == b.shape and bool(np.allclose(a, b, rtol=1e-12, atol=0.0))


def _difference(key: str, rig: Any, scenario: Any) -> str:
    return f"{key}: the rig's {rig} counts, the scenario says {scenario}"


def _facility(rig: Rig, tables: Mapping[str, Any]) -> tuple[Facility, list[str]]:
    """The scenario's `[facility]` overlaid by the rig's."""
    own = copy.deepcopy(dict(tables.get("facility", {})))
    differences = list(_overlay(own, rig.facility or {}, "facility"))
    whole = {**tables, "facility": own} if own else dict(tables)
    return facility_of(whole, arm_needed=False), differences


def _overlay(own: dict[str, Any], over: Mapping[str, Any], path: str) -> Iterator[str]:
    for key, value in over.items():
        at = f"{path}.{key}"
        if isinstance(value, Mapping) and isinstance(own.get(key), dict):
            yield from _overlay(own[key], value, at)
            continue
        if key in own and own[key] != value:
            yield _difference(at, value, own[key])
        own[key] = copy.deepcopy(value)
