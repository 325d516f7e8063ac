"""Vectors, symmetric matrices, rotations, wrench work: against numpy and against their own
definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scenarios import CHASER_INERTIA
from turned import hamilton, matrix, quaternion

from softdock.compile.jit import entry_point
from softdock.loop.spatial import motion, rotations, vectors
from softdock.loop.spatial.motion import Wrench

product, inverse, normalise = (
    entry_point(rotations.product),
    entry_point(rotations.inverse),
    entry_point(rotations.normalise),
)
rotate, rotate_back = entry_point(rotations.rotate), entry_point(rotations.rotate_back)
exponential, logarithm = entry_point(rotations.exponential), entry_point(rotations.logarithm)
right_jacobian, right_jacobian_inverse = (
    entry_point(rotations.right_jacobian),
    entry_point(rotations.right_jacobian_inverse),
)
rotation_from_to, turn_and_rate = (
    entry_point(rotations.rotation_from_to),
    entry_point(rotations.turn_and_rate),
)
displacement, work = entry_point(motion.displacement), entry_point(motion.work)
V = {name: entry_point(part) for name, part in vars(vectors).items() if hasattr(part, "py_func")}

ROUNDING = 1e-14  # a few roundings of numbers of order one
THRESHOLD = math.sqrt(rotations.SMALL_SQUARED)  # rad, where the series end

components = st.integers(-1000, 1000).map(lambda n: n / 500)
three = st.tuples(components, components, components)
# angles on both sides of every branch: zero, tiny, about the threshold of the series, large, about
# pi
angles = st.sampled_from(
    (0.0, 1e-12, 1e-5, 0.99 * THRESHOLD, 1.01 * THRESHOLD, 0.1, 1.0, 3.0, math.pi - 1e-3)
)


@st.composite
def rotation_vectors(draw):
    direction = np.array(draw(three.filter(any)))
    return tuple(float(x) for x in draw(angles) * direction / np.linalg.norm(direction))


unit_quaternions = rotation_vectors().map(lambda phi: tuple(float(x) for x in quaternion(phi)))


def close(a, b, to=ROUNDING):
    return np.abs(np.subtract(a, b)).max() <= to


@given(unit_quaternions, unit_quaternions, unit_quaternions)
def test_rotations_are_a_group(a, b, c):
    """Closed, associative, with identity and inverses: what every integrator builds on."""
    assert close(product(product(a, b), c), product(a, product(b, c)))
    assert close(product(a, rotations.IDENTITY), a)
    assert close(product(rotations.IDENTITY, a), a)
    assert close(product(a, inverse(a)), rotations.IDENTITY)
    assert close(np.linalg.norm(product(a, b)), 1.0)
    assert close(product(a, b), hamilton(a, b))


@given(unit_quaternions, unit_quaternions, three)
def test_rotations_act_on_vectors(a, b, v):
    """As the matrix of the textbook; a product acts as one after the other; rotate_back undoes
    rotate; q and -q are the same."""
    assert close(rotate(a, v), matrix(a) @ v, 1e-13)
    assert close(rotate(product(a, b), v), rotate(a, rotate(b, v)), 1e-13)
    assert close(rotate_back(a, rotate(a, v)), v, 1e-13)
    assert close(rotate(tuple(-x for x in a), v), rotate(a, v))


@given(rotation_vectors())
def test_logarithm_undoes_exponential(phi):
    """To rounding for every angle up to pi, on both sides of the series' threshold, and whichever
    sign the quaternion has."""
    q = exponential(phi)
    assert close(q, quaternion(phi), 1e-15)
    assert close(logarithm(q), phi, 1e-13)
    assert close(logarithm(tuple(-x for x in q)), phi, 1e-13)


@given(unit_quaternions, unit_quaternions)
def test_the_rotation_from_one_attitude_to_another_is_in_world_axes(a, b):
    """exp(rotation) a = b: the displacement on which a world-axes torque does its work."""
    assert close(matrix(product(exponential(rotation_from_to(a, b)), a)), matrix(b), 1e-13)


@given(rotation_vectors(), three)
def test_the_jacobian_is_the_derivative_of_the_exponential(phi, rate):
    """w = J_r(phi) phi' is the body rate of exp(phi(t)), by central differences. 1e-9: their
    rounding at a step of 1e-6, plus curvature."""
    h = 1e-6
    ahead, behind = (exponential(tuple(np.add(phi, s * h * np.array(rate)))) for s in (1.0, -1.0))
    turned = logarithm(product(inverse(behind), ahead))
    assert close(
        right_jacobian(phi, rate), np.array(turned) / (2 * h), 1e-9 * (1.0 + np.abs(rate).max())
    )


@given(rotation_vectors(), three)
def test_the_inverse_jacobian_undoes_the_jacobian(phi, w):
    """Both ways, near zero and far, across the series' threshold."""
    assert close(right_jacobian(phi, right_jacobian_inverse(phi, w)), w, 1e-12)
    assert close(right_jacobian_inverse(phi, right_jacobian(phi, w)), w, 1e-12)


