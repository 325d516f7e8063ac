"""Zebenay's tables and figures as softdock makes them, against prototypes that were
written independently, and against the paper where it can be met."""

from __future__ import annotations

import functools
import json
import re
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from sabotage import fixed_claims, unmoved

from softdock import BadInput
from softdock.cli.main import cli
from softdock.output.pages.frame.elements import look_up
from softdock.papers.frame import (
    Column,
    Exhibit,
    Findings,
    Paper,
    collect_results,
    load_paper,
    paper_page,
    regenerate,
)
from softdock.papers.zebenay import PAPER
from softdock.papers.zebenay.docking_3d import make_test_3d
from softdock.papers.zebenay.docking_3d_runs import run_case
from softdock.papers.zebenay.effective_mass_3d import compare_critical_delays, random_chaser
from softdock.papers.zebenay.figure_10 import compute_restitution_map
from softdock.papers.zebenay.figures_5_6 import make_figure_5, make_figure_6
from softdock.papers.zebenay.table_1 import make_figure_7, make_table_1
from softdock.papers.zebenay.table_2 import make_table_2, one_axis_run
from softdock.studies.stability import predicted_restitution

table_1, table_2, figure_5, docking_3d = (
    functools.cache(f) for f in (make_table_1, make_table_2, make_figure_5, make_test_3d)
)

TELL_APART = ("damping_Ns_per_m", "stiffness_N_per_m", "mass_kg")  # keys of rows


def column(exhibit: Exhibit, key: str) -> list[float]:
    return [row[key] for row in exhibit.rows]


def test_table_1():
    """Forward Euler, 4 ms, n = 4, pulling law, 0.02 m/s: within 0.003 of a prototype's row; the
    linear equation with the exact delay likewise."""
    assert column(table_1(), "ours") == pytest.approx(
        [1.551, 1.134, 1.095, 1.056, 1.019, 0.949], abs=0.003
    )
    assert column(table_1(), "exact_delay") == pytest.approx(
        [1.410, 1.027, 0.991, 0.956, 0.922, 0.857], abs=0.001
    )
    assert column(table_1(), "published") == [1.6, 1.14, 1.09, 1.03, 1.0, 0.82]


def test_critical_damping_of_table_1():
    """15.6 kg, 3000 N/m, 16 ms: continuous 48.82467, sampled at 4 ms 55.17447 Ns/m."""
    assert table_1().numbers["critical_damping_Ns_per_m"] == pytest.approx(
        48.82467, abs=1e-4
    )  # J_x has six digits
    assert table_1().numbers["critical_damping_sampled_Ns_per_m"] == pytest.approx(
        55.17447, abs=1e-4
    )


def test_table_2():
    """Sampled, held force, clamp: within 0.003 of a prototype's row, means over the phase. The
    damped rows show less than the nominal damping."""
    assert column(table_2(), "ours") == pytest.approx(
        [1.1176, 0.9932, 0.9311, 0.8898, 0.7541, 0.6825, 0.6035], abs=0.003
    )
    assert column(table_2(), "published") == pytest.approx(
        [1.114, 1.081, 1.000, 0.971, 0.850, 0.750, 0.714], abs=5e-4
    )
    assert all(row["damping_share"] < 0.85 for row in table_2().rows[1:])


def test_the_column_of_identified_stiffness():
    """k-hat comes back from noisy simulated runs within 2 % of what was put in, without looking at
    what was put in."""
    found, truth = (
        column(table_2(), "stiffness_N_per_m"),
        column(table_2(), "published_stiffness_N_per_m"),
    )
    assert found == pytest.approx(truth, rel=0.02)
    assert table_2().numbers["stiffness_mean_N_per_m"] == pytest.approx(987.7, abs=0.05)
    assert table_2().numbers["stiffness_spread_N_per_m"] == pytest.approx(78.7, abs=0.05)


def test_figure_5():
    """Golden critical delay and frequency; simulated runs find the same delay to 0.1 %; b = 20
    bears the published 20 ms."""
    numbers = figure_5().numbers
    assert numbers["critical_delay_ms"] == pytest.approx(49.30850, abs=1e-5)
    assert numbers["crossing_frequency_rad_per_s"] == pytest.approx(4.125228, abs=1e-6)
    assert numbers["largest_departure_of_the_simulation"] < 1e-3
    assert figure_5().rows[0]["ours_ms"] == pytest.approx(19.95559, abs=1e-5)


def test_figure_6():
    """More stiffness shrinks the region, more mass widens it, in critical delay and nose alike."""
    rows = make_figure_6().rows
    for key in ("critical_delay_ms", "nose_delay_ms"):
        by_stiffness, by_mass = [r[key] for r in rows[:3]], [r[key] for r in rows[3:6]]
        assert by_stiffness == sorted(by_stiffness, reverse=True)
        assert by_mass == sorted(by_mass)


