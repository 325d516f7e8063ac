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

Noise that has passed a low-pass is correlated from reading to reading, by rho, and by rho^2 from
one to the next but one; the forces of a contact pass it too. The force before it is

    f + tau df/dt        tau = T rho / (1 - rho)

and the variance of its noise (1 + rho) / (1 - rho) times as large. It is believed where rho exceeds
its uncertainty and the second correlation agrees; readings up to the first touch count.
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
    Cell("before", 3, "N", "what tare and tool left of the reading before"),
    Cell("before_that", 3, "N", "and of the one before that"),
    Cell("in_a_row", int, "-", "readings without a gap"),
    Cell("stamp", float, "s", "of the newest"),
    Cell("pairs", int, "-", "products summed"),
    Cell("squares", float, "N^2", "of readings by themselves"),
    Cell("largest_square", float, "N^2", "largest of them"),
    Cell("next_products", float, "N^2", "by the one before"),
    Cell("later_products", float, "N^2", "and by the one before that"),
    Cell("lag", float, "s", "of a low-pass that the noise has passed; 0: it shows none"),
    Cell("lag_spread", float, "s", "its standard deviation"),
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
FEWEST = 64  # products of readings before a correlation is believed
CORRELATED, AGREES = 4.0, 3.0  # standard deviations of a correlation
OUTLIER = 0.15  # of the sum of squares: a larger one is no noise, but the edge of a contact
MOST_CORRELATED = 0.95  # a larger one is a drift
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
def note_correlation(flight, t, T, left):
    """What tare and tool leave of a reading [N], of stamp t [s], a cycle T apart from the next."""
    if abs(t - flight.stamp - T) > 0.01 * T:
        flight.in_a_row = 0
    flight.in_a_row, flight.stamp = flight.in_a_row + 1, t
    if flight.in_a_row > 2:
        flight.pairs += 1
        flight.squares += dot(left, left)
        flight.largest_square = max(flight.largest_square, dot(left, left))
        flight.next_products += dot(left, flight.before)
        flight.later_products += dot(left, flight.before_that)
    flight.before, flight.before_that = left, flight.before


@compiled
def estimate_lag(flight, T):
    """The lag of a low-pass [s] as the noise shows it, noted with its standard deviation; and by
    how much noise is larger before it."""
    flight.lag, flight.lag_spread = 0.0, 0.0
    if flight.pairs < FEWEST or flight.largest_square >= OUTLIER * flight.squares:
        return 0.0, 1.0
    rho, later = flight.next_products / flight.squares, flight.later_products / flight.squares
    sigma = 1.0 / math.sqrt(3.0 * flight.pairs)
    spread = sigma * math.sqrt(max(1.0 - rho * rho, 0.0))
    agrees = abs(later - rho * rho) < AGREES * sigma
    if not (CORRELATED * sigma < rho < MOST_CORRELATED and agrees):
        return 0.0, 1.0
    less = 1.0 - rho
    flight.lag, flight.lag_spread = T * rho / less, T * spread / (less * less)
    return flight.lag, math.sqrt((1.0 + rho) / less)


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
