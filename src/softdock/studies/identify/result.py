"""What was identified, with uncertainties; and what the log cannot tell, with the reason."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from softdock.studies.identify.contact import ContactFit
from softdock.studies.identify.estimate import Estimate
from softdock.studies.identify.tool import Tool

CLEAR_OFFSET = 4.0  # standard uncertainties
LEAST_OFFSET_M = 1e-5  # a smaller one changes no contact that is worth telling


@dataclass
class Identification:
    """Everything found, and what could not be. None: `cannot_tell` says why."""

    stiffness: Estimate | None  # N/m, over all contacts
    damping: Estimate | None  # Ns/m
    friction: Estimate | None  # Coulomb's coefficient
    contacts: list[ContactFit]
    robot_delay: dict[str, Estimate | None]  # s, from a set-point's stamp to being there
    loop_delay: Estimate | None  # s, robot and force path
    force_delay_s: float | None  # age of the forces in contact, mean over the cycles
    pose_delay_s: float | None  # mean age of the measured poses, the older of two
    cycle_s: float
    pose_offset: dict[str, Estimate | None]  # m, of measured poses from set-points, world axes
    tools: dict[str, Tool]
    notes: list[str] = field(default_factory=list)
    cannot_tell: dict[str, str] = field(default_factory=dict)  # what: why

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it; units in the keys, None where the log cannot tell."""
        return {
            "contact": {
                "stiffness_N_per_m": _estimate_to_dict(self.stiffness),
                "damping_Ns_per_m": _estimate_to_dict(self.damping),
                "friction": _estimate_to_dict(self.friction),
                "contacts": [_contact_to_dict(c) for c in self.contacts],
            },
            "delay": {
                "loop_delay_s": _estimate_to_dict(self.loop_delay),
                "robot_delay_s": {
                    body: _estimate_to_dict(e) for body, e in self.robot_delay.items()
                },
                "force_delay_s": self.force_delay_s,
                "pose_delay_s": self.pose_delay_s,
                "hold_s": 0.5 * self.cycle_s,
                "cycle_s": self.cycle_s,
            },
            "pose": {
                f"{body}_offset_m": _estimate_to_dict(e) for body, e in self.pose_offset.items()
            },
            "tool": {body: _tool_to_dict(tool) for body, tool in self.tools.items()},
            "notes": list(self.notes),
            "cannot_tell": dict(self.cannot_tell),
        }


def list_clear_offsets(offsets: Mapping[str, Estimate | None]) -> dict[str, Estimate]:
    """Those that stand out of their uncertainty, and matter."""
    return {
        body: e
        for body, e in offsets.items()
        if e is not None
        and math.hypot(*e.value) > max(CLEAR_OFFSET * math.hypot(*e.uncertainty), LEAST_OFFSET_M)
    }


def _estimate_to_dict(estimate: Estimate | None) -> dict[str, Any] | None:
    return None if estimate is None else estimate.to_dict()


def _contact_to_dict(c: ContactFit) -> dict[str, Any]:
    return {
        "start_s": c.start_s,
        "end_s": c.end_s,
        "stiffness_N_per_m": _estimate_to_dict(c.stiffness),
        "damping_Ns_per_m": _estimate_to_dict(c.damping),
        "friction": _estimate_to_dict(c.friction),
        "readings": c.readings,
        "noise_N": c.noise_N,
        "peak_force_N": c.peak_force_N,
        "normal": list(c.normal),
    }


def _tool_to_dict(tool: Tool) -> dict[str, Any]:
    return {
        "mass_kg": _estimate_to_dict(tool.mass),
        "centre_m": _estimate_to_dict(tool.centre),
        "bias_N": _estimate_to_dict(tool.bias_force),
        "bias_Nm": _estimate_to_dict(tool.bias_torque),
        "mean_reading_N": _estimate_to_dict(tool.reading),
        "turned_rad": tool.turned_rad,
        "noise_N": tool.noise_N,
        "note": tool.note,
    }
