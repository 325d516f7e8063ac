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
def stiffness_along(arm, work, point, n):
    """N per m of deflection along a unit vector at a point, other directions free to give way."""
    soft = 0.0
    for i in range(first_axis(arm), AXES):
        v, _ = jacobian_column(arm, work, i, point)
        along = dot(v, n)
        soft += along * along / arm.stiffness[i]
    return 1.0 / soft if soft > 0.0 else math.inf
