"""The methods: measured wrench in, wrench on the satellites out. The list is in registry.py.

A method of your own imports all that it needs from here (docs/your_own_method.md):

    from softdock.methods import Group, Method, Parameter, Wrenches, compiled, dot
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    public = import_module("softdock.methods.public")
    if name not in public.__all__:
        raise AttributeError(f"module 'softdock.methods' has no attribute '{name}'")
    return getattr(public, name)


def __dir__() -> list[str]:
    names: list[str] = import_module("softdock.methods.public").__all__
    return names
