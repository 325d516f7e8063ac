"""De Stefano's passive integrator: its numbers against a prototype that was written
independently, and against the paper where it can be met; what each form does with forces that are
zero, frozen, saturated or jump."""

from __future__ import annotations

import functools
import json
from pathlib import Path

import numpy as np
import pytest
from sabotage import fixed_claims, unmoved
from scenarios import epos_wall

from softdock import run_loop
from softdock.methods.passive_integrator.method import FORMS
from softdock.papers.de_stefano import PAPER
from softdock.papers.de_stefano.axis_scheme import (
    BARE,
    T1,
    T2,
    integrate_axis,
    measure_drifts,
    pushes,
)
from softdock.papers.de_stefano.axis_scheme import MASS as SMALL_MASS
from softdock.papers.de_stefano.drift import measure_loop_drifts, smooth_drift
from softdock.papers.de_stefano.energies import (
    make_figure_4,
    make_figure_5,
    make_figure_6,
    make_figure_11,
)
from softdock.papers.de_stefano.experiment import (
    CYCLE,
    MASS,
    make_figure_13,
    noise_campaign,
    run_experiment,
    usable_noise,
)
from softdock.papers.de_stefano.observers import make_figure_9, make_two_port
from softdock.papers.de_stefano.trade import (
    INFORMED,
    UNINFORMED,
    list_schemes,
    make_trade,
    measure_restitution,
)

DOCS = Path(__file__).parents[2] / "docs"
trade = functools.cache(make_trade)


def offline(form, T, state_too=False):
    force = pushes(T)
    return measure_drifts(
        integrate_axis(form, force, SMALL_MASS, T, state_too).position, force, SMALL_MASS, T
    )


@pytest.mark.parametrize(("T", "part"), [(T1, 1.0), (T2, 0.1)])
def test_drift_under_a_held_force(T, part):
    """(5): +0.05000 and +0.15000 m at T1, a tenth at T2, as published. With F(k-1) nothing is
    left."""
    assert offline(BARE, T) == pytest.approx((0.05 * part, 0.15 * part), abs=1e-11)
    assert measure_loop_drifts(T, BARE) == pytest.approx((0.05 * part, 0.15 * part), abs=1e-9)
    assert offline("previous_force", T) == pytest.approx((0.0, 0.0), abs=1e-12)
    assert measure_loop_drifts(T, "previous_force") == pytest.approx((0.0, 0.0), abs=1e-12)


@pytest.mark.parametrize("form", ["published", "bounded"])
def test_drift_of_the_published_scheme(form):
    """Golden: +0.0010 and +0.0025 m at T1 as printed, -0.099 and -0.298 m in a loop that runs it
    one cycle later; 35.6 m away if the state is corrected."""
    assert offline(form, T1) == pytest.approx((0.0010, 0.0025), abs=1e-9)
    assert measure_loop_drifts(T1, form) == pytest.approx((0.0010, 0.0025), abs=1e-9)
    assert measure_loop_drifts(T1, form, "forward") == pytest.approx((-0.099, -0.298), abs=6e-4)
    assert abs(offline("published", T1, state_too=True)[1]) == pytest.approx(35.6, abs=0.05)


def test_a_smooth_force_turns_the_statement_round():
    """(5) follows a smooth force and its samples; the corrected scheme falls behind by (T/2) dv."""
    gained = 6.0 / SMALL_MASS * 10.0 / np.pi  # m/s, of half a sine of 6 N over 5 s
    assert abs(smooth_drift(T1, BARE)) < 0.002
    assert smooth_drift(T1, "previous_force") == pytest.approx(-0.5 * T1 * gained, rel=0.05)


GOLDEN = {("symplectic_euler", None): 1.0000, ("symplectic_euler", "symplectic"): 1.0126}
GOLDEN |= {("forward_euler", None): 1.0255, ("symplectic_euler", "forward"): 1.0384}


