"""Contact pairs whose shape is read from a file: what is made of it is found before the run, and
the vector told where it lies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from softdock.errors import BadInput
from softdock.loop.contact.keys import PAIR
from softdock.loop.contact.models import shape_named
from softdock.loop.contact.tips import place_tips


def with_whole_path(pair: Mapping[str, Any], folder: Path) -> Mapping[str, Any]:
    """A pair's table with the whole path of its file: variants of a scenario know no folder. A file
    that is not where it was is looked for in the scenario's folder."""
    name = pair.get("file")
    if not isinstance(name, str) or not name:
        return pair
    path, beside = Path(folder, name), Path(folder, Path(name).name)
    found = beside if not path.exists() and beside.exists() else path
    return {**pair, "file": str(found.absolute())}


def place_shape_file(reader: Any, path: str, values: Mapping[str, Any], base: int) -> None:
    """What is made of a pair's set of tips, and of its file if its shape has one, into the vector
    at `base`. `reader`: a TableReader; `values`: the pair's resolved table."""
    if values.get("tips"):
        reader.vector[base + PAIR.at.tips] = float(place_tips(values["tips"]))
    place = shape_named(values["geometry"]).place_file
    if place is None:
        return
    try:
        reader.vector[base + PAIR.at.mesh_file] = place(values)
    except BadInput as error:
        for problem in error.problems:
            key = f"{path}.{problem.key}"
            reader.problems.append(replace(problem, key=key, where=reader.locate(key)))


def frozen_by_file(tables: Mapping[str, Any], key: str) -> str:
    """Why a key cannot differ from run to run of one batch where a shape is read from a file;
    empty: it can."""
    table, _, rest = key.partition(".")
    number, _, name = rest.partition(".")
    if table != "contact" or name != "tip_radius_m" or not number.isdigit():
        return ""
    pairs = tables["contact"]
    if int(number) >= len(pairs) or shape_named(pairs[int(number)]["geometry"]).place_file is None:
        return ""
    return "one value in a batch: the mesh's grid of distances is made for it"
