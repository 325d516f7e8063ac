"""`make prove`: parts are registered once, results carry the sources they were made with, and what
is stale or failed shows."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))  # for `benchmarks`, no part of the package

import softdock
from benchmarks import prove, proved

ALL_PARTS = set(prove.PARTS)


@pytest.fixture
def parts(monkeypatch):
    """A registry of its own."""
    monkeypatch.setattr(prove, "PARTS", {})
    return prove.PARTS


def test_a_result_carries_seed_and_sources(parts, tmp_path, capsys):
    """So that it can be made again, and is not believed of other sources."""
    out = tmp_path / "prove.json"
    prove.part("halves", "a half is a half")(lambda seed: {"half": seed / 2, "met": True})
    assert prove.report(out) == ["halves: missing"]
    assert prove.main(["--seed", "6", "--out", str(out)]) == 0
    stored = prove.load(out)["halves"]
    assert (stored["half"], stored["seed"]) == (3.0, 6)
    assert prove.report(out) == ["halves: met"]
    text = json.loads(out.read_text())
    text["parts"]["halves"]["source_hash"] = "of other sources"
    out.write_text(json.dumps(text))
    assert prove.report(out) == ["halves: stale"]


def test_a_part_that_judges_the_host_side_is_stale_when_that_changes(parts, tmp_path, monkeypatch):
    """A reader of files is no part of the core: its proof must not outlive it. Only parts that
    exist, and packages that do, are named."""
    root = Path(softdock.__file__).parent
    assert set(proved.JUDGED) <= ALL_PARTS
    assert all((root / one).is_dir() for packages in proved.JUDGED.values() for one in packages)
    out = tmp_path / "prove.json"
    monkeypatch.setattr(proved, "JUDGED", {"reads": ("files",)})
    prove.part("reads", "files are read")(lambda seed: {"met": True})
    prove.part("flies", "of the core alone")(lambda seed: {"met": True})
    assert prove.main(["--out", str(out)]) == 0
    assert prove.report(out) == ["reads: met", "flies: met"]
    monkeypatch.setattr(proved, "JUDGED", {"reads": ("reference",)})  # as good as a changed source
    assert prove.report(out) == ["reads: stale", "flies: met"]


def test_what_did_not_hold_or_broke_is_stored_and_ends_with_1(parts, tmp_path, capsys):
    """One part's trouble does not lose the others."""
    out = tmp_path / "prove.json"
    prove.part("wrong", "never")(lambda seed: {"met": False})
    prove.part("broken", "never")(lambda seed: {"met": 1 / 0})
    prove.part("right", "always")(lambda seed: {"met": True})
    assert prove.main(["--out", str(out)]) == 1
    assert prove.report(out) == ["wrong: failed", "broken: failed", "right: met"]
    assert "ZeroDivisionError" in prove.load(out)["broken"]["failed"]
    assert prove.main(["right", "--out", str(out)]) == 0


def test_what_others_store_meanwhile_and_what_was_had_is_kept(parts, tmp_path, capsys):
    """Two proofs may run at once, and one that is interrupted keeps what it had."""
    out = tmp_path / "prove.json"

    def slow(seed):
        proved.store(out, "other", {"met": True})
        proved.NOW.tell({"done": proved.NOW.number(300.0)})
        raise KeyboardInterrupt

    prove.part("slow", "takes long")(slow)
    prove.part("never", "not reached")(lambda seed: {"met": True})
    assert prove.main(["--share", "0.01", "--out", str(out)]) == 130
    stored = prove.load(out)
    assert sorted(stored) == ["other", "slow"]
    assert (stored["slow"]["done"], stored["slow"]["met"]) == (3, False)
    assert prove.report(out) == ["slow: interrupted", "never: missing"]
    with pytest.raises(SystemExit):
        prove.main(["--share", "0.01"])  # a hundredth is not stored as the whole


def test_a_name_is_taken_once_and_an_unknown_one_is_refused(parts, capsys):
    """Two parts of one name would hide each other's results."""
    prove.part("one", "")(lambda seed: {"met": True})
    with pytest.raises(ValueError, match="two parts are called one"):
        prove.part("one", "")(lambda seed: {"met": True})
    with pytest.raises(SystemExit):
        prove.main(["another"])
    assert "no part is called another; there are one" in capsys.readouterr().err


def test_stored_results_are_of_parts_that_exist():
    """What is stored and no part makes any more would look proven for ever."""
    assert set(prove.load()) <= set(prove.PARTS)
