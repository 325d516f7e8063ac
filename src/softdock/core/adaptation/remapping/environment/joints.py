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
)
from softdock.core.adaptation.remapping.keys import (
    AT,
)
from softdock.core.bodies import CHASER, TARGET
from softdock.core.elastic_joint import ELASTIC_JOINT
from softdock.core.machine.compiled import compiled
from softdock.core.spatial.vectors import load6

JOINT = ELASTIC_JOINT.at


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
    joints = base + AT.joints
    chaser = vector[int(vector[joints + CHASER]) + JOINT.joint_stiffness]
    target = vector[int(vector[joints + TARGET]) + JOINT.joint_stiffness]
    return in_series(chaser, target) if chaser > 0.0 and target > 0.0 else chaser + target


@compiled
def _filter_joint(method, which, T):
    """One robot's joint as the filter believes it: as given, or the scenario's."""
    vector, base = method.vector, method.base
    stiffness = base + AT.filter_stiffness
    if vector[stiffness + CHASER] > 0.0 or vector[stiffness + TARGET] > 0.0:
        zeta, mass = vector[base + AT.filter_zeta + which], vector[base + AT.filter_mass + which]
        return believed_joint(vector[stiffness + which], mass, zeta, T)
    at = int(vector[base + AT.joints + which])
    return believed_joint(
        vector[at + JOINT.joint_stiffness],
        vector[at + JOINT.moving_mass],
        vector[at + JOINT.joint_zeta],
        T,
    )


@compiled
def prepare_filter(method, T):
    vector, base = method.vector, method.base
    return FilterParams(
        _filter_joint(method, 0, T),
        _filter_joint(method, 1, T),
        vector[base + AT.noise_force],
        vector[base + AT.noise_position],
    )
