"""`softdock campaign` as a person uses it: tables, page and summary agree; cut short it goes on; a
worker lost costs nothing; what can be wrong."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import chromium, opened
from click.testing import CliRunner

from softdock.archive.campaign_folder import run_campaign
from softdock.campaign import cluster, cluster_workers, engines, shards
from softdock.campaign.arrow_arrays import to_numbers
from softdock.campaign.batch import Batch
from softdock.campaign.cuda import load_numba_cuda
from softdock.campaign.digest import tables
from softdock.campaign.engines import Cpu
from softdock.campaign.plan import load_plan
from softdock.campaign.spec import preset_names
from softdock.campaign.summary import summarise
from softdock.cli.main import cli
from softdock.errors import CampaignStopped
from softdock.report.frame.elements import look_up

CAMPAIGN = """
name = "small <b>"
scenario = "epos_1d"
runs = 60
seed = 2
sampling = "latin_hypercube"
reference = true
integrators = ["exact_hold", "symplectic_euler"]
outcome_file = "mine.py"

[set]
sensor.noise_N = 0.02
capture.for_s = 0.1

[[vary]]
key = "robots.chaser.delay_ms"
also = ["robots.target.delay_ms"]
uniform = [0.0, 30.0]

[[vary]]
key = "contact.0.real.stiffness_N_per_m"
normal = [1000.0, 100.0]

[trajectories]
runs = [0]
worst = 1
"""
MINE = """
def _inverse(x):
    return 1.0 / x

def end_of_first(outcome, log):
    return log[0, 1]

def softness(outcome, log, varied):
    return _inverse(varied[1])
