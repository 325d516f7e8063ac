"""Tilt of a surface, and friction on it, from force and motion where it alone touches:

    F + tau F' = N (n - mu s)        N = F . n        s = u / sqrt(u^2 + v_0^2)

n is the surface's true normal, the declared one turned by a rotation that all samples share; u the
sliding over the plane that n stands on, all in target axes; tau the lag of a low-pass. Unknown are
two numbers of the rotation, mu and ln v_0; Levenberg and Marquardt's steps from mu = 0 and 0.2 find
them. Taking the sliding against the estimated plane tells tilt from friction: a straight approach
to a tilted plane slides one way going in and the other way coming out, so friction changes its sign
and the normal does not. A tilt along a sliding that never turns cannot be told from mu: its spread
says so. Then none is believed, unless the force pulls along the sliding, which friction never does:
of such a tilt the least is believed, without friction, and doubted.

A tilt is believed where friction alone leaves a force that matters, and the tilt explains it. Then
the shape is turned about the centre of the tip at the first touch, for mock-ups and satellites, and
the satellites' past is recomputed: so turned its normals are turned, and the depth is as before. A
sphere that is mounted aside looks like one that is so turned. A cone is left as it is: where its
other side is no touch of one side tells.
"""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

from softdock.compile.cells import Cell, Cells, many
from softdock.compile.jit import compiled, noinline
from softdock.loop.contact.models import SPHERE, WALL
from softdock.loop.contact.pair import MOST_SHAPES, packed
from softdock.loop.spatial.cholesky import factorise, solve_factored
from softdock.loop.spatial.rotations import exponential, rotate, rotate_back
from softdock.loop.spatial.vectors import Vector, add, add_scaled, cross, dot, norm, scale, subtract
from softdock.methods.model_mediated.friction import EXACT, SURE, USUAL, WIDE
from softdock.methods.model_mediated.law import EXPLAINED

SAMPLES, SIZE = 48, 4  # kept; numbers: two of the tilt, mu, ln v_0
LIKELY_TILT, LIKELY_MU = 0.03, 0.5  # rad, -: standard deviations before anything is measured
STARTS = (0.0, 0.2)  # of mu
STEPS = 30  # of Levenberg and Marquardt at most
NO_GAIN = 1e-9  # of chi^2: a step that gains less is the last
MATTERS = 2e-3  # of the largest force: what friction must leave before a tilt is sought
CLEARLY = 0.05  # of what friction leaves: all that a tilt may leave
CERTAIN = 5e-3  # rad, standard deviation of a tilt that is believed
FEWEST = 4  # samples
# of the numbers
LEAST, MOST = (-0.5, -0.5, 0.0, math.log(1e-6)), (0.5, 0.5, 3.0, math.log(10.0))
NO_TURN, WORTH_TURNING = 1e-7, 2e-4  # rad: a smaller turn is none; waits until the contact is over
KNOWN = 1e30  # weight of a number that is held
H = 1e-6  # of a number, for derivatives by differences
_PACKED = getattr(packed, "py_func", packed)
GEOMETRY = _PACKED(MOST_SHAPES - 1, 0, 0, 0, 0)  # bits of a kind that say the shape
TURNED = tuple(_PACKED(i, 0, 0, 0, 0) for i in (WALL, SPHERE))  # of one normal, or one centre


class SurfaceSample(NamedTuple):
    normal: Annotated[Vector, "-", "as declared, target axes"]
    force: Annotated[Vector, "N", "on the chaser, target axes"]
    slope: Annotated[Vector, "N/s", "of the force"]
    velocity: Annotated[Vector, "m/s", "of the chaser's touching point over the target's"]
    variance: Annotated[float, "N^2", "of a component of the force across the normal"]
    bend: Annotated[float, "N^2/s^2", "how sure the slope is: a quarter of its change, squared"]


