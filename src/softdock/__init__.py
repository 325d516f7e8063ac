"""softdock: hardware-in-the-loop docking, honest about every joule. See README.md; the loop itself
is in core/cycle.py."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from softdock import _given, _moved
from softdock._version import __version__

# name -> module, imported when first used, so that `import softdock` stays light
_EXPORTS = {
    "simulate": "softdock.analysis.simulation",
    "fly": "softdock.analysis.simulation",
    "judge": "softdock.analysis.simulation",
    "Stepper": "softdock.runs.stepper",
    "Controller": "softdock.runs.controller",
    "Pilot": "softdock.runs.pilot",
    "Facility": "softdock.runs.facility",
    "SimulatedFacility": "softdock.runs.facility",
    "drive": "softdock.analysis.driving",
    "Run": "softdock.runs.run",
    "Scenario": "softdock.scenario.build",
    "build": "softdock.scenario.build",
    "load_scenario": "softdock.scenario.files",
    "load_rig": "softdock.drivers.rig_file",
    "replay": "softdock.archive.replay",
    "orbit": "softdock.core.orbit",
    "SoftdockError": "softdock.errors",
    "BadInput": "softdock.errors",
    "open_run": "softdock.archive.run_folder",
    "open_recording": "softdock.archive.recordings",
    "import_log": "softdock.archive.imported",
    "simulate_phases": "softdock.analysis.phases",
    "compare": "softdock.comparison",
    "load_method_file": "softdock.scenario.method_file",
}
# What results below offer and packages above do: run.save(...), comparison.page(), a chart's file.
# A test lists them, each with its reason (tests/conformance/test_line.py).
_GIVEN = {
    "save_run": "softdock.archive.run_folder",
    "save_mcap": "softdock.recorder.simulated",
    "recording_page": "softdock.report.recording.page",
    "save_comparison": "softdock.archive.comparison_folder",
    "comparison_page": "softdock.report.comparison.page",
    "draw_chart": "softdock.report.stability.chart_file",
}
# used as `softdock.stability.critical_delay(...)` without an import of its own
_MODULES = ("ports", "stability")
__all__ = ["__version__", *_EXPORTS, *_MODULES]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"softdock.{name}")
    if name not in _EXPORTS:
        raise AttributeError(f"module 'softdock' has no attribute '{name}'")
    return getattr(import_module(_EXPORTS[name]), name)


def __dir__() -> list[str]:
    return __all__


_moved.install()
_given.give(_GIVEN)
