"""What can be wrong with `softdock campaign` is one clear message before anything runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from small_campaigns import CAMPAIGN, campaign_files

from softdock.campaign import shards
from softdock.campaign.cuda import load_numba_cuda
from softdock.campaign.spec import preset_names
from softdock.cli.main import cli


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return campaign_files(tmp_path_factory.mktemp("campaigns"))


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
