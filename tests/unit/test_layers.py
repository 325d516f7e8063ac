"""The house stands as pyproject.toml says: no package imports upwards, or in a circle."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_every_import_contract_is_kept():
    """`make layers` as a test: imports inside functions count as well."""
    command = Path(sys.executable).with_name("lint-imports")
    if not command.exists() and shutil.which("lint-imports") is None:
        pytest.fail("import-linter belongs to the development packages and is not installed")
    done = subprocess.run(
        [str(command), "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-4000:]
