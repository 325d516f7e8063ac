"""Meshes that the tests share: bodies of revolution, and files of them."""

from __future__ import annotations

import os
import struct
import tempfile
from pathlib import Path

import numpy as np
from scenarios import epos_wall

# a hollow cone as of softdock's own shape: mouth, bottom, thickness [m], half-angle
MOUTH, BOTTOM, THICK, ANGLE = 0.05, 0.02, 0.01, np.radians(30.0)


def cone_profile():
    """(radius, height) around the wall of the cone, the mouth at height 0."""
    deep = (MOUTH - BOTTOM) / np.tan(ANGLE)
    out, down = THICK * np.cos(ANGLE), THICK * np.sin(ANGLE)
    return [(MOUTH, 0.0), (BOTTOM, -deep), (BOTTOM + out, -deep - down), (MOUTH + out, -down)]


def revolved(profile, sides=96, pieces=4):
    """Vertices and faces of a ring whose profile, clockwise in (radius, height), is turned about
    z."""
    corners = np.array(profile)
    steps = np.arange(pieces)[:, None] / pieces
    rows = np.concatenate(
        [a + steps * (b - a) for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True)]
    )
    turns = 2.0 * np.pi * np.arange(sides)[:, None] / sides
    r, z = rows.T
    vertices = np.stack([r * np.cos(turns), r * np.sin(turns), z + 0.0 * turns], axis=-1)
    i, j = np.meshgrid(np.arange(sides), np.arange(len(rows)), indexing="ij")
    number = lambda i, j: (i % sides) * len(rows) + j % len(rows)  # noqa: E731
    a, b, c, d = number(i, j), number(i + 1, j), number(i + 1, j + 1), number(i, j + 1)
    faces = np.concatenate([np.stack([a, b, c], -1), np.stack([a, c, d], -1)]).reshape(-1, 3)
    vertices, around = vertices.reshape(-1, 3), faces[:, ::-1]
    return (vertices, faces) if _volume(vertices, faces) > 0.0 else (vertices, around)


def _volume(vertices, faces):
    a, b, c = (vertices[faces[:, i]] for i in range(3))
    return np.einsum("ij,ij->", a, np.cross(b, c))


def stl(vertices, faces) -> bytes:
    """Binary STL."""
    rows = np.zeros(len(faces), [("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("kind", "<u2")])
    rows["corners"] = np.asarray(vertices)[faces]
    return bytes(80) + struct.pack("<I", len(faces)) + rows.tobytes()


def write_stl(path: Path, vertices, faces) -> Path:
    path.write_bytes(stl(vertices, faces))
    return path


def plate_docking(integrator="exact_hold", delay_ms=0.0):
    """EPOS in one dimension against a plate with a hole, from a file."""
    path = Path(tempfile.gettempdir()) / f"softdock-plate-{os.getpid()}.stl"
    profile = [(0.005, 0.0), (0.005, -0.02), (0.08, -0.02), (0.08, 0.0)]
    write_stl(path, *revolved(profile, sides=16, pieces=2))
    tables = epos_wall(delay_ms=delay_ms, integrator=integrator)
    tables["chaser"]["position_m"] = [0.02, 0.04, 0.0]
    (pair,) = tables["contact"]
    pair |= {"geometry": "mesh", "file": str(path), "attitude_wxyz": [0.5**0.5, 0, 0.5**0.5, 0]}
    pair |= {"tip_radius_m": 0.01, "resolution_m": 0.004}
    return tables


def ring_docking(integrator="exact_hold", delay_ms=0.0):
    """EPOS in one dimension against the front of a ring."""
    tables = epos_wall(delay_ms=delay_ms, integrator=integrator)
    tables["chaser"]["position_m"] = [0.02, 0.04, 0.0]
    (pair,) = tables["contact"]
    pair |= {"geometry": "ring", "outer_radius_m": 0.08, "inner_radius_m": 0.005}
    pair |= {"length_m": 0.02, "edge_radius_m": 0.002, "tip_radius_m": 0.01}
    return tables


def box_docking(integrator="exact_hold", delay_ms=0.0):
    """EPOS in one dimension against a face of a box."""
    tables = epos_wall(delay_ms=delay_ms, integrator=integrator)
    tables["chaser"]["position_m"] = [0.02, 0.04, 0.0]
    (pair,) = tables["contact"]
    pair |= {"geometry": "box", "size_m": [0.02, 0.2, 0.2], "across": [0.0, 1.0, 0.0]}
    pair |= {"origin_m": [-0.01, 0.0, 0.0], "edge_radius_m": 0.002, "tip_radius_m": 0.01}
    return tables


def brute_distance(vertices, faces, points):
    """Unsigned distance of each point from every triangle, by projection and by edges: slow, and
    written without the package's code."""
    nearest = np.full(len(points), np.inf)
    for a, b, c in np.asarray(vertices)[faces]:
        inner = np.linalg.lstsq(np.stack([b - a, c - a], 1), (points - a).T, rcond=None)[0]
        u, v = inner
        within = (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0)
        foot = a + np.outer(u, b - a) + np.outer(v, c - a)
        here = np.where(within, np.linalg.norm(points - foot, axis=1), np.inf)
        for p, q in ((a, b), (b, c), (c, a)):
            t = np.clip((points - p) @ (q - p) / ((q - p) @ (q - p)), 0.0, 1.0)
            here = np.minimum(here, np.linalg.norm(points - p - np.outer(t, q - p), axis=1))
        nearest = np.minimum(nearest, here)
    return nearest
