"""A rig as its file states it: what `load_rig` gives, and everything else of a rig takes.

Tables are those of schema.py; SI or the unit in the name.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from softdock.rig import schema as schema
from softdock.rig.drivers.rsi_config import EthernetFile
from softdock.scenario.files import to_toml

SCHEMA = 1
ROBOTS = schema.ROBOTS
PARTS: dict[str, Any] = {  # tables that stand once
    "clock": schema.Clock,
    "limits": schema.Limits,
    "stop": schema.Stop,
    "run_up": schema.RunUp,
    "machine": schema.Machine,
    "record": schema.Record,
}
ENDS: dict[str, Any] = {  # tables that stand once a robot
    "robots": schema.RobotEnd,
    "sensors": schema.SensorEnd,
    "tools": schema.ToolEnd,
}


@dataclass(frozen=True)
class Rig:
    """A rig as its file states it. `ethernet`: what each robot speaks; `emulate`: None for machines
    of the real world."""

    name: str
    file: str  # in messages
    note: str  # of the operator; goes into every recording
    clock: schema.Clock
    robots: Mapping[str, schema.RobotEnd]
    sensors: Mapping[str, schema.SensorEnd]
    tools: Mapping[str, schema.ToolEnd]
    facility: Mapping[str, Any] | None  # the table as written; read with the scenario's
    limits: schema.Limits
    stop: schema.Stop
    run_up: schema.RunUp
    machine: schema.Machine
    record: schema.Record
    emulate: schema.Emulate | None
    ethernet: Mapping[str, EthernetFile] = field(default_factory=dict)
    notes: tuple[str, ...] = ()  # to be printed: what is beyond loopback, what is believed

    @property
    def cycle_s(self) -> float:
        return 1e-3 * self.clock.cycle_ms

    @property
    def moving(self) -> tuple[str, ...]:
        """Robots that there are; the others' mock-ups stand in the room."""
        return tuple(n for n in ROBOTS if n in self.robots and self.robots[n].driver != "fixed")

    @property
    def beyond_loopback(self) -> tuple[str, ...]:
        """Every address outside this computer that the rig uses."""
        ends: list[schema.RobotEnd | schema.SensorEnd] = [*self.sensors.values()]
        ends += [self.robots[n] for n in self.moving]
        found = {a for e in ends for a in (e.address, e.bind) if not is_loopback(a)}
        return tuple(sorted(found))

    def tables(self) -> dict[str, Any]:
        """Everything, defaults written out; reading it back gives the same rig."""
        made: dict[str, Any] = {"schema": SCHEMA, "name": self.name, "note": self.note}
        made |= {name: _plain(getattr(self, name)) for name in PARTS}
        for name in ENDS:
            made[name] = {which: _plain(e) for which, e in getattr(self, name).items()}
        if self.facility is not None:
            made["facility"] = copy.deepcopy(dict(self.facility))
        if self.emulate is not None:
            made["emulate"] = _plain(self.emulate)
        return made

    def toml(self) -> str:
        return to_toml(self.tables())


def _plain(part: Any) -> dict[str, Any]:
    values = dataclasses.asdict(part).items()
    return {k: list(v) if isinstance(v, tuple) else v for k, v in values if v is not None}


def is_loopback(address: str) -> bool:
    return address.startswith("127.")
