"""Machine code on disk: damaged files heal, foreign folders are refused, and nothing is compiled
twice. Each with an entry point so small that it compiles in a blink."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading

import numba
import pytest

from softdock.compile import disk_cache
from softdock.compile.compile_events import BEGINS, ENDS, listeners
from softdock.compile.jit import entry_point
from softdock.compile.numba_internals import PATCHED
from softdock.compile.sources import ROOT
from softdock.loop.spatial.vectors import dot

pytestmark = pytest.mark.skipif(
    numba.config.DISABLE_JIT or not PATCHED, reason="no machine code of our own to keep"
)
X, Y, XY = (1.0, 2.0, 3.0), (4.0, 5.0, 6.0), 32.0


@pytest.fixture
def place(tmp_path, monkeypatch):
    """An empty cache folder of our own; nothing said yet."""

    def at(base):
        monkeypatch.setenv("SOFTDOCK_CACHE_DIR", str(base))
        disk_cache.find_cache_folder.cache_clear()
        disk_cache._warned.clear()
        return base

    yield at
    monkeypatch.undo()
    disk_cache.find_cache_folder.cache_clear()
    disk_cache._warned.clear()


@pytest.fixture
def compiles():
    """The entry points compiled while a test runs."""
    found = []

    def news(of):
        if of.what == BEGINS:
            found.append(of.entry_point)

    listeners.append(news)
    yield found
    listeners.remove(news)


def files(base):
    return sorted(base.rglob("*.code"))


def test_what_is_kept_is_not_compiled_again(tmp_path, place, compiles):
    """The second process finds the first one's code; the folder is for its owner alone."""
    place(tmp_path / "cache")
    assert entry_point(dot)(X, Y) == XY
    assert entry_point(dot)(X, Y) == XY
    assert compiles == ["dot"]
    (kept,) = files(tmp_path)
    assert kept.parent.stat().st_mode & 0o077 == 0
    assert not list(tmp_path.rglob("*.part")) + list(tmp_path.rglob("*.lock"))


