"""Follow a recipe of CONTRIBUTING in a copy of the package: files and lines are added, and a
program is run with it in plain Python."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import softdock

DOCS = Path(__file__).parents[2] / "docs"


def follow(
    folder: Path,
    new: dict[str, str],
    lines: dict[str, list[tuple[str, str]]],
    code: str,
    given: Any,
) -> Any:
    """What `code` prints as JSON, with `given` as JSON on its standard input. `new`: texts by path
    in the package; `lines`: pairs of an anchor, which must stand there once, and what is put before
    it."""
    copy = folder / "softdock"
    away = shutil.ignore_patterns("assets")  # with Python's bytecode, which still fits
    shutil.copytree(Path(softdock.__file__).parent, copy, ignore=away)
    for name, text in new.items():
        assert not (copy / name).exists()
        (copy / name).write_text(text, encoding="utf-8")
    for name, pairs in lines.items():
        text = (copy / name).read_text(encoding="utf-8")
        for anchor, added in pairs:
            assert text.count(anchor) == 1, (
                f"{name}: {anchor!r} stands there {text.count(anchor)} x"
            )
            text = text.replace(anchor, added + anchor)
        (copy / name).write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        env={
            **os.environ,
            "NUMBA_DISABLE_JIT": "1",
            "PYTHONPATH": os.pathsep.join([str(folder), str(DOCS)]),
        },
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)
