"""The common way (scenarios, runs, pages, campaigns, logs) needs nothing that only POSIX has: a
Python without fcntl, nice, getuid, posix_fallocate and the like still goes through it.

It is this system with those names taken away, not Windows: paths and line ends are not shown by it.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "src" / "softdock"
TAKEN = ("nice", "getuid", "posix_fallocate", "O_CLOEXEC", "O_DIRECTORY", "O_NONBLOCK")
TAKEN += ("sched_getaffinity", "sched_setscheduler", "SCHED_FIFO", "fork", "mkfifo")
MODULES = ("fcntl", "resource", "termios", "pwd", "grp", "tty")
# extras whose commands import them when they are called
EXTRAS = ("cyclonedds", "fmpy", "foxglove", "pythonfmu3", "rtde_control", "rtde_receive")
WITHOUT = f"""
import sys
import click, mcap.reader, mcap.writer, numba, numpy, plotly, pyarrow, pyarrow.csv, pyarrow.parquet
import rich.console, rich.progress, rich.table, tempfile, subprocess, multiprocessing
import os, viser
for name in {TAKEN!r}:
    if hasattr(os, name):
        delattr(os, name)
for name in {MODULES + EXTRAS!r}:
    sys.modules[name] = None
import importlib, pkgutil, softdock
for module in pkgutil.walk_packages(softdock.__path__, "softdock."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
from softdock.cli.main import cli
from click.testing import CliRunner
for command in {{commands!r}}:
    done = CliRunner().invoke(cli, command)
    assert done.exit_code == 0, (command, done.output, done.exception)
from pathlib import Path
from softdock.compile.disk_cache import lock_file
with lock_file(Path("lock")):
    pass
from softdock.rig.drivers.compiled_loop import ask_priority
assert ask_priority(80)[0] == 0
from softdock.recording.ring_file import make_ring
from softdock.recording.streams import About, make_rig_streams
make_ring(make_rig_streams(["chaser"]), About(), folder=Path("."), seconds=2.0)
from softdock.errors import BadInput
from softdock.rig.file import load_rig
from softdock.rig.peers import Commander
try:
    with Commander(load_rig("emulated_pair")):
        raise AssertionError("a rig was held without a lock")
except BadInput as refused:
    assert "needs Linux" in str(refused)
"""
LOG = "t,x,w,fx\n" + "".join(f"{0.004 * i!r},{0.1 - 1e-4 * i!r},1.0,0.5\n" for i in range(100))
MAP = """schema = 1
[clock.log]
column = "t"
[chaser.command]
position = ["x", 0.0, 0.0]
attitude = ["w", 0.0, 0.0, 0.0]
[chaser.wrench]
force = ["fx", 0.0, 0.0]
"""


def test_the_common_way_needs_no_posix(tmp_path):
    """Every module of softdock imports, the viewer's and the rig's too, without the extras; then
    scenarios, new, check, a plan of poses, an import with its folder, one run with its pages; a rig
    is refused in one sentence."""
    (tmp_path / "log.csv").write_text(LOG, encoding="utf-8")
    (tmp_path / "map.toml").write_text(MAP, encoding="utf-8")
    commands = [
        ["scenarios"],
        ["new", "rig.toml", "--no-ask"],
        ["check", "rig.toml"],
        ["calibrate", "plan", "poses.csv"],
        ["import", "log.csv", "--map", "map.toml", "--out", "log"],
        ["run", "epos_1d", "--set", "time.duration_s=0.02", "--out", "run"],
    ]
    env = os.environ | {"PYTHONPATH": str(ROOT / "src"), "NUMBA_DISABLE_JIT": "1"}
    code = WITHOUT.replace("{commands!r}", repr(commands))
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "log" / "recording.mcap").is_file()


def test_posix_only_modules_are_imported_nowhere_at_the_top():
    """A module that Windows has not is imported by name, where its absence is borne; and a file is
    opened by number in binary, which Windows must be told."""
    wrong = []
    for path in SOURCES.rglob("*.py"):
        if "rig" in path.relative_to(SOURCES).parts:
            continue  # the rig in real time is for Linux alone (docs/install.md)
        text = path.read_text(encoding="utf-8")
        if re.search(rf"^\s*(import|from) ({'|'.join(MODULES)})\b", text, re.M):
            wrong.append(path.name)
        for call in re.findall(r"os\.open\((?:[^()]|\([^()]*\))*\)", text):
            if "RDONLY | os.O_DIRECTORY" in call or "devnull" in call or ".lock" in call:
                continue
            if "O_BINARY" not in text and "lock" not in call:
                wrong.append(f"{path.name}: {call}")
    assert wrong == []
