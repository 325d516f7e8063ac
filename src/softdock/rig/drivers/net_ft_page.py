"""The Net F/T's own page, /netftapi2.xml: scale, units, serial number and calibration.

In: host and port of the sensor's web server. Out: `Calibration`, in counts per N and per Nm. The
page is asked for once, before anything moves, within a stated time and size; a redirect, another
unit than a known one, a value that is missing or given twice is refused.
"""

from __future__ import annotations

import http.client
import math
import time
from dataclasses import dataclass

from softdock.errors import BadInput, Problem
from softdock.files.plain_xml import Element, read_xml

PAGE = "/netftapi2.xml"
LARGEST = 64 * 1024  # bytes
LONGEST_S = 5.0
POUND, INCH, FOOT, KGF = 4.4482216152605, 0.0254, 0.3048, 9.80665  # N, m, m, N
FORCE_UNITS = {"N": 1.0, "kN": 1e3, "lbf": POUND, "klbf": 1e3 * POUND, "kgf": KGF}  # in N
TORQUE_UNITS = {  # in Nm
    "N-m": 1.0,
    "Nm": 1.0,
    "N-mm": 1e-3,
    "Nmm": 1e-3,
    "kN-m": 1e3,
    "kNm": 1e3,
    "lbf-in": POUND * INCH,
    "lbf-ft": POUND * FOOT,
    "kgf-cm": KGF * 0.01,
    "kgfcm": KGF * 0.01,
}
NEEDED = ("prodname", "cfgcpf", "cfgcpt", "scfgfu", "scfgtu")


@dataclass(frozen=True)
class Calibration:
    """What a sensor says of itself."""

    counts_per_N: float
    counts_per_Nm: float
    product: str
    serial: str
    calibration: str  # name of the calibration in use
    rate_Hz: int  # records a second; 0: not stated
    filter: int  # number in ATI's table; -1: not stated
    bias: tuple[float, ...]  # as stored in the sensor


def _read_texts(root: Element, file: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for child in root.children:
        if child.name in found:
            raise BadInput(Problem(child.name, "twice", "once", f"{file}:{child.line}"))
        found[child.name] = child.text
    missing = [Problem(name, None, "a value", file) for name in NEEDED if not found.get(name)]
    if missing:
        raise BadInput(missing)
    return found


def _read_counts(found: dict[str, str], key: str, unit_key: str, units: dict, file: str) -> float:
    unit = found[unit_key]
    if unit not in units:
        raise BadInput(Problem(unit_key, unit, ", ".join(units), file))
    try:
        counts = float(found[key])
    except ValueError:
        counts = math.nan
    if not (math.isfinite(counts) and counts > 0.0):
        raise BadInput(Problem(key, found[key], "a number above zero", file))
    return counts / units[unit]


def _read_integer(text: str | None, otherwise: int) -> int:
    return int(text) if text and text.isdecimal() else otherwise


def read_page(data: bytes, file: str) -> Calibration:
    """The page's bytes; `file` names them in refusals."""
    found = _read_texts(read_xml(data, file), file)
    try:
        bias = tuple(float(b) for b in found.get("setbias", "").split(";") if b.strip())
    except ValueError:
        raise BadInput(Problem("setbias", found["setbias"], "numbers", file)) from None
    return Calibration(
        counts_per_N=_read_counts(found, "cfgcpf", "scfgfu", FORCE_UNITS, file),
        counts_per_Nm=_read_counts(found, "cfgcpt", "scfgtu", TORQUE_UNITS, file),
        product=found["prodname"],
        serial=found.get("setserial", ""),
        calibration=found.get("cfgnam", "") or found.get("cfgcalsel", ""),
        rate_Hz=_read_integer(found.get("comrdtrate"), 0),
        filter=_read_integer(found.get("setuserfilter"), -1),
        bias=bias,
    )


def _fetch(connection: http.client.HTTPConnection, where: str, until: float) -> bytes:
    connection.request("GET", PAGE, headers={"Accept": "text/xml", "Connection": "close"})
    answer = connection.getresponse()
    if answer.status != 200:
        raise BadInput(Problem("HTTP status", answer.status, "200, no redirect", where))
    data = b""
    while part := answer.read1(4096):
        data += part
        if len(data) > LARGEST:
            raise BadInput(Problem("size", len(data), f"at most {LARGEST} bytes", where))
        if time.monotonic() > until:
            raise TimeoutError("the page came too slowly")
    return data


def fetch_calibration(host: str, port: int = 80, longest_s: float = LONGEST_S) -> Calibration:
    """The calibration of the sensor at an address, within a bounded time."""
    where, until = f"http://{host}:{port}{PAGE}", time.monotonic() + longest_s
    connection = http.client.HTTPConnection(host, port, timeout=longest_s)
    try:
        data = _fetch(connection, where, until)
    except (OSError, http.client.HTTPException) as error:
        allowed = f"a sensor's web server that answers within {longest_s:g} s ({error})"
        raise BadInput(Problem("sensor", None, allowed, where)) from None
    finally:
        connection.close()
    return read_page(data, where)


def check_scale(found: Calibration, counts_per_N: float, counts_per_Nm: float) -> None:
    """Refuse a sensor with another scale than stated: every force would be wrong by the ratio."""
    stated = (
        ("counts_per_N", counts_per_N, found.counts_per_N),
        ("counts_per_Nm", counts_per_Nm, found.counts_per_Nm),
    )
    wrong = [
        Problem(name, given, f"{own:g}, what sensor {found.serial or found.product} says")
        for name, given, own in stated
        if not math.isclose(given, own, rel_tol=1e-9)
    ]
    if wrong:
        raise BadInput(wrong)
