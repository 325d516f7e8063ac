"""Requirements of a campaign: exact bounds, pass, fail or undecided; approaches that vary;
the verdict of every run as a single run has it."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats
from test_words import COME, with_approach

from softdock import BadInput
from softdock.cli.main import cli
from softdock.studies.campaign.plan import make_plan
from softdock.studies.campaign.requirement import check_requirement, compute_lower_bound
from softdock.studies.campaign.spec import read_spec

BASE = {"scenario": "epos_3d", "runs": 20, "sampling": "random"}
DRAWN = [{"key": "chaser.position_m.1", "normal": [0.0, 0.002]}]


@pytest.mark.parametrize(("hits", "of"), [(0, 10), (10, 10), (7, 20), (990, 1000), (99990, 100000)])
def test_bounds_are_clopper_and_pearsons(hits, of):
    """As scipy has them."""
    for confidence in (0.9, 0.95, 0.999):
        known = stats.beta.ppf(1.0 - confidence, hits, of - hits + 1) if hits else 0.0
        assert compute_lower_bound(hits, of, confidence) == pytest.approx(known, abs=1e-12)


def test_the_bound_keeps_its_promise():
    """Of 2000 campaigns of 60 runs with a true probability of 0.9, at most 5 % (and chance: 6.5 %)
    have a bound above it."""
    rng = np.random.default_rng(1)
    above = [compute_lower_bound(int(hits), 60, 0.95) > 0.9 for hits in rng.binomial(60, 0.9, 2000)]
    assert np.mean(above) < 0.065


def counts(captured: int, runs: int, unsafe: int = 0) -> dict:
    judged = {"faithful": runs - unsafe, "distorted": 0, "unsafe": unsafe}
    return {"captured": captured, "asked": runs, "runs": runs, "verdicts": judged}


@pytest.mark.parametrize(
    ("wanted", "found", "word"),
    [
        ({"captured": 0.95}, counts(1000, 1000), "pass"),
        ({"captured": 0.95}, counts(20, 20), "undecided"),
        ({"captured": 0.95}, counts(850, 1000), "fail"),
        ({"unsafe": 0.01}, counts(0, 1000), "pass"),
        ({"unsafe": 0.01}, counts(0, 1000, 40), "fail"),
        ({"unsafe": 0.01, "captured": 0.95}, counts(1000, 1000, 10), "undecided"),
        ({"faithful": 0.9, "confidence": 0.999}, counts(0, 1000, 50), "pass"),
    ],
)
def test_pass_fail_and_undecided(wanted, found, word):
    """By the bound and not by the share; what is undecided states how many runs would decide it."""
    told = check_requirement(wanted, found, "random")
    assert told["word"] == word
    assert told["sentence"].startswith(f"Requirement: {word}.")
    assert (" decide" in told["sentence"]) == (word == "undecided")


@pytest.mark.parametrize(
    ("require", "more", "said"),
    [
        ({"captured": 1.5}, {}, "probability"),
        ({"capture": 0.9}, {}, "did you mean 'captured'"),
        ({"faithful": 0.9}, {}, "reference"),
        ({"confidence": 0.9}, {}, "one of captured"),
        ({"captured": 0.9}, {"sampling": "sobol"}, "draws alone"),
        ({"captured": 0.9}, {"vary": [{"key": "a.b", "grid": [0, 1, 3]}]}, "no probability"),
    ],
)
def test_requirements_that_make_no_sense_are_refused(require, more, said):
    """A probability of grid points, one that nobody judges, a word that is none."""
    with pytest.raises(BadInput, match=said):
        read_spec({**BASE, "vary": DRAWN, "require": require, **more})


def test_an_approach_varies_as_it_is_written():
    """Every run starts where a scenario with that approach starts, also with a tumble that is
    turned back; run by itself it is the same."""
    vary = [
        {"key": "approach.lateral_offset_m.1", "normal": [0.01, 0.002]},
        {"key": "approach.speed_m_per_s", "uniform": [0.01, 0.03]},
        {"key": "approach.tumble_deg_per_s", "uniform": [-0.5, 0.5]},
    ]
    base = with_approach(at="touch", lateral_offset_m=0.002, misalignment_deg=1.0)
    plan = make_plan(read_spec({**BASE, "runs": 5, "vary": vary}), base)
    values = plan.design.values(0, 5)
    for run, (offset, speed, tumble) in enumerate(values.tolist()):
        wanted = with_approach(
            at="touch",
            misalignment_deg=1.0,
            lateral_offset_m=[0.002, offset],
            speed_m_per_s=speed,
            tumble_deg_per_s=tumble,
        ).tables
        found = plan.scenario_of(run).tables
        for body, key in (
            ("chaser", "position_m"),
            ("chaser", "velocity_m_per_s"),
            ("chaser", "attitude_wxyz"),
            ("target", "attitude_wxyz"),
            ("target", "rate_rad_per_s"),
        ):
            assert np.allclose(found[body][key], wanted[body][key], rtol=0.0, atol=1e-14)
    assert "approach.speed_m_per_s" in plan.design.labels


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("approach.lateral_ofset_m", "did you mean 'approach.lateral_offset_m'"),
        ("approach.at", "one of"),
        ("chaser.position_m.1", "nothing that the varied"),
    ],
)
def test_approach_keys_that_cannot_vary(key, said):
    """Misspelt ones, words, and keys that the approach itself writes."""
    vary = [
        {"key": "approach.speed_m_per_s", "uniform": [0.01, 0.03]},
        {"key": key, "uniform": [0.0, 0.01]},
    ]
    with pytest.raises(BadInput, match=said):
        make_plan(read_spec({**BASE, "vary": vary}), with_approach())
    with pytest.raises(BadInput, match=r"no table \[approach\]"):
        make_plan(read_spec({**BASE, "vary": vary[:1]}))
    assert COME["speed_m_per_s"] > 0.0


def test_the_command_says_whether_the_requirement_is_met(tmp_path):
    """Terminal, JSON and page have the same sentence."""
    (tmp_path / "c.toml").write_text(
        'scenario = "epos_1d"\nruns = 8\nseed = 1\nsampling = "random"\nreference = true\n'
        "[require]\nunsafe = 0.2\n[[vary]]\nkey = 'robots.chaser.delay_ms'\nuniform = [0.0, 1.0]\n",
        encoding="utf-8",
    )
    out = tmp_path / "out"
    command = ["campaign", str(tmp_path / "c.toml"), "--backend", "cpu", "--out", str(out)]
    done = CliRunner().invoke(cli, command)
    assert done.exit_code == 0, done.output
    assert "Requirement: undecided. Unsafe" in done.output
    summary = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    told = summary["variants"][0]["requirement"]
    assert told["word"] == "undecided"
    assert told["sentence"] in (out / "report.html").read_text(encoding="utf-8")
