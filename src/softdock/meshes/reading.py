"""A triangle mesh from a file, checked: closed, its normals outwards, of a plausible size.

STL (binary and ASCII), OBJ and GLB, read by trimesh (the extra `mesh`); STEP, made triangles by
cascadio (the extra `step`). Triangles are counted from 0 in the file's order; a message names one,
and where it is in the file's own units.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.files.reading import Unreadable, read_bytes

FORMATS = ("stl", "obj", "glb", "step", "stp")
STEP = ("step", "stp")
STEP_BEGINS = b"ISO-10303-21;"
OFF_MM, OFF_RAD = 0.01, 0.2  # of a STEP file's triangles from its surfaces
LARGEST_FILE = 300_000_000  # bytes: binary STL of six million triangles
MOST_TRIANGLES = 2_000_000
UNITS = {"m": 1.0, "cm": 0.01, "mm": 0.001, "in": 0.0254}
LARGEST, SMALLEST = 20.0, 0.001  # m; a mechanism is neither larger nor smaller
WELDED = 1e-7  # of the mesh's size: corners closer than this are one


class Mesh(NamedTuple):
    vertices: np.ndarray  # (n, 3) m
    faces: np.ndarray  # (m, 3), counter-clockwise from outside


def refuse(value: object, allowed: str) -> BadInput:
    return BadInput(Problem("file", value, allowed))


def read_mesh(data: bytes, name: str, unit: str) -> Mesh:
    """A mesh from a file's bytes. Raises `BadInput` with the key `file`."""
    kind = Path(name).suffix.lower().removeprefix(".")
    if kind not in FORMATS:
        raise refuse(name, "a triangle mesh: " + ", ".join(f".{one}" for one in FORMATS))
    try:
        import trimesh
    except ImportError:
        raise refuse(name, "the package trimesh (pip install 'softdock[mesh]')") from None
    try:
        if kind in STEP:
            kind, data = "glb", _triangulate(data, name, unit)
        scene = trimesh.load_scene(io.BytesIO(data), file_type=kind, process=False)
        found: Any = scene.to_mesh()
        vertices, faces = np.array(found.vertices, float), np.array(found.faces, np.int64)
    except BadInput:
        raise
    except Exception as error:  # whatever a cut or foreign file makes trimesh raise
        why = " ".join(str(error).split()) or type(error).__name__
        raise refuse(name, f"a .{kind} file that trimesh can read ({why:.200})") from None
    return check_mesh(Mesh(vertices.reshape(-1, 3), faces.reshape(-1, 3)), name, unit)


def _triangulate(data: bytes, name: str, unit: str) -> bytes:
    """A STEP file's surfaces as a GLB file, in m."""
    try:
        import cascadio
    except ImportError:
        allowed = (
            "the package cascadio, which makes triangles of a STEP file (pip install "
            "'softdock[step]'), or an STL file of the same part"
        )
        raise refuse(name, allowed) from None
    if unit != "m":
        raise BadInput(Problem("unit", unit, '"m": a STEP file says its own unit; leave it out'))
    if not data.lstrip().startswith(STEP_BEGINS):
        raise refuse(name, f"a STEP file, which begins with {STEP_BEGINS.decode()}")
    made = bytes(cascadio.load(data, "step", tol_linear=OFF_MM, tol_angular=OFF_RAD))
    if not made:
        raise refuse(name, "a STEP file with a solid that OpenCASCADE can read: export it again")
    return made


def read_bytes_of(path: Path) -> bytes:
    try:
        return read_bytes(path, LARGEST_FILE, "mesh")
    except Unreadable as error:
        raise refuse(error.given or path.name, error.allowed) from None


def _at(mesh: Mesh, triangle: int) -> str:
    middle = mesh.vertices[mesh.faces[triangle]].mean(axis=0)
    return f"triangle {triangle} at ({', '.join(f'{x:.4g}' for x in middle)})"


def check_mesh(mesh: Mesh, name: str, unit: str) -> Mesh:
    """The mesh in m, its equal corners welded, or what is wrong with it."""
    if len(mesh.faces) == 0:
        raise refuse(name, "a mesh with triangles")
    if len(mesh.faces) > MOST_TRIANGLES:
        allowed = (
            f"at most {MOST_TRIANGLES} triangles; this mesh has {len(mesh.faces)}: simplify it"
        )
        raise refuse(name, allowed)
    corners = mesh.vertices[mesh.faces]
    broken = ~np.isfinite(corners).all(axis=(1, 2))
    if broken.any():
        triangle = int(np.argmax(broken))
        raise refuse(name, f"finite numbers; a corner of triangle {triangle} is none: export again")
    size = float(np.ptp(corners.reshape(-1, 3), axis=0).max()) * UNITS[unit]
    if not SMALLEST <= size <= LARGEST:
        other = "mm" if size > LARGEST and unit == "m" else "m" if size < SMALLEST else ""
        hint = f'; unit = "{other}"?' if other else ""
        allowed = (
            f"a size of {SMALLEST:g} to {LARGEST:g} m; in {unit} this one is {size:.4g} m{hint}"
        )
        raise refuse(name, allowed)
    _, first, welded = np.unique(
        np.round(mesh.vertices / (WELDED * size / UNITS[unit])),
        axis=0,
        return_index=True,
        return_inverse=True,
    )
    faces = welded.reshape(-1)[mesh.faces]
    _check_edges(mesh, faces, name)
    vertices = mesh.vertices[first] * UNITS[unit]
    whole = (faces != np.roll(faces, 1, axis=1)).all(axis=1)  # without triangles that are a line
    made = Mesh(vertices, faces[whole])
    if volume(made) <= 0.0:
        raise refuse(name, "normals that point outwards; all of these point inwards: flip them")
    return made


def volume(mesh: Mesh) -> float:
    """m^3; negative: inside out."""
    a, b, c = (mesh.vertices[mesh.faces[:, i]] - mesh.vertices.mean(axis=0) for i in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c))) / 6.0


def _check_edges(mesh: Mesh, faces: np.ndarray, name: str) -> None:
    """Every edge belongs to two triangles that run along it in opposite ways."""
    triangles = np.flatnonzero((faces != np.roll(faces, 1, axis=1)).all(axis=1))
    kept = faces[triangles]
    ends = kept[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    low, high = ends.min(axis=1), ends.max(axis=1)
    key = low.astype(np.int64) * (faces.max() + 1) + high
    _, edge, count = np.unique(key, return_inverse=True, return_counts=True)
    ways = np.bincount(edge, weights=np.where(ends[:, 0] < ends[:, 1], 1.0, -1.0))
    for wrong, allowed in (
        (count[edge] == 1, "a closed mesh; there is a hole at {}: close it"),
        (count[edge] % 2 == 1, "edges of two triangles; more meet at {}: repair the mesh"),
        (
            ways[edge] != 0.0,
            "normals that point outwards everywhere; {} and its neighbour disagree: orient them",
        ),
    ):
        if wrong.any():
            triangle = int(triangles[int(np.argmax(wrong)) // 3])
            raise refuse(name, allowed.format(_at(mesh, triangle)))
