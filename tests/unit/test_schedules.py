"""Schedules: thrusters on a satellite, a hand on a mock-up; rows and CSV files."""

from __future__ import annotations

import numpy as np
import pytest
from scenarios import CHASER_INERTIA, cone_docking, sphere_on_sphere

from softdock import BadInput, build, run_loop
from softdock.compile.jit import entry_point
from softdock.loop.schedules import BODY_FRAME, WORLD, Schedule, scheduled

wrench_at = entry_point(scheduled)
STEADY = [
    [0.2, 3.0, -6.0, 1.5, 0.0, 0.0, 0.0],
    [0.6, 3.0, -6.0, 1.5, 0.0, 0.0, 0.0],
]  # 0.4 s, 100 cycles
HALF = np.sqrt(0.5)


def alone(integrator="exact_hold", duration_s=1.0, **tables):
    """One free body, far from a fixed one."""
    return {
        "time": {"cycle_ms": 4.0, "duration_s": duration_s},
        "satellites": {"integrator": integrator},
        "chaser": {
            "mass_kg": 60.0,
            "inertia_kg_m2": CHASER_INERTIA,
            "position_m": [5.0, 0.0, 0.0],
            "velocity_m_per_s": [0.1, 0.0, 0.0],
        },
        "target": {"fixed": True, "mass_kg": 1.0, "inertia_kg_m2": [1.0, 1.0, 1.0]},
        **tables,
    }


def test_rows_by_hand():
    """Linear between rows, zero before the first and after the last, in the middle of a vector;
    body axes turn with the body."""
    rows = np.array(
        [
            [1.0, 2.0, 0.0, 0.0, 0.0, 0.0, 1.0],
            [2.0, 4.0, 0.0, -1.0, 0.0, 0.0, 3.0],
            [2.5, 0.0, 0.0, 0.0, 0.0, 5.0, 0.0],
        ]
    )
    vector = np.concatenate([np.full(4, np.nan), rows.ravel()])
    schedule, q = Schedule(4, 3, WORLD), (1.0, 0.0, 0.0, 0.0)
    assert wrench_at(vector, schedule, 1.25, q) == ((2.5, 0.0, -0.25), (0.0, 0.0, 1.5))
    assert wrench_at(vector, schedule, 2.0, q) == ((4.0, 0.0, -1.0), (0.0, 0.0, 3.0))
    assert wrench_at(vector, schedule, 2.4, q).torque == pytest.approx((0.0, 4.0, 0.6), abs=1e-12)
    for t in (0.999, 2.501):
        assert wrench_at(vector, schedule, t, q) == ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    turned = wrench_at(
        vector, schedule._replace(frame=BODY_FRAME), 1.25, (HALF, 0.0, 0.0, HALF)
    )  # a quarter turn about z
    assert turned.force == pytest.approx((0.0, 2.5, -0.25), abs=1e-12)
    assert wrench_at(vector, Schedule(0, 0, WORLD), 1.0, q).force == (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    "integrator",
    ["exact_hold", "symplectic_euler", "forward_euler", "lie_rk4", "lie_midpoint", "lie_split"],
)
def test_a_thruster_gives_its_impulse(integrator):
    """Force times time, exactly, with any integrator; with the exact ones W_external is the gain of
    kinetic energy and nothing is invented."""
    run = run_loop(alone(integrator, external={"chaser": {"rows": STEADY}}))
    gained = 60.0 * (run.series["chaser.velocity"][-1] - run.series["chaser.velocity"][0])
    assert gained == pytest.approx(0.4 * np.array(STEADY[0][1:4]), abs=1e-12)
    gain = run.ledger["kinetic"] - run.ledger["kinetic_start"]
    if integrator in ("exact_hold", "lie_rk4", "lie_midpoint", "lie_split"):
        assert run.ledger["external"] == pytest.approx(gain, rel=1e-12)
        assert run.energy_added_J == pytest.approx(0.0, abs=1e-12)
    assert sum(run.ledger_rows.values()) == pytest.approx(run.energy_added_J, abs=1e-12)


