"""What a user writes of a mesh."""

from __future__ import annotations

from softdock.loop.parameters import Group, Parameter
from softdock.meshes.reading import UNITS

_MESH = ("geometry", ("mesh",))
KEYS = Group(
    "mesh",
    "A closed triangle mesh.",
    Parameter(
        "mesh_file",
        "file",
        "STL, OBJ, GLB or STEP file, relative to the scenario's folder",
        None,
        kind="text",
        high=1000,
        when=_MESH,
        swept=False,
    ),
    Parameter(
        "mesh_unit",
        "unit",
        "unit of the file's numbers; a STEP file says its own",
        "m",
        choices=tuple(UNITS),
        when=_MESH,
        swept=False,
    ),
    Parameter(
        "mesh_attitude",
        "attitude_wxyz",
        "attitude of the mesh, target from mesh",
        (1.0, 0.0, 0.0, 0.0),
        size=4,
        kind="quaternion",
        when=_MESH,
        swept=False,
    ),
    Parameter(
        "mesh_cell",
        "resolution_m",
        "cell of the grid of distances; at most half the tip's radius and half the thinnest wall",
        0.002,
        unit="m",
        low=1e-5,
        high=1.0,
        when=_MESH,
        swept=False,
    ),
)
