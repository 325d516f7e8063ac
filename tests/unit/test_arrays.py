"""Rotations of arrays against those of the loop, and each order of sums against the other."""

from __future__ import annotations

import numpy as np
import pytest

from softdock.compile.jit import entry_point
from softdock.loop.spatial import arrays, rotations

rotate, rotate_back, product, rotation_from_to = (
    entry_point(rotations.rotate),
    entry_point(rotations.rotate_back),
    entry_point(rotations.product),
    entry_point(rotations.rotation_from_to),
)
RANDOM = np.random.default_rng(15)
Q = RANDOM.normal(size=(40, 4))
Q /= np.linalg.norm(Q, axis=1, keepdims=True)
V = RANDOM.normal(size=(40, 3))


def test_rotate_is_the_loops_to_the_bit():
    """Protects one law of rotation: a row of an array turns as a vector in the loop does."""
    for q, v, found, back in zip(Q, V, arrays.rotate(Q, V), arrays.rotate_back(Q, V), strict=True):
        assert tuple(found) == rotate(tuple(q), tuple(v))
        assert tuple(back) == rotate_back(tuple(q), tuple(v))


def test_one_quaternion_turns_all_rows():
    """Protects the laboratory's frame: a single attitude over a whole series."""
    rows = np.broadcast_to(Q[0], (len(V), 4))
    assert np.array_equal(arrays.rotate(Q[0], V), arrays.rotate(rows, V))


def test_product_is_the_loops_to_the_bit():
    """Protects the order of a product: first b, then a."""
    for a, b, found in zip(Q[1:], Q[:-1], arrays.product(Q[1:], Q[:-1]), strict=True):
        assert tuple(found) == product(tuple(a), tuple(b))


def test_every_form_of_a_rotation_agrees():
    """Protects against a sign or an index in one of the forms: sums in two orders, matrices stored
    in two ways, of one quaternion and of many."""
    turned = arrays.rotate(Q, V)
    assert arrays.rotate_at_once(Q, V) == pytest.approx(turned, abs=1e-15)
    many, by_entry = arrays.matrices(Q), arrays.matrices_by_entry(Q)
    assert np.array_equal(many, by_entry)
    assert np.einsum("nij,nj->ni", many, V) == pytest.approx(turned, abs=1e-15)
    assert np.stack([arrays.matrix(3.0 * q) for q in Q]) == pytest.approx(many, abs=1e-15)


def test_turns_are_the_loops_rotation_vectors():
    """Protects work done by torques: the turn from row to row, also across q = -q."""
    found = arrays.turns(Q)
    for a, b, turn in zip(Q[:-1], Q[1:], found, strict=True):
        assert turn == pytest.approx(rotation_from_to(tuple(a), tuple(b)), abs=1e-13)
    assert arrays.turns(np.stack([Q[0], -Q[0]])) == pytest.approx(np.zeros((1, 3)), abs=1e-15)


def test_rotation_vectors_matrices_and_back():
    """A rotation vector becomes a quaternion and comes back; a matrix gives its quaternion, also at
    half a turn; neighbours get one sign; the matrix of a vector is its cross product."""
    rng = np.random.default_rng(5)
    phi = rng.normal(size=(50, 3))
    phi[0], phi[1] = 0.0, [1e-9, 0.0, 0.0]
    q = arrays.exponential(phi)
    np.testing.assert_allclose(arrays.rotation_vector(q), phi, atol=1e-14)
    np.testing.assert_allclose(arrays.product(q, arrays.inverse(q))[:, 0], 1.0, rtol=1e-15)
    one = arrays.product(q[3], q[4])
    np.testing.assert_array_equal(one, arrays.product(q[3:4], q[4:5])[0])
    for axis in np.eye(3):
        for angle in (1e-8, 1.0, np.pi - 1e-9, np.pi):
            wanted = arrays.exponential(angle * axis)
            found = arrays.quaternion_of(arrays.unit_matrix(wanted))
            np.testing.assert_allclose(np.abs(wanted @ found), 1.0, rtol=1e-15)
    flipped = q[:1] * np.array([1.0, -1.0, -1.0, 1.0])[:, None]
    np.testing.assert_array_equal(arrays.continuous(flipped), np.repeat(q[:1], 4, axis=0))
    crossed = arrays.cross_matrix(phi[2]) @ phi[3]
    np.testing.assert_allclose(crossed, np.cross(phi[2], phi[3]), rtol=1e-14, atol=1e-16)


def test_frames_approaches_and_angles_turn_as_all_else():
    """Protects who holds rotations in another form: frames of a facility put together, a matrix
    about an axis and back, KUKA's angles."""
    for a, b, axis in zip(Q[1:], Q[:-1], V, strict=False):
        np.testing.assert_allclose(arrays.composed(2.0 * a, b), arrays.product(a, b), atol=1e-15)
        turn = arrays.exponential(0.7 * axis / np.linalg.norm(axis))
        R = arrays.matrix_about(axis / np.linalg.norm(axis), 0.7)
        np.testing.assert_allclose(R, arrays.unit_matrix(turn), atol=1e-15)
        np.testing.assert_allclose(arrays.nearest_quaternion(R), turn, atol=1e-15)
        angles = arrays.abc_angles(3.0 * a)
        z, y, x = (arrays.matrix_about(np.eye(3)[2 - i], angles[i]) for i in range(3))
        np.testing.assert_allclose(z @ y @ x, arrays.unit_matrix(a), atol=1e-14)
