"""`softdock papers lange`, Figs. 6 and 7 with KR 16 arms: against the Cartesian robots of the same
figures, the published forces, and what elastic joints must do.

The loop of the re-mapping with arms is compiled in `make prove` only; `make test` flies the
published case in plain Python. Loops as in test_lange_paper.py and test_arm_robot.py otherwise.
"""

from __future__ import annotations

import functools
import io
import json
import math
from pathlib import Path

import pytest
from arm_cases import HARD, HEAVY, SLOW
from plain import run_plain
from rich.console import Console
from sabotage import fixed_claims, unmoved

from softdock.cli.papers import show_exhibits
from softdock.papers.lange import PAPER
from softdock.papers.lange.arms import CARTESIAN, ELASTIC, FILTER, HELD, RIGID, SERIES, STIFF, WRONG
from softdock.papers.lange.figure_6_arms import make_figure_6_arms
from softdock.papers.lange.figure_7_arms import make_figure_7_arms

figure_6, figure_7 = functools.cache(make_figure_6_arms), functools.cache(make_figure_7_arms)
ORDER = ("first_s", "second_s", "third_s", "fourth_s")
PLAIN = """
import json
from arm_cases import slow_peak
from softdock.papers.lange.arms import HELD, STIFF, run_arm_impact
from softdock.papers.lange.impact import peak_forces
by_arm = {"environment": "replaced_stiffness", "robot_stiffness": "arm"}
print(json.dumps([*peak_forces(run_arm_impact(STIFF, HELD)), slow_peak(by_arm, 0.5)[0]]))
"""


def test_the_remapping_with_arms_in_plain_python():
    """Stiff joints give both published forces; of elastic ones the stiffness at the contact gives
    the force that is wanted, v sqrt(k mu), to 1 %. Not compiled: that takes ten times as long."""
    done = run_plain(PLAIN)
    assert done.returncode == 0, done.stderr[-3000:]
    satellite, robot, slow = json.loads(done.stdout)
    assert satellite == pytest.approx(157.0, abs=0.3)
    assert robot == pytest.approx(364.0, abs=8.0)
    assert slow == pytest.approx(SLOW * math.sqrt(HARD * 0.5 * HEAVY), rel=0.01)


def rows_of(exhibit):
    return {(row["robots"], row["loop"]): row for row in exhibit.rows}


@pytest.mark.prove
def test_stiff_arms_are_a_fourth_family_of_robots():
    """The paper's own robot with stiff joints gives both published forces, and the satellites of
    the Cartesian robots; in the cone it has their four contacts."""
    rows = rows_of(figure_6())
    held = rows[STIFF, HELD]
    assert held["satellite_N"] == pytest.approx(157.0, abs=0.3)
    assert held["robot_N"] == pytest.approx(364.0, abs=8.0)
    assert rows[STIFF, RIGID]["restitution"] == pytest.approx(1.0, abs=1e-4)
    cone = rows_of(figure_7())
    stiff, other = cone[STIFF, RIGID], cone[CARTESIAN, RIGID]
    assert [stiff[k] for k in ORDER] == pytest.approx([other[k] for k in ORDER], abs=2e-3)
    assert abs(stiff["energy_percent"]) < 0.1


@pytest.mark.prove
def test_elastic_joints_are_mended_by_the_arms_own_stiffness():
    """Taken as rigid, arms that give way cost a quarter of the parting speed at every sampling
    phase; their stiffness at the contact mends that to 1.5 %, the filter to 0.2 %. The force at
    the robots is that of contact and arms in series, nearly."""
    rows, numbers = rows_of(figure_6()), figure_6().numbers
    for loop, wanted, error in ((RIGID, 0.73, 0.02), (SERIES, 1.0, 0.015), (FILTER, 1.0, 0.002)):
        for end in ("least", "most"):
            assert numbers[f"{end}_restitution_{loop}"] == pytest.approx(wanted, abs=error)
    softer = (numbers["with_the_contact_in_series_N_per_mm"] / 50.0) ** 0.5
    share = rows[ELASTIC, HELD]["robot_N"] / rows[STIFF, HELD]["robot_N"]
    assert softer**2 < share < softer


