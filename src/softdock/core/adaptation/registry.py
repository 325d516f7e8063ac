"""The list of methods. To add one: a module with its parameters and hooks (interface.py), and an
entry here.

Everything else (compare, demo, reference page, campaigns) finds a method by this list.
"""

from __future__ import annotations

from softdock.core.adaptation import (
    adaptive_damping,
    direct,
    monitor,
    passive_integrator,
    suggestions,
)
from softdock.core.adaptation.delay_passivity import keys as delay_passivity_keys
from softdock.core.adaptation.delay_passivity import method as delay_passivity
from softdock.core.adaptation.energy_ledger import method as energy_ledger
from softdock.core.adaptation.energy_ledger import notes as energy_ledger_notes
from softdock.core.adaptation.hybrid import method as hybrid
from softdock.core.adaptation.hybrid import virtual_contact
from softdock.core.adaptation.measured.by_axis import WORK_CHANNELS
from softdock.core.adaptation.method import (
    KINDS,
    METHODS,
    Belief,
    Method,
    register,
    register_variant,
)
from softdock.core.adaptation.networks import contact as network_contact
from softdock.core.adaptation.networks import nonlinear as network_nonlinear
from softdock.core.adaptation.networks import orbit as orbit_networks
from softdock.core.adaptation.networks import port as network_port
from softdock.core.adaptation.networks import satellite as network_satellite
from softdock.core.adaptation.remapping import cells as remapping_memory
from softdock.core.adaptation.remapping import executable, rewind
from softdock.core.adaptation.remapping import keys as remapping_keys
from softdock.core.adaptation.remapping import method as remapping
from softdock.core.adaptation.remapping.host import checks as remapping_checks
from softdock.core.adaptation.remapping.host import reports as remapping_reports
from softdock.core.adaptation.remapping.host import truth as remapping_truth
from softdock.core.ports.tables import network_from

__all__ = ["KINDS", "METHODS", "Belief", "Method", "register"]

