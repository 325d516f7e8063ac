"""Grids of meshes, each made once: kept by content in the cache folder, and in memory as long as
the process lives, since prepared runs hold their addresses."""

from __future__ import annotations

import hashlib
import logging
import math
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from softdock.compile.disk_cache import find_usable_folder
from softdock.compile.shared_numbers import keep_block
from softdock.errors import BadInput, Problem
from softdock.files.atomic import write_whole
from softdock.meshes.grid import (
    HEAD,
    MOST_NODES,
    compute_values,
    filter_values,
    find_windings,
    interpolate_all,
    lay_out,
    pack,
)
from softdock.meshes.reading import Mesh, read_bytes_of, read_mesh, refuse
from softdock.meshes.tree import Tree, make_tree, nearest_of

# cells: the grid is exact so far beyond the tips' radius, and so far at least
BEYOND, LEAST = 4.0, 8.0
FEWEST = 2.0  # cells in a tip's radius, and in a wall
OPPOSITE = -0.9  # cosine between the normals of a wall's two faces
DIGEST_BYTES = 32
MANY_NODES = 3_000_000  # of a grid that takes seconds: whoever waits is told
REPORT_S = 3.0  # between two reports of how far a grid is

log = logging.getLogger("softdock")

Progress = Callable[[float], None]


class Wanted(NamedTuple):
    """What a grid is made of."""

    path: str
    unit: str
    attitude: tuple[float, float, float, float]  # of the mesh, wxyz
    cell: float  # m
    radius: float  # m, of the largest tip


