"""Each kind of file is read by the same declarations: a file with different mistakes gives a
problem for each, with its line, its key, what is allowed and the nearest name."""

from __future__ import annotations

from pathlib import Path

import pytest

from softdock.errors import BadInput
from softdock.files.schema import OPTIONAL, Parameter, file_key
from softdock.files.tables import Reader
from softdock.loop.arms.sources import load_arm
from softdock.recording.logs.mapping import read_map
from softdock.rig.file import load_rig
from softdock.scenario.files import load_scenario
from softdock.scenario.network_file import load_network
from softdock.studies.campaign.spec import load_spec

SCENARIO = """\
schema = 1
[time]
cycle_ms = 4.0
duraton_s = 2.0
[chaser]
mass_kg = -1.0
inertia_kg_m2 = [1.0, 1.0, 9.0]
[target]
fixed = true
[robots.chaser]
model = "lagg"
lag_Hz = 5.0
[sensor]
noise_N = true
"""
RIG = """\
schema = 1
[limits]
restitution = 0.0
forc_N = 3.0
[robots.chaser]
port = 70000
address = "robot"
[sensors.chaser]
in_flange_wxyz = [0.0, 0.0, 0.0, 0.0]
"""
CAMPAIGN = """\
scenario = "epos_1d"
runs = 0
sampling = "sobl"
sed = 1
[[vary]]
key = "chaser.mass_kg"
uniform = [66.0, 60.0]
[trajectories]
every_ms = -1.0
"""
MAP = """\
schema = 1
touch_N = -1.0
[clock.log]
column = "t"
unit = "ms2"
[chaser.measured]
position = ["x", "y"]
attitude = ["w", "i", "j", "k"]
atitude_form = "wxyz"
[chaser.wrench]
force = ["fx", "fy", "fz"]
acts = "on_sensr"
"""
FACILITY = """\
schema = 1
[facility.chaser]
arm = "kr120"
base_m = [0.0, 0.0]
base_axis_lag_s = 0.0
mock_up = 3
[facility.target]
arm = "kr120"
base_m = [2.0, 0.0, 0.0]
base_wxyz = [0.0, 0.0, 0.0, 0.0]
load_kg = 3.0
load_inertia_kg_m2 = [1.0, 1.0, 9.0]
"""
ARM = """\
name = "mine"
published = ["speeds"]
[[joints]]
direction = [0.0, 0.0, 0.0]
offset_m = [0.0, 0.0, 0.3]
range_deg = [-170.0, 170.0]
sped_deg_per_s = 100.0
speed_deg_per_s = -1.0
inertia_kg_m2 = [1.0, 1.0, 9.0]
[flange]
offset_m = [0.0, 0.0, 0.1]
"""
NETWORK = """\
name = "tissue"
bonds = ["hand -> together", "together > S1"]
[ports.hand]
causality = "positon"
[springs.S1]
stiffness_N_per_m = -5.0
[dampers.B1]
dampng_Ns_per_m = 1.0
[junctions]
together = 2
"""
KINDS = {
    "scenario": (
        load_scenario,
        SCENARIO,
        {
            4: "duration_s",
            6: "> 0 and <= 1e+09 [kg]",
            7: "no body has the principal moments",
            11: "did you mean 'lag'",
            14: "a finite number >= 0",
        },
    ),
    "rig": (
        load_rig,
        RIG,
        {
            3: "> 0 and <= 10",
            4: "did you mean 'force_N'",
            6: "a whole number >= 1 and <= 65535",
            7: "the IPv4 address of one machine",
            9: "not all zero",
        },
    ),
    "campaign": (
        load_spec,
        CAMPAIGN,
        {
            2: "a whole number >= 1",
            3: "did you mean 'sobol'",
            4: "did you mean 'seed'",
            7: "low below high",
            9: "a finite number > 0 [ms]",
        },
    ),
    "map": (
        read_map,
        MAP,
        {
            2: "a finite number >= 0 [N]",
            5: "did you mean 'ms'",
            7: "3 names of columns",
            9: "did you mean 'attitude_form'",
            12: "did you mean 'on_sensor'",
        },
    ),
    "facility": (
        load_scenario,
        FACILITY,
        {
            4: "3 finite numbers",
            5: "a finite number > 0 and <= 1000 [s]",
            6: "did you mean 'mock_up_m'",
            10: "not all zero",
            12: "no body has the principal moments",
        },
    ),
    "arm": (
        load_arm,
        ARM,
        {
            2: "some of offsets",
            4: "three numbers, not all zero",
            7: "did you mean 'speed_deg_per_s'",
            8: "a finite number > 0 [deg/s]",
            9: "no body has the principal moments",
        },
    ),
    "network": (
        load_network,
        NETWORK,
        {
            2: "a list of texts",
            4: "did you mean 'position'",
            6: "a finite number > 0 [N/m]",
            8: "did you mean 'damping_Ns_per_m'",
            10: "0 or 1",
        },
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_mistake_of_a_file_is_reported_at_once_with_its_line(kind, tmp_path):
    """A user mends a file in one go: every line that is wrong is named, with what is allowed there
    or the nearest name."""
    load, text, expected = KINDS[kind]
    file = Path(tmp_path) / f"{kind}.toml"
    file.write_text(text)
    with pytest.raises(BadInput) as error:
        load(str(file))
    by_line = {
        int(problem.where.removeprefix(f"{file}:")): str(problem)
        for problem in error.value.problems
        if problem.where.startswith(f"{file}:")
    }
    assert len(expected) > 4
    for line, words in expected.items():
        assert words in by_line.get(line, ""), (line, error.value)


def test_no_mistake_brings_another_with_it():
    """What depends on a choice that is refused itself is neither asked for nor refused: it is not
    known which keys apply."""
    problems = []
    row = Reader({"model": "lagg", "lag_Hz": -1.0}, "", problems)
    keys = (
        file_key("model", "", choices=("delay", "lag")),
        file_key("lag_Hz", "", low=0.0, when=("model", ("lag",))),
        file_key("lag_damping_ratio", "", when=("model", ("lag",))),
    )
    values = row.read(keys)
    row.done()
    assert [problem.key for problem in problems] == ["model", "lag_Hz"]
    assert values["model"] == "delay"


def test_values_are_as_a_program_uses_them():
    """SI, tuples, unit vectors; what may be left out is None; a default needs no range."""
    problems = []
    given = {"angle_deg": 180.0, "axis": [0.0, 0.0, 2.0], "count": 3}
    row = Reader(given, "", problems)
    keys = (
        file_key("angle_deg", "", name="angle", scale=0.5),
        file_key("axis", "", kind="direction", size=3),
        file_key("count", "", kind="integer", low=1),
        file_key("mass_kg", "", OPTIONAL),
        Parameter("limit", "limit_N", "", float("inf"), high=10.0),
    )
    assert row.read(keys) == {
        "angle": 90.0,
        "axis": (0.0, 0.0, 1.0),
        "count": 3,
        "mass_kg": None,
        "limit": float("inf"),
    }
    assert not problems