@pytest.mark.prove
def test_in_the_cone_the_filter_knows_elastic_arms():
    """Four oblique, lossless contacts keep the energy of orbit. Taken as rigid a third of it is
    lost, with the arms' stiffness alone a fifth is won; by their modes it is within 3 %, and within
    10 % when their stiffness is told 10 % wrongly."""
    numbers = figure_7().numbers
    assert -40.0 < numbers["rigid_least_energy_percent"] < -30.0
    assert 15.0 < numbers["arm_most_energy_percent"] < 30.0
    for end in ("least", "most"):
        assert abs(numbers[f"{FILTER}_{end}_energy_percent"]) < 3.0
        for words in WRONG.values():
            assert abs(numbers[f"{words}_{end}_energy_percent"]) < 10.0
        assert abs(numbers[f"noisy_{end}_energy_percent"]) < 3.0
    assert "of error stay" in " ".join(figure_7().differences)


@pytest.mark.prove
def test_the_books_of_both_figures_close():
    """With the joints' energy as rows, to 1e-9 of the turnover; the joints do take some."""
    for exhibit in (figure_6(), figure_7()):
        assert exhibit.numbers["rows_less_sum_of_turnover"] < 1e-9
        assert exhibit.numbers["dissipated_by_joints_J"] > 1e-3
        assert 0.0 < exhibit.numbers["largest_torque_of_its_limit"] < 1.0


@pytest.mark.prove
def test_no_sentence_about_the_arms_outlives_its_numbers():
    """Numbers made wrong on purpose change what is said; what is assumed stands on the page."""
    for exhibit in (figure_6(), figure_7()):
        assert fixed_claims(exhibit) == []
        assert unmoved(exhibit) == []
        assert "assumed by softdock" in exhibit.assumptions[0]
        assert "joint stiffness" in exhibit.assumptions[0]
        assert "Damping of the joints is published nowhere" in exhibit.assumptions[0]
    assert "by construction" in figure_6().headline


@pytest.mark.prove
def test_page_terminal_and_docs_have_them():
    """They fit the frame, no cell is cut in a narrow terminal, and docs/papers.md has the
    numbers."""
    page = Path(__file__).parents[2] / "docs" / "papers.md"
    text = " ".join(page.read_text(encoding="utf-8").split())
    console = Console(width=80, file=io.StringIO())
    show_exhibits(console, [figure_6(), figure_7()])
    assert "\u2026" not in console.file.getvalue()
    for exhibit in (figure_6(), figure_7()):
        assert PAPER.makers[exhibit.key]
        assert all({c.key for c in exhibit.columns} <= set(row) for row in exhibit.rows)
        json.dumps(exhibit.to_dict(), allow_nan=False)
    impact = rows_of(figure_6())
    e = {
        loop: " to ".join(
            f"{figure_6().numbers[f'{end}_restitution_{loop}']:.2f}" for end in ("least", "most")
        )
        for loop in (RIGID, SERIES, FILTER)
    }
    assert (
        f"stiff joints {impact[STIFF, HELD]['satellite_N']:.1f} and "
        f"{impact[STIFF, HELD]['robot_N']:.0f} N; with elastic joints "
        f"{impact[ELASTIC, HELD]['robot_N']:.0f} N at the robots, and over the sampling phase e = "
        f"{e[RIGID]} when they are taken as rigid, {e[SERIES]} with their own stiffness (16), "
        f"{e[FILTER]} by the filter" in text
    )
    changed = {
        loop: " to ".join(
            f"{figure_7().numbers[f'{loop}_{end}_energy_percent']:+.1f}"
            for end in ("least", "most")
        )
        for loop in (RIGID, SERIES, FILTER, *WRONG.values())
    }
    assert (
        f"by {changed[RIGID]} % when taken as rigid, by {changed[SERIES]} % with their own "
        f"stiffness (16) and by {changed[FILTER]} % with the filter; told the joints' stiffness "
        + " and ".join(f"{words}, the filter by {changed[words]} %" for words in WRONG.values())
        in text
    )