SURFACE = Cells(
    "surface",
    Cell("axis", 3, "-", "of the shape, declared, target axes"),
    Cell("origin", 3, "m", "of the shape, declared, target axes"),
    Cell("normal", 3, "-", "where it was touched first, declared, target axes"),
    Cell("place", 3, "m", "centre of the tip then, target axes"),
    Cell("count", int, "-", "samples kept"),
    Cell("seen", int, "-", "samples in all"),
    Cell("placed", int, "-", "samples of the law by which its place was last looked for"),
    Cell("stride", int, "-", "every so many samples one is kept"),
    Cell("fitted", int, "-", "samples that the last fit has seen"),
    Cell("due", float, "-", "samples at which it is fitted again"),
    Cell("largest", float, "N", "largest force"),
    Cell("last_slope", 3, "N/s", "of the sample before"),
    Cell("settled", bool, "-", "a law explains the samples where it is placed by now"),
    Cell("tilted", bool, "-", "a tilt is believed"),
    Cell("found", 3, "rad", "rotation that was found, target axes"),
    Cell("turn", 3, "rad", "the one that the shape has"),
    Cell("lag", float, "s", "of a low-pass that the normal force has shown"),
    Cell("spread", float, "rad", "standard deviation of the tilt"),
    Cell("friction", float, "-", "mu, where a tilt is believed"),
    Cell("slip", float, "m/s", "v_0"),
    Cell("across", float, "-", "force across the declared normal that friction leaves, RMS"),
    Cell("left", float, "-", "force that tilt and friction leave, RMS, of the largest"),
    Cell("left_of_noise", float, "-", "its chi^2 per component"),
    Cell("numbers", many(SIZE), "", "of the fit under way"),
    Cell("trial", many(SIZE), "", "the same, one step on"),
    Cell("step", many(SIZE), "", "and the step"),
    Cell("matrix", many(SIZE * SIZE), "", "its normal equations"),
    Cell("rows", many(SAMPLES, SurfaceSample), "", "the samples"),
)


class Fit(NamedTuple):
    chi: float  # chi^2 of the samples
    cost: float  # with the priors
    a: float  # tilt, by the first direction of the plane
    b: float
    friction: float
    slip: float
    spread: float  # rad
    least_spread: float  # rad, of friction as it was found


@compiled
def _make_directions(n):
    """Two directions of a plane, from its normal."""
    other = (1.0, 0.0, 0.0) if abs(n[0]) < 0.6 else (0.0, 1.0, 0.0)
    first = cross(n, other)
    first = scale(1.0 / norm(first), first)
    return first, cross(n, first)


@compiled
def _make_turn(n, a, b):
    """Rotation by a [rad] and b about two directions across n, as a quaternion."""
    first, second = _make_directions(n)
    return exponential(add_scaled(scale(a, first), b, second))


@compiled
def _compute_residual(sample: SurfaceSample, lag, turn, mu, slip):
    """Force across a normal that friction does not explain."""
    n, v = rotate(turn, sample.normal), sample.velocity
    force = add_scaled(sample.force, lag, sample.slope)
    push = dot(n, force)
    u = add_scaled(v, -dot(n, v), n)
    share = 1.0 / math.sqrt(dot(u, u) + slip * slip)
    return add_scaled(add_scaled(force, -push, n), mu * push * share, u)


@compiled
def _compute_weight(surface, sample: SurfaceSample):
    small, lag = EXACT * surface.largest, surface.lag
    return 1.0 / (sample.variance + lag * lag * sample.bend + small * small)


@noinline
def _compute_cost(surface, a, b, mu, log):
    """chi^2 of the samples, and with what was likely beforehand."""
    turn, slip, chi = _make_turn(surface.normal, a, b), math.exp(log), 0.0
    for i in range(surface.count):
        sample = surface.rows[i]
        r = _compute_residual(sample, surface.lag, turn, mu, slip)
        chi += _compute_weight(surface, sample) * dot(r, r)
    off = (log - math.log(USUAL)) / WIDE
    tilt = (a * a + b * b) / (LIKELY_TILT * LIKELY_TILT)
    return chi, chi + tilt + mu * mu / (LIKELY_MU * LIKELY_MU) + off * off


