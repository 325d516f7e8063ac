"""The order in which tests begin, so that the workers end together."""

from __future__ import annotations

import json
from pathlib import Path

import conftest
import cpu_times

CHECKOUT = Path(__file__).parents[2]


def test_files_that_go_to_one_worker_are_there():
    """A renamed file would go to another worker, unnoticed, and compile everything once more
    (conftest.py); a file in two groups would be in one of them."""
    listed = [file for files in conftest.TOGETHER.values() for file in files]
    assert [file for file in listed if not (CHECKOUT / file).is_file()] == []
    assert len(listed) == len(set(listed))


def test_measured_files_are_there():
    """A stale name in file_times.json is a file that was renamed: under its new name it counts as
    never measured. `make test-times` writes the list anew."""
    assert [file for file in conftest.FILE_TIMES if not (CHECKOUT / file).is_file()] == []
    assert all(seconds >= 0.0 for seconds in conftest.FILE_TIMES.values())


def test_the_heaviest_group_begins_and_a_new_file_is_not_last(monkeypatch):
    """Protects the time of `make test`: a group weighs what its files weigh together, and a file
    that nobody has measured begins before the light ones."""
    monkeypatch.setattr(conftest, "GROUPS", {"a.py": "two", "b.py": "two"})
    monkeypatch.setattr(
        conftest, "FILE_TIMES", {"a.py": 25.0, "b.py": 20.0, "c.py": 40.0, "d.py": 1.0}
    )
    seconds = conftest.seconds_of_groups(["d.py::t", "new.py::t", "c.py::t", "b.py::t", "a.py::t"])
    assert sorted(seconds, key=lambda group: -seconds[group]) == ["two", "c.py", "new.py", "d.py"]


def test_times_of_all_workers_are_kept(tmp_path, monkeypatch, capsys):
    """Protects the list from a run that saw only some of the tests: it is written from all workers'
    rows, and a part of the suite changes only its own files."""
    kept = tmp_path / "kept.json"
    kept.write_text(json.dumps({"tests/gone.py": 5.0, "tests/conftest.py": 2.0}))
    monkeypatch.setattr(cpu_times, "KEPT", kept)
    for worker, file, seconds in (("gw0", "tests/plain.py", 1.0), ("gw1", "tests/browser.py", 3.0)):
        rows = [[f"{file}::test_{i}", seconds, 0.0, 0.0, 4.0, []] for i in range(2)]
        (tmp_path / f"times.json.{worker}").write_text(json.dumps(rows))
    cpu_times.main([str(tmp_path / "times.json"), "--keep"])
    assert json.loads(kept.read_text()) == {
        "tests/browser.py": 6.0,
        "tests/conftest.py": 2.0,
        "tests/plain.py": 2.0,
    }
    assert "4 tests, 8 s" in capsys.readouterr().out
