"""What commands keep on this computer and where: one convention for result folders, the cache, and
the documentation without a network."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlparse

import pytest
from click.testing import CliRunner

from softdock.cli import cache as cache_command
from softdock.cli import docs as docs_command
from softdock.cli.main import cli
from softdock.compile import disk_cache
from softdock.errors import BadInput

KEPT = ("run", "compare", "demo", "place", "replay", "haptics", "papers")
ALWAYS = ("campaign", "benchmark", "import")


@pytest.mark.parametrize("command", [*KEPT, *ALWAYS])
def test_every_command_says_where_results_go_in_the_same_words(command):
    """A new folder in softdock-runs/; with --json nothing, but for what took long."""
    shown = " ".join(CliRunner().invoke(cli, [command, "--help"]).output.split())
    shown = shown.replace("softdock- runs", "softdock-runs")
    tail = "; with --json nothing is kept unless --out is given]" if command in KEPT else "]"
    assert re.search(
        r"--out DIR Folder for [^\[]*\[default: a new one in softdock-runs/" + tail, shown
    )


@pytest.mark.parametrize("command", ["run", "accept"])
def test_a_rigs_recordings_go_to_the_same_place(command):
    """The rig file may name another."""
    shown = " ".join(CliRunner().invoke(cli, ["rig", command, "--help"]).output.split())
    shown = shown.replace("softdock- runs", "softdock-runs").replace(
        "record. folder", "record.folder"
    )
    assert "a new one in the rig file's record.folder, softdock-runs/]" in shown


@pytest.fixture
def base(tmp_path, monkeypatch):
    """A cache of its own."""
    monkeypatch.setenv("SOFTDOCK_CACHE_DIR", str(tmp_path / "cache"))
    disk_cache.find_cache_folder.cache_clear()
    yield tmp_path / "cache"
    disk_cache.find_cache_folder.cache_clear()


def test_the_cache_is_shown_by_what_is_in_it_and_cleared(base):
    """Only marked folders go: a stranger's file, a stranger's folder and a link stay."""
    mine = disk_cache.find_cache_folder()
    (mine / "run_cycles.code").write_bytes(b"x" * 2_000_000)
    old = base / "0123456789abcdef"
    old.mkdir()
    (old / disk_cache.MARK).touch()
    (old / "begin.code").write_bytes(b"x" * 500_000)
    stranger = base / "fedcba9876543210"
    stranger.mkdir()
    (stranger / "thesis.txt").write_text("mine")
    (base / "note.txt").write_text("mine")
    outside = base.parent / "outside"
    outside.mkdir()
    (outside / disk_cache.MARK).touch()
    (base / "aaaaaaaaaaaaaaaa").symlink_to(outside)

    shown = CliRunner().invoke(cli, ["cache"])
    assert shown.exit_code == 0, shown.output
    assert f"{base}: 2.5 MB" in shown.output.replace("\n", "")
    assert re.search(r"2\.0 MB +machine code of this version, 2 files", shown.output)
    assert re.search(r"0\.5 MB +machine code of other versions, 2 files", shown.output)
    found = json.loads(CliRunner().invoke(cli, ["cache", "--json"]).stdout)
    assert {Path(one["path"]) for one in found["folders"]} == {mine, old}

    done = CliRunner().invoke(cli, ["cache", "clear"])
    assert "Removed 2.5 MB" in done.output
    assert not mine.exists()
    assert not old.exists()
    assert (stranger / "thesis.txt").read_text() == "mine"
    assert (base / "note.txt").exists()
    assert (outside / disk_cache.MARK).exists()
    assert cache_command.list_cache_folders() == []


class Links(HTMLParser):
    """Targets of links and pictures, and ids."""

    def __init__(self, text: str):
        super().__init__()
        self.targets: list[str] = []
        self.ids: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.targets += [found[key] for key in ("href", "src") if found.get(key)]
        self.ids |= {found["id"]} if "id" in found else set()


def test_the_documentation_opens_offline_and_its_links_lead_somewhere(base, monkeypatch):
    """Rendered once into the cache; every link of a page to another or to a file is there, and
    nothing is fetched when a page is shown."""
    opened: list[str] = []
    monkeypatch.setattr(docs_command.webbrowser, "open", opened.append)
    done = CliRunner().invoke(cli, ["docs", "verdict"])
    assert done.exit_code == 0, done.output
    (address,) = opened
    page = Path(unquote(urlparse(address).path))
    assert page.name == "verdict.html"
    assert str(page) in done.output.replace("\n", "")
    assert base in page.parents
    rendered = {
        file: Links(file.read_text(encoding="utf-8")) for file in page.parent.rglob("*.html")
    }
    assert len(rendered) == len(docs_command.list_pages(docs_command.find_docs()))
    lost = []
    for file, found in rendered.items():
        assert not re.search(r"<script|<link|src=\"http", file.read_text(encoding="utf-8"))
        for target in found.targets:
            parts = urlparse(target)
            if parts.scheme in ("http", "https", "mailto") or not parts.path:
                continue
            there = (
                Path(unquote(parts.path)) if parts.scheme == "file" else file.parent / parts.path
            )
            if not there.exists():
                lost.append(f"{file.name}: {target}")
    assert lost == []
    stamp = page.stat().st_mtime_ns
    CliRunner().invoke(cli, ["docs", "verdict.md"])
    assert page.stat().st_mtime_ns == stamp
    assert [one.kind for one in cache_command.list_cache_folders()][-1] == "documentation"


def test_a_page_is_printed_in_the_terminal_and_an_unknown_one_refused(base):
    """By its name; the nearest is suggested."""
    done = CliRunner().invoke(cli, ["docs", "verdict", "--text"])
    assert "distorted" in done.output
    with pytest.raises(BadInput, match="did you mean 'verdict'"):
        docs_command.find_page(docs_command.list_pages(docs_command.find_docs()), "verdct")
    assert CliRunner().invoke(cli, ["docs", "verdct"]).exit_code == 2
