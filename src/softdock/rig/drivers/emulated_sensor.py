"""An emulated Net F/T sensor as Python holds it, and its web page. The logic is
rig/wire/emulated_sensor.py."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit
from xml.sax.saxutils import escape

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.loop.instants import SECOND
from softdock.rig.drivers.emulated_robot import ROBOTS, EmulatedRobot
from softdock.rig.drivers.net_ft_page import PAGE
from softdock.rig.drivers.sockets import LOOPBACK
from softdock.rig.wire import emulated_sensor as logic
from softdock.rig.wire import entry_points, rdt
from softdock.rig.wire.faults import WINDOW_COLUMNS

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


def name_sensors(sensors: Sequence[SensorSettings]) -> tuple[str, ...]:
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
        entry_points.start_sensor(self.features, self.arrays, first_ns)

    @property
    def next_ns(self) -> int:
        return int(self.arrays.whole[logic.SAMPLE_AT_NS])

    def act(self) -> list[bytes]:
        """The sample at `next_ns`: its record, if somebody asked for records."""
        size = entry_points.take_sample(
            self.features, self.arrays, self.chaser.arrays, self.target.arrays, self._out
        )
        return [self._out[:size].tobytes()] if size > 0 else []

    def receive(self, data: bytes) -> None:
        """A request from a client."""
        entry_points.receive_request(self.arrays, np.frombuffer(data, np.uint8).copy(), len(data))

    @property
    def streaming(self) -> bool:
        return bool(self.arrays.whole[logic.STREAMING])


# The web page of an emulated Net F/T: /netftapi2.xml, and settings by GET as the real one has.
#
# Listens on loopback unless an address is stated. `/comm.cgi?comrdtrate=` sets the record rate,
# `/setting.cgi?setuserfilter=` the filter; both as the sensor's own pages do.

SETTINGS = {
    ("/comm.cgi", "comrdtrate"): "rate_Hz",
    ("/setting.cgi", "setuserfilter"): "filter",
}


def write_page(settings: SensorSettings, bias: tuple[float, ...] = (0.0,) * 6) -> str:
    """The page as XML, with the names that drivers read."""
    s = settings
    ranges = ";".join([f"{s.range_N:g}"] * 3 + [f"{s.range_Nm:g}"] * 3)
    values = {
        "prodname": "Net F/T, emulated",
        "setserial": s.serial,
        "setcfgsel": "0",
        "cfgnam": s.calibration,
        "cfgcalsel": "0",
        "cfgcalsn": s.serial,
        "cfgfu": "2",
        "scfgfu": "N",
        "cfgtu": "3",
        "scfgtu": "N-m",
        "cfgcpf": f"{s.counts_per_N:.0f}",
        "cfgcpt": f"{s.counts_per_Nm:.0f}",
        "cfgmr": ranges,
        "setbias": ";".join(f"{b:g}" for b in bias),
        "setuserfilter": str(s.filter),
        "comrdte": "1",
        "comrdtrate": str(s.rate_Hz),
        "runrate": str(s.sample_Hz),
        "runstat": "0x00000000",
    }
    rows = "".join(f"<{k}>{escape(v)}</{k}>" for k, v in values.items())
    return f'<?xml version="1.0"?><netft>{rows}</netft>'


class SensorPage:
    """The web server of one emulated sensor, in a thread of its own."""

    def __init__(
        self,
        settings: SensorSettings,
        host: str = LOOPBACK,
        port: int = 0,
        changed: Callable[[SensorSettings], None] | None = None,
    ) -> None:
        self.settings = settings
        self._changed = changed or (lambda _: None)
        page = self

        class Handler(BaseHTTPRequestHandler):
            timeout = 5.0  # s; a client that says nothing does not hold a thread for ever

            def do_GET(self) -> None:
                status, text = page.answer(self.path)
                body = text.encode()
                self.send_response(status)
                self.send_header("Content-Type", "text/xml")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Nothing: a sensor keeps no log of who asked."""

        self.server = ThreadingHTTPServer((host, port), Handler)
        self.server.daemon_threads = True
        self.port = int(self.server.server_address[1])
        self._thread = threading.Thread(target=self.server.serve_forever, daemon=True)

    def answer(self, target: str) -> tuple[int, str]:
        """Status and text for a request's target."""
        parts = urlsplit(target)
        if parts.path == PAGE:
            return 200, write_page(self.settings)
        changes: dict[str, Any] = {}
        for key, values in parse_qs(parts.query).items():
            name = SETTINGS.get((parts.path, key))
            if name is None or not values[-1].isdecimal():
                return 400, "<error/>"
            changes[name] = int(values[-1])
        if not changes:
            return 404, "<error/>"
        try:
            self.settings = replace(self.settings, **changes)
        except BadInput:
            return 400, "<error/>"
        self._changed(self.settings)
        return 200, "<ok/>"

    def __enter__(self) -> SensorPage:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()