class Grid(NamedTuple):
    block: np.ndarray  # as compiled code reads it (grid.py)
    mesh: Mesh  # turned, m

    @property
    def address(self) -> int:
        return int(self.block.ctypes.data)

    def distances(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Signed distances [m] and gradients at places from the mesh's origin."""
        points = np.ascontiguousarray(points, float)
        values, gradients = np.empty(len(points)), np.empty((len(points), 3))
        interpolate_all(self.address, points, values, gradients)
        return values, gradients


_grids: dict[str, Grid] = {}
_known: dict[tuple[Wanted, int, int], str] = {}  # with the file's time and length: which grid
_lock = threading.Lock()


def turn_matrix(q: tuple[float, float, float, float]) -> np.ndarray:
    w, x, y, z = np.array(q) / np.linalg.norm(q)
    return np.array(
        [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
        ]
    )


def find_grid(wanted: Wanted, progress: Progress = lambda part: None) -> Grid:
    """The grid of a file, made where there is none yet. Raises `BadInput` with the key `file` or
    `resolution_m`."""
    path = Path(wanted.path)
    with _lock:
        try:
            found = path.stat()
            stamp = (wanted, found.st_mtime_ns, found.st_size)
        except OSError as error:
            raise refuse(wanted.path, f"a mesh that can be read ({error.strerror})") from None
        if stamp not in _known:
            data = read_bytes_of(path)
            numbers = repr((wanted.unit, *wanted.attitude, wanted.cell, wanted.radius)).encode()
            key = hashlib.sha256(numbers + data).hexdigest()
            if key not in _grids:
                mesh = read_mesh(data, path.name, wanted.unit)
                turned = mesh.vertices @ turn_matrix(wanted.attitude).T
                _grids[key] = _load_or_make(key, Mesh(turned, mesh.faces), wanted, progress)
            _known[stamp] = key
        return _grids[_known[stamp]]


def _load_or_make(key: str, mesh: Mesh, wanted: Wanted, progress: Progress) -> Grid:
    folder = find_usable_folder()
    file = None if folder is None else folder / f"grid-{key}.bin"
    block = None if file is None else _load(file)
    if block is None:
        block = make_block(mesh, Path(wanted.path).name, wanted.cell, wanted.radius, progress)
        if file is not None:
            try:
                data = block.tobytes()
                write_whole(file, hashlib.sha256(data).digest() + data)
            except (BadInput, OSError):
                pass  # it is made again next time
    keep_block(block)
    return Grid(block, mesh)


def _load(file: Path) -> np.ndarray | None:
    """A grid that was kept; None: there is none, or its bytes are not what was written."""
    try:
        data = file.read_bytes()
    except OSError:
        return None
    kept = data[DIGEST_BYTES:]
    if hashlib.sha256(kept).digest() != data[:DIGEST_BYTES] or len(kept) < 8 * HEAD:
        return None
    return np.frombuffer(kept, np.uint8).copy()


def make_block(
    mesh: Mesh, name: str, cell: float, radius: float, progress: Progress = lambda part: None
) -> np.ndarray:
    """The grid of a mesh, or why there can be none."""
    band = max(radius + BEYOND * cell, LEAST * cell)
    lattice = lay_out(mesh.vertices.min(axis=0), mesh.vertices.max(axis=0), cell, band)
    nodes = math.prod(lattice.nodes)
    if nodes > MOST_NODES:
        coarser = cell * (nodes / MOST_NODES) ** (1.0 / 3.0)
        size = " x ".join(f"{x:.3g}" for x in np.ptp(mesh.vertices, axis=0))
        allowed = (
            f"at least {1.02 * coarser:.2g}, for a grid of at most {MOST_NODES} nodes around "
            f"{size} m; is the unit of {name} right?"
        )
        raise BadInput(Problem("resolution_m", cell, allowed))
    if nodes > MANY_NODES:
        log.warning("softdock: %s: making a grid of %.1f million nodes", name, 1e-6 * nodes)
        progress = _with_report(name, progress)
    tree = make_tree(mesh.vertices, mesh.faces)
    _check_walls(mesh, tree, name, cell)
    inside = find_windings(tree, lattice)
    for wrong, allowed in (
        (inside < 0, "normals that point outwards; a shell is inside out near {}: flip it"),
        (inside > 1, "no overlap; the mesh is twice at {}: unite its parts"),
    ):
        if wrong.any():
            node = np.array(np.unravel_index(int(np.argmax(wrong)), inside.shape))
            place = lattice.corner + cell * node
            triangle = nearest_of(tree, place[None])[1][0]
            near = ", ".join(f"{x:.4g}" for x in place)
            raise refuse(name, allowed.format(f"({near}) m, triangle {triangle}"))
    values = compute_values(tree, lattice, inside, band, progress)
    return pack(lattice, filter_values(values))


def _with_report(name: str, progress: Progress) -> Progress:
    """Progress that is also logged, every few seconds."""
    said = time.monotonic()

    def report(part: float) -> None:
        nonlocal said
        progress(part)
        if time.monotonic() - said > REPORT_S:
            said = time.monotonic()
            log.warning("softdock: %s: %.0f %% of its grid", name, 100.0 * part)

    return report


def _check_walls(mesh: Mesh, tree: Tree, name: str, cell: float) -> None:
    """No two faces of a wall are nearer to each other than so many cells."""
    triangle, thickness = find_thin_wall(mesh, tree, FEWEST * cell)
    if thickness < FEWEST * cell:
        allowed = (
            f"a resolution_m of at most {thickness / FEWEST:.3g}: the wall at triangle {triangle} "
            f"is {thickness:.3g} m thick, and {FEWEST:g} cells are needed"
        )
        raise refuse(name, allowed)


def find_thin_wall(mesh: Mesh, tree: Tree, thick: float) -> tuple[int, float]:
    """The triangle with the thinnest wall behind it, and its thickness [m]; infinite: all are
    thicker than `thick`. A wall is thin if half as far below a triangle's middle the nearest
    surface faces the other way."""
    corners = mesh.vertices[mesh.faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    normals = normals / np.where(lengths > 0.0, lengths, 1.0)
    half = 0.5 * thick
    below = corners.mean(axis=1) - half * normals
    distances, found = nearest_of(tree, below)
    thin = (distances < half) & (np.einsum("ij,ij->i", normals, normals[found]) < OPPOSITE)
    if not thin.any():
        return 0, math.inf
    # of the wall's other face; it may be above the place below
    beyond = np.einsum("ij,ij->i", below - corners[found, 0], normals[found]) > 0.0
    thickness = np.where(thin, half + np.where(beyond, -distances, distances), math.inf)
    triangle = int(np.argmin(thickness))
    return triangle, float(thickness[triangle])
