"""Contact pairs whose shape is a mesh from a file: its grid of distances is made or found, and the
vector told where it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from softdock.errors import BadInput
from softdock.loop.contact.keys import PAIR
from softdock.loop.contact.mesh import grid_of_pair
from softdock.meshes.kept import FEWEST


def with_whole_path(pair: Mapping[str, Any], folder: Path) -> Mapping[str, Any]:
    """A pair's table with the whole path of its file: variants of a scenario know no folder. A file
    that is not where it was is looked for in the scenario's folder."""
    name = pair.get("file")
    if not isinstance(name, str) or not name:
        return pair
    path = Path(folder, name)
    beside = Path(folder, path.name)
    return {
        **pair,
        "file": str((beside if not path.exists() and beside.exists() else path).absolute()),
    }


def place_mesh(reader: Any, path: str, values: dict[str, Any], base: int) -> None:
    """The grid of a pair into the vector at `base`. `reader`: a TableReader; `values`: the pair's
    resolved table."""
    radius, cell = float(values["tip_radius_m"]), float(values["resolution_m"])
    if radius < FEWEST * cell:
        allowed = f"at least {FEWEST * cell:g}, {FEWEST:g} cells of the mesh's grid (resolution_m)"
        reader.refuse(f"{path}.tip_radius_m", radius, allowed)
        return
    try:
        grid = grid_of_pair(values)
    except BadInput as error:
        for problem in error.problems:
            key = f"{path}.{problem.key}"
            reader.problems.append(replace(problem, key=key, where=reader.locate(key)))
        return
    reader.vector[base + PAIR.at.mesh_file] = float(grid.address)


def frozen_by_mesh(tables: Mapping[str, Any], key: str) -> str:
    """Why a key cannot differ from run to run of one batch where a shape is a mesh; empty: it
    can."""
    table, _, rest = key.partition(".")
    number, _, name = rest.partition(".")
    if table != "contact" or name != "tip_radius_m" or not number.isdigit():
        return ""
    pairs = tables["contact"]
    if int(number) >= len(pairs) or pairs[int(number)]["geometry"] != "mesh":
        return ""
    return "one value in a batch: the mesh's grid of distances is made for it"