@pytest.mark.parametrize(("integrator", "pairing"), GOLDEN)
@pytest.mark.parametrize("form", FORMS)
def test_restitution_on_a_lossless_spring(integrator, pairing, form):
    """m = 250 kg, k = 4000 N/m, T = 4 ms: the correction costs half a cycle of delay in a contact.
    Golden, each within 0.0003."""
    methods = (
        [{"name": "passive_integrator", "form": form, "pairing": pairing}]
        if pairing
        else [{"name": "direct"}]
    )
    assert measure_restitution(integrator, methods) == pytest.approx(
        GOLDEN[integrator, pairing], abs=3e-4
    )


def test_noise_alone():
    """0.25 N at 250 Hz on 250 kg, 200 runs of 60 s: the bounded form keeps |v_pc| <= T F_max / 2m;
    the published one has spikes a thousand times that."""
    found = noise_campaign()
    assert found["bounded"]["largest_over_bound"] <= 1.0 + 1e-12
    assert found["previous_force"]["largest_over_bound"] <= 1.0 + 1e-9
    assert found["published"]["largest_m_per_s"] > 1.0
    assert found["published"]["median_m_per_s"] > 1e3 * found["bounded"]["median_m_per_s"]


def test_the_tank_of_the_bounded_form_never_empties():
    """The deficit is at most T^2 F_max^2 / 2m, so a tank filled with that stays at or above zero;
    1e-12 of it: rounding."""
    rng = np.random.default_rng(3)
    for _ in range(50):
        mass = 10.0 ** rng.uniform(0, 3)
        motion = integrate_axis(
            "bounded", np.cumsum(rng.normal(size=2000)) * 10.0 ** rng.uniform(-3, 3), mass, 0.01
        )
        assert motion.left.min() >= -1e-12 * motion.left[0]
        assert np.all(
            np.abs(motion.correction) <= 0.01 * np.abs(motion.force) / (2.0 * mass) * (1.0 + 1e-12)
        )


def test_energies_of_the_figures():
    """15 and 135 J; the port's sum 15.3 and 136.5 J without, 15 and 135 J with the correction; dE =
    0 for a held force; E_obs is never positive."""
    row = make_figure_4().rows[0]
    assert (row["kinetic_first_J"], row["kinetic_second_J"]) == pytest.approx(
        (15.0, 135.0), abs=1e-9
    )
    assert (row["port_first_J"], row["port_second_J"]) == pytest.approx((15.3, 136.5), abs=1e-9)
    corrected = make_figure_11().rows[0]
    assert (corrected["port_first_J"], corrected["port_second_J"]) == pytest.approx(
        (15.0, 135.0), abs=0.05
    )
    figure_5 = make_figure_5()
    assert all(r["held_J"] < 1e-9 for r in figure_5.rows)
    rates = [r["rate_W"] for r in figure_5.rows]
    assert rates[0] / rates[1] == pytest.approx(10.0, rel=0.05)
    assert make_figure_6().numbers["largest_gap_of_rectangle_and_triangle_J"] < 1e-12
    published = next(r for r in make_figure_9().rows if r["scheme"] == "published")
    assert published["lowest_before_J"] == pytest.approx(-0.024, abs=1e-9)


def test_the_experiment():
    """Pushes of 60 N on z and less on x and y; without controller the observed energy falls; what
    the sensor's noise does to the published form is found."""
    force = run_experiment(BARE).series["measured.chaser.force"]
    assert np.abs(force[:, 2]).max() == pytest.approx(60.0, abs=1.0)
    assert np.abs(force[:, :2]).max() < 20.0
    exhibit = make_figure_13()
    rows = {r["scheme"]: r for r in exhibit.rows}
    assert rows["without controller"]["observed_end_J"] < -1e-4
    assert (
        rows["published"]["largest_correction_m_per_s"]
        > 20.0 * rows["bounded"]["largest_correction_m_per_s"]
    )
    assert 1e-3 < usable_noise("y") < 1.0
    json.dumps(exhibit.to_dict(), allow_nan=False)


