"""What the top of the package gives to packages below: `run.save(...)` writes a folder with a page,
and a run knows neither folders nor pages.

A convenience on a result reaches over all layers, so the result asks for it by name and the top
(`softdock/__init__.py`) says, in one table, which function that is. Nothing below imports upwards,
and nothing that is computed comes from here: only pages and files of what is computed already. A
test lists the conveniences one by one (tests/conformance/test_line.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

_PLACES: dict[str, str] = {}  # name of a function -> the module it stands in


def give(places: Mapping[str, str]) -> None:
    """Say where functions stand that lower packages may ask for."""
    _PLACES.update(places)


def given(name: str) -> Callable[..., Any]:
    """The function of that name, from the module that the top named."""
    function: Callable[..., Any] = getattr(import_module(_PLACES[name]), name)
    return function
