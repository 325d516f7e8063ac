"""`softdock cache`: what softdock keeps of machine code and rendered pages, and how much."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any, NamedTuple

import click

from softdock.cli.progress import echo, output

MB = 1e6
CLEAR = "clear"


class CacheFolder(NamedTuple):
    """A folder that softdock made and marked."""

    path: Path
    kind: str  # what is in it
    files: int
    bytes: int


def list_cache_folders() -> list[CacheFolder]:
    """Every folder that softdock marked in its cache, this version's first."""
    from softdock.compile.disk_cache import MARK, find_cache_folder
    from softdock.compile.sources import HASH_LENGTH

    mine = find_cache_folder()
    found = []
    for path in sorted(mine.parent.iterdir()) if mine.parent.is_dir() else []:
        named = len(path.name) == HASH_LENGTH and not path.is_symlink()
        if not (named and path.is_dir() and (path / MARK).is_file()):
            continue
        kind = "machine code of this version" if path == mine else "machine code of other versions"
        if (path / "index.html").is_file():
            kind = "documentation"
        sizes = [one.stat().st_size for one in path.rglob("*") if one.is_file()]
        found.append(CacheFolder(path, kind, len(sizes), sum(sizes)))
    return sorted(found, key=lambda one: one.path != mine)


@click.command(short_help="Show what softdock keeps on this computer, or remove it.")
@click.argument("action", type=click.Choice([CLEAR]), required=False, metavar="[clear]")
@click.option("--json", "as_json", is_flag=True, help="Print folders and sizes as JSON.")
def cache(action: str | None, as_json: bool) -> None:
    """Show where softdock keeps compiled machine code and the rendered documentation, and how much.

    `softdock cache clear` removes it. Only folders that softdock marked as its own are removed; the
    next run compiles anew, which takes about half a minute. SOFTDOCK_CACHE_DIR names another place.
    """
    from softdock.compile.disk_cache import find_cache_folder

    found = list_cache_folders()
    kept: list[CacheFolder] = []
    if action == CLEAR:
        for one in found:
            shutil.rmtree(one.path, ignore_errors=True)
        kept = [one for one in found if one.path.exists()]
    base = find_cache_folder().parent
    if as_json:
        echo(json.dumps(_to_dict(base, found, action, kept), indent=1) + "\n")
        return
    paper = output()
    total = sum(one.bytes for one in found)
    if action == CLEAR:
        removed = total - sum(one.bytes for one in kept)
        paper.print(f"Removed {removed / MB:.1f} MB from {base}.", markup=False, soft_wrap=True)
        for one in kept:
            paper.print(f"Could not remove {one.path}.", markup=False, soft_wrap=True)
        return
    if not found:
        paper.print(f"{base} holds nothing yet.", markup=False, soft_wrap=True)
        return
    paper.print(f"{base}: {total / MB:.1f} MB", markup=False, soft_wrap=True)
    for kind in dict.fromkeys(one.kind for one in found):
        mine = [one for one in found if one.kind == kind]
        size, files = sum(one.bytes for one in mine), sum(one.files for one in mine)
        paper.print(f"  {size / MB:8.1f} MB  {kind}, {files} files", markup=False)
    paper.print("`softdock cache clear` removes it.", markup=False)


def _to_dict(
    base: Path, found: list[CacheFolder], action: str | None, kept: list[CacheFolder]
) -> dict[str, Any]:
    rows = [{**one._asdict(), "path": str(one.path)} for one in found]
    report: dict[str, Any] = {"folder": str(base), "folders": rows}
    if action == CLEAR:
        gone = [str(one.path) for one in found if one not in kept]
        report |= {"removed": gone, "kept": [str(one.path) for one in kept]}
    return report