def test_figure_7():
    """The nonlinear loop becomes neutral near the published 60 Ns/m, above the linear limit of
    48.8."""
    numbers = make_figure_7().numbers
    assert 55.0 < numbers["neutral_damping_Ns_per_m"] < 65.0
    assert numbers["neutral_damping_Ns_per_m"] > numbers["critical_damping_Ns_per_m"]


@pytest.mark.prove
def test_the_map_of_restitution():
    """Every point is a run: the map has the restitution of single runs, and its neutral line is
    where theory for a contact that cannot pull has e = 1."""
    found = compute_restitution_map(
        63.0, 1000.0, np.linspace(0.0, 0.04, 6), np.linspace(0.0, 80.0, 9)
    )
    assert found.restitution.shape == (9, 6)
    single = one_axis_run(
        20.0, 1000.0, **{"robots.chaser.delay_ms": 16.0, "robots.target.delay_ms": 16.0}
    ).restitution
    assert found.restitution[2, 2] == pytest.approx(single, abs=2e-3)  # of another sampling phase
    assert found.restitution[2, 2] == pytest.approx(
        predicted_restitution(63.0, 1000.0, 20.0, 0.016, 0.004), abs=2e-3
    )
    neutral = found.neutral_damping()
    assert np.all(np.diff(neutral) > 0.0)
    assert predicted_restitution(63.0, 1000.0, float(neutral[2]), 0.016, 0.004) == pytest.approx(
        1.0, abs=5e-3
    )


def test_the_3d_test():
    """Three contacts, wall, bottom, wall; active without damping; every reading of "40" is shown:
    on all tip axes it is passive with -10 mJ and takes energy about z as the paper's plot, along
    the normal it is not enough, and what theory asks for is."""
    rows = {row["case"]: row for row in docking_3d().rows}
    assert all(
        (row["contacts"], row["second_at"], row["left"]) == (3, "bottom", True)
        for row in rows.values()
    )
    bare = rows["no damping"]
    assert (bare["first_s"], bare["second_s"]) == pytest.approx(
        (3.4, 6.3), abs=0.05
    )  # without robots, as the reference has it (test_reference.py)
    assert bare["observed_mJ"] > 1.0
    assert bare["observed_rotation_z_mJ"] > 0.0  # as the paper's upper left plot
    all_axes = rows["40 Ns/m on all tip axes"]
    assert all_axes["observed_mJ"] == pytest.approx(-10.0, abs=0.5)
    assert all_axes["observed_rotation_z_mJ"] < 0.0  # as the paper's upper right plot
    assert rows["40 Nms/rad about z"]["observed_mJ"] == pytest.approx(bare["observed_mJ"], abs=0.1)
    assert 0.0 < rows["40 Ns/m along the normal"]["observed_mJ"] < bare["observed_mJ"]
    assert rows["neutral along the normal"]["observed_mJ"] < 0.1 * bare["observed_mJ"]
    assert (
        rows["neutral along the normal"]["error_against_orbit"] < 0.5 * bare["error_against_orbit"]
    )


def test_figure_13_has_the_papers_frames():
    """Force and torque along the nozzle's axes, turned here by the quaternion of the mock-up that
    carries it; the relative position in global axes begins where the preset says."""
    found, run = docking_3d().numbers["figure_13"], run_case("40 Nms/rad about z")
    w, v = np.split(np.asarray(run.series["mock_up.target.attitude"]), [1], axis=1)
    for kind, unit in (("force", "N"), ("torque", "Nm")):
        x = np.asarray(run.series[f"measured.chaser.{kind}"])
        t = -2.0 * np.cross(v, x)
        along = x + w * t - np.cross(v, t)
        for i, axis in enumerate("xyz"):
            assert found[f"largest_{kind}_{axis}_{unit}"] == pytest.approx(
                np.abs(along[:, i]).max(), rel=1e-9, abs=1e-12
            )
    tables = run.scenario.tables
    start = np.subtract(tables["chaser"]["position_m"], tables["target"]["position_m"])
    assert [found[f"start_position_{a}_m"] for a in "xyz"] == pytest.approx(start, abs=1e-3)


def test_table_2_shows_what_is_printed_beside_the_ratio_of_its_speeds():
    """1.11 is printed and 23.4 / 21.0 = 1.1143: both stand in the table, and how far ours is from
    each."""
    row = table_2().rows[0]
    assert row["published_as_printed"] == 1.11
    assert row["published"] == pytest.approx(23.4 / 21.0, rel=1e-12)
    said = " ".join(table_2().differences)
    assert "1.11 is printed and the speeds give 1.1143" in said
    printed = [1.11, 1.08, 1.00, 0.97, 0.85, 0.75, 0.71]
    assert column(table_2(), "published_as_printed") == printed


