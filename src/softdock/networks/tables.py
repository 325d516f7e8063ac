"""A network from a table, as it stands in a TOML file (scenario/network_file.py reads one):

    name = "my tissue"
    bonds = ["hand -> together", "together -> S1, in_series", "in_series -> S2, B1"]
    [ports.hand]
    causality = "position"
    [springs.S1]
    stiffness_N_per_m = 500.0
    [dampers.B1]
    damping_Ns_per_m = 100.0
    [junctions]
    together = 1
    in_series = 0

or `model = "standard_linear_solid"` with `arguments = { k1 = 500.0, k2 = 50.0, b1 = 100.0 }`: one
of the ready models.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from softdock.errors import BadInput, Problem, closest
from softdock.networks.models import MODELS
from softdock.networks.network import Network

# keys of each kind of element, and how it is added
KEYS: dict[str, tuple[str, ...]] = {
    "ports": ("causality",),
    "springs": ("stiffness_N_per_m", "exponent", "coefficients"),
    "masses": ("mass_kg",),
    "dampers": ("damping_Ns_per_m", "quadratic_Ns2_per_m2", "per_force_s_per_m", "of"),
    "transformers": ("ratio",),
}


def network_from(table: Mapping[str, Any], where: str = "") -> Network:
    """A network from its table; all problems at once, each with its key."""
    if "model" in table:
        return _ready(table, where)
    allowed = ("name", "bonds", "junctions", *KEYS)
    problems = [
        Problem(
            key, table[key], "one of " + ", ".join(allowed), where, suggestion=closest(key, allowed)
        )
        for key in table
        if key not in allowed
    ]
    network = Network(str(table.get("name", "network")))
    for kind, keys in KEYS.items():
        for name, element in _tables(table, kind, where, problems):
            unknown = [k for k in element if k not in keys]
            problems += [
                Problem(
                    f"{kind}.{name}.{k}",
                    element[k],
                    "one of " + ", ".join(keys),
                    where,
                    suggestion=closest(k, keys),
                )
                for k in unknown
            ]
            if not unknown:
                _try(partial(_add, network, kind, name, element), where, problems)
    junctions = table.get("junctions", {})
    if not isinstance(junctions, Mapping):
        problems.append(Problem("junctions", junctions, "a table of names, each 0 or 1", where))
        junctions = {}
    for name, kind in junctions.items():
        if kind not in (0, 1) or isinstance(kind, bool):
            problems.append(Problem(f"junctions.{name}", kind, "0 or 1", where))
        else:
            _try(partial(network.one if kind else network.zero, name), where, problems)
    if not problems:
        for tail, heads in _bonds(table.get("bonds"), where, problems):
            _try(partial(network.connect, tail, *heads), where, problems)
    if not problems:
        _try(lambda: network.equations, where, problems)
    if problems:
        raise BadInput(problems)
    return network


def _try(do: Callable[[], Any], where: str, problems: list[Problem]) -> None:
    try:
        do()
    except BadInput as error:
        problems += [
            Problem(p.key, p.value, p.allowed, where, suggestion=p.suggestion)
            for p in error.problems
        ]


def _tables(
    table: Mapping[str, Any], kind: str, where: str, problems: list[Problem]
) -> list[tuple[str, Mapping[str, Any]]]:
    group = table.get(kind, {})
    if not isinstance(group, Mapping) or not all(isinstance(e, Mapping) for e in group.values()):
        problems.append(Problem(kind, group, f"tables [{kind}.NAME]", where))
        return []
    return list(group.items())


def _add(network: Network, kind: str, name: str, e: Mapping[str, Any]) -> None:
    if kind == "ports":
        network.port(name, e.get("causality"))  # type: ignore[arg-type]
    elif kind == "masses":
        network.mass(name, e.get("mass_kg"))  # type: ignore[arg-type]
    elif kind == "dampers":
        extra = {
            "quadratic": e.get("quadratic_Ns2_per_m2", 0.0),
            "per_force": e.get("per_force_s_per_m", 0.0),
            "of": e.get("of", ""),
        }
        network.damper(name, e.get("damping_Ns_per_m", 0.0), **extra)
    elif kind == "transformers":
        network.transformer(name, e.get("ratio"))  # type: ignore[arg-type]
    elif "coefficients" in e:
        given = e["coefficients"]
        network.polynomial_spring(name, *(given if isinstance(given, list | tuple) else [given]))
    elif "exponent" in e:
        stiffness: Any = e.get("stiffness_N_per_m")
        network.one_sided_spring(name, stiffness, e["exponent"])
    else:
        network.spring(name, e.get("stiffness_N_per_m"))  # type: ignore[arg-type]


def _bonds(bonds: Any, where: str, problems: list[Problem]) -> list[tuple[str, list[str]]]:
    form = 'a list of texts like "together -> S1, in_series"'
    if not isinstance(bonds, list):
        problems.append(Problem("bonds", bonds, form, where))
        return []
    found = []
    for i, text in enumerate(bonds):
        tail, arrow, heads = text.partition("->") if isinstance(text, str) else ("", "", "")
        names = [h.strip() for h in heads.split(",")]
        if not arrow or not tail.strip() or not all(names):
            problems.append(Problem(f"bonds[{i}]", text, form, where))
        else:
            found.append((tail.strip(), names))
    return found


def _ready(table: Mapping[str, Any], where: str) -> Network:
    name, arguments = table["model"], table.get("arguments", {})
    if not isinstance(arguments, Mapping):
        raise BadInput(Problem("arguments", arguments, "a table", where))
    if not isinstance(name, str) or name not in MODELS:
        raise BadInput(
            Problem(
                "model",
                name,
                "one of " + ", ".join(MODELS),
                where,
                suggestion=closest(str(name), MODELS),
            )
        )
    expected = inspect.signature(MODELS[name]).parameters
    problems = [
        Problem(k, table[k], "model, arguments", where)
        for k in table
        if k not in ("model", "arguments", "name")
    ]
    problems += [
        Problem(
            f"arguments.{k}",
            arguments[k],
            "one of " + ", ".join(expected),
            where,
            suggestion=closest(k, expected),
        )
        for k in arguments
        if k not in expected
    ]
    problems += [
        Problem(f"arguments.{k}", None, "a value", where) for k in expected if k not in arguments
    ]
    if problems:
        raise BadInput(problems)
    try:
        network = MODELS[name](**arguments)
        network.equations  # noqa: B018
        return network
    except (TypeError, ValueError) as error:
        raise BadInput(
            Problem("arguments", dict(arguments), f"what {name} takes ({error})", where)
        ) from error
