"""Campaign files that cannot be are refused before anything runs, by key and line."""

from __future__ import annotations

import json

import pytest
from campaign_plans import STIFFNESS, plan

from softdock.errors import BadInput
from softdock.studies.campaign.plan import load_plan


@pytest.mark.parametrize(
    ("tables", "named"),
    [
        ({}, "this campaign is empty"),
        (
            {"vary": [{"key": "robots.chaser.dely_ms", "list": [1.0]}]},
            r"did you mean 'robots\.chaser\.delay_ms'",
        ),
        (
            {"vary": [{"key": "satellites.integrator", "list": [1.0]}]},
            "a number of the scenario; this one is a word",
        ),
        (
            {"vary": [{"key": "chaser.position_m", "list": [1.0]}]},
            r"one of its numbers: chaser\.position_m\.0",
        ),
        (
            {
                "runs": 1000,
                "sampling": "latin_hypercube",
                "vary": [{"key": "sensor.noise_N", "normal": [0.1, 0.1]}],
            },
            # a normal is more than one deviation below its mean in 15.87 % of draws
            r"sensor\.noise_N: given -.*15\.[89] % of the values are not",
        ),
        (
            {"vary": [{"key": "chaser.mass_kg", "grid": [-10.0, 10.0, 5]}]},
            r"60 % of the values are not \(3 of 5\)",
        ),
        (
            {
                "scenario": "epos_3d",
                "vary": [{"key": "chaser.inertia_kg_m2.0", "list": [400.0, 900.0, 1001.0, -1.0]}],
            },
            r"chaser\.inertia_kg_m2: .*none above the sum of the other two; 50 % of the runs "
            r"have others \(2 of 4\)",
        ),
        ({"vary": [{"key": "chaser.mass_kg", "uniform": [60.0, 66.0]}]}, "runs: missing"),
        ({"vary": [{"key": "chaser.mass_kg"}]}, "one of grid, list, uniform"),
        (
            {"vary": [{"key": "chaser.mass_kg", "list": [60.0], "grid": [1.0, 2.0, 2]}]},
            "one of grid, list, uniform",
        ),
        ({"vary": [{"key": "chaser.mass_kg", "list": []}]}, "at least one"),
        ({"vary": [{"key": "chaser.mass_kg", "list": [60.0, "heavy"]}]}, r"vary\.0\.list"),
        (
            {
                "vary": [
                    {"key": "chaser.mass_kg", "list": [60.0]},
                    {"key": "chaser.mass_kg", "list": [61.0]},
                ]
            },
            "each key once",
        ),
        ({"vary": [{"key": "time.plant_steps", "list": [1.0, 1.5]}]}, "a whole number"),
        ({"vary": [{"key": "chaser.attitude_wxyz", "list": [1.0]}]}, "turn_about"),
        (
            {
                "runs": 9,
                "vary": [
                    {
                        "keys": ["chaser.mass_kg", "target.mass_kg"],
                        "mean": [9.0, 9.0],
                        "covariance": [[1.0, 2.0], [2.0, 1.0]],
                    }
                ],
            },
            "definite",
        ),
        ({"runs": 9, "precision": "single"}, "precision: .*one of schema, name"),
        ({"runs": 9, "sampling": "random walk"}, "one of random, latin_hypercube"),
        ({"runs": 0}, "a whole number >= 1 and <= 4294967296"),
        ({"run": 9, "runs": 9}, "did you mean 'runs'"),
        ({"runs": 9, "scenario": "epos_9d"}, "epos_1d"),
        ({"runs": 9, "methods": ["no_such_method"]}, "no_such_method"),
        ({"runs": 9, "set": {"chaser": {"mass_kg": -1.0}}}, r"chaser\.mass_kg: given -1\.0"),
        (
            {"runs": 9, "set": {"capture": {"for_s": 1.0, "pair": 2}}},
            "a contact pair that is there",
        ),
        ({"runs": 9, "report": {"map": ["a", "b"]}}, "two of what varies"),
        (
            {
                "vary": [{"key": "chaser.mass_kg", "list": [60.0]}],
                "report": {"map": ["chaser.mass_kg"] * 2},
            },
            "not the same twice",
        ),
        (
            {"vary": [{"key": "random.run", "list": [1, 2]}]},
            "a campaign numbers its runs with this one",
        ),
        (
            {
                "runs": 9,
                "vary": [
                    {"key": "chaser.mass_kg", "uniform": [60.0, 66.0], "within": [61.0, 62.0]}
                ],
            },
            "within belongs to normal",
        ),
        (
            {"vary": [{"key": "chaser.mass_kg", "grid": [60.0, 66.0, 2], "deviation": [1.0]}]},
            "grid would not heed it",
        ),
        ({"runs": 9, "trajectories": {"runs": [-1]}}, "run numbers"),
        ({"runs": 9, "trajectories": {"runs": [9]}}, "runs from 0 to 8"),
        (
            {
                "vary": [{"key": "robots.chaser.delay_ms", "list": [1900.0]}],
                "set": {"time": {"cycle_ms": 1.0}},
            },
            "the largest history",
        ),
        (
            {"vary": [{"key": STIFFNESS, "list": [1000.0, 1e9]}]},
            r"run 1: contact\.0\.real\.stiffness_N_per_m",
        ),
        ({"runs": 2**32, "vary": [{"key": "chaser.mass_kg", "list": [60.0, 61.0]}]}, "at most"),
        ({"runs": 9, "outcome_file": 3}, "Python file"),
    ],
)
def test_what_cannot_be_is_refused(tables, named):
    """Key, what was given, what is allowed; nothing has run."""
    with pytest.raises(BadInput, match=named):
        plan(**tables)