@noinline
def _sum_equations(surface, with_tilt):
    """Normal equations and gradient about the numbers; priors are rows of their own."""
    p, matrix, step = surface.numbers, surface.matrix, surface.step
    for i in range(SIZE):
        step[i] = 0.0
        for j in range(SIZE):
            matrix[SIZE * i + j] = 0.0
    a, b, mu, log = p[0], p[1], p[2], p[3]
    turn, slip, lag = _make_turn(surface.normal, a, b), math.exp(log), surface.lag
    turn_a = _make_turn(surface.normal, a + H, b)
    turn_b = _make_turn(surface.normal, a, b + H)
    slip_l = math.exp(log + H)
    free = 1.0 / H if with_tilt else 0.0
    for k in range(surface.count):
        sample = surface.rows[k]
        w = _compute_weight(surface, sample)
        r = _compute_residual(sample, lag, turn, mu, slip)
        columns = (
            scale(free, subtract(_compute_residual(sample, lag, turn_a, mu, slip), r)),
            scale(free, subtract(_compute_residual(sample, lag, turn_b, mu, slip), r)),
            scale(1.0 / H, subtract(_compute_residual(sample, lag, turn, mu + H, slip), r)),
            scale(1.0 / H, subtract(_compute_residual(sample, lag, turn, mu, slip_l), r)),
        )
        for i in range(SIZE):
            step[i] -= w * dot(columns[i], r)
            for j in range(i + 1):
                matrix[SIZE * i + j] += w * dot(columns[i], columns[j])
    for i in range(SIZE):
        prior = LIKELY_TILT if i < 2 else (LIKELY_MU if i == 2 else WIDE)
        middle = math.log(USUAL) if i == 3 else 0.0
        matrix[SIZE * i + i] += 1.0 / (prior * prior)
        step[i] -= (p[i] - middle) / (prior * prior)


@noinline
def _fit(mem, base, mu, with_tilt):
    """The numbers that explain the samples best, from a start of mu."""
    surface = SURFACE(mem, base)
    matrix_at, step_at = base + SURFACE.at.matrix, base + SURFACE.at.step
    p, trial = surface.numbers, surface.trial
    p[0], p[1], p[2], p[3] = 0.0, 0.0, mu, math.log(USUAL)
    chi, cost = _compute_cost(surface, p[0], p[1], p[2], p[3])
    brake = 1e-3
    for _ in range(STEPS):
        _sum_equations(surface, with_tilt)
        for i in range(SIZE):
            surface.matrix[SIZE * i + i] *= 1.0 + brake
        factorise(mem, matrix_at, SIZE)
        solve_factored(mem, matrix_at, SIZE, mem, step_at)
        for i in range(SIZE):
            trial[i] = min(max(p[i] + surface.step[i], LEAST[i]), MOST[i])
        new_chi, new = _compute_cost(surface, trial[0], trial[1], trial[2], trial[3])
        if new < cost:
            done = cost - new <= NO_GAIN * cost
            for i in range(SIZE):
                p[i] = trial[i]
            chi, cost, brake = new_chi, new, 0.1 * brake
            if done:
                break
        else:
            brake *= 10.0
            if brake > 1e8:
                break
    return Fit(
        chi=chi,
        cost=cost,
        a=p[0],
        b=p[1],
        friction=p[2],
        slip=math.exp(p[3]),
        spread=_compute_spread(mem, base, True) if with_tilt else 0.0,
        least_spread=_compute_spread(mem, base, False) if with_tilt else 0.0,
    )


@noinline
def _compute_spread(mem, base, with_friction):
    """Standard deviation of the tilt about the numbers found: the root of both variances;
    `with_friction`: mu may be another."""
    surface = SURFACE(mem, base)
    matrix_at, step_at = base + SURFACE.at.matrix, base + SURFACE.at.step
    _sum_equations(surface, True)
    if not with_friction:
        surface.matrix[SIZE * 2 + 2] += KNOWN
    factorise(mem, matrix_at, SIZE)
    total = 0.0
    for i in range(2):
        for j in range(SIZE):
            surface.step[j] = 1.0 if j == i else 0.0
        solve_factored(mem, matrix_at, SIZE, mem, step_at)
        total += surface.step[i]
    return math.sqrt(total)


@compiled
def _fit_best(mem, base, with_tilt):
    first = _fit(mem, base, STARTS[0], with_tilt)
    second = _fit(mem, base, STARTS[1], with_tilt)
    return second if second.cost < first.cost else first


