"""softdock: hardware-in-the-loop docking, honest about every joule. See README.md; the loop itself is in cycle.py."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from softdock._version import __version__

# name -> module, imported when first used, so that `import softdock` stays light
_EXPORTS = {
    "simulate": "softdock.simulation",
    "Stepper": "softdock.simulation",
    "Run": "softdock.run",
    "Scenario": "softdock.scenario.build",
    "build": "softdock.scenario.build",
    "load_scenario": "softdock.scenario.files",
    "orbit": "softdock.reference",
    "SoftdockError": "softdock.errors",
    "BadInput": "softdock.errors",
}
__all__ = ["__version__", *_EXPORTS]


def __getattr__(name: str) -> Any:
    if name not in _EXPORTS:
        raise AttributeError(f"module 'softdock' has no attribute '{name}'")
    return getattr(import_module(_EXPORTS[name]), name)


def __dir__() -> list[str]:
    return __all__
