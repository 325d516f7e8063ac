"""What is published says the same everywhere: version, Python, dependencies."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import yaml
from install_check import SUPPORTED

import softdock

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
RENAMED = {"mcap": "python-mcap"}  # as conda-forge calls them


def test_the_conda_recipe_says_what_pyproject_says():
    """Version, range of Python, run-time dependencies with their bounds, and the command."""
    recipe = yaml.safe_load((ROOT / "packaging" / "recipe.yaml").read_text(encoding="utf-8"))
    assert recipe["context"]["version"] == softdock.__version__
    python, *run = recipe["requirements"]["run"]
    least = recipe["context"]["python_min"]
    assert python.replace("${{ python_min }}", least) == f"python {PROJECT['requires-python']}"
    wanted = {
        re.sub(r"^[a-z]+", lambda m: RENAMED.get(m[0], m[0]), one)
        for one in PROJECT["dependencies"]
    }
    assert {one.replace(" ", "") for one in run} == wanted
    (entry,) = recipe["build"]["python"]["entry_points"]
    assert dict([entry.split(" = ")]) == PROJECT["scripts"]


def test_versions_and_classifiers_agree():
    """The citation and the newest entry of the changelog have the package's version; classifiers
    name only interpreters that the install check takes."""
    version = softdock.__version__
    assert f"version: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.search(r"^## \[(.+?)\]", changes, re.M)
    assert newest is not None
    assert newest[1] == version
    named = re.findall(r"Python :: (3\.\d+)", " ".join(PROJECT["classifiers"]))
    assert named
    assert set(named) <= set(SUPPORTED)
