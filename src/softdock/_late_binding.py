"""Late binding of functions that stand in packages above: `run.save(...)` writes a folder with a
page, and the package of a run knows neither folders nor pages.

Such a method of a data class reaches over all layers. The class asks for the function by its name,
and the top of the package (`softdock/__init__.py`) binds each name to a module, in one table.
Nothing below imports upwards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

_MODULES: dict[str, str] = {}  # name of a function -> the module it stands in


def bind(modules: Mapping[str, str]) -> None:
    """Name the modules of the functions that lower packages may ask for."""
    _MODULES.update(modules)


def bound(name: str) -> Callable[..., Any]:
    """The function of that name, from the module it is bound to."""
    function: Callable[..., Any] = getattr(import_module(_MODULES[name]), name)
    return function
