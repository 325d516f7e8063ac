"""Exact distance to a triangle mesh: a tree of bounding boxes, and the distance to one triangle.

In: vertices [m] and triangles. Out: the unsigned distance of a point, and its nearest triangle. The
tree is made in numpy; the search is compiled and handed its stack.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from softdock.compile.jit import compiled, entry_point, noinline

LEAF = 4  # triangles in a leaf at most
DEEPEST = 128  # of the search's stack: a balanced tree of some 1e9 triangles needs 60


class Tree(NamedTuple):
    """Boxes in depth-first order: the first child of a box stands behind it."""

    boxes: np.ndarray  # (n, 6) float64: lower and upper corner, m
    links: np.ndarray  # (n, 2) int64: (second child, 0), or in a leaf (first triangle, number)
    triangles: np.ndarray  # (m, 9) float64: corners, in the leaves' order, m
    order: np.ndarray  # (m,) int64: the mesh's number of each


def make_tree(vertices: np.ndarray, faces: np.ndarray) -> Tree:
    corners = vertices[faces]
    low, high = corners.min(axis=1), corners.max(axis=1)
    middle = 0.5 * (low + high)
    order = np.arange(len(faces))
    boxes: list[np.ndarray] = []
    links: list[list[int]] = []
    waiting: list[tuple[int, int, int]] = [(0, len(faces), -1)]
    while waiting:
        first, last, parent = waiting.pop()
        mine, here = order[first:last], len(boxes)
        boxes.append(np.concatenate([low[mine].min(axis=0), high[mine].max(axis=0)]))
        if parent >= 0:
            links[parent][0] = here
        if last - first <= LEAF:
            links.append([first, last - first])
            continue
        links.append([0, 0])
        axis = int(np.argmax(np.ptp(middle[mine], axis=0)))
        half = (last - first) // 2
        order[first:last] = mine[np.argpartition(middle[mine, axis], half)]
        waiting.append((first + half, last, here))  # taken second: its number is noted then
        waiting.append((first, first + half, -1))
    return Tree(
        np.array(boxes),
        np.array(links, np.int64),
        np.ascontiguousarray(corners[order].reshape(-1, 9)),
        order.astype(np.int64),
    )


@compiled
def _box_squared(boxes, i, p):
    x = max(max(boxes[i, 0] - p[0], p[0] - boxes[i, 3]), 0.0)
    y = max(max(boxes[i, 1] - p[1], p[1] - boxes[i, 4]), 0.0)
    z = max(max(boxes[i, 2] - p[2], p[2] - boxes[i, 5]), 0.0)
    return x * x + y * y + z * z


@compiled
def _dot(ax, ay, az, bx, by, bz):
    return ax * bx + ay * by + az * bz


@compiled
def _off(px, py, pz, ax, ay, az, s, bx, by, bz, t):
    """Squared length of p - s a - t b."""
    x, y, z = px - s * ax - t * bx, py - s * ay - t * by, pz - s * az - t * bz
    return x * x + y * y + z * z


@noinline
def triangle_squared(triangles, i, p):
    """Squared distance of a point from a triangle, by the region its foot lies in (Ericson 2005,
    5.1.5)."""
    ax, ay, az = triangles[i, 0], triangles[i, 1], triangles[i, 2]
    bx, by, bz = triangles[i, 3] - ax, triangles[i, 4] - ay, triangles[i, 5] - az
    cx, cy, cz = triangles[i, 6] - ax, triangles[i, 7] - ay, triangles[i, 8] - az
    px, py, pz = p[0] - ax, p[1] - ay, p[2] - az
    d1, d2 = _dot(bx, by, bz, px, py, pz), _dot(cx, cy, cz, px, py, pz)
    if d1 <= 0.0 and d2 <= 0.0:
        return _dot(px, py, pz, px, py, pz)
    d3 = d1 - _dot(bx, by, bz, bx, by, bz)
    d4 = d2 - _dot(bx, by, bz, cx, cy, cz)
    if d3 >= 0.0 and d4 <= d3:
        return _off(px, py, pz, bx, by, bz, 1.0, cx, cy, cz, 0.0)
    vc = d1 * d4 - d3 * d2
    if vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        return _off(px, py, pz, bx, by, bz, d1 / (d1 - d3), cx, cy, cz, 0.0)
    d5 = d1 - _dot(bx, by, bz, cx, cy, cz)
    d6 = d2 - _dot(cx, cy, cz, cx, cy, cz)
    if d6 >= 0.0 and d5 <= d6:
        return _off(px, py, pz, bx, by, bz, 0.0, cx, cy, cz, 1.0)
    vb = d5 * d2 - d1 * d6
    if vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        return _off(px, py, pz, bx, by, bz, 0.0, cx, cy, cz, d2 / (d2 - d6))
    va = d3 * d6 - d5 * d4
    if va <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        t = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        return _off(px, py, pz, bx, by, bz, 1.0 - t, cx, cy, cz, t)
    whole = va + vb + vc
    return _off(px, py, pz, bx, by, bz, vb / whole, cx, cy, cz, vc / whole)


@noinline
def nearest(boxes, links, triangles, stack, p, guess):
    """Squared distance of a point from the mesh, and the nearest triangle. `guess`: a triangle that
    may be near; `stack`: DEEPEST integers."""
    best, found = triangle_squared(triangles, guess, p), guess
    if not best < math.inf:  # of a triangle without a plane
        best = math.inf
    stack[0], waiting = 0, 1
    while waiting > 0:
        waiting -= 1
        i = stack[waiting]
        if _box_squared(boxes, i, p) >= best:
            continue
        if links[i, 1] > 0:
            for j in range(links[i, 0], links[i, 0] + links[i, 1]):
                squared = triangle_squared(triangles, j, p)
                if squared < best:
                    best, found = squared, j
            continue
        first, second = i + 1, links[i, 0]
        if _box_squared(boxes, first, p) < _box_squared(boxes, second, p):
            first, second = second, first
        stack[waiting], stack[waiting + 1] = first, second  # the nearer is looked at first
        waiting += 2
    return best, found


@entry_point
def find_nearest(boxes, links, triangles, stack, points, distances, found):
    """Distance of each point from the mesh [m] and its nearest triangle, in the tree's order."""
    guess = 0
    for i in range(points.shape[0]):
        p = (points[i, 0], points[i, 1], points[i, 2])
        squared, guess = nearest(boxes, links, triangles, stack, p, guess)
        distances[i] = math.sqrt(squared)
        found[i] = guess


def nearest_of(tree: Tree, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same of a mesh: distances [m], and the mesh's numbers of the nearest triangles."""
    points = np.ascontiguousarray(points, float)
    distances, found = np.empty(len(points)), np.empty(len(points), np.int64)
    stack = np.empty(DEEPEST, np.int64)
    find_nearest(tree.boxes, tree.links, tree.triangles, stack, points, distances, found)
    return distances, tree.order[found]
