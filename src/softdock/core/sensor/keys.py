"""The force/torque sensors' keys: noise, errors, faults, and what is handed to the controller."""

from __future__ import annotations

from softdock.core.machine.parameters import Group, Parameter

LATEST, MEAN = 0, 1
_ZERO3 = (0.0, 0.0, 0.0)
SENSOR = Group(
    "sensor",
    "The force/torque sensors behind the mock-ups. All channels of a kind share one value; "
    "both sensors are alike.",
    Parameter(
        "on",
        "on",
        "which mock-up has a sensor; with both, half the difference drives both bodies",
        "chaser",
        choices=("chaser", "target", "both"),
    ),
    Parameter(
        "period",
        "period_ms",
        "time between samples; 0: one sample a cycle",
        0.0,
        "ms",
        0.0,
        1e4,
        scale=1e-3,
    ),
    Parameter("delay", "delay_ms", "from a sample to its arrival", 0.0, "ms", 0.0, 1e3, scale=1e-3),
    Parameter(
        "handover",
        "handover",
        "what the controller gets: the newest sample, or the mean since the last cycle",
        "latest",
        choices=("latest", "mean"),
    ),
    Parameter(
        "noise_force", "noise_N", "standard deviation of each force sample", 0.0, "N", 0.0, 1e6
    ),
    Parameter(
        "noise_torque", "noise_Nm", "standard deviation of each torque sample", 0.0, "Nm", 0.0, 1e6
    ),
    Parameter(
        "bias_force",
        "bias_N",
        "constant error of the force, sensor axes",
        _ZERO3,
        "N",
        size=3,
        low=-1e6,
        high=1e6,
    ),
    Parameter(
        "bias_torque",
        "bias_Nm",
        "constant error of the torque, sensor axes",
        _ZERO3,
        "Nm",
        size=3,
        low=-1e6,
        high=1e6,
    ),
    Parameter(
        "drift_force",
        "drift_N_per_s",
        "growth of the force's error",
        _ZERO3,
        "N/s",
        size=3,
        low=-1e6,
        high=1e6,
    ),
    Parameter(
        "drift_torque",
        "drift_Nm_per_s",
        "growth of the torque's error",
        _ZERO3,
        "Nm/s",
        size=3,
        low=-1e6,
        high=1e6,
    ),
    Parameter(
        "lowpass", "lowpass_Hz", "cut-off of a first-order low-pass; 0: none", 0.0, "Hz", 0.0, 1e5
    ),
    Parameter(
        "range_force", "range_N", "saturation of each force channel; 0: none", 0.0, "N", 0.0, 1e7
    ),
    Parameter(
        "range_torque",
        "range_Nm",
        "saturation of each torque channel; 0: none",
        0.0,
        "Nm",
        0.0,
        1e7,
    ),
    Parameter(
        "resolution_force", "resolution_N", "quantisation of the force; 0: none", 0.0, "N", 0.0, 1e6
    ),
    Parameter(
        "resolution_torque",
        "resolution_Nm",
        "quantisation of the torque; 0: none",
        0.0,
        "Nm",
        0.0,
        1e6,
    ),
    Parameter(
        "freeze_at",
        "freeze_at_s",
        "a fault: from when on the sensor repeats its last sample, with new stamps",
        0.0,
        "s",
        0.0,
        1e5,
    ),
    Parameter(
        "freeze_for", "freeze_for_s", "how long it does; 0: it never does", 0.0, "s", 0.0, 1e9
    ),
    Parameter(
        "jump_at",
        "jump_at_s",
        "a fault: from when on jump_N and jump_Nm are added",
        0.0,
        "s",
        0.0,
        1e5,
    ),
    Parameter("jump_for", "jump_for_s", "how long they are; 0: from then on", 0.0, "s", 0.0, 1e9),
    Parameter(
        "jump_force",
        "jump_N",
        "the jump of the force, sensor axes",
        _ZERO3,
        "N",
        size=3,
        low=-1e6,
        high=1e6,
    ),
    Parameter(
        "jump_torque",
        "jump_Nm",
        "the jump of the torque, sensor axes",
        _ZERO3,
        "Nm",
        size=3,
        low=-1e6,
        high=1e6,
    ),
    Parameter(
        "threshold",
        "threshold_N",
        "forces smaller than this are handed over as zero",
        0.0,
        "N",
        0.0,
        1e6,
    ),
)