"""
LONG = (
    CAMPAIGN.replace("runs = 60", "runs = 200")
    .replace("reference = true", "")
    .replace('outcome_file = "mine.py"', "")
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    made = tmp_path_factory.mktemp("campaigns")
    (made / "small.toml").write_text(CAMPAIGN)
    (made / "long.toml").write_text(LONG)
    (made / "mine.py").write_text(MINE)
    return made


@pytest.fixture(scope="module")
def done(folder) -> tuple[Path, Any]:
    """The small campaign, run by the command."""
    out = folder / "out"
    return out, CliRunner().invoke(
        cli,
        [
            "campaign",
            str(folder / "small.toml"),
            "--out",
            str(out),
            "--backend",
            "cpu",
            "--shard",
            "25",
        ],
    )


def read(out: Path) -> dict[str, np.ndarray]:
    parts = list(tables(out))
    return {
        name: np.concatenate([to_numbers(part[name]) for part in parts])
        for name in parts[0].column_names
    }


def assert_same(a: Path, b: Path) -> None:
    ours, theirs = read(a), read(b)
    assert ours.keys() == theirs.keys()
    order, other = np.argsort(ours["run"]), np.argsort(theirs["run"])
    for name in ours:
        np.testing.assert_array_equal(ours[name][order], theirs[name][other], err_msg=name)


def test_tables_summary_and_output_agree(done):
    """Protects a reader of three places: shards, summary and terminal hold the same numbers."""
    out, result = done
    assert result.exit_code == 0, result.output
    columns, summary = read(out), json.loads((out / "summary.json").read_text())
    np.testing.assert_array_equal(columns["run"], np.arange(120))
    assert len(list((out / "runs").iterdir())) == 6  # shards of 25, none across the two integrators
    for i, v in enumerate(summary["variants"]):
        mine = columns["run"] // 60 == i
        assert v["runs"] == 60
        distances = ("distance_from_orbit", "distance_from_orbit_at_end")  # the worse one judges
        worst = np.max([columns[name][mine] for name in distances], axis=0)
        assert v["honest_rate"] == pytest.approx((worst <= 0.05).mean())
        assert sum(v["judged"].values()) == 60
        assert v["capture_rate"] == pytest.approx(columns["captured"][mine].mean())
        assert v["verdicts"]["active"] == (columns["verdict"][mine] == 1).sum()
        assert v["peak_force_real_N_most"] == columns["peak_force_real_N"][mine].max()
        assert f"{100 * v['honest_rate']:.3g} %" in result.output
    worst = summary["worst"][0]
    assert worst["distance_from_orbit"] == columns["distance_from_orbit"].max()
    assert columns["distance_from_orbit"][worst["run"]] == worst["distance_from_orbit"]
    for i, v in enumerate(summary["variants"]):  # each variant has its own worst cases and indices
        mine = np.flatnonzero(columns["run"] // 60 == i)
        hardest = mine[np.argsort(-columns["distance_from_orbit"][mine], kind="stable")[:10]]
        assert [
            row["run"] for row in summary["worst"] if row["variant"] == v["label"]
        ] == hardest.tolist()
        assert (
            summary["sensitivity"][i]["distance_from_orbit"][0]["key"] == "robots.chaser.delay_ms"
        )
    assert np.all(
        columns["end_of_first"] > 0.4
    )  # an outcome of the user's own: the touch is at 0.5 s
    np.testing.assert_allclose(
        columns["softness"], 1.0 / columns["contact.0.real.stiffness_N_per_m"], rtol=1e-15
    )
    assert {p.name for p in (out / "trajectories").iterdir()} == {
        "run-000000000.parquet",
        f"run-{worst['run']:09d}.parquet",
    }


def test_the_page_says_the_same(done):
    """Charts and maps drawn, numbers as in the JSON, nothing asked of the network, a hostile name
    harmless."""
    out, _ = done
    summary = json.loads((out / "summary.json").read_text())
    with chromium() as browser, opened(browser, out / "report.html") as here:
        here.drawn()
        charts = here.page.evaluate(
            "() => Array.from(document.querySelectorAll('.chart')).map(e => [e.id, "
            "e.querySelectorAll('.main-svg').length])"
        )
        assert all(count >= 1 for _, count in charts)
        names = {name for name, _ in charts}
        assert {
            "chart-map-distance_from_orbit-0",
            "chart-map-distance_from_orbit-1",
            "chart-distribution-peak_force_real_N",
        } <= names
        assert (
            here.page.evaluate("() => document.querySelectorAll('.heatmaplayer image').length") >= 2
        )
        values = here.page.evaluate(
            "() => Array.from(document.querySelectorAll('[data-key]')).map(e => "
            "[e.dataset.key, e.dataset.value])"
        )
        assert len(values) > 50
        for key, value in values:
            assert json.loads(value) == look_up(summary, key), key
        text = here.page.inner_text("main")
        assert f"--replay {summary['worst'][0]['run']}" in text
        for v in summary["variants"]:
            assert f"{v['label']}: worst by distance from orbit" in text
            assert f"{v['label']}: First-order index" in text
        assert here.requests == []
        assert here.complaints == []


def test_the_command_of_a_worst_case_replays_it(done, tmp_path):
    """Protects the way from a campaign to one run: the replay has the table's outcomes, and says
    so."""
    out, _ = done
    run = json.loads((out / "summary.json").read_text())["worst"][0]["run"]
    result = CliRunner().invoke(
        cli, ["campaign", str(out), "--replay", str(run), "--out", str(tmp_path / "one")]
    )
    assert result.exit_code == 0, result.output
    metrics = json.loads((tmp_path / "one" / "metrics.json").read_text())
    columns = read(out)
    assert metrics["energy_invented_J"] == columns["energy_invented_J"][run]
    assert metrics["restitution"] == columns["restitution"][run]
    assert metrics["peak_torque_real_Nm"] == columns["peak_torque_real_Nm"][run]
    assert metrics["captured"] == bool(columns["captured"][run])
    assert metrics["distance_from_orbit"] == pytest.approx(
        columns["distance_from_orbit"][run], rel=1e-8
    )
    assert "The outcomes are those of the campaign's table." in result.output
    assert CliRunner().invoke(cli, ["campaign", str(out), "--replay", "120"]).exit_code == 2


# `kill -9` at a place that no busy machine moves: a shard's sum is there, the shard is not.
KILLED = """
import os, signal
from softdock.campaign import shards
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
    run_campaign(plan, out, "cpu", resuming=True)
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


class Rounding(Cpu):
    """A stand-in for a GPU in single precision: the CPU's outcomes, rounded."""

    name = "gpu"

    def __init__(self, precision):
        super().__init__()
        self.words = f"a stand-in, {precision} precision"

    def collect(self, launched):
        batch, took = super().collect(launched)
        return Batch(batch.outcomes.astype(np.float32).astype(float), batch.logs), took


