"""Arms as a person describes them (presets, tables of axes, URDF files), and the facility in which
they stand: `[facility]`, who stands where and which frame is which.

Each arm is made into the flat vector that the compiled kinematics reads (softdock.loop.arms).
"""

from softdock.loop.arms.arm import Arm
from softdock.loop.arms.sources import arm_names, load_arm

__all__ = ["Arm", "arm_names", "load_arm"]