def damage(data, how):
    return {
        "empty": b"",
        "cut": data[: len(data) // 2],
        "a bit": data[:-100] + bytes([data[-100] ^ 4]) + data[-99:],
        "garbage": os.urandom(len(data)),
        "text": b"softdock machine code 1\n",
        "an older pickle": pickle.dumps(("0.68.0", {})),
    }[how]


@pytest.mark.parametrize("how", ["empty", "cut", "a bit", "garbage", "text", "an older pickle"])
def test_a_damaged_file_is_thrown_away_and_made_anew(tmp_path, place, compiles, caplog, how):
    """Power cuts and full discs leave such files: no traceback, no wrong code, one sentence."""
    place(tmp_path / "cache")
    entry_point(dot)(X, Y)
    (kept,) = files(tmp_path)
    whole = kept.read_bytes()
    kept.write_bytes(damage(whole, how))
    assert entry_point(dot)(X, Y) == XY
    assert entry_point(dot)(X, Y) == XY
    assert compiles == ["dot", "dot"], "once at first, once after the damage"
    assert disk_cache.read(kept) is not None, "made anew"
    assert caplog.text.count("thrown away") == 1


def test_a_file_that_is_whole_and_not_code_is_thrown_away(tmp_path, place, caplog):
    """A checksum says that bytes are all there, not that they are what Numba takes."""
    place(tmp_path / "cache")
    entry_point(dot)(X, Y)
    (kept,) = files(tmp_path)
    disk_cache.write(kept, pickle.dumps(("not", "code")))
    assert entry_point(dot)(X, Y) == XY
    assert caplog.text.count("thrown away") == 1


def test_a_file_under_another_name_is_not_run(tmp_path, place):
    """Each file holds the code of its own name; files that were swapped are thrown away."""
    place(tmp_path / "cache")
    assert entry_point(dot)(X, Y) == XY
    (kept,) = [file for file in files(tmp_path) if file.name != disk_cache.MARK]
    other = kept.with_name(f"{'0' * 8}{kept.name[8:]}")
    other.write_bytes(kept.read_bytes())
    assert disk_cache.read(other) is None
    assert disk_cache.read(kept) is not None


def test_only_old_folders_of_our_own_are_removed(tmp_path, place):
    """A folder of somebody else's in the same place stays, whatever its name and age."""
    base = place(tmp_path / "cache")
    old, other = base / ("0" * 16), base / ("1" * 16)
    for folder in (old, other):
        folder.mkdir(parents=True)
        (folder / "a").touch()
    (old / disk_cache.MARK).touch()
    for folder in (old, other):
        os.utime(folder, (0.0, 0.0))
    assert (disk_cache.find_cache_folder() / disk_cache.MARK).is_file()
    assert not old.exists()
    assert (other / "a").is_file()


def test_a_full_disc_costs_the_keeping_and_not_the_run(tmp_path, place, monkeypatch, caplog):
    """The number is right, nothing half written stays, and it is said once."""
    place(tmp_path / "cache")

    def full(self, *args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(disk_cache.Path, "replace", full)
    assert entry_point(dot)(X, Y) == XY
    assert entry_point(dot)(X, Y) == XY
    assert files(tmp_path) == list(tmp_path.rglob("*.part")) == []
    assert caplog.text.count("No space left on device") == 1


def test_no_folder_to_write_means_in_memory(tmp_path, place, caplog):
    """Never Numba's own folder beside the sources, which misses edits of other files."""
    (tmp_path / "file").write_text("")
    place(tmp_path / "file" / "cache")
    made = entry_point(dot)
    assert made(X, Y) == XY
    assert made.stats.cache_path is None
    assert caplog.text.count("stays in memory") == 1
    sources = ROOT
    assert not [path for path in sources.rglob("*.nb?") if path.parent.name == "__pycache__"]


@pytest.mark.parametrize("mode", [0o777, 0o702, 0o720])
def test_a_folder_that_others_can_write_is_refused(tmp_path, place, caplog, compiles, mode):
    """Whoever can write there could have us run any code: neither read nor written."""
    base = place(tmp_path / "cache")
    entry_point(dot)(X, Y)
    folder = disk_cache.find_cache_folder()
    folder.chmod(mode)
    before = {path: path.stat().st_mtime_ns for path in files(base)}
    assert entry_point(dot)(X, Y) == XY
    assert compiles == ["dot", "dot"]
    assert {path: path.stat().st_mtime_ns for path in files(base)} == before
    assert caplog.text.count("can be written by others") == 1


def test_a_base_that_everybody_can_write_is_refused(tmp_path, place, caplog):
    """Others could put another folder in the place of ours; where the sticky bit forbids that, as
    in /tmp, it is used."""
    base = place(tmp_path / "cache")
    base.mkdir()
    base.chmod(0o777)
    assert entry_point(dot)(X, Y) == XY
    assert files(base) == []
    assert "can be written by others" in caplog.text
    base.chmod(0o1777)
    entry_point(dot)(X, Y)
    assert len(files(base)) == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_another_user_is_refused(tmp_path, place, caplog, compiles):
    """Its code would run with our rights."""
    base = place(tmp_path / "cache")
    entry_point(dot)(X, Y)
    os.chown(disk_cache.find_cache_folder(), 12345, 12345)
    assert entry_point(dot)(X, Y) == XY
    assert compiles == ["dot", "dot"]
    assert caplog.text.count("belongs to another user") == 1
    assert len(files(base)) == 1


TWO = """
import sys
from softdock.compile.compile_events import listeners
from softdock.compile.jit import entry_point
from softdock.loop.spatial.vectors import dot
listeners.append(lambda of: print(of.what, flush=True))
print("ready", flush=True)
sys.stdin.readline()
assert entry_point(dot)((1.0, 2.0, 3.0), (4.0, 5.0, 6.0)) == 32.0
"""


def test_two_processes_do_not_compile_the_same_twice(tmp_path):
    """The second waits for the first, and loads what it made."""
    pair = [
        subprocess.Popen(
            [sys.executable, "-c", TWO],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "SOFTDOCK_CACHE_DIR": str(tmp_path / "cache")},
        )
        for _ in range(2)
    ]
    for one in pair:
        assert one.stdout.readline() == "ready\n"
    said = [one.communicate("go\n")[0].split() for one in pair]
    assert all(one.returncode == 0 for one in pair)
    assert sorted(said, key=len)[1].count(BEGINS) == sum(words.count(BEGINS) for words in said) == 1


def test_a_lock_of_a_process_that_died_does_not_hold(tmp_path):
    """And one that is held too long is passed by: a lock saves work, it never stops it."""
    path, waits = tmp_path / "x.code", []
    path.with_name("x.code.lock").write_text("left by one that was killed")
    with disk_cache.lock_file(path, lambda: waits.append(1)):
        assert waits == []


def test_a_held_lock_is_waited_for_and_then_passed_by(tmp_path, monkeypatch):
    """The wait is told once, and ends."""
    monkeypatch.setattr(disk_cache, "LONGEST_WAIT_S", 0.3)
    path, waits, inside = tmp_path / "x.code", [], threading.Event()
    with disk_cache.lock_file(path):

        def second():
            with disk_cache.lock_file(path, lambda: waits.append(1)):
                inside.set()

        thread = threading.Thread(target=second)
        thread.start()
        thread.join(120.0)
    assert inside.is_set()
    assert waits == [1]


def test_compiling_is_told_by_name_and_time(tmp_path, place):
    """What commands show: begin and end of each entry point, with seconds."""
    place(tmp_path / "cache")
    told = []
    listener = told.append
    listeners.append(listener)
    try:
        entry_point(dot)(X, Y)
    finally:
        listeners.remove(listener)
    assert [(of.entry_point, of.what) for of in told] == [("dot", BEGINS), ("dot", ENDS)]
    assert told[1].seconds > 0.0