def test_no_row_of_the_experiment_ends_below_its_lowest_energy():
    """E_obs at the end and its lowest value are counted alike: without the tank, which has a column
    of its own, T^2 F_max^2 / 2m of the largest force."""
    exhibit = make_figure_13()
    for row in exhibit.rows:
        assert row["lowest_J"] <= row["observed_end_J"] <= 0.0
        assert row["lowest_with_tank_J"] == pytest.approx(
            row["lowest_J"] + row["tank_J"], abs=1e-15
        )
    bounded = next(r for r in exhibit.rows if r["scheme"] == "bounded")
    assert bounded["lowest_J"] < 0.0 <= bounded["lowest_with_tank_J"]
    assert bounded["tank_J"] == pytest.approx(
        CYCLE**2 * bounded["largest_force_N"] ** 2 / (2.0 * MASS), rel=1e-12
    )
    assert fixed_claims(exhibit, ("scheme",)) == []


def test_the_two_port_sums():
    """(14) with sums to n, worked out here cycle by cycle; without controller -sum T^2 F^2 / 2m =
    -1.5 J at T1 and a tenth at T2. (15) as printed adds the sum of sums."""
    exhibit = make_two_port()
    rows = {(row["cycle_ms"], row["scheme"]): row for row in exhibit.rows}
    for T in (T1, T2):
        force, m = pushes(T), SMALL_MASS
        for scheme in ("without controller", "published", "previous_force"):
            v = energy = twice = debt = 0.0
            lowest = 0.0
            for k in range(1, len(force)):
                last, early, late = v, force[k - 1], force[k]
                v += T * early / m
                debt += 0.5 * T**2 * early**2 / m
                v_pc = 0.0
                if scheme == "published" and late != 0.0:
                    v_pc, debt = debt / (T * late), 0.0
                if scheme == "previous_force":
                    v_pc = 0.5 * T * early / m
                energy += T * early * ((last + v) / 2.0 - (v - v_pc))
                twice += energy
                lowest = min(lowest, energy)
            row = rows[1e3 * T, scheme]
            assert row["sum_J"] == pytest.approx(energy, abs=1e-11)
            assert row["lowest_sum_J"] == pytest.approx(lowest, abs=1e-11)
            assert row["as_printed_J"] == pytest.approx(twice, abs=1e-7)
    assert rows[100.0, "without controller"]["sum_J"] == pytest.approx(-1.5, abs=1e-12)
    assert rows[10.0, "without controller"]["sum_J"] == pytest.approx(-0.15, abs=1e-12)
    assert rows[100.0, "published"]["sum_J"] == pytest.approx(-0.03, abs=1e-12)
    assert rows[100.0, "published"]["observed_J"] == pytest.approx(-0.024, abs=1e-12)
    assert fixed_claims(exhibit, ("scheme", "cycle_ms")) == []
    assert unmoved(exhibit, ("scheme", "cycle_ms")) == []


def with_form(form, **more):
    """EPOS on one axis, corrected as given."""
    tables = epos_wall(delay_ms=8.0, integrator="symplectic_euler")
    tables["time"]["duration_s"] = 2.0
    tables["methods"] = [
        {
            "name": "passive_integrator",
            "form": form,
            **({"largest_force_N": 20.0} if form == "bounded" else {}),
        }
    ]
    for path, value in more.items():
        table, _, key = path.rpartition("__")
        here = tables
        for part in table.split("__"):
            here = here.setdefault(part, {})
        here[key] = value
    return tables


