"""An emulated Net F/T sensor as Python holds it; the logic is core/wire/emulated_sensor.py."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from softdock.core.instants import SECOND
from softdock.core.wire import doors, rdt
from softdock.core.wire import emulated_sensor as logic
from softdock.core.wire.faults import WINDOW_COLUMNS
from softdock.drivers.emulated_robot import ROBOTS, EmulatedRobot
from softdock.drivers.sockets import LOOPBACK
from softdock.errors import BadInput, Problem

SENSOR_PEER = 2  # who the chaser's is in fault windows, 3 the target's; 0 and 1 are the robots
SENSOR = "sensor"  # its name among the peers; of two: sensor.chaser, sensor.target


@dataclass(frozen=True)
class SensorSettings:
    """One emulated sensor. `address`, `port`, `http_port`: where it is asked; port 0: any."""

    on: str = "chaser"
    address: str = LOOPBACK
    port: int = 0
    http_port: int = 0
    sample_Hz: int = 7000  # of its own clock
    rate_Hz: int = 7000  # records a second; every n-th sample
    drift_ppm: float = 0.0
    counts_per_N: float = 1e6
    counts_per_Nm: float = 1e6
    range_N: float = 1000.0
    range_Nm: float = 100.0
    filter: int = 0  # number in ATI's table
    noise_N: float = 0.0
    noise_Nm: float = 0.0
    axes: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)  # in the body's, wxyz
    serial: str = "FT00000"
    calibration: str = "softdock emulated"
    seed: int = 0

    def __post_init__(self) -> None:
        wrong = []
        if self.on not in ROBOTS:
            wrong.append(Problem("on", self.on, " or ".join(ROBOTS)))
        if not (0 < self.rate_Hz <= self.sample_Hz and self.sample_Hz % self.rate_Hz == 0):
            allowed = f"a whole part of {self.sample_Hz}: the sensor sends every n-th sample"
            wrong.append(Problem("rate_Hz", self.rate_Hz, allowed))
        if not 0 <= self.filter < len(logic.FILTERS_HZ):
            wrong.append(Problem("filter", self.filter, f"0 to {len(logic.FILTERS_HZ) - 1}"))
        for name in ("counts_per_N", "counts_per_Nm", "range_N", "range_Nm"):
            if not 0.0 < getattr(self, name) < 1e12:
                wrong.append(Problem(name, getattr(self, name), "above 0"))
        scales = ((self.range_N, self.counts_per_N), (self.range_Nm, self.counts_per_Nm))
        for full, scale in scales:
            if 2.0 * full * scale > rdt.LARGEST_COUNT:
                allowed = "counts of twice the range within 31 bits (bias moves the zero)"
                wrong.append(Problem("range", full, allowed))
        if wrong:
            raise BadInput(wrong)

    def numbers(self) -> np.ndarray:
        made = np.zeros(logic.SENSOR_SETTINGS)
        made[logic.SAMPLE_NS], made[logic.EVERY] = (
            SECOND / self.sample_Hz,
            self.sample_Hz // self.rate_Hz,
        )
        made[logic.SENSOR_DRIFT_PPM] = self.drift_ppm
        made[logic.PER_FORCE], made[logic.PER_TORQUE] = self.counts_per_N, self.counts_per_Nm
        made[logic.FORCE_RANGE], made[logic.TORQUE_RANGE] = self.range_N, self.range_Nm
        made[logic.FILTER_HZ] = logic.FILTERS_HZ[self.filter]
        made[logic.FORCE_NOISE], made[logic.TORQUE_NOISE] = self.noise_N, self.noise_Nm
        made[logic.CARRIER], made[logic.SEED] = ROBOTS.index(self.on), self.seed
        made[logic.PEER] = SENSOR_PEER + ROBOTS.index(self.on)
        made[logic.AXES : logic.AXES + 4] = self.axes
        return made


def sensor_names(sensors: Sequence[SensorSettings]) -> tuple[str, ...]:
    """What they are called among the peers."""
    if len(sensors) == 1:
        return (SENSOR,)
    return tuple(f"{SENSOR}.{one.on}" for one in sensors)


class EmulatedSensor:
    """One force sensor that speaks RDT, between two emulated robots. `name`: among the peers."""

    name = SENSOR

    def __init__(
        self,
        settings: SensorSettings,
        scenario: Any,
        chaser: EmulatedRobot,
        target: EmulatedRobot,
        windows: np.ndarray | None = None,
    ) -> None:
        self.settings, self.chaser, self.target = settings, chaser, target
        self.features = scenario.markers.features
        if windows is None:
            windows = np.zeros((0, WINDOW_COLUMNS), np.int64)
        self.arrays = logic.Sensor(
            settings=settings.numbers(),
            whole=np.zeros(logic.SENSOR_WHOLES, np.int64),
            mem=np.zeros(logic.SENSOR_MEM),
            contact=np.zeros(scenario.mem_floats),
            record=np.zeros(rdt.RECORD_COLUMNS, np.int64),
            windows=windows,
            vector=scenario.vector,
        )
        self._out = np.zeros(rdt.RECORD_BYTES, np.uint8)

    def start(self, first_ns: int) -> None:
        """Power on; the first sample is at an instant."""
        doors.start_sensor(self.features, self.arrays, first_ns)

    @property
    def next_ns(self) -> int:
        return int(self.arrays.whole[logic.SAMPLE_AT_NS])

    def act(self) -> list[bytes]:
        """The sample at `next_ns`: its record, if somebody asked for records."""
        size = doors.sample(
            self.features, self.arrays, self.chaser.arrays, self.target.arrays, self._out
        )
        return [self._out[:size].tobytes()] if size > 0 else []

    def hear(self, data: bytes) -> None:
        """A request from a client."""
        doors.hear_request(self.arrays, np.frombuffer(data, np.uint8).copy(), len(data))

    @property
    def streaming(self) -> bool:
        return bool(self.arrays.whole[logic.STREAMING])
