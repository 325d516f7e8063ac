"""Rings that runs have left in memory: named, cleared, and said at the next start."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from recorded import CELLS, CYCLE_S, about

from softdock.cli.main import cli
from softdock.recording import rings
from softdock.recording.ring_file import make_ring
from softdock.recording.streams import make_rig_streams


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Rings lie here: one in use, one that a whole file has, one that none has, and one cut."""
    monkeypatch.setattr(rings, "find_memory_folder", lambda: tmp_path)
    for name in ("use", "kept", "lost"):
        made = make_ring(make_rig_streams(CELLS, CYCLE_S), about(), f"{name}.mcap", tmp_path, 2.0)
        made.set("closed", name != "use")
        made.set("recovered", name == "kept")
        made.path.rename(tmp_path / f"softdock-{name}.ring")
    (tmp_path / "softdock-cut.ring").write_bytes(bytes(10))
    return tmp_path


def typed(*words):
    done = CliRunner().invoke(cli, ["rig", "recover", *words])
    assert done.exit_code == 0, done.output
    return done.output


def test_rings_are_listed_and_cleared(folder):
    """What is in use stays, what no file has stays unless it is forced, and each is named."""
    listed = typed("--list")
    assert "softdock-use.ring" in listed
    assert "in use, for" in listed
    assert f"softdock rig recover {folder / 'softdock-lost.ring'}" in listed
    found = json.loads(typed("--list", "--json"))["rings"]
    assert {one["ring"].rpartition("-")[2]: one["kept"] for one in found} == {
        "use.ring": False,
        "kept.ring": True,
        "lost.ring": False,
        "cut.ring": False,
    }
    cleared = typed("--clear")
    assert "softdock-kept.ring" in cleared
    assert "--clear --force" in cleared
    names = sorted(path.name for path in folder.glob("*.ring"))
    assert names == ["softdock-cut.ring", "softdock-lost.ring", "softdock-use.ring"]
    typed("--clear", "--force")
    assert [path.name for path in folder.glob("*.ring")] == ["softdock-use.ring"]


def test_what_is_left_is_counted_and_nothing_else_is_asked(folder):
    """Those in use are not left behind; a FILE beside --list is refused, and so is none."""
    assert {one.path.name for one in rings.list_left_rings()} == {
        "softdock-cut.ring",
        "softdock-kept.ring",
        "softdock-lost.ring",
    }
    for words in (["--list", "run.mcap"], []):
        done = CliRunner().invoke(cli, ["rig", "recover", *words])
        assert done.exit_code == 2
        assert "--list" in done.output
