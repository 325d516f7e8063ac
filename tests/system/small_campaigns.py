"""Campaign files that the tests of `softdock campaign` share, and one that was run."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from click.testing import CliRunner

from softdock.cli.main import cli
from softdock.studies.campaign.arrow_arrays import to_numbers
from softdock.studies.campaign.digest import read_tables

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
PLACE = tempfile.TemporaryDirectory(prefix="campaigns")  # goes with the process


def campaign_files(made: Path) -> Path:
    (made / "small.toml").write_text(CAMPAIGN)
    (made / "long.toml").write_text(LONG)
    (made / "mine.py").write_text(MINE)
    return made


@functools.cache
def small_campaign() -> tuple[Path, Any]:
    """The small campaign, run by the command, once for all files that read it."""
    made = campaign_files(Path(PLACE.name))
    chosen = ["--backend", "cpu", "--shard", "25"]
    out = made / "out"
    return out, CliRunner().invoke(
        cli, ["campaign", str(made / "small.toml"), "--out", str(out), *chosen]
    )


def read(out: Path) -> dict[str, np.ndarray]:
    parts = list(read_tables(out))
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
