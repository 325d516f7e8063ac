"""A rig as its file states it: what `load_rig` gives, and everything else of a rig takes.

Tables are those of schema.py; SI or the unit in the name.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from softdock.rig import schema as schema
from softdock.rig.driver import Driver, RobotDriver, SensorDriver
from softdock.rig.drivers.rsi_config import EthernetFile
from softdock.rig.drivers.sockets import LOOPBACK, is_loopback
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
    folder: Path | None = field(default=None, compare=False)  # of the file
    drivers: Mapping[str, type[Driver]] = field(default_factory=dict)  # by "robots.chaser", ...
    notes: tuple[str, ...] = ()  # to be printed: what is beyond loopback, what is believed

    @property
    def cycle_s(self) -> float:
        return 1e-3 * self.clock.cycle_ms

    @property
    def moving(self) -> tuple[str, ...]:
        """Robots that there are; the others' mock-ups stand in the room."""
        return tuple(
            n for n in ROBOTS if n in self.robots and self.robots[n].driver != schema.FIXED
        )

    def robot_driver(self, which: str) -> type[RobotDriver]:
        found = self.drivers[f"robots.{which}"]
        assert issubclass(found, RobotDriver)
        return found

    def sensor_driver(self, which: str) -> type[SensorDriver]:
        found = self.drivers[f"sensors.{which}"]
        assert issubclass(found, SensorDriver)
        return found

    def name_driver(self, at: str) -> str:
        """Of "robots.chaser" or "sensors.target", as the file names it."""
        table, _, which = at.partition(".")
        end: schema.RobotEnd | schema.SensorEnd = getattr(self, table)[which]
        return end.driver

    @property
    def in_python(self) -> tuple[str, ...]:
        """Tables whose drivers are processes of their own: those in Python, but where all peers are
        emulated."""
        if self.emulate is not None:
            return ()
        return tuple(at for at, driver in self.drivers.items() if not driver.compiled)

    @property
    def real(self) -> tuple[str, ...]:
        """What this rig may move or hear beyond this computer: addresses, and drivers in Python
        that do not say that they simulate."""
        own = [at for at in self.in_python if not self._simulates(at)]
        return (*self.beyond_loopback, *(f"{at} by {self.name_driver(at)}" for at in own))

    def wire_address(self, at: str) -> str:
        """Where the datagrams of "robots.chaser" come from: a driver in Python sends them here."""
        table, _, which = at.partition(".")
        end: schema.RobotEnd | schema.SensorEnd = getattr(self, table)[which]
        return LOOPBACK if at in self.in_python else end.address

    @property
    def beyond_loopback(self) -> tuple[str, ...]:
        """Every address outside this computer that the rig uses."""
        ends: list[schema.RobotEnd | schema.SensorEnd]
        ends = [e for n, e in self.sensors.items() if not self._simulates(f"sensors.{n}")]
        ends += [self.robots[n] for n in self.moving if not self._simulates(f"robots.{n}")]
        found = {a for e in ends for a in (e.address, e.bind) if not is_loopback(a)}
        return tuple(sorted(found))

    def _simulates(self, at: str) -> bool:
        table, _, which = at.partition(".")
        keys = getattr(self, table)[which]
        return at in self.in_python and self.drivers[at].is_simulated(keys)

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
