"""What softdock is measured against: MuJoCo stepping two free bodies pressed together."""

from __future__ import annotations

from typing import Any

PUSH = 5.0  # N


def two_bodies_pressed(step_s: float = 0.004) -> tuple[Any, Any]:
    """Model and data of two free spheres without gravity or friction, pushed against each other:
    one contact, every step."""
    import mujoco

    body = (
        '<body pos="{x} 0 0"><freejoint/><geom type="sphere" size="0.1" mass="{mass}" '
        'condim="1"/></body>'
    )
    model = mujoco.MjModel.from_xml_string(
        f"""<mujoco>
          <option timestep="{step_s}" gravity="0 0 0"/>
          <worldbody>{body.format(x=-0.0999, mass=60)}{body.format(x=0.0999, mass=100)}</worldbody>
        </mujoco>"""
    )
    data = mujoco.MjData(model)
    data.xfrc_applied[1, 0], data.xfrc_applied[2, 0] = PUSH, -PUSH
    return model, data
