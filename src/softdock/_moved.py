"""Where modules of earlier versions are now: old imports go on working and warn with the new name.

A finder at the front of `sys.meta_path` answers for names that no longer exist as files. It
hands out the new module itself, so that a class imported by either name is the same class.
"""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

MOVED = {  # below `softdock.`; what stands below a moved package moved along, unless it is listed
    "adaptation": "core.adaptation",
    "command": "core.command",
    "compiled": "core.machine.compiled",
    "contact": "core.contact",
    "contact.cone": "core.shapes.cone",
    "contact.restitution": "scenario.restitution",
    "contact.laws": "core.shapes.laws",
    "contact.shapes": "core.shapes.models",
    "contact.sphere": "core.shapes.sphere",
    "contact.touch": "core.shapes.touch",
    "contact.wall": "core.shapes.wall",
    "contact_log": "core.contact_log",
    "cycle": "core.cycle",
    "doors": "core.machine.doors",
    "energy": "core.energy",
    "facility": "core.facility.simulated",
    "features": "core.machine.features",
    "flat": "core.machine.state",
    "kinds": "core.machine.specialise",
    "layout": "core.machine.vector",
    "limits": "core.optional_limits",
    "parameters": "core.machine.parameters",
    "philox": "core.chance",
    "readings": "core.facility.sampling",
    "record": "core.machine.record",
    "reference": "core.orbit",
    "robots": "core.robots",
    "rows": "core.tables",
    "satellites": "core.satellites",
    "schedules": "core.schedules",
    "sensor": "core.sensor",
    "settling": "core.settled_motion",
    "spatial": "core.spatial",
    "yielding": "core.facility.elastic",
    "ports": "core.ports",
    "campaign.arrow": "campaign.arrow_arrays",
    "campaign.flights": "campaign.gpu_lanes",
    "campaign.own_outcomes": "campaign.user_outcomes",
    "campaign.spare_memory": "campaign.memory_settings",
    "campaign.tailoring": "campaign.kernel_specialisation",
    "campaign.thin": "campaign.compact_vectors",
    "campaign.whole": "archive.campaign_folder",
    "comparison.candidates": "scenario.candidates",
    "comparison.user_method": "scenario.method_file",
    "corrections": "analysis.work_by_axis",
    "events": "analysis.faults",
    "feasibility": "analysis.feasibility",
    "fidelity": "analysis.fidelity",
    "joint_books": "analysis.joints",
    "metrics": "analysis.metrics",
    "observed_by_age": "analysis.observed_energy",
    "phases": "analysis.phases",
    "recording": "archive",
    "recording.figure": "runs.figure",
    "recording.folder": "archive.run_folder",
    "recording.frames": "runs.frames",
    "recording.series_file": "runs.parquet",
    "recording.whole_files": "files.atomic",
    "report.approach": "report.run.approach",
    "report.campaign_charts": "report.campaign.charts",
    "report.campaign_maps": "report.campaign.maps",
    "report.campaign_page": "report.campaign.page",
    "report.campaign_rankings": "report.campaign.rankings",
    "report.campaign_words": "report.campaign.words",
    "report.charts": "report.frame.charts",
    "report.comparison_page": "report.comparison.page",
    "report.demo_page": "report.demo.page",
    "report.elements": "report.frame.elements",
    "report.haptics_page": "report.haptics.page",
    "report.outline": "report.run.outline",
    "report.page": "report.frame.page",
    "report.replay": "report.frame.replay",
    "report.run_charts": "report.run.charts",
    "report.run_page": "report.run.page",
    "report.run_stability": "report.run.stability",
    "report.run_tables": "report.run.tables",
    "report.words": "report.frame.words",
    "run": "runs.run",
    "scenario.facility": "arms.facility",
    "scenario.parse": "files.toml_text",
    "scenario.positions": "files.toml_positions",
    "scenario.reading": "files.reading",
    "scenario.scenario_facility": "arms.scenario_facility",
    "scenario.strict_tables": "files.strict_tables",
    "simulation": "analysis.simulation",
    "stability.chart_page": "report.stability.page",
    "stability.chart_picture": "report.stability.picture",
    "stability.describe": "cli.stability_options",
    "stability.one_sided": "stability.impact_restitution",
    "stability.reachable": "stability.contact_places",
    "verdict": "analysis.verdict",
    "adaptation.by_axis": "core.adaptation.measured.by_axis",
    "adaptation.contact_point": "core.adaptation.remapping.environment.contact_point",
    "adaptation.delay_damper": "core.adaptation.delay_passivity.damper",
    "adaptation.delay_observer": "core.adaptation.delay_passivity.observer",
    "adaptation.delay_passivity": "core.adaptation.delay_passivity.method",
    "adaptation.delay_passivity_keys": "core.adaptation.delay_passivity.keys",
    "adaptation.desired_contact": "core.adaptation.remapping.wanted.contact",
    "adaptation.desired_motion": "core.adaptation.remapping.wanted.motion",
    "adaptation.energy_ledger": "core.adaptation.energy_ledger.method",
    "adaptation.energy_ledger_books": "core.adaptation.measured.real_work",
    "adaptation.energy_ledger_notes": "core.adaptation.energy_ledger.notes",
    "adaptation.energy_ledger_projection": "core.adaptation.measured.projection",
    "adaptation.environment": "core.adaptation.remapping.environment.environment",
    "adaptation.environment_filter": "core.adaptation.remapping.environment.filter",
    "adaptation.executable": "core.adaptation.remapping.executable",
    "adaptation.hybrid": "core.adaptation.hybrid.method",
    "adaptation.lead": "core.adaptation.remapping.lead",
    "adaptation.line_of_action": "core.adaptation.measured.line_of_action",
    "adaptation.monitor": "core.adaptation.monitor.method",
    "adaptation.network_contact": "core.adaptation.networks.contact",
    "adaptation.network_nonlinear": "core.adaptation.networks.nonlinear",
    "adaptation.network_port": "core.adaptation.networks.port",
    "adaptation.network_satellite": "core.adaptation.networks.satellite",
    "adaptation.noise_bias": "core.adaptation.measured.noise_bias",
    "adaptation.normal_damper": "core.adaptation.measured.normal_damper",
    "adaptation.orbit_networks": "core.adaptation.networks.orbit",
    "adaptation.paired_poses": "core.adaptation.measured.paired_poses",
    "adaptation.paired_records": "core.adaptation.measured.paired_records",
    "adaptation.passive_ceiling": "core.adaptation.measured.passive_ceiling",
    "adaptation.passive_integrator": "core.adaptation.passive_integrator.method",
    "adaptation.reading_ring": "core.adaptation.measured.reading_ring",
    "adaptation.remapping": "core.adaptation.remapping.method",
    "adaptation.remapping_checks": "core.adaptation.remapping.host.checks",
    "adaptation.remapping_contact": "core.adaptation.remapping.contact",
    "adaptation.remapping_durations": "core.adaptation.remapping.host.durations",
    "adaptation.remapping_keys": "core.adaptation.remapping.keys",
    "adaptation.remapping_memory": "core.adaptation.remapping.cells",
    "adaptation.remapping_others": "core.adaptation.remapping.other_wrenches",
    "adaptation.remapping_reports": "core.adaptation.remapping.host.reports",
    "adaptation.remapping_truth": "core.adaptation.remapping.host.truth",
    "adaptation.rewind": "core.adaptation.remapping.rewind",
    "adaptation.sensor_doubts": "core.adaptation.measured.doubts",
    "adaptation.stiffness_estimate": "core.adaptation.remapping.environment.stiffness",
    "adaptation.virtual_contact": "core.adaptation.hybrid.virtual_contact",
    "adaptation.virtual_frame": "core.adaptation.measured.frame",
    "adaptation.wanted_law": "core.adaptation.remapping.wanted.law",
    # after version 0.1: names that say what a module holds
    "core.adaptation.faithful.rounds": "core.adaptation.faithful.gauss_newton",
    "core.adaptation.faithful.futures": "core.adaptation.faithful.recomputed_future",
    "core.adaptation.faithful.many": "core.adaptation.faithful.joint_samples",
    "core.adaptation.faithful.kept": "core.adaptation.faithful.law_samples",
    "core.adaptation.faithful.past": "core.adaptation.faithful.recomputed_past",
    "core.adaptation.faithful.windows": "core.adaptation.faithful.averaged_readings",
    "core.adaptation.faithful.work": "core.adaptation.faithful.work_exchanged",
    "core.adaptation.faithful.rub": "core.adaptation.faithful.friction",
    "core.adaptation.faithful.twin": "core.adaptation.faithful.satellite_steps",
    "core.adaptation.faithful.flight": "core.adaptation.faithful.free_flight",
    "core.adaptation.faithful.commands": "core.adaptation.faithful.commanded_acceleration",
    "core.adaptation.faithful.by_ledger": "core.adaptation.faithful.ledger_fallback",
    "core.kept": "core.controller_state",
    "core.machine.places": "core.machine.vector_layout",
    "core.machine.stored": "core.machine.flat_structures",
    "core.machine.truth": "core.machine.simulated_report",
    "core.robots.way": "core.robots.remaining_path",
    "core.robots.arm.giving_way": "core.robots.arm.compliant_step",
    "core.orbit.look": "core.orbit.step_length",
    "core.orbit.push": "core.orbit.touch_forces",
    "core.orbit.outside": "core.orbit.external_wrenches",
    "core.ports.six_steps": "core.ports.derivation_steps",
    "core.ports.dying_down": "networks.touch_decay",
    "core.ports.haptics": "networks.haptics",
    "core.ports.resolution": "networks.resolution",
    "core.ports.sampled": "networks.sampled",
    "core.ports.telemanipulation": "networks.telemanipulation",
    "core.ports.touch_decay": "networks.touch_decay",
    "core.ports.walls": "networks.walls",
    "ports.haptics": "networks.haptics",
    "ports.resolution": "networks.resolution",
    "ports.sampled": "networks.sampled",
    "ports.telemanipulation": "networks.telemanipulation",
    "ports.walls": "networks.walls",
    "core.contact.restitution": "scenario.restitution",
    "campaign.places": "campaign.varied_columns",
    "campaign.judged": "campaign.verdicts",
    "campaign.normal": "campaign.normal_distribution",
    "campaign.sums": "campaign.checksums",
    "recorder.judged": "recorder.log_verdict",
    "recorder.look": "recorder.ring_reader",
    "core.limits": "core.optional_limits",
    "core.settling": "core.settled_motion",
    "core.shapes.met": "core.shapes.line_on_shape",
    "core.adaptation.remapping.others": "core.adaptation.remapping.other_wrenches",
    "core.spatial.between": "core.spatial.motion_between",
    "core.adaptation.remapping.wanted.held": "core.adaptation.remapping.wanted.held_force",
    "core.adaptation.remapping.environment.seen": (
        "core.adaptation.remapping.environment.contact_readings"
    ),
    "core.adaptation.energy_ledger.allowed": "core.adaptation.energy_ledger.allowed_energy",
    "benchmark.against": "benchmark.results_compared",
    "identification.still": "identification.rest_attitudes",
    "recorder.as_seen": "recorder.measured_series",
    "recorder.beside": "recorder.live_rows",
    "comparison.paste": "comparison.lines_to_paste",
    "scene.furniture": "scene.scenario_bodies",
    "viewer.answer": "viewer.scenario_answer",
    "drivers.patience": "drivers.restarted_controller",
    "stability.patience": "stability.time_limit",
    "arms.written": "arms.arm_table",
    "recorder.written": "recorder.written_file",
    "analysis.phased": "analysis.worst_phase",
}


def new_name(name: str) -> str | None:
    """The full name of the module that `name` has become; None: it is none of the moved ones."""
    root, _, inner = name.partition(".")
    if root != "softdock" or not inner:
        return None
    head, tail = inner, ""
    while head not in MOVED:
        head, dot, last = head.rpartition(".")
        if not dot:
            return None
        tail = f".{last}{tail}"
    if inner == "ports":  # public as before; what stood below it moved
        return None
    return f"softdock.{MOVED[head]}{tail}"


class _NewPlace(Loader):
    """Gives the module that stands at the new place, unchanged."""

    def __init__(self, new: str):
        self.new = new
        self.spec: Any = None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = import_module(self.new)
        self.spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self.spec  # the import system has written the old name's here


class _Moved(MetaPathFinder):
    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        new = new_name(name)
        if new is None:
            return None
        warnings.warn(f"{name} is now {new}", DeprecationWarning, stacklevel=2)
        return ModuleSpec(name, _NewPlace(new), is_package=True)


def install() -> None:
    """Let old names be found, once."""
    if not any(isinstance(finder, _Moved) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Moved())  # before a moved package is searched by its path
