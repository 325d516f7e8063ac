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
from dataclasses import replace
from functools import partial
from typing import Any

from softdock.errors import BadInput, Problem
from softdock.files.schema import file_key, own_key
from softdock.files.tables import Locate, Reader
from softdock.networks.elements import KEYS
from softdock.networks.models import MODELS
from softdock.networks.network import Network

NAME = file_key("name", "of the network", "network", kind="text")
MODEL = file_key("model", "a ready network", choices=tuple(MODELS))
FORM = 'a list of texts like "together -> S1, in_series"'


def network_from(
    table: Mapping[str, Any], where: str = "", locate: Locate | None = None
) -> Network:
    """A network from its table; all problems at once, each with its key. `where`: the file, or
    `locate`: file and line of a key."""
    problems: list[Problem] = []
    top = Reader(table, "", problems, locate or (lambda path: where))
    if top.has("model"):
        return _build_model(top)
    reader = _NetworkReader(top)
    reader.elements()
    bonds = reader.bonds()
    if not problems:
        for tail, heads in bonds:
            reader.attempt(partial(reader.network.connect, tail, *heads))
    if not problems:
        reader.attempt(lambda: reader.network.equations)
    if problems:
        raise BadInput(problems)
    return reader.network


class _NetworkReader:
    """A network while its table is read."""

    def __init__(self, top: Reader) -> None:
        self.top, self.problems = top, top.problems
        self.network = Network(top.value(NAME))
        self.tables: dict[str, str] = {}  # of each element, the path of its table

    def elements(self) -> None:
        """Elements and junctions."""
        for kind, keys in KEYS.items():
            group = self.top.inner(kind, f"tables [{kind}.NAME]")
            for name in group.table:
                row, before = group.inner(name), len(self.problems)
                values = row.read(keys)
                row.done()
                self.tables[name] = row.path
                if len(self.problems) == before:
                    self.attempt(partial(_add, self.network, kind, name, values))
        group = self.top.inner("junctions", "a table of names, each 0 or 1")
        for name in group.table:
            before = len(self.problems)
            kind = group.value(own_key(name, "which of the two", "0 or 1", _is_junction))
            self.tables[name] = group.at(name)
            if len(self.problems) == before:
                self.attempt(partial(self.network.one if kind else self.network.zero, name))

    def bonds(self) -> list[tuple[str, list[str]]]:
        """Names that are joined."""
        bonds = self.top.value(own_key("bonds", "who is joined", FORM, _is_list))
        self.top.done()
        found = []
        for i, text in enumerate(bonds if _is_list(bonds) else []):
            tail, arrow, heads = text.partition("->") if isinstance(text, str) else ("", "", "")
            names = [h.strip() for h in heads.split(",")]
            if not arrow or not tail.strip() or not all(names):
                self.top.refuse(f"bonds.{i}", text, FORM)
            else:
                found.append((tail.strip(), names))
        return found

    def attempt(self, do: Callable[[], Any]) -> None:
        """What the network itself refuses, with the key of the file."""
        try:
            do()
        except BadInput as error:
            for problem in error.problems:
                key = self.find_path(problem.key)
                self.problems.append(replace(problem, key=key, where=self.top.locate(key)))

    def find_path(self, key: str) -> str:
        """A network names its elements; a file has them in tables of their kind."""
        inside = key.removeprefix(f"{self.network.name}.")
        for name, path in self.tables.items():
            if inside == name or inside.startswith(f"{name}."):
                return path + inside[len(name) :]
        return inside


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


def _is_junction(value: Any) -> bool:
    return value in (0, 1) and not isinstance(value, bool)


def _add(network: Network, kind: str, name: str, e: Mapping[str, Any]) -> None:
    if kind == "ports":
        network.port(name, e["causality"])
    elif kind == "masses":
        network.mass(name, e["mass_kg"])
    elif kind == "dampers":
        network.damper(
            name,
            e["damping_Ns_per_m"],
            quadratic=e["quadratic_Ns2_per_m2"],
            per_force=e["per_force_s_per_m"],
            of=e["of"],
        )
    elif kind == "transformers":
        network.transformer(name, e["ratio"])
    elif e["coefficients"] is not None:
        given = e["coefficients"]
        network.polynomial_spring(name, *(given if isinstance(given, list | tuple) else [given]))
    elif e["exponent"] is not None:
        network.one_sided_spring(name, e["stiffness_N_per_m"], e["exponent"])
    else:
        network.spring(name, e["stiffness_N_per_m"])


def _build_model(top: Reader) -> Network:
    """One of the ready models."""
    top.value(NAME)
    name, inner = top.value(MODEL), top.inner("arguments")
    top.done()
    if top.table.get("model") == name:
        expected = inspect.signature(MODELS[name]).parameters
        arguments = inner.read(own_key(k, "", "a value", lambda value: True) for k in expected)
        inner.done()
    if top.problems:
        raise BadInput(top.problems)
    try:
        network = MODELS[name](**arguments)
        network.equations  # noqa: B018
        return network
    except (TypeError, ValueError) as error:
        top.refuse("arguments", dict(inner.table), f"what {name} takes ({error})")
        raise BadInput(top.problems) from error
