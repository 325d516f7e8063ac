"""Scenarios as text: written out and read back to the bit, and changed by `--set`."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from scenarios import (
    cone_docking,
    epos_wall,
    hard_for_the_core,
    lange_impact,
    sphere_on_sphere,
    whole_facility,
)

from softdock import BadInput, build
from softdock.scenario.files import load_scenario, parse_changes, preset_names, to_toml

VARIED = {
    "wall": epos_wall,
    "cone": cone_docking,
    "spheres": sphere_on_sphere,
    "hard": hard_for_the_core,
    "whole facility": whole_facility,
    "limited": lambda: lange_impact(
        0.3, model="limited", max_acceleration_m_per_s2=1.0 / 3.0, max_jerk_m_per_s3=1e-3
    ),
    "no contact, no method": lambda: {**epos_wall(), "contact": [], "methods": []},
    "other wanted law": lambda: {
        **epos_wall(),
        "contact": [
            {
                "geometry": "wall",
                "real": {"stiffness_N_per_m": 0.1 + 0.2},
                "wanted": {
                    "law": "hunt_crossley",
                    "stiffness_N_per_m": 1e7,
                    "lambda_s_per_m": 1e-5,
                },
            }
        ],
    },
}


def read_back(scenario, folder):
    path = folder / "resolved.toml"
    path.write_text(to_toml(scenario.tables), encoding="utf-8")
    return load_scenario(path)


@pytest.mark.parametrize("name", preset_names())
def test_a_resolved_preset_reads_back_to_the_bit(tmp_path, name):
    """Every default written out: the same vector, methods and tables."""
    scenario = load_scenario(name)
    again = read_back(scenario, tmp_path)
    assert again.vector.tobytes() == scenario.vector.tobytes()
    assert again.markers == scenario.markers
    assert again.tables == scenario.tables


@pytest.mark.parametrize("name", VARIED)
def test_a_resolved_scenario_reads_back_to_the_bit(tmp_path, name):
    """Tables, schedules, all models: numbers keep their last bit on the way through text."""
    scenario = build(VARIED[name]())
    again = read_back(scenario, tmp_path)
    assert again.vector.tobytes() == scenario.vector.tobytes()
    assert again.tables == scenario.tables


@pytest.mark.parametrize(
    "text",
    [
        'a "quoted" \\ name',
        "two\nlines\tand a tab\r",
        "größer als µ → 3",
        "",
        "bell \x07 and \x1b escape \x7f",
        "''' \"\"\" #",
    ],
)
def test_any_name_survives(tmp_path, text):
    """Quotes, backslashes, line ends, control characters and other alphabets."""
    tables = epos_wall()
    tables["description"] = text
    assert read_back(build(tables), tmp_path).tables["description"] == text


@pytest.mark.parametrize(
    "number", [1.0 / 3.0, 1e-300, 5e-324, 123456789.123456789, 1e16, 2**-1074 * 3, 0.1 + 0.2]
)
def test_numbers_keep_their_last_bit(tmp_path, number):
    """Also the smallest and the oddest."""
    tables = epos_wall()
    tables["chaser"]["position_m"] = [0.5, min(number, 1.0), -min(number, 1.0)]
    again = read_back(build(tables), tmp_path)
    assert again.tables["chaser"]["position_m"] == tables["chaser"]["position_m"]


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("robots.chaser.delay_ms=8", "robots.chaser.delay_ms", 8),
        (" time.cycle_ms = 1.5 ", "time.cycle_ms", 1.5),
        ("target.fixed=true", "target.fixed", True),
        ("satellites.integrator=lie_rk4", "satellites.integrator", "lie_rk4"),
        ('name="a = b"', "name", "a = b"),
        ("name=a = b", "name", "a = b"),
        ("chaser.position_m=[1, 2.0, -3e-1]", "chaser.position_m", [1, 2.0, -0.3]),
        ("contact.0.real={stiffness_N_per_m = 5}", "contact.0.real", {"stiffness_N_per_m": 5}),
    ],
)
def test_changes_are_toml_or_a_word(text, key, value):
    """`key=value`: numbers, flags, arrays and tables as in a file; anything else is a word."""
    assert parse_changes([text]) == {key: value}


@pytest.mark.parametrize("text", ["", "=", "=3", "key", "key=", " = 3", "key=  "])
def test_what_is_no_change_is_refused(text):
    """With an example of how to write one."""
    with pytest.raises(BadInput, match="key=value"):
        parse_changes([text])


def test_changes_reach_the_scenario_and_are_checked():
    """The changed value is in the vector; a bad one is refused, and blamed on --set, not on the
    file."""
    changed = load_scenario(
        "epos_1d", ["robots.chaser.delay_ms=8", "contact.0.real.stiffness_N_per_m=500"]
    )
    assert changed.tables["robots"]["chaser"]["delay_ms"] == 8
    assert changed.tables["contact"][0]["real"]["stiffness_N_per_m"] == 500
    assert load_scenario("epos_1d", {"time.cycle_ms": 2.0}).tables["time"]["cycle_ms"] == 2.0
    with pytest.raises(BadInput) as caught:
        load_scenario("epos_1d", ["robots.chaser.delay_ms=-8", "robots.chaser.delay_s=1"])
    assert {(p.key, p.where) for p in caught.value.problems} == {
        ("robots.chaser.delay_ms", "--set"),
        ("robots.chaser.delay_s", "--set"),
    }


@pytest.mark.parametrize(
    "change",
    [
        "contact.7.axis=[1,0,0]",
        "contact.x.axis=[1,0,0]",
        "name.x=1",
        "contact=3",
        "contact.0=3",
        "robots.chaser.delay_ms.x=3",
        "..=1",
    ],
)
def test_changes_of_what_is_not_there_are_refused(change):
    """An index beyond the array, a key inside a value, nonsense: bad input, never another
    exception."""
    with pytest.raises(BadInput):
        load_scenario("epos_1d", [change])


def test_changes_of_an_inner_key_blame_the_change():
    """A table given by --set is blamed for what is inside it."""
    with pytest.raises(BadInput) as caught:
        load_scenario("epos_1d", ["contact.0.real={stiffness_N_per_m = -5}"])
    assert [p.where for p in caught.value.problems] == ["--set"]


def test_loading_leaves_nothing_behind():
    """A scenario changed after loading does not change the next one loaded."""
    first = load_scenario("epos_1d")
    before = copy.deepcopy(first.tables)
    first.tables["time"]["cycle_ms"] = 1.0
    assert load_scenario("epos_1d").tables == before
    assert np.array_equal(load_scenario("epos_1d").vector, first.vector)
