"""What would be published: an sdist, the wheel that is built from it, `twine check` of both, the
conda recipe rendered by rattler-build; then the wheel, put by pip into a fresh environment of every
interpreter that is here, and used from an empty folder. `make install-check`; not part of `make
test`, because pip downloads the packages.

python tests/install_check.py [--python PATH ...] [--wheel FILE] [--keep DIR]
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
SUPPORTED = ("3.11", "3.12", "3.13", "3.14")  # declared in docs/install.md; others are untested
RUN = "import softdock; s = softdock.load_scenario('epos_1d', {'time.duration_s': 1.0}); "
COMMANDS = (
    ("softdock", "--version"),
    ("softdock", "scenarios"),
    ("softdock", "new", "rig.toml", "--no-ask"),
    ("softdock", "check", "rig.toml"),
    ("softdock", "calibrate", "plan", "poses.csv"),
    ("python", "-c", RUN + "print(softdock.run_loop(s).status)"),
    ("softdock", "run", "epos_1d", "--set", "time.duration_s=1", "--out", "run"),
    ("softdock", "import", "run/series.parquet", "--guess", "--map", "map.toml"),
    ("softdock", "import", "run/series.parquet", "--map", "map.toml", "--out", "log"),
    ("softdock", "identify", "log"),
)
UVX = (
    ("softdock", "--version"),
    ("softdock", "new", "rig.toml", "--no-ask"),
    ("softdock", "check", "rig.toml"),
)


def interpreters() -> list[str]:
    """One of each version that is here: by name, and those that pyenv keeps."""
    found: dict[str, str] = {}
    names = [f"python{version}" for version in SUPPORTED] + ["python3", sys.executable]
    pyenv = sorted((Path.home() / ".pyenv" / "versions").glob("3.*/bin/python"))
    for name in [*names, *map(str, pyenv)]:
        path = shutil.which(name)
        version = path and _version(path)
        if path and version in SUPPORTED:
            found.setdefault(str(version), path)
    return [found[version] for version in SUPPORTED if version in found]


def _version(python: str) -> str | None:
    code = "import sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2])"
    asked = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    return asked.stdout.strip() if asked.returncode == 0 else None


RENDER = "import rattler_build as r; print(*r.Stage0Recipe.from_file({!r}).render())"


def build_wheel(folder: Path) -> Path:
    """The wheel, with what an index and conda would say of it; raises where either says no."""
    home = folder / "publish"
    subprocess.run([interpreters()[0], "-m", "venv", str(home)], check=True)
    python = str(home / "bin" / "python")
    tools = ["build", "twine", "py-rattler-build"]
    subprocess.run([python, "-m", "pip", "install", "--quiet", *tools], check=True)
    build = [python, "-m", "build", "--outdir", str(folder), str(ROOT)]
    subprocess.run(build, check=True, stdout=subprocess.DEVNULL)
    (wheel,), (sdist,) = folder.glob("softdock-*.whl"), folder.glob("softdock-*.tar.gz")
    twine = [python, "-m", "twine", "check", "--strict", str(wheel), str(sdist)]
    subprocess.run(twine, check=True)
    render = RENDER.format(str(ROOT / "packaging" / "recipe.yaml"))
    subprocess.run([python, "-c", render], check=True)
    return wheel


def check(python: str, wheel: Path, folder: Path) -> str:
    """Install and use; what failed, or nothing."""
    home, empty = folder / "venv", folder / "empty"
    if not home.exists():
        subprocess.run([python, "-m", "venv", str(home)], check=True)
        pip = [str(home / "bin" / "pip"), "install", "--quiet", str(wheel)]
        subprocess.run(pip, check=True)
    empty.mkdir()
    kept = ("PYTHONPATH", "VIRTUAL_ENV", "SOFTDOCK_CACHE_DIR", "SOFTDOCK_EVERY_FEATURE")
    env = {key: value for key, value in os.environ.items() if key not in kept}
    env |= {"XDG_CACHE_HOME": str(folder / "cache"), "HOME": str(folder)}
    for command in COMMANDS:
        began = time.monotonic()
        done = subprocess.run(
            [str(home / "bin" / command[0]), *command[1:]],
            cwd=empty,
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            return f"{' '.join(command)}\n{done.stdout}\n{done.stderr}"
        print(f"  {time.monotonic() - began:6.1f} s  {' '.join(command)}", flush=True)
    where = subprocess.run(
        [str(home / "bin" / "python"), "-c", "import softdock; print(softdock.__file__)"],
        cwd=empty,
        env=env,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return "" if str(home) in where else f"not the installed package: {where}"


def uv() -> str | None:
    """A uv that runs: on the path, or the one that the Makefile made."""
    for one in (shutil.which("uv"), shutil.which(str(ROOT / ".uv" / "bin" / "uv"))):
        if one and subprocess.run([one, "--version"], capture_output=True).returncode == 0:
            return one
    return None


def check_uvx(program: str, python: str, wheel: Path, folder: Path) -> str:
    """`uvx --from WHEEL softdock ...`: used without installing; what failed, or nothing."""
    folder.mkdir(exist_ok=True)
    kept = ("PYTHONPATH", "VIRTUAL_ENV", "SOFTDOCK_CACHE_DIR", "SOFTDOCK_EVERY_FEATURE")
    env = {key: value for key, value in os.environ.items() if key not in kept}
    env |= {"XDG_CACHE_HOME": str(folder / "cache"), "UV_PYTHON_DOWNLOADS": "never"}
    for command in UVX:
        began = time.monotonic()
        done = subprocess.run(
            [program, "tool", "run", "--python", python, "--from", str(wheel), *command],
            cwd=folder,
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            return f"uvx {' '.join(command)}\n{done.stdout}\n{done.stderr}"
        print(f"  {time.monotonic() - began:6.1f} s  uvx {' '.join(command)}", flush=True)
    return ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", action="append", default=[])
    parser.add_argument("--wheel", type=Path)
    parser.add_argument("--keep", type=Path, help="where environments are made, and stay")
    asked = parser.parse_args()
    pythons = asked.python or interpreters()
    base = asked.keep or Path(tempfile.mkdtemp(prefix="softdock-install-"))
    bad = 0
    try:
        wheel = asked.wheel or build_wheel(base)
        tested = []
        for python in pythons:
            version = _version(python)
            print(f"{version} ({python}), {wheel.name}", flush=True)
            folder = base / f"with-{re.sub(r'[^0-9.]', '', str(version))}"
            folder.mkdir(exist_ok=True)
            failed = check(python, wheel, folder)
            print(f"  FAILED: {failed}" if failed else "  all passed", flush=True)
            bad += bool(failed)
            tested.append(version)
        program = uv()
        if program is None:
            print("uvx: untested, no uv is here")
        elif pythons:
            failed = check_uvx(program, pythons[0], wheel, base / "uvx")
            print(f"  FAILED: {failed}" if failed else "  uvx: all passed", flush=True)
            bad += bool(failed)
        missing = [version for version in SUPPORTED if version not in tested]
        print(f"tested: {', '.join(map(str, tested))}; untested: {', '.join(missing) or 'none'}")
    finally:
        if asked.keep is None:
            shutil.rmtree(base, ignore_errors=True)
    return 1 if bad or not pythons else 0


if __name__ == "__main__":
    sys.exit(main())
