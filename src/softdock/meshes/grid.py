"""A grid of signed distances of a closed mesh, and its interpolation.

The nodes within a band around the surface have the exact distance, negative inside; the sign is the
winding number along a line of the grid. The others are interpolated from every fourth node. What is
kept are coefficients of cubic B-splines: of the quasi-interpolant that reproduces cubics, so that a
coefficient needs its node's neighbours alone.

The value and the gradient that compiled code takes are those of the same spline. A force k d grad d
then has a potential, whatever the error of the distance is.

The numbers lie in one read-only block of memory (compile/shared_numbers.py): 8 float64 (nodes along
x, y, z, the corner [m], the cell [m], 0) and the coefficients as float32.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from softdock.compile.jit import compiled, entry_point, noinline
from softdock.compile.shared_numbers import read_double, read_single
from softdock.meshes.tree import DEEPEST, Tree, nearest

COARSE = 4  # cells between the nodes that have a distance wherever they are
MOST_NODES = 120_000_000  # a cube of 490 cells: 0.5 GB
HEAD = 8  # float64 before the coefficients
# of a cell: the corner is no round number away from the mesh, so that lines of the grid pass beside
# vertices and edges
ASIDE = np.array([0.3819660113, 0.2360679775, 0.4142135624])
SLAB = 8  # planes of nodes between two reports of progress


class Lattice(NamedTuple):
    """Where the nodes are."""

    corner: np.ndarray  # m
    cell: float  # m
    nodes: tuple[int, int, int]  # each a multiple of COARSE, and one


def lay_out(low: np.ndarray, high: np.ndarray, cell: float, band: float) -> Lattice:
    """Around a box, with room for the band."""
    around = band + 2.0 * cell
    corner = low - around - ASIDE * cell
    cells = np.ceil((high + around - corner) / (COARSE * cell)).astype(int) * COARSE
    x, y, z = (int(one) + 1 for one in cells)
    return Lattice(corner, cell, (x, y, z))


@compiled
def _edge(px, py, ax, ay, bx, by):
    """Twice the area of p, a, b: the same number with opposite sign for b, a."""
    if ax < bx or (ax == bx and ay < by):
        return (bx - ax) * (py - ay) - (by - ay) * (px - ax)
    return -((ax - bx) * (py - by) - (ay - by) * (px - bx))


@entry_point
def _count_crossings(triangles, corner, cell, crossings):
    """At the first node above each crossing of a line along z: +1 into the solid, -1 out of it."""
    for t in range(triangles.shape[0]):
        ax, ay, az = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        bx, by, bz = triangles[t, 3], triangles[t, 4], triangles[t, 5]
        cx, cy, cz = triangles[t, 6], triangles[t, 7], triangles[t, 8]
        i0 = math.ceil((min(ax, min(bx, cx)) - corner[0]) / cell)
        i1 = math.floor((max(ax, max(bx, cx)) - corner[0]) / cell)
        j0 = math.ceil((min(ay, min(by, cy)) - corner[1]) / cell)
        j1 = math.floor((max(ay, max(by, cy)) - corner[1]) / cell)
        for i in range(int(i0), int(i1) + 1):
            x = corner[0] + i * cell
            for j in range(int(j0), int(j1) + 1):
                y = corner[1] + j * cell
                u = _edge(x, y, bx, by, cx, cy)
                v = _edge(x, y, cx, cy, ax, ay)
                w = _edge(x, y, ax, ay, bx, by)
                if (u > 0.0) != (v > 0.0) or (u > 0.0) != (w > 0.0):
                    continue
                whole = u + v + w
                if whole == 0.0:
                    continue
                z = (u * az + v * bz + w * cz) / whole
                k = int(math.ceil((z - corner[2]) / cell))
                crossings[i, j, k] += -1 if whole > 0.0 else 1


@entry_point
def _fill_coarse(boxes, links, triangles, stack, corner, cell, inside, step, coarse):
    """The signed distance at every so-many-th node."""
    guess = 0
    for i in range(coarse.shape[0]):
        for j in range(coarse.shape[1]):
            for k in range(coarse.shape[2]):
                x = corner[0] + i * step * cell
                y, z = corner[1] + j * step * cell, corner[2] + k * step * cell
                squared, guess = nearest(boxes, links, triangles, stack, (x, y, z), guess)
                distance = math.sqrt(squared)
                is_inside = inside[i * step, j * step, k * step] > 0
                coarse[i, j, k] = -distance if is_inside else distance


@entry_point
def _fill_fine(
    boxes, links, triangles, stack, corner, cell, inside, step, coarse, band, values, first, last
):
    """The signed distance at the nodes of planes first .. last - 1: exact within the band, else
    between the coarse ones. Returns how many are exact."""
    guess, exact = 0, 0
    for i in range(first, last):
        a = min(i // step, coarse.shape[0] - 2)
        s = i / step - a
        for j in range(values.shape[1]):
            b = min(j // step, coarse.shape[1] - 2)
            t = j / step - b
            for k in range(values.shape[2]):
                c = min(k // step, coarse.shape[2] - 2)
                u = k / step - c
                least, between = math.inf, 0.0
                for m in range(8):
                    p, q, r = m // 4, (m // 2) % 2, m % 2
                    one = coarse[a + p, b + q, c + r]
                    least = min(least, abs(one))
                    weight = (s if p else 1.0 - s) * (t if q else 1.0 - t) * (u if r else 1.0 - u)
                    between += weight * one
                if least > band:
                    values[i, j, k] = between
                    continue
                x, y, z = corner[0] + i * cell, corner[1] + j * cell, corner[2] + k * cell
                squared, guess = nearest(boxes, links, triangles, stack, (x, y, z), guess)
                exact += 1
                distance = math.sqrt(squared)
                values[i, j, k] = -distance if inside[i, j, k] > 0 else distance
    return exact


def find_windings(tree: Tree, lattice: Lattice) -> np.ndarray:
    """How often the mesh winds around each node: 1 inside a healthy solid, 0 outside."""
    found = np.zeros(lattice.nodes, np.int8)
    _count_crossings(tree.triangles, lattice.corner, lattice.cell, found)
    np.cumsum(found, axis=2, out=found)
    return found


def compute_values(
    tree: Tree,
    lattice: Lattice,
    inside: np.ndarray,
    band: float,
    progress: Callable[[float], None] = lambda part: None,
) -> np.ndarray:
    """Signed distances at all nodes [m], float32."""
    coarse = np.empty([(n - 1) // COARSE + 1 for n in lattice.nodes])

    def search() -> tuple:
        stack = np.empty(DEEPEST, np.int64)
        return (*tree[:3], stack, lattice.corner, lattice.cell, inside, COARSE)

    _fill_coarse(*search(), coarse)
    # a node of a coarse cell is at most so far from the cell's nearest corner
    farthest = band + 0.5 * math.sqrt(3.0) * COARSE * lattice.cell
    values = np.empty(lattice.nodes, np.float32)
    firsts = range(0, lattice.nodes[0], SLAB)

    def fill(first: int) -> None:
        last = min(first + SLAB, lattice.nodes[0])
        _fill_fine(*search(), coarse, farthest, values, first, last)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for done, _ in enumerate(pool.map(fill, firsts), 1):
            progress(done / len(firsts))
    return values


def filter_values(values: np.ndarray) -> np.ndarray:
    """Coefficients of cubic B-splines from values at the nodes, in place: c = (8 f - f- - f+) / 6
    along each axis, which reproduces cubics."""
    for axis in range(3):
        v = np.moveaxis(values, axis, 0)
        before = v[0].copy()
        for i in range(1, len(v) - 1):
            own = v[i].copy()
            v[i] = (8.0 * own - before - v[i + 1]) / 6.0
            before = own
    return values


def pack(lattice: Lattice, coefficients: np.ndarray) -> np.ndarray:
    """One block of bytes as compiled code reads it."""
    block = np.empty(8 * HEAD + 4 * coefficients.size, np.uint8)
    head = block[: 8 * HEAD].view(np.float64)
    head[:] = [*lattice.nodes, *lattice.corner, lattice.cell, 0.0]
    block[8 * HEAD :].view(np.float32)[:] = coefficients.ravel()
    return block


# The interpolation, in the loop's own code.


@compiled
def _weights(t):
    """Of the four coefficients around a place, and their slopes; t from the second, in cells."""
    s = 1.0 - t
    tt, ss = t * t, s * s
    return (
        (ss * s / 6.0, 2.0 / 3.0 - tt + 0.5 * tt * t, 2.0 / 3.0 - ss + 0.5 * ss * s, tt * t / 6.0),
        (-0.5 * ss, 1.5 * tt - 2.0 * t, 2.0 * s - 1.5 * ss, 0.5 * tt),
    )


@compiled
def _clamp(x, high):
    return min(max(x, 1.0), high)


@noinline
def interpolate(address, p):
    """Signed distance [m] and its gradient at a place from the mesh's origin [m]. Outside the grid:
    a distance that is not too large, and about its gradient."""
    nx, ny, nz = (
        int(read_double(address, 0)),
        int(read_double(address, 1)),
        int(read_double(address, 2)),
    )
    cell = read_double(address, 6)
    u = (p[0] - read_double(address, 3)) / cell
    v = (p[1] - read_double(address, 4)) / cell
    w = (p[2] - read_double(address, 5)) / cell
    x, y, z = _clamp(u, nx - 2.0), _clamp(v, ny - 2.0), _clamp(w, nz - 2.0)
    i, j, k = min(int(x), nx - 3), min(int(y), ny - 3), min(int(z), nz - 3)
    wx, dx = _weights(x - i)
    wy, dy = _weights(y - j)
    wz, dz = _weights(z - k)
    value, gx, gy, gz = 0.0, 0.0, 0.0, 0.0
    for a in range(4):
        plain, along_y, along_z = 0.0, 0.0, 0.0
        for b in range(4):
            at = 2 * HEAD + ((i - 1 + a) * ny + (j - 1 + b)) * nz + k - 1
            c0, c1 = read_single(address, at), read_single(address, at + 1)
            c2, c3 = read_single(address, at + 2), read_single(address, at + 3)
            row = wz[0] * c0 + wz[1] * c1 + wz[2] * c2 + wz[3] * c3
            plain += wy[b] * row
            along_y += dy[b] * row
            along_z += wy[b] * (dz[0] * c0 + dz[1] * c1 + dz[2] * c2 + dz[3] * c3)
        value += wx[a] * plain
        gx += dx[a] * plain
        gy += wx[a] * along_y
        gz += wx[a] * along_z
    gx, gy, gz = gx / cell, gy / cell, gz / cell
    ox, oy, oz = (u - x) * cell, (v - y) * cell, (w - z) * cell
    squared = ox * ox + oy * oy + oz * oz
    if squared == 0.0:
        return value, (gx, gy, gz)
    # the mesh lies within the box: no point of it is nearer than this
    distance = math.sqrt(squared + value * value)
    part = value / distance
    return distance, (
        ox / distance + part * gx,
        oy / distance + part * gy,
        oz / distance + part * gz,
    )


@entry_point
def interpolate_all(address, points, values, gradients):
    """The same at many places."""
    for i in range(points.shape[0]):
        value, g = interpolate(address, (points[i, 0], points[i, 1], points[i, 2]))
        values[i] = value
        gradients[i, 0], gradients[i, 1], gradients[i, 2] = g
