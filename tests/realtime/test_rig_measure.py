"""Listening, tare, delays and the check of a rig: found in virtual time, through the bytes."""

from __future__ import annotations

import numpy as np
import pytest
from rig_talk import Talk

from softdock import load_scenario
from softdock.errors import BadInput
from softdock.rig.conversation import summarise
from softdock.rig.file import load_rig
from softdock.rig.measure import (
    Halted,
    Sways,
    Turns,
    fit_delays,
    fit_tools,
    sway_robots,
    turn_sensors,
)
from softdock.rig.preflight import check_rig
from softdock.rig.scenario import put_on_rig

QUICK = ("run_up.listen_s=0.4", "limits.rate_rad_per_s=2.0")


def quiet(_):
    """Nobody listens to progress here."""


def test_what_was_heard_is_counted_and_compared_with_the_file():
    """Rates, step of IPOC, phase, age and scale; nothing has moved, and nothing is wrong."""
    talk = Talk("emulate.drift_target_ppm=50")
    talk.conversation.listen(3.0)
    found = summarise(talk.conversation, 3.0)
    chaser, target, sensor = found.robots["chaser"], found.robots["target"], found.sensors["chaser"]
    assert found.problems == []
    assert chaser.rate_Hz == pytest.approx(250.0, rel=1e-6)
    assert (chaser.step_ms, chaser.lost, chaser.late_replies) == (4, 0, 0)
    assert target.phase_ms == pytest.approx(1.7, abs=0.2)
    assert abs(target.drift_ppm) == pytest.approx(50.0, abs=5.0)
    assert (sensor.rate_Hz, sensor.age_ms) == (pytest.approx(1000.0), pytest.approx(0.0))
    assert talk.robots[0].motion_at(talk.time.now_ns).p[0] == pytest.approx(0.01, abs=1e-9)


def test_what_does_not_fit_the_file_is_said_with_what_to_do():
    """A robot of 12 ms where 4 are stated, the operator's stop pressed, a silent robot."""
    talk = Talk()
    talk.robots[0].arrays.settings[4] = 12.0  # IPOC_STEP: as if it had been switched on with #IPO
    talk.robots[0].show(1.0, "DiL")
    talk.robots[1].arrays.whole[0] = 0  # RSI off
    talk.conversation.listen(1.0)
    said = "\n".join(str(p) for p in summarise(talk.conversation, 1.0).problems)
    assert "clock.cycle_ms: given 4; allowed: 12 ms, the step of IPOC" in said
    assert "the operator's stop is pressed" in said
    assert "robots.target: given 'silent'; allowed: telegrams from 127.0.0.1 to" in said


def test_a_tare_finds_tool_and_bias_within_its_uncertainty():
    """A tool of 2.5 kg, off its centre, in noise of 50 mN: within four standard uncertainties, and
    those are small enough to be of use."""
    tool = ("mock_up.chaser.mass_kg=2.5", "mock_up.chaser.centre_m=[0.05,0.0,0.01]")
    talk = Talk(*QUICK, "emulate.noise_N=0.05", "emulate.noise_Nm=0.005", scenario_changes=tool)
    turn_sensors(talk.on, talk.conversation, 12.0, 0.5, quiet)
    found = fit_tools(talk.on, talk.conversation)["chaser"]
    assert found.mass.uncertainty < 0.01
    assert abs(found.mass.value - 2.5) < 4.0 * found.mass.uncertainty
    for value, sigma, true in zip(found.centre.value, found.centre.uncertainty, (0.05, 0.0, 0.01)):
        assert abs(value - true) < 4.0 * sigma < 1e-3
    assert np.abs(found.bias_force.value).max() < 4.0 * max(found.bias_force.uncertainty)
    assert talk.conversation.sent["chaser"] == pytest.approx([0.0] * 6)  # back where it was


@pytest.mark.parametrize("angle", [7.0, 10.0, 12.0])
def test_a_turn_ends_where_it_began_without_a_step(angle):
    """At every instant to its very end, and beyond by what a sum of times may be off."""
    path = Turns(angle, 0.16, 0.5)
    times = np.arange(0.0, path.seconds, 0.004)
    rows = np.array([path.at(t) for t in (*times, path.seconds, path.seconds + 1e-9)])
    assert np.radians(np.abs(np.diff(rows, axis=0)).max()) <= 0.1601 * 0.004
    assert rows[-1] == pytest.approx([0.0] * 6)
    assert np.abs(rows).max() == pytest.approx(angle)


