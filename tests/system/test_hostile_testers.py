"""The hostile testers of `make prove` at a small size, and every file that went wrong once."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))  # for `benchmarks`, no part of the package

from benchmarks.hostile import (
    files,
    folders,
    functions,
    kept,
    logs,
    mutations,
    recordings,
    scenarios,
)
from benchmarks.hostile.kinds import KINDS
from benchmarks.hostile.log_samples import FORMATS
from softdock.errors import BadInput, Problem
from softdock.recording.logs.guess import guess_log
from softdock.recording.logs.guess_text import write_map

SEED = 22


@pytest.mark.parametrize("name", KINDS)
def test_mutated_files_are_refused_or_taken(name):
    """Key and line, no traceback, no warning, no escape, in bounded time."""
    found = files.mutated_files(name, 60, SEED, keep_failures=False)
    assert found["failures"] == []
    assert found["outcomes"]["refused"] > 10


@pytest.mark.parametrize("name", KINDS)
def test_samples_are_in_order(name, tmp_path):
    """A tester whose samples are refused as they are would test nothing."""
    for sample in KINDS[name].samples():
        path = tmp_path / f"sample{KINDS[name].suffix}"
        path.write_bytes(sample)
        assert files.read_one(KINDS[name], path) == ("taken", "")


@pytest.mark.parametrize("name", KINDS)
def test_what_went_wrong_once_is_read(name, tmp_path):
    """Files that the testers kept, each with its mend."""
    for path in kept.found(name, KINDS[name].suffix):
        copy = tmp_path / path.name
        copy.write_bytes(path.read_bytes())
        assert files.read_one(KINDS[name], copy)[1] == ""


def test_wrong_arguments_are_refused_by_name():
    """Each public function, three times: an error of softdock's that names the argument."""
    found = functions.wrong_calls(3, SEED)
    assert found["failures"] == []
    assert found["names"] > 40


def test_changed_recordings_are_refused():
    """No mutant is read, and what recovery takes from one is what was written."""
    assert recordings.changed_recordings(15, SEED)["failures"] == []


def test_damaged_folders_are_found_and_made_again():
    """Bits, short, copied and stray shards: named, and the same bytes after `--resume`."""
    runs, camp = folders.run_folders(12, SEED), folders.campaign_folders(20, SEED)
    flips = folders.campaign_folders(12, SEED, (folders.flip_in_shards,))
    assert runs["failures"] + camp["failures"] + flips["failures"] == []
    assert flips["outcomes"] == {"refused, then made again": 12}


def test_a_tester_sees_what_is_wrong(tmp_path):
    """Tracebacks, refusals without a place, escapes and hangs are failures."""

    def raises(error):
        def read(path):
            raise error

        return KINDS["scenario"]._replace(read=read)

    path = tmp_path / "x.toml"
    path.write_text("")
    assert files.read_one(raises(KeyError("x")), path)[0] == "failed"
    assert "where" in files.read_one(raises(BadInput(Problem("key", 1, "2"))), path)[1]
    assert files.read_one(raises(BadInput(Problem("key", 1, "2", "x.toml:1"))), path)[1] == ""
    with pytest.raises(files.Hung), files.stopping_after(0.05):
        sum(i for i in range(10**12))


def test_a_mutation_can_be_made_again():
    """Seed and number say all; every mutant differs from its sample."""
    import numpy as np

    sample = KINDS["campaign"].samples()[0]
    for i in range(50):
        one, again = (mutations.mutant(np.random.default_rng([SEED, i]), sample) for _ in "12")
        assert one == again
        assert one.data != sample


def test_failures_are_kept_as_files(tmp_path):
    """With what went wrong beside them, under the name of their kind."""
    name = kept.keep("scenario", ".toml", b"x = 1", {"wrong": "all of it"}, tmp_path)
    assert [p.name for p in kept.found("scenario", ".toml", tmp_path)] == [name]
    assert "all of it" in (tmp_path / name).with_suffix(".json").read_text()


def test_random_scenarios_are_drawn_from_the_schema():
    """Each is a preset with some of its keys changed; the runs themselves are for `make prove`."""
    import numpy as np

    drawn = [scenarios.random_changes(np.random.default_rng([SEED, i])) for i in range(20)]
    assert len({preset for preset, _ in drawn}) > 3
    assert all(len(changes) > 1 for _, changes in drawn)


@pytest.mark.parametrize("odd", [False, True])
@pytest.mark.parametrize("name", FORMATS)
def test_damaged_and_odd_logs_are_imported_or_refused(name, odd):
    """By a softdock error that names the file, in bounded memory and time, in a process that goes
    on; what is only a little damaged is refused as well as taken."""
    found = logs.damaged_logs(name, 15, SEED, odd, kept=False)
    assert found["failures"] == []
    assert found["outcomes"]["refused"] > 3


@pytest.mark.parametrize("name", FORMATS)
def test_whole_logs_are_taken(name, tmp_path):
    """A tester whose samples are refused as they are would test nothing."""
    suffix, whole, _ = FORMATS[name]
    path = tmp_path / f"good{suffix}"
    path.write_bytes(whole(np.random.default_rng(SEED)))
    mapped = path.with_suffix(".map.toml")
    mapped.write_text(write_map(path, guess_log(path)), encoding="utf-8")
    assert logs.read_log(path, mapped) == ("taken", "")