def test_no_sentence_outlives_its_numbers():
    """Numbers made wrong on purpose: no claim stays whatever they are (three contacts as published,
    agreement without damping), and nothing that is said of a run is a fixed text. The geometry and
    the integrator that were chosen for the result are named in the headline."""
    made = [table_1(), table_2(), figure_5(), make_figure_6(), docking_3d()]
    for exhibit in made:
        assert fixed_claims(exhibit, TELL_APART) == []
        assert unmoved(exhibit, TELL_APART) == []
    assert [e.key for e in made if "by construction" in e.headline] == ["table_1", "test_3d"]
    two = [row | {"contacts": 2} for row in docking_3d().rows]
    assert "as published" not in docking_3d().says(two, docking_3d().numbers).verdict


@pytest.mark.parametrize(("seed", "level"), [(0, 0.3), (3, 1.2), (4, 1.6), (5, 2.0)])
def test_effective_mass_predicts_the_critical_delay_in_3d(seed, level):
    """Nonlinear 3-D loop, random full inertia, lever and normal, heavy damping included: within 0.1
    %. With the whole mass in place of the effective one it would be far off."""
    chaser = random_chaser(seed, level)
    mass, predicted, simulated = compare_critical_delays(chaser)
    assert simulated == pytest.approx(predicted, rel=1e-3)
    assert mass < 0.95 * chaser.mass


def small_paper() -> Paper:
    """One exhibit, with a name that must be escaped."""
    exhibit = Exhibit(
        key="one",
        title="A <b>title</b>",
        says=lambda rows, numbers: Findings("fine", ["why"]),
        columns=(Column("b", "b [Ns/m]"),),
        rows=[{"b": 1.5}, {"b": None}],
        numbers={"limit_ms": 2.0},
        assumptions=("assumed",),
    )
    return Paper("small", "Small", "nobody", {"one": lambda: exhibit})


def test_the_page_says_what_the_json_says():
    """Every number on the page carries its key and its value in the JSON that stands in the same
    page."""
    paper = small_paper()
    exhibits = regenerate(paper)
    page, data = paper_page(paper, exhibits), collect_results(paper, exhibits)
    shown = re.findall(r'data-key="([^"]+)" data-value="([^"]+)"', page)
    assert {key for key, _ in shown} == {
        "exhibits.one.rows.0.b",
        "exhibits.one.rows.1.b",
        "exhibits.one.numbers.limit_ms",
    }
    for key, value in shown:
        assert json.loads(unescape(value)) == look_up(data, key)
    assert "<b>title</b>" not in page


def test_exhibits_of_the_paper_fit_the_frame():
    """Each made exhibit has a column for what it shows, says what it assumed and explains where it
    differs, and is plain JSON."""
    for exhibit in (table_1(), table_2(), figure_5(), docking_3d()):
        assert PAPER.makers[exhibit.key]
        assert exhibit.assumptions
        assert exhibit.differences
        for row in exhibit.rows:
            assert {c.key for c in exhibit.columns} <= set(row)
        json.dumps(exhibit.to_dict(), allow_nan=False)


def test_the_page_of_the_docs_states_these_numbers():
    """docs/papers.md says what the command makes."""
    page = Path(__file__).parents[2] / "docs" / "papers.md"
    text = " ".join(page.read_text(encoding="utf-8").split())
    for exhibit in (table_1(), table_2()):
        assert " ".join(f"{e:.3f}" for e in column(exhibit, "ours")) in text
    numbers = figure_5().numbers
    assert f"{numbers['critical_delay_ms']:.5f} ms" in text
    assert f"{numbers['nose_delay_ms']:.1f} ms" in text
    assert f"neutral at {make_figure_7().numbers['neutral_damping_Ns_per_m']:.0f} Ns/m" in text


def test_unknown_papers_and_exhibits_are_refused():
    """Before any work, with what there is."""
    with pytest.raises(BadInput, match="zebenay"):
        load_paper("zebeney")
    with pytest.raises(BadInput, match="table_1"):
        regenerate(PAPER, ["table_7"])


def test_the_command(tmp_path):
    """`softdock papers zebenay`: JSON alone on standard output, or page and JSON in a folder; bad
    names end with code 2 and leave no folder."""
    out = tmp_path / "out"
    shown = CliRunner().invoke(cli, ["papers", "zebenay", "--only", "figure_6", "--out", str(out)])
    assert shown.exit_code == 0, shown.output
    assert "Fig. 6" in shown.stdout
    assert "[kg]" in shown.stdout
    written = json.loads((out / "zebenay.json").read_text(encoding="utf-8"))
    printed = CliRunner().invoke(cli, ["papers", "zebenay", "--only", "figure_6", "--json"])
    assert json.loads(printed.stdout) == written
    assert (out / "zebenay.html").stat().st_size < 5e6
    wrong = CliRunner().invoke(
        cli, ["papers", "zebenay", "--only", "figure_66", "--out", str(tmp_path / "no")]
    )
    assert wrong.exit_code == 2
    assert "figure_6" in wrong.stderr
    assert not (tmp_path / "no").exists()