def test_the_last_gate_holds_a_step_back():
    """A path with a jump in it: the jump does not leave, and the reason says so."""

    class Jumps(Sways):
        def at(self, t):
            return [0.0 if t < 0.1 else 5.0, 0.0, 0.0, 0.0, 0.0, 0.0]

    talk = Talk(*QUICK)
    talk.conversation.listen(0.2)
    reason = talk.conversation.follow({"chaser": Jumps((1.0, 0.0, 0.0), 2.0, 1.0, 1)})
    assert reason == "a step of [5.0, 0.0, 0.0, 0.0, 0.0, 0.0] was held back"
    assert all(row.wanted == (0.0,) * 6 for row in talk.conversation.rows["chaser"])


def test_delays_are_found_to_a_hundredth_of_a_millisecond():
    """Each robot's own, the target's clock between the chaser's; back at the start afterwards."""
    talk = Talk(*QUICK, "robots.target.delay_ms=20.0")
    sway_robots(talk.on, talk.conversation, 2.0, 2.0, 4, quiet)
    found = fit_delays(talk.on, talk.conversation)
    assert found.robots["chaser"].value == pytest.approx(16e-3, abs=1e-5)
    assert found.robots["target"].value == pytest.approx(20e-3, abs=1e-5)
    assert found.whole_s == pytest.approx(20e-3, abs=1e-5)
    steps = np.diff([row.wanted for row in talk.conversation.rows["chaser"]], axis=0)
    assert np.abs(steps).max() < 1e3 * 0.1 * 0.004  # never a step beyond speed times cycle


def test_a_way_that_leaves_the_box_is_refused_before_it_begins():
    """And nothing has moved."""
    talk = Talk(*QUICK, "robots.chaser.box_max_m=[0.011, 0.3, 0.3]")
    with pytest.raises(BadInput, match="the way from where the robot stands"):
        sway_robots(talk.on, talk.conversation, 2.0, 2.0, 4, quiet)
    assert talk.conversation.paths == {}


def test_the_operators_stop_lets_every_robot_stand():
    """Within the stated deceleration, with its reason; the way is not gone to its end."""
    talk = Talk(*QUICK)
    wait = talk.conversation._wait

    def press(seconds, until):
        if talk.conversation.paths:
            wait(0.6, until)
            talk.robots[1].show(1.0, "DiL")
        wait(seconds, until)

    talk.conversation._wait = press
    with pytest.raises(Halted, match="operator's stop: DiL of the target's robot"):
        sway_robots(talk.on, talk.conversation, 2.0, 1.0, 4, quiet)
    rows = np.array([row.wanted[0] for row in talk.conversation.rows["chaser"]])
    assert np.abs(np.diff(rows[-5:])).max() == 0.0
    assert np.abs(np.diff(rows)).max() < 0.05  # mm; 2 mm at 1 Hz are 0.025 mm a cycle


def on_pair(*changes, scenario=()):
    quick = ("sensors.chaser.rate_Hz=1000", "run_up.listen_s=0.3", "emulate.phase_ms=0.0")
    return put_on_rig(
        load_rig("emulated_pair", [*quick, *changes]), load_scenario("epos_1d", scenario)
    )


def test_a_check_predicts_what_a_run_would_come_to():
    """Restitution of the loop in one process, completed within its limits; an age of the forces
    acts as delay, 7.0 per second."""
    found = check_rig(on_pair())
    assert found.outcome.completed
    assert found.outcome.restitution == pytest.approx(1.1190838714, abs=1e-6)
    older = check_rig(on_pair("sensors.chaser.delay_ms=1.0"))
    gained = older.outcome.restitution - found.outcome.restitution
    assert gained == pytest.approx(7.0e-3, rel=0.05)
    assert "The run should complete" in found.sentences()[0]


def test_a_check_names_the_stop_and_refuses_what_cannot_be_had():
    """A bound on restitution that the bounce breaks is predicted; a box that the docking leaves, a
    speed beyond the limit and a way out that leads into the target are refused."""
    stopped = check_rig(on_pair("limits.restitution=1.05"))
    assert (stopped.outcome.completed, stopped.outcome.reason) == (False, "restitution")
    assert "The supervisor would stop it: kinetic energy" in stopped.sentences()[0]
    with pytest.raises(BadInput, match="leaves its box"):
        check_rig(on_pair("robots.chaser.box_min_m=[-0.001, -0.3, -0.3]"))
    with pytest.raises(BadInput, match="starts so fast"):
        check_rig(on_pair("limits.speed_m_per_s=0.01"))
    with pytest.raises(BadInput, match=r"stop\.axis.*comes from \[1\.0, 0\.0, 0\.0\]"):
        check_rig(on_pair("stop.axis=[-1.0, 0.0, 0.0]"))
