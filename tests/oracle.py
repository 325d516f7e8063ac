"""Packages of the group `oracles`."""

from __future__ import annotations

import importlib.util
import os

import pytest


def need(*packages: str) -> None:
    """Skip without them, or fail where they are required (`make oracles`)."""
    missing = [one for one in packages if importlib.util.find_spec(one) is None]
    if missing:
        message = f"{', '.join(missing)} is not installed: uv sync --group oracles"
        if os.environ.get("SOFTDOCK_REQUIRE_ORACLES") == "1":
            pytest.fail(message)
        pytest.skip(message)
