"""What the re-mapping could not do in a run is said by the run: thresholds, noise, a past that
is too short, set-points that fall behind."""

from __future__ import annotations

import pytest
from remapped_impacts import LAG, K, impact

from softdock.output.pages.run.charts import observed_chart
from softdock.output.pages.run.page import stability_section


def test_a_threshold_that_is_never_reached_is_said():
    """The force stays below it for the whole contact: the satellites pass through each other, and
    the run says why."""
    run = impact(
        0.3,
        threshold_N=2000.0,
        tables={"time": {"cycle_ms": 4.0, "duration_s": 0.8, "plant_steps": 4}},
    )
    assert any("threshold_N = 2000" in w and "no contact was re-mapped" in w for w in run.warnings)
    assert abs(run.ledger["real"]) > 1e-3
    assert run.energy_added_J == pytest.approx(0.0, abs=1e-9)
    assert run.series["chaser.velocity.x"][-1] == 0.1


def test_work_below_the_threshold_is_booked():
    """A third of the peak lies below it: what the real contact takes there is designed, not
    invented."""
    run = impact(0.3, threshold_N=100.0)
    assert run.restitution == pytest.approx(1.0, abs=1e-4)
    assert run.energy_added_J == pytest.approx(0.0, abs=1e-4)
    assert (
        abs(run.method_books["remapping"]["designed_J"] - run.ledger["designed"]) > 0.01
    )  # as measured, above it, and in truth


def test_noise_that_is_taken_for_a_contact_is_said():
    """A threshold of little more than the noise's deviation: contacts are seen where nothing
    touches."""
    run = impact(0.3, threshold_N=0.6, tables={"sensor": {"noise_N": 0.5}, "random": {"seed": 5}})
    assert any("seen while nothing touched, the first at t = 0.0" in w for w in run.warnings)
    assert run.method_books["remapping"]["contacts_seen_where_nothing_touched"] > 10
    assert not any("nothing touched" in w for w in impact(0.3).warnings)


def test_executable_set_points_that_fall_far_behind_are_said():
    """3 m/s^3: by how much and when."""
    keys = {"set_points": "executable", "max_acceleration_m_per_s2": 2.3, "max_jerk_m_per_s3": 3.0}
    run = impact(0.3, robot={"model": "limited", "max_acceleration_m_per_s2": 1000.0}, **keys)
    worst = run.series["remapping.deviation"].argmax()
    said = (
        f"by up to {1e3 * run.series['remapping.deviation'][worst]:.3g} mm, at t = "
        f"{run.series['time'][worst]:.3f} s"
    )
    assert any(said in w for w in run.warnings)


def test_a_past_that_is_too_short_is_said():
    """20 ms of lag and 8 ms that may be rewound: what appears from nowhere is told in joules, and
    is what the ledger calls invented."""
    run = impact(0.3, robot=LAG, rewind_ms=8.0)
    assert any("8 ms that may be rewound" in w for w in run.warnings)
    assert run.method_books["remapping"]["jumped_J"] == pytest.approx(run.energy_added_J, abs=2e-3)
    assert run.energy_added_J > 0.02


def test_a_contact_seen_late_without_rewind_is_said():
    """20 ms of lag and nothing against it: e = 1.2, and every joule of it named. Mock-ups that
    touch first are no such case."""
    run = impact(0.3, robot=LAG, rewind_ms=0.0)
    (said,) = run.warnings
    assert (
        f"before they were seen; so far {run.method_books['remapping']['jumped_J']:.3g} J" in said
    )
    assert run.energy_added_J == pytest.approx(run.method_books["remapping"]["jumped_J"], abs=2e-3)
    assert not impact(0.3, robot=LAG, rewind_ms=0.0, lead_ms=30.0).warnings


def test_the_page_of_a_led_run_says_what_its_charts_are_not():
    """Force times commanded motion is not the satellites' energy where commands are ahead of them;
    the stability chart knows no methods."""
    led, plain = impact(0.3, robot=LAG, lead_ms=20.0), impact(0.3, robot=LAG, rewind_ms=0.0)
    assert abs(led.energy_added_J) < 1e-5 < 0.1 < led.ledger["observed"]
    assert "Not a measure of activity" in observed_chart(led)
    assert "Not a measure of activity" not in observed_chart(plain)
    assert "the loop without remapping" in stability_section(led)


def test_a_second_contact_before_the_first_has_ended_is_said():
    """Into a corner: the mock-ups still press on one wall when they reach the other."""
    walls = [{"geometry": "wall", "axis": [-1.0, 0.0, 0.0], "real": {"stiffness_N_per_m": K}}]
    walls += [
        {
            "geometry": "wall",
            "axis": [0.0, -1.0, 0.0],
            "origin_m": [0.0, 0.03, 0.0],
            "real": {"stiffness_N_per_m": K},
        }
    ]
    chaser = {
        "mass_kg": 100.0,
        "inertia_kg_m2": [10.0, 10.0, 10.0],
        "position_m": [-0.05, 0.0, 0.0],
        "velocity_m_per_s": [0.1, 0.055, 0.0],
    }
    run = impact(tables={"contact": walls, "chaser": chaser})
    assert any("another place before the first had ended" in w for w in run.warnings)
    assert not any("another place" in w for w in impact().warnings)