def test_the_error_of_single_precision_is_shown(folder, tmp_path, monkeypatch):
    """Part of the runs is made again in double; table, JSON and page say how far apart they are."""
    monkeypatch.setattr(engines, "Gpu", Rounding)
    out = tmp_path / "out"
    result = CliRunner().invoke(
        cli,
        [
            "campaign",
            str(folder / "small.toml"),
            "--out",
            str(out),
            "--backend",
            "gpu",
            "--precision",
            "single",
        ],
    )
    assert result.exit_code == 0, result.output
    found = json.loads((out / "summary.json").read_text())["precision"]
    assert (found["compared"], found["decided_by_rounding"]) == (120, 0)
    force = next(row for row in found["rows"] if row["outcome"] == "peak_force_real_N")
    assert 0.0 < force["most"] < 2.0**-24
    assert "of 120 runs made again in double, 0 differ" in " ".join(result.output.split())
    page = (out / "report.html").read_text()
    assert "Differences between single and double precision" in page
    assert 'precision = "single"' in (out / "campaign.toml").read_text()


def test_single_precision_on_a_cpu_is_refused(folder, tmp_path):
    """Single precision is the GPU's: on a CPU it is refused, and no folder is made."""
    result = CliRunner().invoke(
        cli,
        [
            "campaign",
            str(folder / "small.toml"),
            "--out",
            str(tmp_path / "out"),
            "--backend",
            "cpu",
            "--precision",
            "single",
        ],
    )
    assert result.exit_code == 2
    assert "double on a CPU" in result.output
    assert not (tmp_path / "out").exists()


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


def listening_addresses(pids: list[int]) -> set[str]:
    """Addresses on which these processes listen, as the kernel lists them (IPv4 and IPv6)."""
    held = set()
    for pid in pids:
        for link in Path(f"/proc/{pid}/fd").iterdir():
            with contextlib.suppress(OSError):
                held.add(os.readlink(link))
    found = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            words = line.split()
            if words[3] == "0A" and f"socket:[{words[9]}]" in held:
                found.add(words[1].partition(":")[0])
    return found


def test_a_worker_lost_half_way_changes_nothing(folder, tmp_path):
    """A Dask cluster of two processes, one killed while it works: every run once, to the bit as on
    this machine's threads. Scheduler and workers listen on loopback alone."""
    plan, out, whole = load_plan(folder / "long.toml"), tmp_path / "out", tmp_path / "whole"
    with cluster_workers.connected(None, 2) as client:
        pids = [os.getpid(), *client.run(os.getpid).values()]
        assert listening_addresses(pids) == {"0100007F"}  # 127.0.0.1
        begun = shards.begin(plan, out, 20)
        victims = []

        def kill_one(done: int, total: int) -> None:
            if not victims and done >= total // 4:
                victims.append(next(iter(client.run(os.getpid).values())))
                os.kill(victims[0], signal.SIGKILL)

        spent = cluster.run_on_cluster(plan, begun, client, kill_one)
    assert spent.runs == 400
    assert victims
    run_campaign(plan, whole, "cpu", shard_runs=400)
    assert_same(out, whole)


def test_a_worker_with_another_core_is_refused(folder):
    """A worker of other sources would mix two cores' numbers in one table, and is refused."""
    plan = load_plan(folder / "long.toml")
    with pytest.raises(CampaignStopped, match="two cores must not be mixed"):
        cluster.run_there(shards.plan_texts(plan), "", shards.Shard(0, 0, 0, 2), "of other sources")


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["no_such_preset"], "nozzle_capture"),
        (["nozzle_capture", "--resume"], "--resume needs --out"),
        (["nozzle_capture", "--workers", "2"], "--backend dask"),
        (
            [
                "nozzle_capture",
                "--backend",
                "dask",
                "--scheduler",
                "tcp://there:8786",
                "--workers",
                "2",
            ],
            "a scheduler has workers of its own",
        ),
        (["nozzle_capture", "--backend", "tpu"], "'auto', 'cpu', 'gpu', 'dask'"),
        (["nozzle_capture", "--replay", "625"], "a run from 0 to 624"),
        (["nozzle_capture", "--replay", "1", "--resume"], "it has no --resume"),
        (["nozzle_capture", "--threads", "100000"], "16 a core"),
    ],
)
def test_bad_input_is_one_clear_message(arguments, named, tmp_path, monkeypatch):
    """Impossible arguments end with code 2 and one message that names what is allowed."""
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(cli, ["campaign", *arguments])
    assert result.exit_code == 2
    assert named in result.output
    assert "Traceback" not in result.output
    assert not list(tmp_path.iterdir())


def test_the_help_names_every_preset():
    """Protects the first look: the help lists the presets that there are."""
    shown = CliRunner().invoke(cli, ["campaign", "--help"]).output
    assert "Presets: " + ", ".join(preset_names()) in " ".join(shown.split())


