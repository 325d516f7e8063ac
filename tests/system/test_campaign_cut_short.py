"""A campaign that is cut short, by a kill, a full disc or damage, goes on and is the same as
never cut; another one is not mixed with it."""

from __future__ import annotations

import errno
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from small_campaigns import CAMPAIGN, assert_same, campaign_files, read, small_campaign

from softdock.cli.main import cli
from softdock.errors import CampaignStopped
from softdock.output.folders.campaign_folder import run_campaign
from softdock.studies.campaign import execute, shards
from softdock.studies.campaign.plan import load_plan
from softdock.studies.campaign.summary import summarise


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return campaign_files(tmp_path_factory.mktemp("campaigns"))


@pytest.fixture
def done() -> tuple[Path, Any]:
    return small_campaign()


# `kill -9` at a place that no busy machine moves: a shard's sum is there, the shard is not.
KILLED = """
import os, signal
from softdock.studies.campaign import shards
from softdock.cli.main import main
whole = shards.write_whole

def write(path, data):
    if path.name == "part-000003.parquet":
        os.kill(os.getpid(), signal.SIGKILL)
    whole(path, data)

shards.write_whole = write
main()
"""


def test_killed_and_resumed_is_the_same_as_never_killed(folder, tmp_path):
    """`kill -9` in the middle: what was written stays, what was not is run, no run counts twice."""
    cut, whole = tmp_path / "cut", tmp_path / "whole"
    arguments = ["campaign", str(folder / "long.toml"), "--backend", "cpu", "--shard", "32"]
    program = [sys.executable, "-c", KILLED, *arguments, "--out", str(cut)]
    child = subprocess.run(program, capture_output=True, text=True)
    assert child.returncode == -signal.SIGKILL, child.stderr
    kept = {p.name: p.stat().st_mtime_ns for p in (cut / "runs").glob("part-*")}
    assert len(kept) == 3
    refused = CliRunner().invoke(cli, [*arguments, "--out", str(cut)])
    assert refused.exit_code == 2
    assert f"this very campaign: softdock campaign {cut} --resume goes on" in refused.output
    assert "--force" not in refused.output
    resumed = CliRunner().invoke(cli, [*arguments, "--out", str(cut), "--resume"])
    assert resumed.exit_code == 0, resumed.output
    assert {
        name: (cut / "runs" / name).stat().st_mtime_ns for name in kept
    } == kept  # not run again
    run_campaign(load_plan(folder / "long.toml"), whole, "cpu", shard_runs=400)
    assert_same(cut, whole)
    columns = read(cut)
    np.testing.assert_array_equal(np.sort(columns["run"]), np.arange(400))


def test_a_full_disc_stops_the_campaign_and_loses_nothing(folder, tmp_path, monkeypatch):
    """A full disc ends a campaign with the way to go on; what was written is kept and not run
    again."""
    plan, out, written = load_plan(folder / "small.toml"), tmp_path / "out", []
    write = shards.write_whole

    def full(path, data):
        if path.suffix == ".parquet" and len(written) == 2:
            raise OSError(errno.ENOSPC, "No space left on device")
        written.extend([path] if path.suffix == ".parquet" else [])
        write(path, data)

    monkeypatch.setattr(shards, "write_whole", full)
    with pytest.raises(CampaignStopped, match=r"the disc is full.*--resume"):
        run_campaign(plan, out, "cpu", shard_runs=20)
    assert len(list((out / "runs").iterdir())) == 2
    monkeypatch.setattr(shards, "write_whole", write)
    load, loaded = execute.load_own, []
    monkeypatch.setattr(execute, "load_own", lambda *given: loaded.append(given) or load(*given))
    run_campaign(plan, out, "cpu", resuming=True)
    assert len(loaded) == 1  # an outcome file is run and compiled once
    np.testing.assert_array_equal(read(out)["run"], np.arange(120))
    (out / "runs" / "part-000003.parquet").unlink()
    with (out / "runs" / "part-000001.parquet").open("r+b") as cut:
        cut.truncate(1000)  # a machine that lost its power: made again
    again = CliRunner().invoke(
        cli, ["campaign", str(out), "--resume", "--backend", "cpu"]
    )  # the folder in place of the file
    assert again.exit_code == 0, again.output
    np.testing.assert_array_equal(read(out)["run"], np.arange(120))


def test_a_damaged_shard_is_named(done, tmp_path):
    """Damage that its ends do not show is found by its checksum, said, and made again: the table is
    the same to the bit. Without --resume it is named, and no summary is made of it."""
    out, _ = done
    copy = tmp_path / "copy"
    shutil.copytree(out, copy)
    file = copy / "runs" / "part-000002.parquet"
    good = file.read_bytes()
    data = bytearray(good)
    data[len(data) // 2] ^= 1  # one bit
    file.write_bytes(data)
    plan = load_plan(copy)
    with pytest.raises(CampaignStopped, match=r"part-000002\.parquet is damaged"):
        summarise(plan, copy, None)
    result = CliRunner().invoke(cli, ["campaign", str(copy), "--resume", "--backend", "cpu"])
    assert result.exit_code == 0
    assert "part-000002.parquet is damaged" in " ".join(result.output.split())
    assert file.read_bytes() == good


def test_another_campaign_is_not_resumed(done, folder):
    """A folder is resumed by the campaign that began it, not by one with another seed."""
    out, _ = done
    other = folder / "other.toml"
    other.write_text(CAMPAIGN.replace("seed = 2", "seed = 3"))
    result = CliRunner().invoke(cli, ["campaign", str(other), "--out", str(out), "--resume"])
    assert result.exit_code == 2
    assert "this very campaign" in result.output


def test_rows_of_two_outcome_files_are_not_mixed(done, tmp_path):
    """An outcome file that changed since is refused: a table never holds two definitions of a
    column."""
    out, _ = done
    (tmp_path / "small.toml").write_text(CAMPAIGN)
    (tmp_path / "mine.py").write_text("def other(outcome, log):\n    return 2.0\n")
    result = CliRunner().invoke(
        cli,
        [
            "campaign",
            str(tmp_path / "small.toml"),
            "--out",
            str(out),
            "--resume",
            "--backend",
            "cpu",
        ],
    )
    assert result.exit_code == 2
    assert "the outcome file that this campaign began with" in result.output
