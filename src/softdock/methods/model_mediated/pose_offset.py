"""By how much the reported poses of a mock-up are off, from free flight.

A mock-up that is reported where its set-points have never led it is either late or its report is
off. A delay and an offset along the velocity look alike as long as nothing changes; they do not
while the lead l of the set-points does:

    (p_reported - p_satellite) . v / v^2 = o / v - h + l(t - h)       o offset, h delay

Two parts of the flight, one with most of the ramp of the lead and one after it, give two means of
it, of which h and o follow; whatever filter the robot is, h is its mean delay, since only areas
count. Across the velocity, and of a body at rest, the offset is the mean. It is believed where it
exceeds its uncertainty clearly, and taken off all reports.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

from softdock.compile.cells import Cell, Cells, many
from softdock.compile.jit import compiled, noinline
from softdock.loop.spatial.vectors import Vector, add, add_scaled, dot, norm, scale, subtract

LEADS = 64  # kept, a power of two
BROUGHT_IN = 0.005  # of a ramp: what is left of it when its second part begins
ENOUGH = 24  # reports of a mean across the velocity
FIRST, TWICE = 8, 2.0  # reports of that part before it is looked at; then as many times more
SETTLED = 0.05  # s, shortest second part
LEAST_RAMP = 1e-4  # s
PROBE = 8e-3  # s, least lead until an offset has been looked for
SLOWEST = 1e-5  # m/s
SAME = 1e-3  # of the velocity: a larger change begins another flight
SURE = 4.0  # standard deviations
INEXACT = 1e-3  # of a delay: how well means tell it where noise does not matter
ROUGH = 0.01  # the same of an offset: a smaller ramp tells it better
LEAST = 1e-7  # m; a smaller offset is none
LONGEST = 0.5  # s; a delay beyond is none
BEFORE = 6  # reports before a ramp, which must trail as those after it: the robot has settled
NEWTON = 6


class Led(NamedTuple):
    lead: Annotated[float, "s", "of the set-point of a stamp"]
    rate: Annotated[float, "-", "how fast it changes"]


class PartOfFlight(NamedTuple):
    """The reports of one of two parts of a flight."""

    area: Annotated[float, "s^2", "integral of what the mock-up trails beyond its lead"]
    span: Annotated[float, "s", "its length"]
    reports: Annotated[float, "-", "how many"]
    sum: Annotated[float, "s", "of what it trails"]
    squares: Annotated[float, "s^2", "and of its square"]
    began: Led  # at its first report


POSES = Cells(
    "poses",
    Cell("offset", 3, "m", "of the reports, world axes, as believed"),
    Cell("spread", float, "m", "its standard deviation along the velocity; 0: none was found"),
    Cell("looked", bool, "-", "delay and offset have been told apart, or cannot be"),
    Cell("v", 3, "m/s", "velocity of the flight that is looked at"),
    Cell("stamp", float, "s", "of its newest report"),
    Cell("trail", float, "s", "what the mock-up trailed then"),
    Cell("led", Led, "s, -", "its lead"),
    Cell("before", float, "s", "what the mock-up trailed before the ramp, mean of some reports"),
    Cell("attempts", int, "-", "1: the robot had not settled before the first ramp"),
    Cell("late", bool, "-", "the lead has been brought in"),
    Cell("due", float, "-", "reports of the second part at which it is looked at"),
    Cell("early", PartOfFlight, "", "with the ramp"),
    Cell("after", PartOfFlight, "", "and after it"),
    Cell("count", float, "-", "reports of the mean across the velocity"),
    Cell("across", 3, "m", "that mean"),
    Cell("scatter", float, "m^2", "sum of squared deviations from it"),
    Cell("leads", many(LEADS, Led), "s, -", "a ring, by the stamps of set-points"),
)


@compiled
def note_lead(poses, stamp, lead, rate):
    """The lead of the set-point of a stamp."""
    poses.leads[stamp & (LEADS - 1)] = Led(lead, rate)


@compiled
def _find_lead(poses, cycles, T):
    """The lead at an instant, in cycles: on the cubic that the robot goes along."""
    stamp = int(math.floor(cycles))
    a, b = poses.leads[stamp & (LEADS - 1)], poses.leads[(stamp + 1) & (LEADS - 1)]
    x = cycles - stamp
    gain, y = b.lead - a.lead, x - 1.0
    lead = a.lead + x * x * (3.0 - 2.0 * x) * gain + T * x * y * (y * a.rate + x * b.rate)
    return Led(lead, a.rate + x * (b.rate - a.rate))


@compiled
def _begin_part(led: Led):
    return PartOfFlight(area=0.0, span=0.0, reports=0.0, sum=0.0, squares=0.0, began=led)


@compiled
def _add_report(part: PartOfFlight, trail, before, dt):
    return PartOfFlight(
        area=part.area + 0.5 * dt * (trail + before),
        span=part.span + dt,
        reports=part.reports + 1.0,
        sum=part.sum + trail,
        squares=part.squares + trail * trail,
        began=part.began,
    )


@compiled
def _begin_flight(poses, stamp, v, trail, led: Led):
    poses.v, poses.stamp, poses.trail, poses.led = v, stamp, trail, led
    poses.late, poses.due, poses.early = False, FIRST, _begin_part(led)
    poses.before = trail


@noinline
def _tell_apart(poses):
    """Delay [s] and its variance, and the offset by the speed [s]: of both parts' means

    m = o / v - h - h r + h^2 q / 2        r, q: means of the lead's first and second derivative
    """
    early, late, end = poses.early, poses.after, poses.led
    middle = late.began
    first, second = early.area / early.span, late.area / late.span
    r, r_2 = (middle.lead - early.began.lead) / early.span, (end.lead - middle.lead) / late.span
    q, q_2 = (middle.rate - early.began.rate) / early.span, (end.rate - middle.rate) / late.span
    h = -(first - second) / (r - r_2)
    for _ in range(NEWTON):
        miss = first - second + h * (r - r_2) - 0.5 * h * h * (q - q_2)
        h -= miss / (r - r_2 - h * (q - q_2))
    mean = late.sum / late.reports
    noise = max(late.squares / late.reports - mean * mean, 0.0)
    variance = noise * (1.0 / early.reports + 1.0 / late.reports) / ((r - r_2) * (r - r_2))
    return h, variance, second + h * r_2 - 0.5 * h * h * q_2 + h


@noinline
def _note_along(poses, stamp, v, trail, led: Led, target):
    """A report's share along the velocity; the delay, where one was told apart from an offset, else
    -1. `target`: the lead that is aimed at."""
    dt = stamp - poses.stamp
    if poses.late:
        poses.after = _add_report(poses.after, trail, poses.trail, dt)
    else:
        poses.early = _add_report(poses.early, trail, poses.trail, dt)
        if poses.early.reports < BEFORE:
            poses.before += (trail - poses.before) / (poses.early.reports + 1.0)
    poses.stamp, poses.trail, poses.led = stamp, trail, led
    ramp = led.lead - poses.early.began.lead
    if (
        not poses.late
        and abs(ramp) > LEAST_RAMP
        and abs(target - led.lead) < BROUGHT_IN * abs(ramp)
    ):
        poses.late, poses.after = True, _begin_part(led)
    part = poses.after
    if not poses.late or part.reports < poses.due or part.span < SETTLED:
        return -1.0
    poses.due *= TWICE
    delay, variance, seconds = _tell_apart(poses)
    steady = seconds - delay
    doubt = SURE * math.sqrt((poses.early.reports + 1.0) / BEFORE * variance) * abs(ramp)
    doubt = doubt / poses.early.span + INEXACT * abs(steady) + LEAST / norm(v)
    first = poses.attempts == 0 and not poses.looked
    if first and abs(poses.before - steady) > doubt:  # it had not settled: another ramp
        poses.attempts, poses.stamp = 1, -1.0
        return -1.0
    poses.looked = True
    if not 0.0 <= delay < LONGEST:
        return -1.0
    inexact = INEXACT * delay + ROUGH * abs(seconds)
    speed = norm(v)
    spread = speed * math.sqrt(variance + inexact * inexact)
    better = poses.spread > 0.0 and spread < poses.spread
    if not (better or abs(seconds) * speed > SURE * spread + LEAST):
        return -1.0
    poses.offset = add_scaled(poses.offset, seconds, v)
    poses.spread = spread
    poses.stamp = -1.0
    return delay


@compiled
def _note_across(poses, off: Vector):
    """The share across the velocity, or the whole of a body at rest."""
    n = poses.count + 1.0
    from_mean = subtract(off, poses.across)
    mean = add(poses.across, scale(1.0 / n, from_mean))
    poses.scatter += dot(from_mean, subtract(off, mean))
    poses.count, poses.across = n, mean
    if n < ENOUGH:
        return
    size, spread = norm(mean), math.sqrt(poses.scatter) / n
    if size > SURE * spread + LEAST:
        poses.offset = add(poses.offset, mean)
        poses.count, poses.across, poses.scatter = 0.0, (0.0, 0.0, 0.0), 0.0


@noinline
def note_pose(poses, stamp, T, v, gap: Vector, target):
    """A report in free flight: `gap` [m], the mock-up less its satellite at the stamp [s], which
    moves at v [m/s]; the delay where one was told apart from an offset, else -1."""
    if stamp <= poses.stamp:
        return -1.0
    gap, squared = subtract(gap, poses.offset), dot(v, v)
    if squared < SLOWEST * SLOWEST:
        _note_across(poses, gap)
        poses.looked, poses.stamp = True, stamp
        return -1.0
    seconds = dot(v, gap) / squared
    _note_across(poses, add_scaled(gap, -seconds, v))
    led = _find_lead(poses, stamp / T, T)
    trail, changed = seconds - led.lead, subtract(v, poses.v)
    again = poses.stamp < 0.0 or stamp - poses.stamp > 4.0 * T
    if again or dot(changed, changed) > SAME * SAME * squared:
        _begin_flight(poses, stamp, v, trail, led)
        return -1.0
    return _note_along(poses, stamp, v, trail, led, target)
