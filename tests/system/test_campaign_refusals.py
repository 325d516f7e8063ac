"""What can be wrong with `softdock campaign` is one clear message before anything runs."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner
from small_campaigns import CAMPAIGN, campaign_files

from softdock.cli import campaign as campaign_size
from softdock.cli.main import cli
from softdock.studies.campaign import shards
from softdock.studies.campaign.cuda import load_numba_cuda
from softdock.studies.campaign.spec import list_presets, load_spec


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return campaign_files(tmp_path_factory.mktemp("campaigns"))


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
        (["nozzle_capture", "--replay", "169"], "a run from 0 to 168"),
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
    assert "Presets: " + ", ".join(list_presets()) in " ".join(shown.split())


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
        shards.format_resume_command(tmp_path / "my results")
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


def test_many_runs_are_asked_about(tmp_path, monkeypatch):
    """The total of grids is said; above 50,000 runs a program without a terminal must say --yes,
    and a person who says no runs nothing."""
    file = tmp_path / "many.toml"
    grids = "".join(
        f'[[vary]]\nkey = "{key}"\ngrid = [0.0, 16.0, 251]\n'
        for key in ("robots.chaser.delay_ms", "robots.target.delay_ms")
    )
    file.write_text(f'schema = 1\nscenario = "epos_1d"\nruns = 1\n{grids}', encoding="utf-8")
    refused = CliRunner().invoke(cli, ["campaign", str(file), "--out", str(tmp_path / "out")])
    assert refused.exit_code == 2
    assert "--yes" in refused.output
    assert "63,001 runs: 63,001 points of the grids" in " ".join(refused.output.split())
    asked = []
    monkeypatch.setattr(campaign_size.sys, "stdin", SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr(campaign_size.click, "confirm", lambda text, **more: asked.append(text))
    spec = load_spec(str(file))
    campaign_size.confirm_size(spec, agreed=True)
    assert asked == []
    campaign_size.confirm_size(spec, agreed=False)
    assert asked == ["63,001 runs: 63,001 points of the grids. Go on?"]
