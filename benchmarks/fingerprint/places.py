"""Names of softdock that the fingerprint uses beyond `softdock.*`, each with its possible places.

What moves gets its new place added in front of the old one: older commits can still be read.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

PLACES = {  # "module", or "module:name" where it has another name there
    "candidates": ("softdock.scenario.candidates", "softdock.comparison"),
    "columns": ("softdock.studies.campaign.columns:make_columns", "softdock.campaign.columns"),
    "run_cpu": ("softdock.studies.campaign.batch", "softdock.campaign.cpu"),
}
MAIN = ("softdock.cli.main", "softdock.cli", "softdock.command_line.main")


class Moved(ImportError):
    """A name is at none of its places."""


def find(name: str, places: tuple[str, ...] = ()) -> Any:
    """The object of that name, from the first place that has it."""
    places = places or PLACES[name]
    for place in places:
        try:
            module, _, other_name = place.partition(":")
            found = getattr(import_module(module), other_name or name)
        except (ModuleNotFoundError, AttributeError):
            continue
        if callable(found):  # and no module of the same name
            return found
    raise Moved(f"'{name}' is in none of {', '.join(places)}: add its new place to {__file__}")


def command(*arguments: str) -> str:
    """What a softdock command prints, from a process of its own."""
    code = f"from benchmarks.fingerprint.places import find, MAIN; find('main', {MAIN!r})()"
    here = str(Path(__file__).parents[2])
    path = os.pathsep.join([*sys.path, here])
    found = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": path, "COLUMNS": "200", "NO_COLOR": "1"},
    )
    if found.returncode not in (0, 3):  # 3: the run stopped early, which is a result
        raise CommandRefused(found.returncode, found.stderr[-2000:])
    return found.stdout


def command_json(*arguments: str) -> Any:
    return json.loads(command(*arguments, "--json"))


class CommandRefused(Exception):
    """A command ended with an exit code that says so."""


def preset_names() -> list[str]:
    """As `softdock scenarios` lists them: the first word of every line."""
    return [line.split()[0] for line in command("scenarios").splitlines() if line.strip()]


def source_root() -> Path:
    import softdock

    return Path(softdock.__file__).parent


def tree_hash(root: Path) -> str:
    """Of every source and preset of a package, by path and content."""
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*")):
        if path.suffix in (".py", ".toml") and "__pycache__" not in path.parts:
            digest.update(str(path.relative_to(root)).encode() + b"\0")
            digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]
