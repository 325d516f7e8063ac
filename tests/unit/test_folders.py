"""Folders for results: one run has a folder, and a run that was killed holds none."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

from softdock.errors import BadInput
from softdock.files.folders import ensure_folder, leave_folder, make_folder

HOLD = """
import sys
from softdock.files.folders import make_folder
make_folder(sys.argv[1])
print("held", flush=True)
sys.stdin.read()
"""


def test_a_folder_is_one_run_s_until_it_has_left_or_was_killed(tmp_path):
    """Two runs into one new folder: the second is refused before it computes anything, also with
    `force`; what a killed run held is free."""
    folder = tmp_path / "new"
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder)], stdin=-1, stdout=-1, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        for force in (False, True):
            with pytest.raises(BadInput, match="another run has this one"):
                make_folder(folder, force)
        ensure_folder(folder)  # a folder that several write to
        other.kill()
    assert make_folder(folder) == folder
    assert make_folder(folder) == folder  # the same run, when it saves
    leave_folder(folder)
    (folder / "a").touch()
    with pytest.raises(BadInput, match="holds something"):
        make_folder(folder)


def test_two_threads_do_not_share_a_folder(tmp_path):
    """Within one process too, the first has it."""
    found: list[str] = []
    make_folder(tmp_path / "new")

    def second() -> None:
        try:
            make_folder(tmp_path / "new")
        except BadInput as error:
            found.append(str(error))

    thread = threading.Thread(target=second)
    thread.start()
    thread.join()
    assert "another run has this one" in found[0]
    leave_folder(tmp_path / "new")
