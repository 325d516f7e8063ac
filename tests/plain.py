"""softdock in plain Python (NUMBA_DISABLE_JIT=1), in a process of its own for each piece of code:
what it registers or changes does not stay, and no list of methods is compiled for it.

    done = run_plain(CODE, "an argument", given="text on its standard input")
    done.returncode, done.stdout, done.stderr

To start Python and import softdock takes longer than most of these pieces: one process does so
once, and each piece runs in a fork of it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import traceback
import types
from pathlib import Path
from typing import Any

FILES = ("in", "out", "err")  # of a piece: its standard input, output and error
spent_s = 0.0  # processor time of all that ran, for cpu_times.py
_started: list[subprocess.Popen[str]] = []


def run_plain(
    code: str,
    *arguments: str,
    given: str = "",
    cwd: Path | None = None,
    env: dict[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """As `python -c CODE ARGUMENTS`. `env`: on top of ours."""
    global spent_s
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / name for name in FILES]
        files[0].write_text(given, encoding="utf-8")
        asked = {"code": code, "arguments": arguments, "files": [str(file) for file in files]}
        asked |= {"cwd": str(cwd or Path.cwd()), "env": {**_plain(), **(env or {})}}
        server = _server()
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(json.dumps(asked) + "\n")
        server.stdin.flush()
        code_of_exit, used_s = json.loads(server.stdout.readline())
        spent_s += used_s
        out, err = (file.read_text(encoding="utf-8") for file in files[1:])
    return subprocess.CompletedProcess([code, *arguments], code_of_exit, out, err)


def _plain() -> dict[str, str]:
    path = os.pathsep.join(filter(None, sys.path))
    return {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": path}


def _server() -> subprocess.Popen[str]:
    """The process that forks, one of each worker; it ends with our end of its input."""
    global spent_s
    if not _started or _started[0].poll() is not None:
        started = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=_plain(),
            text=True,
        )
        _started[:] = [started]
        assert started.stdout is not None
        spent_s += json.loads(started.stdout.readline())
    return _started[0]


def _serve() -> None:
    import click.testing  # noqa: F401

    import softdock.cli.main  # noqa: F401
    from softdock import load_scenario, simulate
    from softdock.loop.cycle import cycle

    assert isinstance(cycle, types.FunctionType), "this must be plain Python"
    simulate(load_scenario("epos_1d", {"time.duration_s": 0.02}))  # imports what a run needs
    used = os.times()
    print(json.dumps(used.user + used.system), flush=True)
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            os._exit(_run(json.loads(line)))
        _, status, spent = os.wait4(child, 0)
        answer = [os.waitstatus_to_exitcode(status), spent.ru_utime + spent.ru_stime]
        print(json.dumps(answer), flush=True)


def _run(asked: dict[str, Any]) -> int:
    """In the fork: the exit code."""
    modes = (os.O_RDONLY, *(os.O_WRONLY | os.O_CREAT,) * 2)
    for number, (file, mode) in enumerate(zip(asked["files"], modes, strict=True)):
        os.dup2(os.open(file, mode), number)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    os.environ.clear()
    os.environ.update(asked["env"])
    os.chdir(asked["cwd"])
    sys.argv = ["-c", *asked["arguments"]]
    sys.path[:] = ["", *asked["env"]["PYTHONPATH"].split(os.pathsep)]
    main = types.ModuleType("__main__")
    sys.modules["__main__"] = main
    code = 0
    try:
        exec(compile(asked["code"], "<plain>", "exec"), main.__dict__)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return code


if __name__ == "__main__":
    _serve()
