"""A network from a TOML file, or from a table of a scenario; its keys are explained in ports/tables.py and docs/ports.md."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.ports.elements import POSITION
from softdock.ports.linear_step import linear_net
from softdock.ports.network import Network
from softdock.ports.resolution import warnings_of
from softdock.ports.tables import network_from


def load_network(path: str | Path) -> Network:
    """A network from a TOML file."""
    path = Path(path)
    try:
        with path.open("rb") as file:
            return network_from(tomllib.load(file), where=str(path))
    except OSError as error:
        raise BadInput(Problem("network", str(path), f"a file that can be read ({error.strerror})")) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadInput(Problem("network", str(path), f"a TOML file ({error})")) from error


def network_rows(table: Any, T: float) -> tuple[np.ndarray, list[str]]:
    """A network's numbers as they stand behind a scenario's vector: n, T, A, B, C, Dbar, its inverse, stiffnesses. And warnings."""
    if not isinstance(table, Mapping):
        raise BadInput(Problem("network", table, "a table: model and arguments, or bonds and elements"))
    network = network_from(table)
    if not network.linear or len(network.ports) != 1 or network.ports[0].causality != POSITION:
        raise BadInput(Problem("network", network.name, "a linear network of one position port"))
    net = linear_net(network, T)
    if not net.Dbar[0, 0] > 0.0:
        raise BadInput(Problem("network", network.name, "a network that resists at its port"))
    rows = np.concatenate([[net.n, T], *(np.ravel(a) for a in (net.A, net.B, net.C, net.Dbar, net.Dinv, net.stiffness))])
    return rows, warnings_of(network, T)