@noinline
def fit_surface(mem, base, mu, slip):
    """The tilt from the samples; whether one is believed, in `tilted` and `found`. `mu`, `slip`:
    friction as friction.py has found it without a tilt; 0: none."""
    surface = SURFACE(mem, base)
    components = 2.0 * surface.count
    weights = 0.0
    for i in range(surface.count):
        weights += _compute_weight(surface, surface.rows[i])
    unit = weights * surface.largest * surface.largest
    log = math.log(slip) if mu > 0.0 else math.log(USUAL)
    chi = _compute_cost(surface, 0.0, 0.0, mu, log)[0]
    surface.tilted = False
    if chi < MATTERS * MATTERS * unit or surface.count < FEWEST:
        surface.across = math.sqrt(chi / unit)
        surface.left, surface.left_of_noise = surface.across, chi / components
        return
    flat = _fit_best(mem, base, False)
    surface.across = math.sqrt(flat.chi / unit)
    surface.left, surface.left_of_noise = surface.across, flat.chi / components
    if surface.across < MATTERS:
        return
    best = _fit_best(mem, base, True)
    noise = max(best.chi / components, 1.0)
    clear = best.chi <= EXPLAINED * components or best.chi <= CLEARLY * flat.chi
    tilt = math.sqrt(best.a**2 + best.b**2)
    # of a force along the sliding no friction is part
    known = best.least_spread if best.friction == 0.0 else best.spread
    known *= math.sqrt(noise)
    sure = flat.chi - best.chi > SURE * noise and known < CERTAIN and tilt > 3.0 * known
    if not (clear and sure):
        return
    surface.tilted, surface.spread = True, math.sqrt(noise) * best.spread
    first, second = _make_directions(surface.normal)
    surface.found = add_scaled(scale(best.a, first), best.b, second)
    surface.friction, surface.slip = best.friction, best.slip
    surface.left, surface.left_of_noise = math.sqrt(best.chi / unit), best.chi / components


@compiled
def keep_surface_sample(surface, sample: SurfaceSample, place: Vector):
    """A sample more; when there is no room, every second one is given up, and from then on only
    every second is kept. `place`: of the tip's centre, target axes; normals are those of the shape
    as it is turned by now."""
    surface.largest = max(surface.largest, norm(sample.force))
    seen, normal = surface.seen, sample.normal
    if dot(surface.turn, surface.turn) > 0.0:
        normal = rotate_back(exponential(surface.turn), normal)
    change = subtract(sample.slope, surface.last_slope)
    surface.last_slope = sample.slope
    if seen == 0:
        surface.place, surface.normal = place, normal
    surface.seen = seen + 1
    stride = max(surface.stride, 1)
    if seen % stride != 0:
        return
    count = surface.count
    if count == SAMPLES:
        count = SAMPLES // 2
        for i in range(1, count):
            surface.rows[i] = surface.rows[2 * i]
        surface.stride = 2 * stride
    surface.rows[count] = SurfaceSample(
        normal=normal,
        force=sample.force,
        slope=sample.slope,
        velocity=sample.velocity,
        variance=sample.variance,
        bend=0.25 * dot(change, change),
    )
    surface.count = count + 1


@compiled
def may_turn(pair):
    """Whether a pair's shape can be turned."""
    for shape in TURNED:  # noqa: SIM110 - compiled
        if (pair.kind & GEOMETRY) == shape:
            return True
    return False


@compiled
def place_shape(surface, pair):
    """The pair's shape as it is turned and moved against the declared one."""
    turn = exponential(surface.turn)
    pair.shape.axis = rotate(turn, surface.axis)
    pair.origin = add(surface.place, rotate(turn, subtract(surface.origin, surface.place)))


@compiled
def move_declared(surface, by, n):
    """The declared shape by so much [m] along n, of the shape as it is turned."""
    surface.origin = add_scaled(surface.origin, by, rotate_back(exponential(surface.turn), n))


@compiled
def turn_shape(surface, pair, least):
    """The pair's shape as the tilt that is believed turns it; whether that differs from before by
    more than `least` [rad]."""
    found = surface.found if surface.tilted else (0.0, 0.0, 0.0)
    if norm(subtract(found, surface.turn)) <= least:
        return False
    surface.turn = found
    place_shape(surface, pair)
    return True