BAD = {
    "force exactly zero": {"chaser__velocity_m_per_s": [0.02, 0.0, 0.0]},
    "a sensor that freezes": {"sensor__period_ms": 300.0},
    "a sensor that saturates": {"sensor__range_N": 1.0},
    "a sensor that jumps": {
        "sensor__drift_N_per_s": [300.0, 0.0, 0.0],
        "sensor__resolution_N": 50.0,
    },
    "a delay that grows": {"robots__chaser__delay_ramp_ms_per_s": 15.0},
    "cycles that are missed": {"robots__chaser__dropout_probability": 0.2},
}


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("form", FORMS)
def test_bad_input_leaves_a_bounded_output(form, case):
    """No NaN whatever the sensor does; the sound forms correct by at most T F / 2m of the largest
    force."""
    run = run_loop(with_form(form, **BAD[case]))
    assert run.status == "completed"
    assert np.isfinite(run.series.rows).all()
    T, mass = 0.004, 63.0
    v_pc = (
        run.series["chaser.velocity.x"][1:] - np.diff(run.series["command.chaser.position.x"]) / T
    )
    largest = np.abs(run.series["satellite.chaser.force.x"]).max()
    if form != "published":
        assert np.abs(v_pc).max() <= T * largest / (2.0 * mass) * (1.0 + 1e-6) + 1e-12
    if case == "force exactly zero":
        assert largest == 0.0
        assert np.abs(v_pc).max() < 1e-12  # rounding of positions over T


def test_at_zero_force_the_debt_is_carried():
    """(17) has no answer at F = 0: nothing is corrected there, and the next push pays."""
    force = np.array([0.0, 5.0, 5.0, 0.0, 0.0, 0.0, 10.0, 10.0])
    motion = integrate_axis("published", force, MASS, CYCLE)
    assert motion.correction[3:6].tolist() == [0.0, 0.0, 0.0]
    assert motion.left[3] == motion.left[5] < 0.0
    assert motion.correction[6] > 0.0
    assert motion.left[6] == pytest.approx(0.0, abs=1e-20)


def test_the_trade():
    """Every integrator and method is on it; no integrator by itself has no drift and an honest
    bounce, exact hold with the delay controller has both."""
    rows = {row["scheme"]: row for row in trade().rows}
    assert rows["symplectic_euler"]["drift_mm"] == pytest.approx(2.4, abs=1e-6)
    assert rows["exact_hold"]["drift_mm"] == pytest.approx(0.0, abs=1e-6)
    assert not any(
        abs(rows[i]["drift_mm"]) < 0.01 and abs(rows[i]["restitution"] - 1.0) < 1e-3
        for i in ("symplectic_euler", "forward_euler", "exact_hold")
    )
    listed = {entry["name"] for _, _, methods in list_schemes() for entry in methods}
    assert listed == {"direct", "passive_integrator", *UNINFORMED, *INFORMED}
    both = rows["delay_passivity, exact_hold"]
    assert abs(both["drift_mm"]) < 0.01
    assert both["restitution"] == pytest.approx(1.0, abs=1e-3)


def test_the_page_states_the_numbers_of_the_trade():
    """docs/passive_integrator.md shows what the command makes."""
    text = (DOCS / "passive_integrator.md").read_text(encoding="utf-8")
    for row in trade().rows:
        drift = f"{row['drift_mm']:+.3f}".replace("-0.000", "+0.000")
        assert (
            f"| {row['scheme']} | {drift} | {row['restitution']:.4f} | "
            f"{row['restitution_16_ms']:.4f} |" in text
        )


def test_exhibits_fit_the_frame():
    """Each has a column for what it shows, says what it assumed, and is plain JSON."""
    for key in ("figure_4", "figure_9", "trade"):
        exhibit = trade() if key == "trade" else PAPER.makers[key]()
        assert exhibit.key == key
        assert exhibit.assumptions
        assert exhibit.differences
        assert all({c.key for c in exhibit.columns} <= set(row) for row in exhibit.rows)
        json.dumps(exhibit.to_dict(), allow_nan=False)


def test_no_sentence_outlives_its_numbers():
    """Numbers made wrong on purpose: no claim stays whatever they are, and nothing that is said of
    a run is a fixed text. The pushes that were solved from the drift are named in the headline."""
    keys = ("figure_3", "figure_4", "figure_5", "figure_6", "figure_9", "figure_11", "figure_13")
    made = [PAPER.makers[key]() for key in keys] + [trade()]
    for exhibit in made:
        assert fixed_claims(exhibit, ("cycle_ms", "golden")) == []
        assert unmoved(exhibit, ("cycle_ms", "golden")) == []
    assert [e.key for e in made if "by construction" in e.headline] == ["figure_3"]