def test_a_gpu_that_is_not_there_is_said(tmp_path):
    """Without a GPU, --backend gpu is refused with the reason, and no folder is made."""
    if load_numba_cuda().is_available():
        pytest.skip("there is a GPU here")
    result = CliRunner().invoke(
        cli, ["campaign", "nozzle_capture", "--backend", "gpu", "--out", str(tmp_path / "out")]
    )
    assert result.exit_code == 2
    assert "no usable GPU: " in result.output
    assert not (tmp_path / "out").exists()


def test_a_scheduler_that_does_not_answer_is_said(tmp_path, monkeypatch):
    """An address without a scheduler is named, after a wait and not for ever."""
    monkeypatch.setattr(cluster_workers, "ANSWER_S", 0.5)
    result = CliRunner().invoke(
        cli,
        [
            "campaign",
            "nozzle_capture",
            "--backend",
            "dask",
            "--scheduler",
            "tcp://127.0.0.1:9",
            "--out",
            str(tmp_path / "out"),
        ],
    )
    assert result.exit_code == 2
    assert "no scheduler answers at tcp://127.0.0.1:9" in result.output
    assert not (tmp_path / "out").exists()


class Client:
    """A stand-in for Dask's: a scheduler that is asked how many workers it has."""

    def __init__(self, *counts: int):
        self.counts, self.status = list(counts), "running"

    def scheduler_info(self, n_workers: int) -> dict[str, Any]:
        count = self.counts.pop(0) if len(self.counts) > 1 else self.counts[0]
        if count < 0:
            raise OSError("gone")
        return {"workers": dict.fromkeys(range(count))}


def test_a_scheduler_without_workers_is_waited_for_and_said(monkeypatch):
    """Workers that come late are waited for aloud; none at all ends with the option that waits
    longer."""
    said: list[str] = []
    monkeypatch.setattr(cluster_workers, "LOOK_S", 0.05)
    cluster_workers.Watch(Client(0, 0, 2), wait_s=120.0, say=said.append).until_there_is_one()
    assert "no workers; waiting up to 120 s" in said[0]
    assert said[1:] == [""]
    with pytest.raises(CampaignStopped, match=r"no worker for 0.1 s.*--wait.*nothing was run"):
        cluster_workers.Watch(Client(0), wait_s=0.1).until_there_is_one()


def test_a_scheduler_that_goes_is_one_clear_line(tmp_path):
    """A scheduler that dies in the middle says what is kept and how to go on."""
    with pytest.raises(
        CampaignStopped, match=r"scheduler is gone; every shard.*--resume --backend dask"
    ):
        cluster_workers.Watch(Client(-1), tmp_path).look()


def test_folders_with_spaces_are_quoted(tmp_path):
    """Commands on the page and in messages can be pasted into a shell."""
    assert (
        shards.again(tmp_path / "my results")
        == f"softdock campaign '{tmp_path}/my results' --resume"
    )


@pytest.mark.parametrize(
    ("by", "named"),
    [
        ("peak_force", "did you mean 'peak_force_real_N'"),
        ("captured", "allowed: one of captured_at_s"),
    ],
)
def test_an_outcome_that_is_not_there_cannot_rank_the_worst(by, named, tmp_path):
    """An outcome that is misspelt, or no scale, cannot rank worst cases; refused before anything
    runs."""
    (tmp_path / "c.toml").write_text(
        f'scenario = "epos_1d"\nruns = 9\n[report]\nworst_by = "{by}"\n'
    )
    result = CliRunner().invoke(
        cli, ["campaign", str(tmp_path / "c.toml"), "--out", str(tmp_path / "out")]
    )
    assert result.exit_code == 2
    assert named in result.output
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("code", "named"),
    [
        ("def f(outcome): return 1.0", "two arguments"),
        ("import no_such_module", "Python that runs"),
        ("def f(outcome, log): return open('x')", "Numba compiles"),
        ("def f(outcome, log): return outcome[5000]", "indices that are there"),
    ],
)
def test_an_outcome_that_cannot_be_is_refused_before_anything_runs(folder, tmp_path, code, named):
    """A user's outcome that cannot be called, compiled or indexed is refused by file, and nothing
    runs."""
    (tmp_path / "mine.py").write_text(code)
    (tmp_path / "small.toml").write_text(CAMPAIGN)
    result = CliRunner().invoke(
        cli, ["campaign", str(tmp_path / "small.toml"), "--out", str(tmp_path / "out")]
    )
    assert result.exit_code == 2
    assert named in result.output
    assert not (tmp_path / "out").exists()
