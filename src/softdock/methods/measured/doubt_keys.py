"""The keys that every method with doubts of the sensor has, and those of its noise."""

from __future__ import annotations

from softdock.loop.parameters import Parameter

CLAIMS = ("accurate", "passive")
ACCURATE, PASSIVE = range(len(CLAIMS))


def noise_keys(confidence: str) -> tuple[Parameter, ...]:
    """The sensor's noise as the method believes it; `confidence`: what is kept with it, in
    words."""
    return (
        Parameter(
            "noise_force",
            "noise_N",
            "standard deviation of a handed-over force, for the bias",
            0.0,
            unit="N",
            low=0.0,
            high=1e6,
        ),
        Parameter(
            "noise_torque",
            "noise_Nm",
            "standard deviation of a handed-over torque, for the bias",
            0.0,
            unit="Nm",
            low=0.0,
            high=1e6,
        ),
        Parameter(
            "confidence",
            "confidence",
            confidence,
            0.5,
            low=0.5,
            high=0.999999,
        ),
    )


def doubt_keys(frozen_ms: float) -> tuple[Parameter, ...]:
    """The keys that every method with doubts has; `frozen_ms`: its default."""
    return (
        Parameter(
            "frozen",
            "frozen_ms",
            "a force unchanged to the last bit for so long may take energy but give none; 0: off",
            frozen_ms,
            unit="ms",
            low=0.0,
            high=1e5,
            scale=1e-3,
        ),
        Parameter(
            "jump",
            "jump_N",
            "a force that jumps by more than this is held back for one cycle; 0: none is",
            0.0,
            unit="N",
            low=0.0,
            high=1e7,
        ),
        Parameter(
            "range",
            "range_N",
            "a force channel at this or beyond is saturated, which is noted; 0: the sensor's "
            "own range_N",
            0.0,
            unit="N",
            low=0.0,
            high=1e7,
        ),
        Parameter(
            "sensor",
            "sensor",
            "where the sensor's range, place and hands stand in the vector; written by softdock",
            (0.0,) * 6,
            size=6,
            kind="sensor",
        ),
    )