def test_problems_of_a_file_name_its_lines(tmp_path):
    """A value that is refused is named with file and line; a misspelt preset with the nearest
    one."""
    file = tmp_path / "c.toml"
    file.write_text(
        'scenario = "epos_1d"\nruns = 9\n\n[[vary]]\nkey = "sensor.noise_N"\nuniform = '
        "[-1.0, 1.0]\n"
    )
    with pytest.raises(BadInput, match=r"c\.toml:6: sensor\.noise_N"):
        load_plan(file)
    with pytest.raises(BadInput, match=r"did you mean 'fidelity_map'"):
        load_plan("fidelity_mop")


def test_a_method_of_a_file_is_named_with_the_file_it_came_from(tmp_path):
    """In the folder of a campaign: the kept file, its hash and the option that runs it; elsewhere
    the option."""
    (tmp_path / "campaign.toml").write_text(
        'scenario = "epos_1d"\nmethods = ["direct", "mine"]\nruns = 2\n'
    )
    with pytest.raises(
        BadInput, match=r"some of direct, .*; a method of your own with --method-fi"
    ):
        load_plan(tmp_path / "campaign.toml")
    kept = {"file": "methods/mine.py", "sha256": "abc", "digest": "def", "methods": ["mine"]}
    (tmp_path / "methods.json").write_text(
        json.dumps({"format": "softdock methods", "files": [kept]})
    )
    with pytest.raises(BadInput, match=r"only if you name it.*methods/mine\.py \(sha256 abc\)"):
        load_plan(tmp_path / "campaign.toml")


@pytest.mark.parametrize("name", ["run", "contacts", "stiff"])
def test_what_varies_has_a_name_of_its_own(name):
    """The tables have a column for it beside the outcomes: none may hide another."""
    mass, stiff = (
        {"key": "chaser.mass_kg", "name": name, "uniform": [60.0, 65.0]},
        {"key": STIFFNESS, "name": "stiff", "uniform": [900.0, 1100.0]},
    )
    with pytest.raises(BadInput, match="a name that no outcome and no other key that varies has"):
        plan(runs=4, vary=[mass, stiff])
