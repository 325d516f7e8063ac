"""Compiled functions written by the core itself, from one declaration: copies of a NamedTuple with
some fields changed, the specialisation of a kernel (specialise.py).

A list of a structure's fields is written nowhere but in its class. What needs such a list is
generated here as source text, once, when its module is imported:

    with_pairs = make_replacer(Params, "pairs")     # with_pairs(params, pairs): all else the same

Generated functions are `@compiled` as all others: they have neither closures nor state, so entry
points and kernels that call them are cached on disk, and the same text serves the CPU, PTX and
plain Python. `SOURCES` has the text of each, to be read when a compile fails."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from softdock.compile.jit import compiled

SOURCES: dict[str, str] = {}  # text of every generated function, by its name


def generate(name: str, text: str, scope: Mapping[str, Any]) -> Any:
    """The compiled function `name` of a source text; `scope`: the names that it uses."""
    SOURCES[name] = text
    inside = {"__name__": __name__, **scope}  # whose sources name the cached code
    # under this file's own name: Numba keeps no machine code of a function that has no file
    exec(compile(text, __file__, "exec", dont_inherit=True), inside)
    return compiled(inside[name])


def make_replacer(cls: Any, *fields: str) -> Any:
    """A compiled function (it, *new values) that returns a copy with these fields replaced."""
    unknown = sorted(set(fields) - set(cls._fields))
    if unknown or not fields:
        raise ValueError(f"{cls.__name__} has no fields {unknown}: {', '.join(cls._fields)}")
    name = f"{cls.__name__.lower()}_with_{'_'.join(fields)}"
    given = [f"        {one}={one if one in fields else 'it.' + one},\n" for one in cls._fields]
    text = (
        f"def {name}(it, {', '.join(fields)}):\n    return {cls.__name__}(\n{''.join(given)}    )\n"
    )
    return generate(name, text, {cls.__name__: cls})


def make_chooser(
    name: str, arguments: str, number: str, functions: Sequence[Any], but: str = ""
) -> Any:
    """A compiled function that calls one of several by a whole number: `number` is an expression of
    the arguments (`law.kind`), an index of `functions`, which get all arguments `but` one. The
    first function also serves what is not listed."""
    handed = ", ".join(one for one in arguments.split(", ") if one != but)
    lines, scope = [], {}
    for i, function in reversed(list(enumerate(functions))):
        if i > 0 and function is not functions[0]:
            lines.append(f"    if {number} == {i}:\n        return {name}_{i}({handed})\n")
        scope[f"{name}_{i}"] = function
    text = f"def {name}({arguments}):\n{''.join(lines)}    return {name}_0({handed})\n"
    return generate(name, text, scope)
