"""A network from a TOML file, or from a table of a scenario; its keys are explained in
networks/tables.py and docs/ports.md."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.files.reading import Unreadable, read_text
from softdock.files.toml_text import parse_toml, too_deep
from softdock.methods.networks.port import FIRST, MOST_PORTS, NUMBERS
from softdock.methods.registry import METHODS
from softdock.networks.elements import FORCE, POSITION
from softdock.networks.laws import flatten_laws
from softdock.networks.linear_step import linear_net
from softdock.networks.network import Network
from softdock.networks.resolution import warnings_of
from softdock.networks.satellite import rigid_motion
from softdock.networks.tables import network_from


def load_network(path: str | Path) -> Network:
    """A network from a TOML file."""
    path = Path(path)
    try:
        tables, locate, _ = parse_toml(read_text(path, what="network file"), str(path))
    except Unreadable as error:
        raise BadInput(
            Problem("network", error.given, error.allowed, f"{path}:{error.line}")
        ) from None
    try:
        with np.errstate(over="raise", divide="raise", invalid="raise"):
            network = network_from(tables, locate=locate)
            network.describe()
            warnings_of(network, 1.0)
        return network
    except (FloatingPointError, OverflowError, np.linalg.LinAlgError) as error:
        allowed = f"elements whose numbers can be computed with ({error})"
        raise BadInput(Problem("network", str(path), allowed, f"{path}:1")) from None
    except RecursionError:
        raise too_deep(str(path)) from None
    except BadInput as error:
        raise BadInput(
            [replace(p, where=p.where or locate(p.key)) for p in error.problems]
        ) from None


def network_rows(table: Any, T: float, causality: str) -> tuple[np.ndarray, list[str]]:
    """As `_rows`; numbers that cannot be computed with are refused."""
    try:
        return _rows(table, T, causality)
    except (OverflowError, np.linalg.LinAlgError) as error:
        allowed = f"elements whose numbers can be computed with ({error})"
        raise BadInput(Problem("network", None, allowed)) from None


def _rows(table: Any, T: float, causality: str) -> tuple[np.ndarray, list[str]]:
    """A network's numbers as they stand behind a scenario's vector, and warnings: n, r, m, T, nodes
    of tables; Dirac matrix, laws of stores and dampers, tables (networks/laws.py); of linear
    networks A, B, C, Dbar, its inverse, stiffnesses (networks/linear_step.py)."""
    if not isinstance(table, Mapping):
        raise BadInput(
            Problem("network", table, "a table: model and arguments, or bonds and elements")
        )
    network = network_from(table)
    _check_ports(network, causality)
    laws = flatten_laws(network)
    sizes = np.zeros(NUMBERS.size)
    sizes[FIRST.n], sizes[FIRST.r], sizes[FIRST.m] = laws.n, laws.r, laws.m
    sizes[FIRST.T], sizes[FIRST.nodes] = T, len(laws.tables)
    rows = [
        sizes,
        laws.dirac,
        laws.stores,
        laws.dampers,
        laws.tables,
    ]
    if network.linear:
        net = linear_net(network, T)
        if not np.linalg.eigvalsh(net.Dbar + net.Dbar.T)[0] > 0.0:
            raise BadInput(
                Problem(
                    "ports",
                    list(network.dirac.ports),
                    "a network that resists at each of its ports",
                )
            )
        rows += [net.A, net.B, net.C, net.Dbar, net.Dinv, net.stiffness]
        if causality == FORCE:
            rows.append(rigid_motion(network)[0])
    return np.concatenate([np.ravel(np.asarray(row, float)) for row in rows]), warnings_of(
        network, T
    )


def _method_with(causality: str) -> str:
    """The first method that takes a network with such ports."""
    return next(
        name
        for name, method in METHODS.items()
        if any(p.kind == "network" and p.causality == causality for p in method.group)
    )


def _check_ports(network: Network, causality: str) -> None:
    wrong = [port for port in network.ports if port.causality != causality]
    if wrong:
        other = (
            f'name = "{_method_with(FORCE)}" takes a network of a force port'
            if causality == POSITION
            else f'name = "{_method_with(POSITION)}" takes position ports'
        )
        raise BadInput(
            [
                Problem(f"ports.{port.name}.causality", port.causality, f"{causality} ({other})")
                for port in wrong
            ]
        )
    most = MOST_PORTS if causality == POSITION else 1
    if len(network.ports) > most:
        raise BadInput(
            Problem(
                "ports", [port.name for port in network.ports], f"at most {most} of {causality}"
            )
        )
    if causality == FORCE and not network.linear:
        raise BadInput(
            Problem("springs, dampers", network.name, "a linear network, as a satellite")
        )