def test_a_torque_gives_its_angular_impulse():
    """Angular momentum in world axes grows by torque times time."""
    rows = [[0.0, 0.0, 0.0, 0.0, 1.0, -2.0, 3.0], [0.4, 0.0, 0.0, 0.0, 1.0, -2.0, 3.0]]
    run = run_loop(alone("lie_rk4", external={"chaser": {"rows": rows}}))
    L = run.state[10:13]  # of the chaser in the flat state
    assert pytest.approx(0.4 * np.array([1.0, -2.0, 3.0]), abs=1e-12) == L
    assert run.ledger["external"] == pytest.approx(
        run.ledger["kinetic"] - run.ledger["kinetic_start"], rel=1e-4
    )  # a turn of changing axis


@pytest.mark.parametrize("kind", ["external", "hand"])
def test_body_axes_turn_with_the_body(kind):
    """The same schedule in body axes on a body turned a quarter about z pushes along world y
    instead of x."""
    moved = {}
    for frame in ("world", "body"):
        tables = alone(**{kind: {"chaser": {"rows": STEADY, "frame": frame}}})
        tables["chaser"]["attitude_wxyz"] = [HALF, 0.0, 0.0, HALF]
        series = run_loop(tables).series
        moved[frame] = series["chaser.velocity"][-1] - series["chaser.velocity"][0]
    x, y, z = moved["world"]
    assert moved["body"] == pytest.approx((-y, x, z), abs=1e-12)


def test_a_ramp_is_sampled_at_the_middle_of_each_cycle():
    """A force that grows linearly gives the impulse of the triangle, to the last bit of a midpoint
    rule."""
    rows = [[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.8, 8.0, 0.0, 0.0, 0.0, 0.0, 0.0]]
    series = run_loop(alone(external={"chaser": {"rows": rows}})).series
    assert 60.0 * (series["chaser.velocity.x"][-1] - 0.1) == pytest.approx(
        0.5 * 8.0 * 0.8, rel=1e-12
    )


def test_a_hand_pushes_the_satellite_through_the_sensor():
    """De Stefano's experiment: the robot does not yield, the sensor feels the hand, the satellite
    is accelerated. One cycle of impulse is the difference that sampling both ends of the push
    makes."""
    run = run_loop(alone(hand={"chaser": {"rows": STEADY}}))
    series, push = run.series, np.array(STEADY[0][1:4])
    pushed = (series["time"] > 0.201) & (series["time"] < 0.599)
    assert series["measured.chaser.force"][pushed] == pytest.approx(
        np.tile(push, (pushed.sum(), 1)), abs=1e-12
    )
    assert not series["true.chaser.force"].any()  # nothing touches
    gained = 60.0 * (series["chaser.velocity"][-1] - series["chaser.velocity"][0])
    assert gained == pytest.approx(0.4 * push, abs=0.004 * np.abs(push).max() + 1e-12)
    assert not series["target.velocity"].any()


def test_the_work_of_a_hand_is_external():
    """What the hand does to the satellite is booked as external; only the cycle between push and
    reading is the sensor's."""
    run = run_loop(alone(hand={"chaser": {"rows": STEADY}}))
    gain = run.ledger["kinetic"] - run.ledger["kinetic_start"]
    assert run.ledger["external"] == pytest.approx(
        gain, rel=0.03
    )  # a cycle in a hundred at each end
    assert run.energy_added_J == pytest.approx(gain - run.ledger["external"], abs=1e-12)
    assert run.ledger["sensor"] == pytest.approx(run.energy_added_J, abs=1e-12)
    assert sum(run.ledger_rows.values()) == pytest.approx(run.energy_added_J, abs=1e-12)