@given(rotation_vectors(), three)
def test_turn_and_rate_of_a_quaternion_are_its_logarithm_and_the_inverse_jacobian_there(phi, w):
    """Found without a sine; whichever sign the quaternion has."""
    for q in (exponential(phi), tuple(-x for x in exponential(phi))):
        turn, rate = turn_and_rate(q, w)
        assert close(turn, phi, 1e-13)
        assert close(rate, right_jacobian_inverse(phi, w), 1e-12)


@pytest.mark.parametrize("function", ["exponential", "right_jacobian", "right_jacobian_inverse"])
def test_series_and_closed_form_meet(function):
    """No step where the series end: a hair below and above the threshold the results agree to
    rounding."""
    direction, w = np.array([0.48, -0.6, 0.64]), (0.3, 1.0, -0.7)
    values = []
    for angle in (THRESHOLD * (1 - 1e-9), THRESHOLD * (1 + 1e-9)):
        phi = tuple(float(x) for x in angle * direction)
        values.append(
            exponential(phi) if function == "exponential" else globals()[function](phi, w)
        )
    assert close(values[0], values[1], 1e-11 * 2.0)  # the argument itself moves by 2e-11


def test_normalise_keeps_the_direction():
    """A quaternion of any length becomes a unit one of the same rotation."""
    q = normalise((0.9, 0.1, -0.3, 0.2))
    assert close(np.linalg.norm(q), 1.0, 1e-15)
    assert close(q, np.array([0.9, 0.1, -0.3, 0.2]) / np.linalg.norm([0.9, 0.1, -0.3, 0.2]), 1e-15)


@given(three, three, components)
def test_vectors_as_numpy(a, b, s):
    """Every vector function is what numpy computes, operand order and sign included."""
    A, B = np.array(a), np.array(b)
    pairs = (
        (V["add"](a, b), A + B),
        (V["subtract"](a, b), A - B),
        (V["negate"](a), -A),
        (V["scale"](s, a), s * A),
        (V["add_scaled"](a, s, b), A + s * B),
        (V["multiply"](a, b), A * B),
        (V["cross"](a, b), np.cross(A, B)),
        (V["dot"](a, b), A @ B),
        (V["norm"](a), np.linalg.norm(A)),
    )
    for i, (ours, theirs) in enumerate(pairs):
        assert close(ours, theirs, 1e-14), i


@given(st.lists(components, min_size=9, max_size=9), three)
def test_symmetric_matrices_as_numpy(numbers, a):
    """Product and inverse of a positive matrix with all products of inertia. 1e-11: the condition
    of the random matrices."""
    root = np.array(numbers).reshape(3, 3)
    m = root @ root.T + 0.5 * np.eye(3)
    packed = tuple(float(x) for x in (m[0, 0], m[1, 1], m[2, 2], m[0, 1], m[0, 2], m[1, 2]))
    times, inverted = V["symmetric_times"], V["symmetric_inverse"]
    assert close(times(packed, a), m @ a, 1e-12)
    assert close(times(inverted(packed), times(packed, a)), a, 1e-11)


def test_symmetric_inverse_of_a_satellite():
    """The inertia of the tests, against numpy, element by element in the packed order xx, yy, zz,
    xy, xz, yz."""
    J = np.array(CHASER_INERTIA)
    ours = V["symmetric_inverse"]((J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]))
    theirs = np.linalg.inv(J)
    assert ours == pytest.approx(
        [theirs[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))], rel=1e-14
    )


@given(unit_quaternions, rotation_vectors(), three, three, three)
def test_work_is_force_times_way_plus_torque_times_angle(q, phi, step, force, torque):
    """World axes throughout: a world-axes turn by phi under a world-axes torque does tau . phi,
    whatever the attitude."""
    moved = displacement(
        (1.0, 2.0, 3.0), q, tuple(np.add((1.0, 2.0, 3.0), step)), product(exponential(phi), q)
    )
    assert work(Wrench(force, torque), moved) == pytest.approx(
        np.dot(force, step) + np.dot(torque, phi), abs=1e-12
    )
