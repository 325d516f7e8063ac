"""A network from a TOML file; its keys are explained in ports/tables.py and docs/ports.md."""

from __future__ import annotations

import tomllib
from pathlib import Path

from softdock.errors import BadInput, Problem
from softdock.ports.network import Network
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
