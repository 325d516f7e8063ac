"""What free flight shows: tare and noise of the sensor, and how late each robot is.

The mock-ups are known to be apart from their shapes and reported poses. What the sensor shows then
is its bias, constant in the chaser's axes, and the weight and inertia of a mass that the tool's
compensation misses, its centre at the chaser's centre of mass:

    f = b + e h        h = a - g in the chaser's axes; e [kg]

b and e by least squares over the whole flight: a mock-up that turns shows e by its weight, one that
is accelerated (the leads are brought in) by its inertia, and where neither has been, weight is in
the mean. What is left is the noise. A robot's delay is how far its mock-up
trails behind its satellite at the pose's own stamp, over its velocity, and the lead that it is sent
with.
"""

from __future__ import annotations

import math

from softdock.compile.cells import Cell, Cells, many
from softdock.compile.jit import compiled
from softdock.loop.spatial.motion import Wrench
from softdock.loop.spatial.rotations import rotate, rotate_back
from softdock.loop.spatial.vectors import add, add_scaled, dot, scale, subtract
from softdock.methods.model_mediated.pose_offset import POSES, PROBE

FLIGHT = Cells(
    "flight",
    Cell("count", int, "-", "force samples in free flight"),
    Cell("force", 3, "N", "tare, chaser axes"),
    Cell("torque", 3, "Nm", "tare, chaser axes"),
    Cell("scatter", float, "N^2", "sum of squared deviations of the force"),
    Cell("twist", float, "Nm^2", "sum of squared deviations of the torque"),
    Cell("felt", 3, "m/s^2", "mean of the mock-up's acceleration less gravity, chaser axes"),
    Cell("pushed", float, "m^2/s^4", "sum of its squared deviations"),
    Cell("answered", float, "N m/s^2", "sum of its deviations times those of the force"),
    Cell("tool", float, "kg", "mass that the tool's compensation misses, where it exceeds noise"),
    Cell("left", float, "N^2", "what it leaves of the force's scatter"),
    Cell("delays", many(2), "s", "of both robots"),
    Cell("reports", many(2, int), "-", "reports that they rest on"),
    Cell("poses", many(2, POSES), "", "offsets of the reported poses: pose_offset.py"),
)
ENOUGH = 8  # force samples, and reports, before they are believed
LONGEST = 0.5  # s; a delay beyond is none
FORGETTING = 0.05  # least weight of a new report in a delay
SLOWEST = 1e-5  # m/s; a robot that moves less does not show its delay
SURE = 3.0  # standard deviations
SHOWN = 1e-6  # m^2/s^4; a mock-up that was neither turned nor accelerated more shows no mass
USUAL = 1.0  # kg; a tool is known to about that, where noise hides the mass
ARM = 0.01  # m; torques are held to be as noisy as the force at this arm, at least


@compiled
def note_tool(flight, q, wrench: Wrench, felt):
    """What a wrench while nothing touches, which note_flight takes in next, shows of the missing
    mass; `q`: attitude of the chaser's mock-up, `felt`: its acceleration less gravity [m/s^2],
    world axes."""
    later = 1.0 - 1.0 / (flight.count + 1)
    off_f = subtract(rotate_back(q, wrench.force), flight.force)
    off_h = subtract(rotate_back(q, felt), flight.felt)
    flight.pushed += later * dot(off_h, off_h)
    flight.answered += later * dot(off_f, off_h)
    flight.tool, flight.left = _estimate_tool(flight)


@compiled
def note_flight(flight, q, wrench: Wrench, felt):
    """The same wrench into means and scatter."""
    n = flight.count + 1
    flight.count = n
    f, t, h = rotate_back(q, wrench.force), rotate_back(q, wrench.torque), rotate_back(q, felt)
    off_f, off_t = subtract(f, flight.force), subtract(t, flight.torque)
    mean_f = add(flight.force, scale(1.0 / n, off_f))
    mean_t = add(flight.torque, scale(1.0 / n, off_t))
    flight.force, flight.torque = mean_f, mean_t
    flight.felt = add(flight.felt, scale(1.0 / n, subtract(h, flight.felt)))
    flight.scatter += dot(off_f, subtract(f, mean_f))
    flight.twist += dot(off_t, subtract(t, mean_t))
    flight.tool, flight.left = _estimate_tool(flight)


@compiled
def _estimate_tool(flight):
    """The missing mass, and what it leaves of the force's scatter."""
    pushed, answered = flight.pushed, flight.answered
    scatter = max(flight.scatter, 0.0)
    if pushed < SHOWN:
        return 0.0, scatter
    left = max(scatter - answered * answered / pushed, 0.0)
    variance = left / (3.0 * max(flight.count - 1, 1))
    if answered * answered <= SURE * SURE * variance * pushed:
        return 0.0, scatter
    return answered / (pushed + variance / (USUAL * USUAL)), left


@compiled
def estimate_noise(flight):
    """Standard deviations of a component of force [N] and torque [Nm]."""
    per = 1.0 / (3.0 * max(flight.count - 1, 1))
    force = math.sqrt(flight.left * per)
    torque = math.sqrt(max(flight.twist, 0.0) * per)
    return force, max(torque, ARM * force)


@compiled
def remove_tare(flight, q, gravity, wrench: Wrench):
    """A wrench without bias and missing weight; the missing mass's inertia is still in it."""
    force = subtract(wrench.force, rotate(q, flight.force))
    error = flight.tool
    if error != 0.0:
        turned = add(rotate(q, flight.felt), gravity)
        force = add_scaled(force, error, turned)
    return Wrench(force, subtract(wrench.torque, rotate(q, flight.torque)))


@compiled
def compute_tool_force(flight, a):
    """Force [N] of the missing mass's inertia at an acceleration [m/s^2]."""
    return scale(flight.tool, a)


@compiled
def note_delay(flight, which, lead, v, gap):
    """Note the delay of a robot whose lead has been steady; `gap`: its mock-up less its satellite
    at one instant."""
    squared = dot(v, v)
    if squared < SLOWEST * SLOWEST:
        return
    delay = lead - dot(v, gap) / squared
    if not -LONGEST < delay < LONGEST:
        return
    n = flight.reports[which] + 1
    flight.reports[which] = n
    share = max(1.0 / n, FORGETTING)
    flight.delays[which] += share * (delay - flight.delays[which])


@compiled
def choose_delay(flight, which):
    """Delay of a robot [s]; of one that has not moved, the other's."""
    if flight.reports[which] < ENOUGH:
        which = 1 - which
    if flight.reports[which] < ENOUGH:
        return 0.0
    return max(flight.delays[which], 0.0)


@compiled
def choose_lead(flight, which, apart):
    """Lead of a robot [s]; at first a little at least, where delay and offset are to be told
    `apart`."""
    delay = choose_delay(flight, which)
    if not apart or flight.poses[which].looked or flight.reports[which] < ENOUGH:
        return delay
    return max(delay, PROBE) + PROBE * flight.poses[which].attempts
