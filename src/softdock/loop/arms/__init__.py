"""Arms as a person describes them (presets, tables of axes, URDF files), and the facility in which
they stand: `[facility]`, who stands where and which frame is which.

Each arm is made into the flat vector that the compiled kinematics reads (softdock.loop.arms).
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

# name -> module, imported when first used: a run without arms reads no arm
_EXPORTS = {
    "Arm": "softdock.loop.arms.arm",
    "arm_names": "softdock.loop.arms.sources",
    "load_arm": "softdock.loop.arms.sources",
}
__all__ = ["Arm", "arm_names", "load_arm"]


def __getattr__(name: str) -> Any:
    if name not in _EXPORTS:
        raise AttributeError(f"module 'softdock.loop.arms' has no attribute '{name}'")
    return getattr(import_module(_EXPORTS[name]), name)
