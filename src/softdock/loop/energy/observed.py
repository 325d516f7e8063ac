"""Observed energy (Zebenay eq. 114): what a rig can tell of its own activity from its signals
alone.

Energy given to the satellites, input force times commanded velocity (the mean of both ends of the
cycle), minus energy the contact gave back, measured force times measured motion (trapezoid over the
cycle). Positive: the rig is active. In 1-D, e^2 = 1 + observed / KE_0. Here the newest force is
paired with the newest pose; a recorded run whose readings differ in age is paired again at its end
(results/observed_energy.py).
"""

from __future__ import annotations

from softdock.compile.jit import compiled
from softdock.loop.spatial.motion import Wrench, displacement, port_energy, work
from softdock.loop.spatial.vectors import add, scale


@compiled
def _port_work(wrench_0, wrench_1, motion_0, motion_1):
    mean = Wrench(
        scale(0.5, add(wrench_0.force, wrench_1.force)),
        scale(0.5, add(wrench_0.torque, wrench_1.torque)),
    )
    return work(mean, displacement(motion_0.p, motion_0.q, motion_1.p, motion_1.q))


@compiled
def observed_energy(T, wrenches, command_before, command, measured_before, measured):
    """Gain over one cycle [J]."""
    given = port_energy(wrenches.chaser, T, command_before.chaser, command.chaser)
    given += port_energy(wrenches.target, T, command_before.target, command.target)
    a, b = measured_before, measured
    returned = _port_work(
        a.wrenches.chaser, b.wrenches.chaser, a.mock_ups.chaser, b.mock_ups.chaser
    )
    returned += _port_work(
        a.wrenches.target, b.wrenches.target, a.mock_ups.target, b.mock_ups.target
    )
    return given - returned  # Zebenay eq. 114, with the sign convention of docs/energy.md
