"""Where a recording comes from: versions, sources, machine, sensor, the operator's note."""

from __future__ import annotations

import platform
import sys
from collections.abc import Mapping

from softdock._version import __version__
from softdock.core.machine.compiled import source_hash

PROVENANCE = "provenance"  # name of the metadata record


def provenance(note: str = "", sensor: Mapping[str, str] | None = None) -> dict[str, str]:
    """As text. `sensor`: what it said of itself, e.g. serial, calibration, scale."""
    import numba
    import numpy

    found = {
        "softdock": __version__,
        "source_hash": source_hash(),
        "python": sys.version.split()[0],
        "numpy": numpy.__version__,
        "numba": numba.__version__,
        "system": platform.platform(),
    }
    if note:
        found["note"] = note
    for key, value in (sensor or {}).items():
        found[f"sensor.{key}"] = str(value)
    return found
