"""`softdock campaign` as a person uses it: tables, page and summary agree, and a worst case is
replayed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import chromium, opened
from click.testing import CliRunner
from small_campaigns import campaign_files, read, small_campaign

from softdock.cli.main import cli
from softdock.output.pages.frame.elements import look_up


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return campaign_files(tmp_path_factory.mktemp("campaigns"))


@pytest.fixture
def done() -> tuple[Path, Any]:
    return small_campaign()


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
        distances = ("error_against_orbit", "error_against_orbit_later")  # the worse one judges
        worst = np.max([columns[name][mine] for name in distances], axis=0)
        assert v["within_limit_rate"] == pytest.approx((worst <= 0.05).mean())
        assert sum(v["verdicts"].values()) == 60
        assert v["capture_rate"] == pytest.approx(columns["captured"][mine].mean())
        assert v["activities"]["active"] == (columns["activity"][mine] == 1).sum()
        assert v["peak_force_real_N_most"] == columns["peak_force_real_N"][mine].max()
        assert f"{100 * v['within_limit_rate']:.3g} %" in result.output
    worst = summary["worst"][0]
    assert worst["error_against_orbit"] == columns["error_against_orbit"].max()
    assert columns["error_against_orbit"][worst["run"]] == worst["error_against_orbit"]
    for i, v in enumerate(summary["variants"]):  # each variant has its own worst cases and indices
        mine = np.flatnonzero(columns["run"] // 60 == i)
        hardest = mine[np.argsort(-columns["error_against_orbit"][mine], kind="stable")[:10]]
        assert [
            row["run"] for row in summary["worst"] if row["variant"] == v["label"]
        ] == hardest.tolist()
        assert (
            summary["sensitivity"][i]["error_against_orbit"][0]["key"] == "robots.chaser.delay_ms"
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
            "chart-map-error_against_orbit-0",
            "chart-map-error_against_orbit-1",
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
            assert f"{v['label']}: worst by error against the reference" in text
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
    assert metrics["energy_added_J"] == columns["energy_added_J"][run]
    assert metrics["restitution"] == columns["restitution"][run]
    assert metrics["peak_torque_real_Nm"] == columns["peak_torque_real_Nm"][run]
    assert metrics["captured"] == bool(columns["captured"][run])
    assert metrics["error_against_orbit"] == pytest.approx(
        columns["error_against_orbit"][run], rel=1e-8
    )
    assert "The outcomes are those of the campaign's table." in result.output
    assert CliRunner().invoke(cli, ["campaign", str(out), "--replay", "120"]).exit_code == 2
