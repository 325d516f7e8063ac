"""The web page of an emulated Net F/T: /netftapi2.xml, and settings by GET as the real one has.

Listens on loopback unless an address is stated. `/comm.cgi?comrdtrate=` sets the record rate,
`/setting.cgi?setuserfilter=` the filter; both as the sensor's own pages do.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit
from xml.sax.saxutils import escape

from softdock.drivers.emulated_sensor import SensorSettings
from softdock.drivers.net_ft_page import PAGE
from softdock.errors import BadInput

LOOPBACK = "127.0.0.1"
SETTINGS = {
    ("/comm.cgi", "comrdtrate"): "rate_Hz",
    ("/setting.cgi", "setuserfilter"): "filter",
}


def page_text(settings: SensorSettings, bias: tuple[float, ...] = (0.0,) * 6) -> str:
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
            return 200, page_text(self.settings)
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
