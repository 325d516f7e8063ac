"""A rig's program in virtual time: the same docking as in one process, and every check of the
supervisor with a fault that trips it and one that does not."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest
from rig_runs import APPROACH, fly, quick, two_free_bodies
from sabotage import fixed_claims

from softdock import Stepper, build, load_scenario
from softdock.loop.contact.log import LOG_COLUMNS
from softdock.loop.seam import COMMAND
from softdock.papers.de_stefano.on_rig import make_on_rig, run_on_rig
from softdock.results.controller import Controller
from softdock.rig.drivers.emulation import Faults, Window
from softdock.rig.drivers.links import SensorLink
from softdock.rig.emulated_rig import (
    VirtualRig,
    compute_start_motions,
    compute_start_poses,
    make_emulation,
)
from softdock.rig.file import load_rig
from softdock.rig.outcome import compute_outcome
from softdock.rig.scenario import compute_first_command, put_on_rig
from softdock.rig.supervisor import layout, reasons
from softdock.rig.supervisor.layout import COUNT, ROBOT_COUNT, ROBOT_VALUE
from softdock.rig.supervisor.reasons import describe_reason
from softdock.rig.wire.emulated_robot import START

IN_PROCESS = 1.1190838714  # of test_the_docking below, and of tests/golden
IN_CONTACT = 2.5  # s after RSI_ON, in the middle of the touch
BEAR = {  # a rig that bears what a supervisor should not
    "limits.lost_share": 0.9,
    "limits.lost_in_a_row": 90,
    "limits.late_in_a_row": 90,
    "robots.chaser.timeout_packets": 1000,
    "robots.target.timeout_packets": 1000,
}


def test_the_docking_is_the_one_in_process():
    """From standstill through run-up, RSI and RDT bytes and back: restitution within 1e-7 of the
    fused loop, and the supervisor finds nothing."""
    stepper = Stepper(load_scenario("epos_1d"))
    stepper.step(625)
    expected = float(stepper.log[0, LOG_COLUMNS.index("restitution")])
    assert expected == pytest.approx(IN_PROCESS, abs=1e-9)
    rig, found = fly()
    assert found.reason == "completed"
    assert found.state == "stopped"
    assert found.cycles == 625
    assert found.restitution == pytest.approx(expected, abs=1e-7)
    assert found.checks_failed == {}
    assert not found.was_late
    # back at the pose at RSI_ON, at rest
    for peer, motion in zip(rig.peers.robots, rig.emulation.motions):
        there = peer.motion_at(peer.next_ns)
        assert there.p == pytest.approx(motion.p, abs=2e-9)
        assert there.v == pytest.approx((0.0, 0.0, 0.0), abs=1e-12)


def test_skew_of_the_clocks_does_not_act_as_delay():
    """Both satellites free: a target whose clock ticks up to a cycle after the chaser's changes
    restitution by at most 5e-5; as delay, half of 4 ms would be 1.4e-2."""
    scenario, found = two_free_bodies(), {}
    for phase in (0.0, 0.5, 1.7, 3.0, 3.999):
        _, outcome = fly({"emulate.phase_ms": phase}, scenario=scenario)
        assert outcome.reason == "completed", (phase, outcome.why)
        found[phase] = outcome.restitution
    assert found[0.0] == pytest.approx(IN_PROCESS, abs=1e-3)
    assert max(abs(e - found[0.0]) for e in found.values()) <= 5e-5, found


def test_a_skew_that_acted_as_delay_would_be_seen():
    """The bound above can fail: the target's robot late by 2 ms changes restitution of the same
    pair by 7e-3, half of 7.0 per second of delay."""
    restitution, delay_ms = [], two_free_bodies().tables["robots"]["target"]["delay_ms"]
    for late_ms in (0.0, 2.0):
        scenario = two_free_bodies().replace({"robots.target.delay_ms": delay_ms + late_ms})
        stepper = Stepper(scenario)
        stepper.step(750)
        restitution.append(float(stepper.log[0, LOG_COLUMNS.index("restitution")]))
    assert restitution[1] - restitution[0] == pytest.approx(7.0e-3, rel=0.1)


def test_a_sample_out_of_phase_is_older_and_the_rig_knows_by_how_much():
    """A sensor 100 us out of phase: every force in contact is 100 us old, and restitution grows by
    7.0 per second of age."""
    rig = VirtualRig(quick())
    rig.peers.sensor.start(-100_000)
    rig.peers.sensor.receive(SensorLink.request())
    rig.run(40.0)
    found = compute_outcome(rig.program)
    assert found.force_age_ms == pytest.approx(0.1, abs=1e-6)
    assert found.restitution - IN_PROCESS == pytest.approx(7.0 * 100e-6, rel=0.02)


def test_one_percent_of_loss_changes_little():
    """Lost telegrams are caught up, lost records add a millisecond of age at most."""
    _, found = fly({**BEAR, "sensors.chaser.rate_Hz": 7000}, Faults(seed=5, loss=0.01))
    assert found.reason == "completed", found.why
    assert found.caught_up > 0
    assert found.restitution == pytest.approx(IN_PROCESS, abs=2e-3)


def test_a_stall_is_delivered_late_and_only_the_newest_is_answered():
    """30 ms of silence on every link in free flight: the controllers hold and count, the lost
    cycles are caught up, and the docking goes on."""
    bears = {**BEAR, "limits.silence_cycles": 50, "limits.stale_ms": 100.0}
    rig, found = fly(bears, Faults(windows=(Window("stall", 2.0, 2.03),)))
    assert found.reason == "completed", found.why
    assert rig.peers.robots[0].counts()["late"] in (7, 8)
    assert found.cycles == 625


def test_restitution_follows_from_the_measured_age():
    """Latency makes every force older; restitution grows by 7.0 per second of the age that the rig
    itself reports."""
    _, found = fly({"sensors.chaser.rate_Hz": 7000}, Faults(latency_us=100.0, jitter_us=100.0))
    assert found.force_age_ms == pytest.approx(0.12, abs=0.03)
    expected = IN_PROCESS + 7.0e-3 * found.force_age_ms
    assert found.restitution == pytest.approx(expected, abs=1e-4)


TRIPPED = {  # name: changes of the rig, faults, the reason
    "restitution": ({"limits.restitution": 1.05}, None),
    "energy_contact": ({"limits.energy_contact": 0.1}, None),
    "energy_run": ({"limits.energy_run": 0.1}, None),
    "power": ({"limits.power_W": 0.03}, None),
    "force": ({"limits.force_N": 3.0, "limits.force_step_N": 3.0}, None),
    "sensor_range": ({"limits.range_share": 0.003}, None),
    "sensor_status": ({}, Faults(windows=(Window("saturate", IN_CONTACT, IN_CONTACT + 0.1),))),
    "force_implausible": ({"limits.force_step_N": 0.05}, None),
    "force_stale": ({}, Faults(windows=(Window("freeze", IN_CONTACT, IN_CONTACT + 0.1),))),
    "speed": ({"limits.speed_m_per_s": 0.0205}, None),
    "acceleration": ({"limits.acceleration_m_per_s2": 0.05}, None),
    "box": ({"robots.chaser.box_min_m": [-0.002, -0.3, -0.3]}, None),
    "correction": ({"robots.chaser.lower_mm": [-10.0, -200.0, -200.0]}, None),
    "tracking": ({"limits.tracking_m": 1e-10}, None),
    "lost": ({"limits.lost_in_a_row": 1}, Faults(seed=1, loss=0.01)),
    "lost_share": ({**BEAR, "limits.lost_share": 0.05}, Faults(seed=1, loss=0.1)),
    "late": (
        {"limits.silence_cycles": 50},
        Faults(windows=(Window("stall", IN_CONTACT, IN_CONTACT + 0.018),)),
    ),
    "late_in_all": (
        {**BEAR, "limits.late_share_of_timeout": 0.05},
        Faults(seed=1, loss=0.1),
    ),
    "silence": ({}, Faults(windows=(Window("stall", IN_CONTACT, IN_CONTACT + 0.03),))),
    "gate": ({"limits.speed_m_per_s": 0.015, "run_up.transfer_m_per_s": 0.01}, None),
}
BORNE = {  # the same just below
    "restitution": ({"limits.restitution": 1.10}, None),
    "energy_contact": ({"limits.energy_contact": 0.26}, None),
    "energy_run": ({"limits.energy_run": 0.3}, None),
    "power": ({"limits.power_W": 0.12}, None),
    "force": ({"limits.force_N": 6.0}, None),
    "sensor_range": ({"limits.range_share": 0.006}, None),
    "force_implausible": ({"limits.force_step_N": 0.1}, None),
    "force_stale": ({}, Faults(windows=(Window("freeze", IN_CONTACT, IN_CONTACT + 0.004),))),
    "speed": ({"limits.speed_m_per_s": 0.0235}, None),
    "acceleration": ({"limits.acceleration_m_per_s2": 0.1}, None),
    "box": ({"robots.chaser.box_min_m": [-0.008, -0.3, -0.3]}, None),
    "tracking": ({"limits.tracking_m": 1e-8}, None),
    "loss": (BEAR, Faults(seed=1, loss=0.02)),
    "late": ({}, Faults(windows=(Window("stall", IN_CONTACT, IN_CONTACT + 0.008),))),
}


@pytest.mark.parametrize("name", TRIPPED)
def test_a_check_that_fails_stops_the_rig(name):
    """Every robot comes to rest, no reply steps further than the speed limit allows, nothing moves
    on, and the reason is the one that was provoked."""
    changes, faults = TRIPPED[name]
    rig, found = fly(changes, faults)
    assert found.reason == name, found.why
    assert found.state == "stopped"
    assert not found.completed
    limit = rig.program.on.rig.limits.speed_m_per_s * 4.0 * (1.0 + 1e-9)
    for robot, peer in zip(found.robots, rig.peers.robots):
        assert robot.largest_step_mm <= limit
        assert peer.state == "RSI on"
        assert peer.motion_at(peer.next_ns).v == pytest.approx((0.0, 0.0, 0.0), abs=1e-12)
    assert name in rig.program.counts()
    assert rig.program.why


@pytest.mark.parametrize("name", BORNE)
def test_what_is_just_within_a_limit_does_not_stop_it(name):
    """The same checks with room: the run completes."""
    changes, faults = BORNE[name]
    _, found = fly(changes, faults)
    assert found.reason == "completed", found.why


def test_a_stop_in_free_flight_takes_the_way_of_the_stated_deceleration():
    """20 mm/s at 0.5 m/s2 is 0.4 mm: the chaser stands that far beyond the last set-point within
    its box, and not further."""
    rig, found = fly({"robots.chaser.box_min_m": [0.005, -0.3, -0.3]})
    assert found.reason == "box"
    peer = rig.peers.robots[0]
    way = 0.005 - peer.motion_at(peer.next_ns).p[0]
    assert 0.3e-3 < way < 0.4e-3 + APPROACH * 0.004


def test_a_stop_in_contact_backs_off():
    """A box that ends inside the wall: the robot backs off until the force is gone."""
    rig, found = fly({"robots.chaser.box_min_m": [-0.002, -0.3, -0.3]})
    assert found.reason == "box"
    peer = rig.peers.robots[0]
    assert -0.0005 < peer.motion_at(peer.next_ns).p[0] < 0.002
    assert found.peak_force_N < 3.0


def test_the_operator_stops_a_run():
    """By a digital input of either controller, and from this computer."""
    for which in (0, 1):
        rig = VirtualRig(quick())
        rig.run(1.5)
        rig.peers.robots[which].show(1.0, "DiL")
        rig.run(10.0)
        assert rig.program.reason == "stop_input"
        assert f"the {('chaser', 'target')[which]}'s robot" in rig.program.why
    rig = VirtualRig(quick())
    rig.run(2.5)
    rig.program.arrays.request[0] = layout.STOP_REQUEST
    rig.run(10.0)
    assert rig.program.reason == "operator"
    assert rig.program.state == "stopped"


def test_nothing_moves_before_everybody_is_heard_and_still():
    """A sensor that says nothing, a robot that moves by itself and an IPOC of another step are
    refused with corrections still zero."""
    on = quick()
    rig = VirtualRig(on)
    rig.peers.sensor.arrays.settings[:] = rig.peers.sensor.settings.numbers()
    rig.peers.sensor.receive(SensorLink.request(0))  # stop
    rig.run(40.0)
    assert rig.program.reason == "sensor_not_heard"
    rig = VirtualRig(on)
    rig.run(0.1)
    rig.peers.robots[0].arrays.settings[START] += 0.5  # mm: as if somebody had moved it
    rig.run(10.0)
    assert rig.program.reason == "moved"
    for robot in compute_outcome(rig.program).robots:
        assert robot.largest_step_mm == 0.0
    slow = make_emulation(on)
    slow = replace(slow, robots=tuple(replace(r, cycle_ms=12.0) for r in slow.robots))
    rig = VirtualRig(on, emulation=slow)
    rig.run(10.0)
    assert rig.program.reason == "wrong_cycle"
    assert "12 ms" in rig.program.why


def test_a_dry_run_does_not_touch():
    """The whole run with the mock-ups apart: no force; too near, and it is stopped."""
    _, found = fly(shift_m=(0.07, 0.0, 0.0))
    assert found.reason == "completed"
    assert found.peak_force_N == 0.0
    assert found.cycles == 625
    _, found = fly(shift_m=(0.01, 0.0, 0.0))
    assert found.reason == "touch"


def test_the_way_out_of_a_jam():
    """RSI on while the probe is pressed into the wall: back along the axis until it is free; with a
    wall on that side too it stops, and says that the force grows."""
    on = quick()
    chaser, target = compute_start_poses(on)
    pressed = make_emulation(on, motions=(chaser._replace(p=(-0.003, 0.0, 0.0)), target))
    rig = VirtualRig(on, emulation=pressed, task=layout.LEAVE)
    rig.run(20.0)
    assert rig.program.reason == "retreated"
    peer = rig.peers.robots[0]
    assert peer.motion_at(peer.next_ns).p[0] == pytest.approx(0.007, abs=3e-4)
    deeper = quick({"stop.axis": [-1.0, 0.0, 0.0], "stop.retreat_force_N": 1.0})
    rig = VirtualRig(deeper, emulation=pressed, task=layout.LEAVE)
    rig.run(20.0)
    assert rig.program.reason == "jammed"
    assert compute_outcome(rig.program).peak_force_N < 1.2 * 3.0 + 1e3 * (0.01 * 0.02 + 2e-4)


def test_replies_are_a_function_of_the_seed():
    """Loss, duplicates, reordering, spoilt bytes and jitter: everything that was sent is the same
    to the bit when repeated, other with another seed, and the faults were really there."""
    seen = []
    for seed in (1, 1, 2):
        faults = Faults(
            seed=seed,
            loss=0.02,
            duplicates=0.05,
            reordering=0.02,
            malformed=0.02,
            latency_us=100.0,
            jitter_us=200.0,
        )
        rig, _ = fly(BEAR, faults)
        seen.append((rig.program.arrays.replies.tobytes(), rig.program.arrays.kept.tobytes()))
        counts = rig.program.robots["chaser"].counts()
        for name in ("lost", "twice", "old", "malformed"):
            assert counts[name] > 0, (seed, name, counts)
        assert rig.peers.robots[0].counts()["late"] > 0
    assert seen[0] == seen[1]
    assert seen[0] != seen[2]


def test_a_stop_before_the_first_set_point_stays_where_the_robot_stands():
    """A stop while arming, and the reply is the pose at RSI_ON."""
    rig = VirtualRig(quick())
    rig.run(0.1)
    rig.program.arrays.request[0] = layout.STOP_REQUEST
    rig.run(3.0)
    assert rig.program.reason == "operator"
    kept = rig.program.arrays.robot_values
    assert np.array_equal(
        kept[:, ROBOT_VALUE.reply : ROBOT_VALUE.reply + 7],
        kept[:, ROBOT_VALUE.start : ROBOT_VALUE.start + 7],
    )
    assert (rig.program.arrays.robot_counts[:, ROBOT_COUNT.telegrams] > 20).all()
    assert rig.program.arrays.counts[COUNT.cycles] == 0


def test_every_reason_has_a_sentence_and_a_name_of_its_own():
    """A code is a place in one list; texts take both numbers."""
    names = [one.name for one in reasons.REASONS]
    assert len(set(names)) == len(names)
    for code, one in enumerate(reasons.REASONS):
        assert describe_reason(code, 1.5, 2.5), one


def leading():
    """epos_1d with set-points that are 16 ms ahead."""
    tables = copy.deepcopy(load_scenario("epos_1d").tables)
    tables["methods"] = [{"name": "remapping", "stiffness_N_per_m": 1000.0, "lead_ms": 16.0}]
    return build(tables)


def test_the_run_up_leads_to_the_first_set_point_of_a_method_that_leads():
    """Speed times lead ahead of the satellite; a jump of that size is a speed of five times the
    approach's. Without a lead the set-point is the satellite's to the bit."""
    plain = load_scenario("epos_1d")
    assert np.array_equal(compute_first_command(plain), Controller(plain).first_command())
    first, at = compute_first_command(leading()), COMMAND.at.chaser
    assert first[at] == pytest.approx(0.01 - 0.016 * APPROACH, abs=1e-12)
    assert first[at + 7] == pytest.approx(-APPROACH, abs=1e-12)
    assert first[COMMAND.at.target] == 0.0
    chaser, _ = compute_start_motions(leading())
    assert chaser.p[0] == first[at]


@pytest.mark.prove
def test_a_method_that_leads_docks_as_in_process():
    """Through bytes: the supervisor finds nothing, and restitution is that of the fused loop."""
    scenario = leading()
    stepper = Stepper(scenario)
    stepper.step(625)
    rig, found = fly(scenario=scenario)
    assert found.reason == "completed", found.why
    assert found.checks_failed == {}
    expected = float(stepper.log[0, LOG_COLUMNS.index("restitution")])
    assert found.restitution == pytest.approx(expected, abs=1e-7)
    starts = [m.p[0] for m in rig.emulation.motions]
    assert starts == pytest.approx([0.01 - 0.016 * APPROACH, 0.0], abs=1e-12)


def test_a_hand_pushes_on_an_emulated_rig():
    """The sensor's own program feels the schedule from the docking's first cycle on, through bytes:
    each axis gets the impulse of its triangles, no record later than a cycle. On a real rig a
    person pushes."""
    rows = [[0.2, *[0.0] * 6], [0.3, 5.0, -8.0, 30.0, 0.0, 0.0, 0.0], [0.4, *[0.0] * 6]]
    changes = {"time.duration_s": 0.6, "hand.chaser.rows": rows, "sensor.noise_N": 0.0}
    scenario = load_scenario("oos_sim", changes)
    rig, found = fly({"limits.energy_floor_J": 1.0}, scenario=scenario)
    assert found.reason == "completed", found.why
    series = rig.program.series
    force, impulse = series["measured.chaser.force"], np.array([0.5, -0.8, 3.0])  # Ns, of triangles
    assert 0.004 * force.sum(axis=0) == pytest.approx(impulse, abs=1e-3)
    assert 250.0 * series["chaser.velocity"][-1] == pytest.approx(impulse, abs=1e-3)
    assert 0.2 < series["time"][np.flatnonzero(force[:, 2])[0]] <= 0.2081
    assert series["time"][np.argmax(force[:, 2])] == pytest.approx(0.3, abs=0.0041)
    real = replace(load_rig("emulated_pair"), emulate=None)
    said = "\n".join(put_on_rig(real, scenario).differences)
    assert "hand.chaser: softdock pushes nothing on a rig, a person does" in said
    said = "\n".join(put_on_rig(load_rig("emulated_pair"), scenario).differences)
    assert "must stay below limits.energy_floor_J (0.001 J)" in said


def test_de_stefanos_experiment_on_the_emulated_rig():
    """20 s of pushes through bytes, with noise: each axis gets the impulse of the printed schedule
    and what the sensor's zero adds; E_obs without controller is -sum T^2 F^2 / 2m; the loop moves
    the satellite by (5)."""
    exhibit, (series, ended) = make_on_rig(), run_on_rig()
    assert ended == "completed"
    impulse = {"z": 30.0 - 30.0 + 20.0, "y": -4.0 + 7.5, "x": 2.5 - 5.0 + 5.0}  # Ns, triangles
    for row in exhibit.rows:
        force = series[f"measured.chaser.force.{row['axis']}"]
        zero = force[:200].mean()  # before the first push
        assert row["scheduled_Ns"] == pytest.approx(impulse[row["axis"]], abs=1e-9)
        felt = row["impulse_Ns"] - 0.004 * zero * len(force)
        assert felt == pytest.approx(impulse[row["axis"]], abs=0.45)  # 5 sigma of both means
        if row["scheme"] == "without controller":
            made = -float(np.sum((0.004 * force[:-1]) ** 2)) / (2.0 * 250.0)
            assert row["observed_end_J"] == pytest.approx(made, rel=1e-9)
            v = np.concatenate([[0.0], np.cumsum(0.004 / 250.0 * force[:-1])])
            end = 0.004 * float(v[1:].sum())
            assert row["rig_end_position_m"] == pytest.approx(end, abs=1e-6)
    assert fixed_claims(exhibit, ("axis", "scheme")) == []


@pytest.mark.prove
def test_checks_by_model_and_by_energy_recover_the_rig():
    """EPOS 1-D on a rig that bears a restitution of 1.05: the raw loop is stopped; a damper that
    waits for a check, told 300 N/m and 2 ms for 1000 N/m and 16 ms, sees the energy and recovers:
    the run completes."""
    bears = {"limits.restitution": 1.05}
    _, raw = fly(bears)
    assert raw.reason == "restitution"
    keys = {"stiffness_N_per_m": 300.0, "delay_ms": 2.0, "acts": "on_check"}
    tables = load_scenario("epos_1d").tables | {"methods": [{"name": "adaptive_damping", **keys}]}
    rig, found = fly(bears, scenario=build(tables))
    assert found.reason == "completed", found.why
    assert found.restitution < 1.01
    assert rig.program.series["adaptive_damping.failed"].max() == 2.0