_NO_PORT = network_port.Port(0, 0, ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)), 0.0)
_NONLINEAR = network_nonlinear.NonlinearContact(0, 0, 0, _NO_PORT, 0.0, 0.0)
register(
    Method(
        "direct",
        "the measured wrench, unchanged",
        "nothing",
        direct.DIRECT,
        direct.Direct(0),
        direct.prepare,
    )
)
register(
    Method(
        "hybrid",
        "the measured wrench plus a virtual contact",
        "virtual stiffness and damping; the tip, in frames other than normal",
        hybrid.HYBRID,
        hybrid.Hybrid(0, 0, 0, 0, 0, 0, 0.0, (0.0, 0.0, 0.0), 0.0),
        hybrid.prepare,
        wrench=hybrid.wrench,
        memory=lambda values, T: virtual_contact.FLOATS,
        channels=hybrid.CHANNELS,
        check=hybrid.check,
        needs=(
            Belief("stiffness", "damping_Ns_per_m"),
            Belief("delay", "damping_Ns_per_m"),
        ),  # b = k h: an error in either is one in b
        suggest=suggestions.damper,
        refuses=suggestions.needs_stiffness,
    )
)
register(
    Method(
        "adaptive_damping",
        "virtual damping that ends a contact at the wanted energy",
        "stiffness and delay, roughly",
        adaptive_damping.ADAPTIVE_DAMPING,
        adaptive_damping.AdaptiveDamping(0, 0.0, 0.0, 0.0, 0.0, 0.0),
        adaptive_damping.prepare,
        wrench=adaptive_damping.wrench,
        memory=lambda values, T: adaptive_damping.FLOATS,
        channels=adaptive_damping.CHANNELS,
        check=adaptive_damping.check,
        needs=(Belief("stiffness", "stiffness_N_per_m"), Belief("delay", "delay_ms")),
        suggest=suggestions.stiffness_and_delay,
        refuses=suggestions.needs_stiffness,
        in_demo=True,
    )
)
register(
    Method(
        "monitor",
        "observes the energy that the rig adds, and acts above a bound",
        "nothing",
        monitor.MONITOR,
        monitor.Monitor(0, 0, 0.0, 0.0, 0, 0.0, 0.0, 0.0, 0.0),
        monitor.prepare,
        wrench=monitor.wrench,
        set_point=monitor.set_point,
        memory=monitor.floats,
        channels=monitor.CHANNELS,
        check=monitor.check,
        report=monitor.report,
    )
)
register(
    Method(
        "network_contact",
        "a port-Hamiltonian network as a virtual contact between the satellites, or as an "
        "appendage of one of them",
        "the network",
        network_contact.NETWORK_CONTACT,
        network_contact.NetworkContact(0, 0, 0, _NO_PORT, 0, 0.0, 0.0),
        network_contact.prepare,
        wrench=network_contact.wrench,
        set_point=network_contact.step,
        memory=network_contact.memory,
        channels=network_port.CHANNELS,
        check=network_contact.check,
        part_of_scenario=True,
        in_orbit=lambda values: (
            orbit_networks.NOT_IN_ORBIT
            if values["between"] == "satellites"
            else orbit_networks.APPENDAGE
        ),
        variant=lambda values: None if network_from(values["network"]).linear else _NONLINEAR,
    )
)
register(
    Method(
        "network_satellite",
        "a port-Hamiltonian network as a satellite along one axis: force in, motion out, "
        "energy exact",
        "the network",
        network_satellite.NETWORK_SATELLITE,
        network_satellite.NetworkSatellite(0, 0, 0, 0, (0.0, 0.0, 0.0)),
        network_satellite.prepare,
        correct=network_satellite.follow,
        memory=network_satellite.memory,
        channels=network_satellite.CHANNELS,
        check=network_satellite.check,
        part_of_scenario=True,
        in_orbit=lambda values: orbit_networks.SATELLITE,
    )
)
register_variant(
    "network_contact",
    _NONLINEAR,
    network_nonlinear.prepare,
    wrench=network_nonlinear.wrench,
    set_point=network_nonlinear.step,
)
register(
    Method(
        "passive_integrator",
        "De Stefano's passive integrator: set-points corrected by the energy of the integration",
        "nothing; its tank: the largest force",
        passive_integrator.PASSIVE_INTEGRATOR,
        passive_integrator.MARKER,
        passive_integrator.prepare,
        wrench=passive_integrator.wrench,
        correct=passive_integrator.correct,
        memory=lambda values, T: passive_integrator.FLOATS,
        channels=passive_integrator.CHANNELS,
        books=passive_integrator.books,
        events=passive_integrator.events,
    )
)
register(
    Method(
        "delay_passivity",
        "passivity observer and controller around the robots' delay: the satellites get what "
        "the real contact gives, and no more",
        "nothing; with noise: the force that is no contact",
        delay_passivity_keys.DELAY_PASSIVITY,
        delay_passivity_keys.MARKER,
        delay_passivity_keys.prepare,
        wrench=delay_passivity.wrench,
        memory=delay_passivity_keys.memory,
        channels=WORK_CHANNELS,
        books=delay_passivity.books,
        events=delay_passivity.events,
        check=delay_passivity_keys.check,
        suggest=delay_passivity_keys.suggest,
        refuses=delay_passivity_keys.refuses,
    )
)
register(
    Method(
        "energy_ledger",
        "the satellites' kinetic energy follows the measured work of the real contact",
        "nothing; with noise, its size",
        energy_ledger.ENERGY_LEDGER,
        energy_ledger.MARKER,
        energy_ledger.prepare,
        wrench=energy_ledger.remember,
        correct=energy_ledger.follow,
        set_point=energy_ledger.send,
        memory=energy_ledger.memory,
        channels=WORK_CHANNELS,
        check=energy_ledger.check,
        suggest=energy_ledger.suggest,
        refuses=energy_ledger.refuses,
        books=energy_ledger_notes.books,
        events=energy_ledger_notes.events,
    )
)
register(
    Method(
        "remapping",
        "the measured force says where the environment is; the satellites feel the wanted "
        "contact there",
        "the mock-ups' stiffness; the delay, for its lead",
        remapping_keys.REMAPPING,
        remapping_memory.MARKER,
        remapping.prepare,
        wrench=remapping.wrench,
        correct=remapping.correct,
        set_point=executable.set_point,
        rewound=remapping.rewound,
        replaced=remapping.replaced,
        past=rewind.rewrite_past,
        memory=remapping_reports.memory,
        channels=remapping_memory.CHANNELS,
        check=remapping_checks.check,
        report=remapping_reports.report,
        truth=remapping_truth.truth,
        needs=(Belief("stiffness", "stiffness_N_per_m"), Belief("delay", "lead_ms")),
        suggest=remapping_reports.suggest,
        refuses=remapping_reports.refuses,
        books=remapping_reports.books,
    )
)
