"""The command: take, compare, against.

Exit code 0: equal, or taken; 1: something differs or failed; 2: bad input.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.fingerprint.cases import PARTS, Case, cases
from benchmarks.fingerprint.comparing import FAILED, compare
from benchmarks.fingerprint.places import CommandRefused, Moved, tree_hash
from benchmarks.fingerprint.store import BadFile, add, begin, read

ROOT = Path(__file__).parents[2]
KEPT = ROOT / ".cache" / "fingerprint"


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def channels_of(case: Case) -> dict[str, str]:
    """A refusal is a result: its class, not its text. Any other error is one too, and is told."""
    import softdock

    try:
        return case.make()
    except Moved:
        raise
    except softdock.SoftdockError as refusal:
        return {"refusal": type(refusal).__name__}
    except CommandRefused as refusal:
        code, text = refusal.args
        if code == 2:
            return {"refusal": f"exit code {code}"}
        say(f"  {case.name}: exit code {code}: {text}")
        return {FAILED: f"exit code {code}"}
    except Exception as error:
        say(f"  {case.name}: {type(error).__name__}: {error}")
        return {FAILED: type(error).__name__}


def take(out: Path, parts: tuple[str, ...], quick: bool, only: str = "") -> int:
    """Every case that the file has not; returns how many failed."""
    have, failed, began = begin(out), 0, time.perf_counter()
    say(f"sources {have.header['tree']}, into {out}: {len(have.cases)} cases are there")
    for case in cases(parts, quick):
        if case.name in have.cases or only not in case.name:
            continue
        at, cpu = time.perf_counter(), time.process_time()
        channels = channels_of(case)
        failed += FAILED in channels
        add(out, case.name, channels, time.process_time() - cpu)
        word = channels.get("refusal") or channels.get(FAILED) or f"{len(channels)} channels"
        passed = time.perf_counter()
        say(f"{passed - began:7.1f} s  {case.name}: {word} ({passed - at:.1f} s)")
    return failed


def report(a: Path, b: Path, partial: bool = False) -> int:
    verdict = compare(read(a), read(b), partial)
    print("\n".join(verdict.lines))
    return 0 if verdict.equal else 1


def taken_with(source: Path, folder: Path, options: list[str]) -> Path:
    """The fingerprint of other sources, by this program and interpreter; kept by their hash."""
    words = "_".join(word.strip("-").replace(",", "-").replace("/", "-") for word in options)
    out = folder / f"{tree_hash(source / 'softdock')}-{words or 'all'}.json"
    path = os.pathsep.join([str(source), str(ROOT)])
    program = [sys.executable, "-m", "benchmarks.fingerprint", "take", str(out), *options]
    done = subprocess.run(program, cwd=ROOT, env=os.environ | {"PYTHONPATH": path}, check=False)
    if done.returncode not in (0, 1):  # 1: cases that failed, which the comparison tells
        raise BadFile(f"no fingerprint of {source} was taken")
    return out


def against(rev: str, options: list[str], keep: Path) -> int:
    """That commit in a worktree of its own, which goes when it is done; then the sources here."""
    with tempfile.TemporaryDirectory() as folder:
        tree, git = Path(folder) / "tree", ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "--quiet", "--detach", str(tree), rev], check=True)
        try:
            before = taken_with(tree / "src", keep, options)
        finally:
            subprocess.run([*git, "remove", "--force", str(tree)], check=False)
    after = taken_with(ROOT / "src", keep, options)
    if after == before:
        say(f"the sources here are those of {rev}, to the byte: there is nothing to compare")
    return report(before, after)


def parts_of(text: str) -> tuple[str, ...]:
    asked = tuple(part.strip() for part in text.split(","))
    unknown = [part for part in asked if part not in PARTS]
    if unknown:
        allowed = ", ".join(PARTS)
        raise argparse.ArgumentTypeError(f"{', '.join(unknown)}; there are: {allowed}")
    return asked


def arguments() -> argparse.ArgumentParser:
    chosen = argparse.ArgumentParser(add_help=False)
    chosen.add_argument(
        "--parts", type=parts_of, default=PARTS, metavar="PART,...", help=", ".join(PARTS)
    )
    chosen.add_argument("--quick", action="store_true", help="presets, and each method once")
    chosen.add_argument(
        "--only", default="", metavar="TEXT", help="cases whose name has this in it"
    )
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fingerprint", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("take", parents=[chosen], help="of the sources that Python imports")
    one.add_argument("out", type=Path)
    two = commands.add_parser("compare", help="two files; exit code 1 if anything differs")
    two.add_argument("a", type=Path)
    two.add_argument("b", type=Path)
    two.add_argument(
        "--partial", action="store_true", help="a case that B has not is no difference"
    )
    rev = commands.add_parser("against", parents=[chosen], help="another commit, on this machine")
    rev.add_argument("rev")
    kept = "where both files are kept, by the hash of their sources"
    rev.add_argument("--keep", type=Path, metavar="DIR", default=KEPT, help=kept)
    return parser


def main() -> int:
    asked = arguments().parse_args()
    try:
        if asked.command == "take":
            return 1 if take(asked.out, asked.parts, asked.quick, asked.only) else 0
        if asked.command == "compare":
            return report(asked.a, asked.b, asked.partial)
        options = ["--quick"] if asked.quick else []
        options += ["--parts", ",".join(asked.parts)] if asked.parts != PARTS else []
        options += ["--only", asked.only] if asked.only else []
        return against(asked.rev, options, asked.keep)
    except (BadFile, OSError, Moved, subprocess.CalledProcessError) as error:
        say(str(error))
        return 2


if __name__ == "__main__":
    sys.exit(main())
