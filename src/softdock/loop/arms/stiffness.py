"""How far the tip gives way: compliance at the tip from the joints' stiffness and the Jacobian.

With the motors held, a force on the tip turns each joint by its torque over its stiffness, so the
tip moves by C F with C = J K^-1 J' (Lange's (16) and (19) have its inverse along the normal).
Holds for small deflections and rigid links.
"""

from __future__ import annotations

import math

from softdock.compile.jit import compiled
from softdock.loop.arms.forward import first_axis, jacobian_column
from softdock.loop.arms.layout import AXES
from softdock.loop.spatial.vectors import dot


@compiled
def tip_compliance(arm, work, point):
    """After `link_frames`: m per N at a point, base axes, as (xx, yy, zz, xy, xz, yz)."""
    xx, yy, zz, xy, xz, yz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(first_axis(arm), AXES):
        v, _ = jacobian_column(arm, work, i, point)
        soft = 1.0 / arm.stiffness[i]
        xx += soft * v[0] * v[0]
        yy += soft * v[1] * v[1]
        zz += soft * v[2] * v[2]
        xy += soft * v[0] * v[1]
        xz += soft * v[0] * v[2]
        yz += soft * v[1] * v[2]
    return (xx, yy, zz, xy, xz, yz)


@compiled
def stiffness_along(arm, work, point, n):
    """N per m of deflection along a unit vector at a point, other directions free to give way."""
    soft = 0.0
    for i in range(first_axis(arm), AXES):
        v, _ = jacobian_column(arm, work, i, point)
        along = dot(v, n)
        soft += along * along / arm.stiffness[i]
    return 1.0 / soft if soft > 0.0 else math.inf
