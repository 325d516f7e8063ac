"""What free flight tells: tare and noise of the sensor, and how late each robot is.

The mock-ups are known to be apart from their shapes and reported poses. The mean wrench is then the
tare, constant in the chaser's axes, its scatter the noise. A robot's delay is how far its mock-up
trails behind its satellite at the pose's own stamp, over its velocity, and the lead that it is sent
with.
"""

from __future__ import annotations

import math

from softdock.core.machine.cells import Cell, Cells
from softdock.core.machine.compiled import compiled
from softdock.core.spatial.motion import Wrench
from softdock.core.spatial.rotations import rotate, rotate_back
from softdock.core.spatial.vectors import add, dot, load3, scale, store3, subtract

FLIGHT_CELLS = Cells(
    "flight",
    Cell("count", 1, "-", "force samples in free flight"),
    Cell("force", 3, "N", "tare, chaser axes"),
    Cell("torque", 3, "Nm", "tare, chaser axes"),
    Cell("scatter", 1, "N^2", "sum of squared deviations of the force"),
    Cell("twist", 1, "Nm^2", "sum of squared deviations of the torque"),
    Cell("pushed", 1, "m^2/s^4", "sum of squared accelerations of the chaser's mock-up"),
    Cell("answered", 1, "N m/s^2", "sum of acceleration times force"),
    Cell("delays", 2, "s", "of both robots"),
    Cell("reports", 2, "-", "reports that they rest on"),
)
FLIGHT = FLIGHT_CELLS.at
ENOUGH = 8.0  # force samples, and reports, before they are believed
LONGEST = 0.5  # s; a delay beyond is none
FORGETTING = 0.05  # least weight of a new report in a delay
SLOWEST = 1e-5  # m/s; a robot that moves less does not show its delay
SURE = 3.0  # standard deviations
ARM = 0.01  # m; torques are held to be as noisy as the force at this arm, at least


@compiled
def note_flight(mem, at, q, wrench):
    """A wrench while nothing touches; `q`: attitude of the chaser's mock-up."""
    n = mem[at + FLIGHT.count] + 1.0
    mem[at + FLIGHT.count] = n
    f, t = rotate_back(q, wrench.force), rotate_back(q, wrench.torque)
    mean_f, mean_t = load3(mem, at + FLIGHT.force), load3(mem, at + FLIGHT.torque)
    off_f, off_t = subtract(f, mean_f), subtract(t, mean_t)
    mean_f, mean_t = add(mean_f, scale(1.0 / n, off_f)), add(mean_t, scale(1.0 / n, off_t))
    store3(mem, at + FLIGHT.force, mean_f)
    store3(mem, at + FLIGHT.torque, mean_t)
    mem[at + FLIGHT.scatter] += dot(off_f, subtract(f, mean_f))
    mem[at + FLIGHT.twist] += dot(off_t, subtract(t, mean_t))


@compiled
def note_tool(mem, at, a, force):
    """A tared force [N] at an acceleration [m/s^2] while nothing touches."""
    mem[at + FLIGHT.pushed] += dot(a, a)
    mem[at + FLIGHT.answered] += dot(a, force)


@compiled
def tool_error(mem, at):
    """Mass that the compensation of the tool's inertia misses [kg], where it shows beyond noise."""
    if mem[at + FLIGHT.pushed] <= 0.0:
        return 0.0
    error = mem[at + FLIGHT.answered] / mem[at + FLIGHT.pushed]
    spread = noise_of(mem, at)[0] / math.sqrt(mem[at + FLIGHT.pushed])
    return error if abs(error) > SURE * spread else 0.0


@compiled
def noise_of(mem, at):
    """Standard deviations of a component of force [N] and torque [Nm]."""
    per = 1.0 / (3.0 * max(mem[at + FLIGHT.count] - 1.0, 1.0))
    force = math.sqrt(max(mem[at + FLIGHT.scatter], 0.0) * per)
    torque = math.sqrt(max(mem[at + FLIGHT.twist], 0.0) * per)
    return force, max(torque, ARM * force)


@compiled
def tared(mem, at, q, wrench):
    """A wrench of the contact alone."""
    return Wrench(
        subtract(wrench.force, rotate(q, load3(mem, at + FLIGHT.force))),
        subtract(wrench.torque, rotate(q, load3(mem, at + FLIGHT.torque))),
    )


@compiled
def note_delay(mem, at, which, lead, satellite, v, mock_up):
    """Of a robot whose lead has been steady: its satellite and its mock-up at one instant."""
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
    """Of a robot [s]; of one that has not moved, the other's."""
    if mem[at + FLIGHT.reports + which] < ENOUGH:
        which = 1 - which
    if mem[at + FLIGHT.reports + which] < ENOUGH:
        return 0.0
    return max(mem[at + FLIGHT.delays + which], 0.0)
