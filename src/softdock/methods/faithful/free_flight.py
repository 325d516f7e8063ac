"""What free flight tells: tare and noise of the sensor, and how late each robot is.

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

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled
from softdock.loop.spatial.motion import Wrench
from softdock.loop.spatial.rotations import rotate, rotate_back
from softdock.loop.spatial.vectors import add, add_scaled, dot, load3, scale, store3, subtract

FLIGHT_CELLS = Cells(
    "flight",
    Cell("count", 1, "-", "force samples in free flight"),
    Cell("force", 3, "N", "tare, chaser axes"),
    Cell("torque", 3, "Nm", "tare, chaser axes"),
    Cell("scatter", 1, "N^2", "sum of squared deviations of the force"),
    Cell("twist", 1, "Nm^2", "sum of squared deviations of the torque"),
    Cell("felt", 3, "m/s^2", "mean of the mock-up's acceleration less gravity, chaser axes"),
    Cell("pushed", 1, "m^2/s^4", "sum of its squared deviations"),
    Cell("answered", 1, "N m/s^2", "sum of its deviations times those of the force"),
    Cell("tool", 1, "kg", "mass that the tool's compensation misses, where it shows beyond noise"),
    Cell("left", 1, "N^2", "what it leaves of the force's scatter"),
    Cell("delays", 2, "s", "of both robots"),
    Cell("reports", 2, "-", "reports that they rest on"),
)
FLIGHT = FLIGHT_CELLS.at
ENOUGH = 8.0  # force samples, and reports, before they are believed
LONGEST = 0.5  # s; a delay beyond is none
FORGETTING = 0.05  # least weight of a new report in a delay
SLOWEST = 1e-5  # m/s; a robot that moves less does not show its delay
SURE = 3.0  # standard deviations
SHOWN = 1e-6  # m^2/s^4; a mock-up that was neither turned nor accelerated more shows no mass
USUAL = 1.0  # kg; a tool is known to about that, where noise hides the mass
ARM = 0.01  # m; torques are held to be as noisy as the force at this arm, at least


@compiled
def note_tool(mem, at, q, wrench, felt):
    """What a wrench while nothing touches, which note_flight takes in next, tells of the missing
    mass; `q`: attitude of the chaser's mock-up, `felt`: its acceleration less gravity [m/s^2],
    world axes."""
    later = 1.0 - 1.0 / (mem[at + FLIGHT.count] + 1.0)
    off_f = subtract(rotate_back(q, wrench.force), load3(mem, at + FLIGHT.force))
    off_h = subtract(rotate_back(q, felt), load3(mem, at + FLIGHT.felt))
    mem[at + FLIGHT.pushed] += later * dot(off_h, off_h)
    mem[at + FLIGHT.answered] += later * dot(off_f, off_h)
    mem[at + FLIGHT.tool], mem[at + FLIGHT.left] = _tool(mem, at)


@compiled
def note_flight(mem, at, q, wrench, felt):
    """The same wrench into means and scatter."""
    n = mem[at + FLIGHT.count] + 1.0
    mem[at + FLIGHT.count] = n
    f, t, h = rotate_back(q, wrench.force), rotate_back(q, wrench.torque), rotate_back(q, felt)
    mean_f, mean_t = load3(mem, at + FLIGHT.force), load3(mem, at + FLIGHT.torque)
    off_f, off_t = subtract(f, mean_f), subtract(t, mean_t)
    mean_f, mean_t = add(mean_f, scale(1.0 / n, off_f)), add(mean_t, scale(1.0 / n, off_t))
    store3(mem, at + FLIGHT.force, mean_f)
    store3(mem, at + FLIGHT.torque, mean_t)
    mean_h = load3(mem, at + FLIGHT.felt)
    store3(mem, at + FLIGHT.felt, add(mean_h, scale(1.0 / n, subtract(h, mean_h))))
    mem[at + FLIGHT.scatter] += dot(off_f, subtract(f, mean_f))
    mem[at + FLIGHT.twist] += dot(off_t, subtract(t, mean_t))
    mem[at + FLIGHT.tool], mem[at + FLIGHT.left] = _tool(mem, at)


@compiled
def _tool(mem, at):
    """The missing mass, and what it leaves of the force's scatter."""
    pushed, answered = mem[at + FLIGHT.pushed], mem[at + FLIGHT.answered]
    scatter = max(mem[at + FLIGHT.scatter], 0.0)
    if pushed < SHOWN:
        return 0.0, scatter
    left = max(scatter - answered * answered / pushed, 0.0)
    variance = left / (3.0 * max(mem[at + FLIGHT.count] - 1.0, 1.0))
    if answered * answered <= SURE * SURE * variance * pushed:
        return 0.0, scatter
    return answered / (pushed + variance / (USUAL * USUAL)), left


@compiled
def noise_of(mem, at):
    """Standard deviations of a component of force [N] and torque [Nm]."""
    per = 1.0 / (3.0 * max(mem[at + FLIGHT.count] - 1.0, 1.0))
    force = math.sqrt(mem[at + FLIGHT.left] * per)
    torque = math.sqrt(max(mem[at + FLIGHT.twist], 0.0) * per)
    return force, max(torque, ARM * force)


@compiled
def tared(mem, at, q, gravity, wrench):
    """A wrench without bias and missing weight; the missing mass's inertia is still in it."""
    force = subtract(wrench.force, rotate(q, load3(mem, at + FLIGHT.force)))
    error = mem[at + FLIGHT.tool]
    if error != 0.0:
        turned = add(rotate(q, load3(mem, at + FLIGHT.felt)), gravity)
        force = add_scaled(force, error, turned)
    return Wrench(force, subtract(wrench.torque, rotate(q, load3(mem, at + FLIGHT.torque))))


@compiled
def tool_push(mem, at, a):
    """Force [N] of the missing mass's inertia at an acceleration [m/s^2]."""
    return scale(mem[at + FLIGHT.tool], a)


@compiled
def note_delay(mem, at, which, lead, satellite, v, mock_up):
    """Note the delay of a robot whose lead has been steady: its satellite and its mock-up at one
    instant."""
    squared = dot(v, v)
    if squared < SLOWEST * SLOWEST:
        return
    delay = lead - dot(v, subtract(mock_up, satellite)) / squared
    if not -LONGEST < delay < LONGEST:
        return
    n = mem[at + FLIGHT.reports + which] + 1.0
    mem[at + FLIGHT.reports + which] = n
    share = max(1.0 / n, FORGETTING)
    mem[at + FLIGHT.delays + which] += share * (delay - mem[at + FLIGHT.delays + which])


@compiled
def delay_of(mem, at, which):
    """Delay of a robot [s]; of one that has not moved, the other's."""
    if mem[at + FLIGHT.reports + which] < ENOUGH:
        which = 1 - which
    if mem[at + FLIGHT.reports + which] < ENOUGH:
        return 0.0
    return max(mem[at + FLIGHT.delays + which], 0.0)
