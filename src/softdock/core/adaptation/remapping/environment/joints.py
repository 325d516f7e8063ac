"""The robots' elastic joints as the re-mapping believes them: in series along a normal, and one
by one for the filter."""

from __future__ import annotations

from softdock.core.adaptation.remapping.environment.filter import (
    believed_joint,
)
from softdock.core.adaptation.remapping.environment.filter_cells import (
    FilterParams,
)
from softdock.core.adaptation.remapping.environment.series import (
    along_normal,
    in_series,
    is_given,
    load6,
)
from softdock.core.adaptation.remapping.keys import (
    AT,
)
from softdock.core.bodies import CHASER, TARGET
from softdock.core.machine.compiled import compiled


@compiled
def believed_joints(method, n):
    """Stiffness of both robots' joints in series along the normal [N/m]; 0: rigid."""
    vector, base = method.vector, method.base
    arms = load6(vector, base + AT.arm_compliance)
    if is_given(arms):  # other directions are free to give way
        return 1.0 / along_normal(arms, n)  # Lange eq. 16, along the normal
    given = load6(vector, base + AT.joint_stiffness)
    if is_given(given):
        return along_normal(given, n)
    chaser, target = (
        vector[int(vector[base + AT.joints + CHASER])],
        vector[int(vector[base + AT.joints + TARGET])],
    )
    return in_series(chaser, target) if chaser > 0.0 and target > 0.0 else chaser + target


@compiled
def _filter_joint(method, which, T):
    """One robot's joint as the filter believes it: as given, or the scenario's (stiffness, damping
    ratio, mass in a row: robots/robot.py)."""
    vector, base = method.vector, method.base
    stiffness = base + AT.filter_stiffness
    if vector[stiffness + CHASER] > 0.0 or vector[stiffness + TARGET] > 0.0:
        zeta, mass = vector[base + AT.filter_zeta + which], vector[base + AT.filter_mass + which]
        return believed_joint(vector[stiffness + which], mass, zeta, T)
    at = int(vector[base + AT.joints + which])
    return believed_joint(vector[at], vector[at + 2], vector[at + 1], T)


@compiled
def prepare_filter(method, T):
    vector, base = method.vector, method.base
    return FilterParams(
        _filter_joint(method, 0, T),
        _filter_joint(method, 1, T),
        vector[base + AT.noise_force],
        vector[base + AT.noise_position],
    )
