"""Words for sets of tips in a contact pair, turned into its keys: `tips_from`, a mesh to sample,
and `law_per`, what the law's stiffness counts for. A resolved scenario has neither."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from softdock.errors import BadInput
from softdock.loop.contact.tips import MOST_TIPS
from softdock.loop.parameters import Group, Parameter
from softdock.meshes.reading import UNITS

PATH, PER = "tips_from", "law_per"
WHOLE, TIP, AREA = "set", "tip", "area"
SCALED = ("stiffness_N_per_m", "damping_Ns_per_m", "friction_stiffness_N_per_m")
TIPS_FROM = Group(
    PATH,
    "A set of tips from a closed triangle mesh of the chaser: spheres inside it that touch its "
    "surface, evenly spread, each with its part of the area.",
    Parameter(
        "file",
        "file",
        "STL, OBJ or GLB file, relative to the scenario's folder",
        None,
        kind="text",
        high=1000,
    ),
    Parameter("unit", "unit", "unit of the file's numbers", "m", choices=tuple(UNITS)),
    Parameter(
        "attitude",
        "attitude_wxyz",
        "attitude of the mesh, chaser from mesh; its origin is at tip_m",
        (1.0, 0.0, 0.0, 0.0),
        size=4,
        kind="quaternion",
    ),
    Parameter("number", "number", "of tips", None, low=1, high=MOST_TIPS, kind="integer"),
    Parameter(
        "radius",
        "radius_m",
        "of the tips; edges of the mesh are rounded by it",
        None,
        unit="m",
        low=0.0,
        open_low=True,
        high=1e3,
    ),
)


def resolve_tips(
    reader: Any, path: str, pair: Mapping[str, Any], folder: Path
) -> Mapping[str, Any]:
    """A pair's table without the words. `reader`: a TableReader."""
    if PATH not in pair and PER not in pair:
        return pair
    plain = {key: value for key, value in pair.items() if key not in (PATH, PER)}
    if PATH in pair:
        rows = _sample(reader, f"{path}.{PATH}", pair[PATH], folder)
        if "tips" in pair:
            reader.refuse(f"{path}.{PATH}", pair[PATH], "either tips_from or tips, not both")
        if rows is None:
            return plain
        plain["tips"] = rows
    if PER in pair:
        _scale(plain, pair[PER], f"{path}.{PER}", reader.refuse)
    return plain


def _sample(reader: Any, path: str, given: Any, folder: Path) -> list[list[float]] | None:
    if not isinstance(given, Mapping):
        reader.refuse(path, given, f"a table of {', '.join(p.key for p in TIPS_FROM)}")
        return None
    problems = len(reader.problems)
    values = reader.check(path, given, TIPS_FROM, np.zeros(TIPS_FROM.size), 0)
    if len(reader.problems) > problems:
        return None
    from softdock.meshes.kept import turn_matrix
    from softdock.meshes.reading import Mesh, read_bytes_of, read_mesh
    from softdock.meshes.sampling import sample_tips

    file = Path(folder, values["file"])
    try:
        mesh = read_mesh(read_bytes_of(file), file.name, values["unit"])
        turned = mesh.vertices @ turn_matrix(values["attitude_wxyz"]).T
        rows = sample_tips(Mesh(turned, mesh.faces), int(values["number"]), values["radius_m"])
    except BadInput as error:
        for problem in error.problems:
            key = f"{path}.{problem.key}"
            reader.problems.append(replace(problem, key=key, where=reader.locate(key)))
        return None
    return [[float(x) for x in row] for row in rows]


def _scale(pair: dict[str, Any], per: Any, path: str, refuse: Callable[..., None]) -> None:
    """The law of the whole set in place of that of one tip or of a square metre."""
    if per not in (WHOLE, TIP, AREA):
        refuse(path, per, f"one of {WHOLE}, {TIP}, {AREA}")
        return
    try:
        rows = np.array(pair["tips"], float).reshape(-1, 5)
    except (KeyError, TypeError, ValueError):
        refuse(path, per, "nothing here: it needs a set of tips")
        return
    if per == TIP:
        pair["tips"] = [[*map(float, row[:4]), 1.0] for row in rows]
    factor = {WHOLE: 1.0, TIP: float(len(rows)), AREA: float(rows[:, 4].sum())}[per]
    for side in ("real", "wanted"):
        if isinstance(pair.get(side), Mapping):
            pair[side] = {
                key: factor * value if key in SCALED and isinstance(value, (int, float)) else value
                for key, value in pair[side].items()
            }