def test_a_hand_on_a_mock_up_without_a_sensor_does_nothing():
    """Nothing feels it: the satellites move as if it were not there, and no work is booked for
    it."""
    tables = sphere_on_sphere(delay_ms=6.0)
    plain = run_loop(tables)
    tables["hand"] = {"target": {"rows": STEADY}}
    pushed = run_loop(tables)
    assert (pushed.series["chaser.velocity"] == plain.series["chaser.velocity"]).all()
    assert pushed.ledger["external"] == plain.ledger["external"] == 0.0


def test_a_contact_with_thrusters_keeps_its_books():
    """Thrust during a docking: the pair's momentum grows by the impulse alone."""
    tables = cone_docking(delay_ms=6.0)
    tables["external"] = {"target": {"rows": STEADY}}
    run = run_loop(tables)
    s = run.series
    momentum = 60.0 * s["chaser.velocity"] + 150.0 * s["target.velocity"]
    assert momentum[-1] - momentum[0] == pytest.approx(0.4 * np.array(STEADY[0][1:4]), abs=1e-11)
    assert run.contact_count >= 1


# CSV files

HEADING = "time_s, fx_N, fy_N, fz_N, tx_Nm, ty_Nm, tz_Nm\n"


def write(folder, text, name="push.csv"):
    (folder / name).write_text(text)
    return alone(external={"chaser": {"csv": name}})


@pytest.mark.parametrize("heading", ["", HEADING])
def test_a_csv_file_is_its_rows(tmp_path, heading):
    """With or without a heading, blank lines skipped: the same vector, bit for bit, and resolved to
    rows."""
    text = heading + "\n".join(", ".join(map(repr, row)) for row in STEADY) + "\n\n"
    from_file = build(write(tmp_path, text), folder=tmp_path)
    from_rows = build(alone(external={"chaser": {"rows": STEADY}}))
    assert np.array_equal(from_file.vector, from_rows.vector)
    assert from_file.tables["external"]["chaser"]["rows"] == STEADY


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("0,1,0,0,0,0,0\n1,1,,0,0,0,0\n", "line 2 has 'a hole'"),
        ("0,1,0,0,0,0,0\n1,1,0,0,0,0\n", "line 2 has 6"),
        (HEADING + "0,1,0,0,0,0,0\n1,one,0,0,0,0,0\n", "line 3 has 'one'"),
        ("0,1,0,0,0,0,0\n2,1,0,0,0,0,0\n1,1,0,0,0,0,0\n", "row 2 does not rise"),
        ("0,1,0,0,0,0,0\n1,nan,0,0,0,0,0\n", "not finite"),
        ("0,1,0,0,0,0,0\n", "at least two rows"),
        ("", "at least two rows"),
        (HEADING, "at least two rows"),
    ],
)
def test_a_bad_csv_file_is_refused_with_its_line(tmp_path, text, says):
    """Holes, missing columns, text, times that do not rise: named, with the line where there is
    one."""
    with pytest.raises(BadInput) as caught:
        build(write(tmp_path, text), folder=tmp_path)
    assert len(caught.value.problems) == 1
    assert caught.value.problems[0].key.startswith("external.chaser.")
    assert says in str(caught.value)


def test_a_csv_that_cannot_be_read_is_refused(tmp_path):
    """Missing, a folder, not UTF-8, no name, or beside rows: one problem each, never another
    exception."""
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "latin.csv").write_bytes(b"0,1,0,0,0,0,0\n1,\xe9,0,0,0,0,0\n")
    for csv in ("missing.csv", "folder.csv", "latin.csv", "", 3, ["a.csv"]):
        with pytest.raises(BadInput) as caught:
            build(alone(external={"chaser": {"csv": csv}}), folder=tmp_path)
        assert caught.value.problems[0].key == "external.chaser.csv"
    with pytest.raises(BadInput, match="either rows or csv"):
        build(alone(external={"chaser": {"csv": "a.csv", "rows": STEADY}}), folder=tmp_path)
