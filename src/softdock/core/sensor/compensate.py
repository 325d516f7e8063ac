"""From what a force sensor reads to the wrench of the contact: the tool is taken out with what the
user believes of it.

In: the raw reading (N, Nm), sensor axes, about the sensor's origin; the reported motion of the body
that carries the sensor, and its acceleration. Out: the wrench on that body about its centre of
mass, world axes (Lange eqs. 3 and 4, with the inertia that they leave out; sensor/mock_up.py).

This is the controller's part: a simulated facility and a rig deliver the same raw reading, and this
function is the only one that compensates. It holds as well as pose, acceleration and belief do: an
error of 1 % of 10 kg is 1 N of weight.
"""

from __future__ import annotations

from softdock.core.machine.compiled import compiled
from softdock.core.sensor.mock_up import from_sensor, plus, weigh


@compiled
def wrench_from_reading(mock_up, gravity_W, motion, a_W, alpha, raw):
    """`mock_up`: MockUpParams; `motion`: where the body is believed to have been when the sample
    was taken; `a_W`: its acceleration [m/s^2], `alpha`: its angular acceleration [rad/s^2]."""
    load = weigh(mock_up.believed, mock_up.sensor, gravity_W, motion, a_W, alpha)
    return from_sensor(mock_up.sensor, motion.q, plus(raw, -1.0, load))
