"""softdock simulates hardware-in-the-loop docking test beds. See README.md; the loop itself is in
loop/cycle.py."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from softdock._version import __version__

# name -> module, imported when first used, so that `import softdock` stays light
_EXPORTS = {
    "simulate": "softdock.results.simulation",
    "run_loop": "softdock.results.simulation",
    "judge": "softdock.results.simulation",
    "Stepper": "softdock.results.stepper",
    "Controller": "softdock.results.controller",
    "Pilot": "softdock.results.controller",
    "Facility": "softdock.results.driving",
    "SimulatedFacility": "softdock.results.driving",
    "drive": "softdock.results.driving",
    "UdpFacility": "softdock.rig.udp.facility",
    "FmuFacility": "softdock.rig.fmi.facility",
    "export_fmu": "softdock.rig.fmi.export",
    "Run": "softdock.results.run",
    "Scenario": "softdock.scenario.build",
    "build": "softdock.scenario.build",
    "load_scenario": "softdock.scenario.files",
    "load_rig": "softdock.rig.file",
    "load_driver_file": "softdock.rig.driver_registry",
    "replay": "softdock.output.folders.replay",
    "run_reference": "softdock.reference",
    "SoftdockError": "softdock.errors",
    "BadInput": "softdock.errors",
    "open_run": "softdock.output.folders.run_folder",
    "open_recording": "softdock.output.folders.sources",
    "import_log": "softdock.output.folders.sources",
    "simulate_phases": "softdock.results.phases",
    "compare": "softdock.studies.compare",
    "load_method_file": "softdock.scenario.method_file",
}
# used as `softdock.stability.critical_delay(...)` without an import of its own
_MODULES = {"networks": "softdock.networks", "stability": "softdock.studies.stability"}
__all__ = ["__version__", *_EXPORTS, *_MODULES]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(_MODULES[name])
    if name not in _EXPORTS:
        raise AttributeError(f"module 'softdock' has no attribute '{name}'")
    return getattr(import_module(_EXPORTS[name]), name)


def __dir__() -> list[str]:
    return __all__
