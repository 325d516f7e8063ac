"""Keys of nested tables: set by a dotted path, flattened, nested again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from softdock.errors import BadInput, Problem


def set_key(tables: dict[str, Any], path: str, value: Any) -> None:
    """Set one key by its dotted path; numbers index arrays of tables. Unknown keys are found later,
    by `build`."""
    *parents, last = path.split(".")
    here: Any = tables
    for part in parents:
        if isinstance(here, list):
            if not part.isdigit() or int(part) >= len(here):
                raise BadInput(
                    Problem(path, value, f"an index from 0 to {len(here) - 1} in place of '{part}'")
                )
            here = here[int(part)]
        elif isinstance(here, dict):
            here = here.setdefault(part, {})
        else:
            raise BadInput(
                Problem(path, value, f"a key that exists: '{part}' is inside a single value")
            )
    if not isinstance(here, dict):
        raise BadInput(Problem(path, value, "a key inside a table"))
    here[last] = value


def flat_keys(table: Mapping[str, Any], known: set[str], prefix: str = "") -> dict[str, Any]:
    """Nested tables to dotted keys, down to keys that exist."""
    flat: dict[str, Any] = {}
    for key, value in table.items():
        path = f"{prefix}{key}"
        if isinstance(value, Mapping) and path not in known:
            flat |= flat_keys(value, known, path + ".")
        else:
            flat[path] = value
    return flat


def nest(resolved: dict[str, Any], path: str, values: Mapping[str, Any]) -> None:
    here: Any = resolved
    for part in path.split(".") if path else ():
        here = here[int(part)] if isinstance(here, list) else here.setdefault(part, {})
    for key, value in values.items():
        *parents, last = key.split(".")
        inner = here
        for part in parents:
            inner = inner.setdefault(part, {})
        inner[last] = value


def plain(value: Any) -> Any:
    """Numpy to plain Python, so that it can be written as TOML."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    return value.item() if isinstance(value, np.generic) else value
