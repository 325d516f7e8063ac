"""The benchmark's cases: each loads, says why it is there, and touches; random ones likewise."""

from __future__ import annotations

import math
import tomllib

import pytest

from softdock import BadInput, load_scenario
from softdock.reference import run_reference
from softdock.scenario.benchmark_set import (
    PREFIX,
    case_files,
    case_set,
    case_text,
    digest_of,
    reason_of,
)
from softdock.scenario.build import build
from softdock.studies.benchmark.draws import AFTER_S, MOST_CONTACTS, draw_case

STILL_ON = ("capture_by_thrust",)  # its contact is on at the end, which is what it is for
WANTED = {  # what the set must hold, each as a test on a case's resolved tables
    "Hunt-Crossley": lambda t: t["contact"][0]["real"]["law"] == "hunt_crossley",
    "table": lambda t: t["contact"][0]["real"]["law"] == "table",
    "1 kN/m": lambda t: t["contact"][0]["real"].get("stiffness_N_per_m") == 1e3,
    "1 MN/m": lambda t: t["contact"][0]["real"].get("stiffness_N_per_m") == 1e6,
    "damped": lambda t: t["contact"][0]["real"].get("damping_Ns_per_m", 0.0) > 0.0,
    "network": lambda t: any(m["name"] != "direct" for m in t["methods"]),
    "equal masses": lambda t: (
        not t["target"]["fixed"] and t["chaser"]["mass_kg"] == t["target"]["mass_kg"]
    ),
    "three petals": lambda t: len(t["contact"]) == 3,
    "nozzle": lambda t: t["contact"][0].get("closed_bottom", False),
    "tumbling": lambda t: any(t["target"]["rate_rad_per_s"]),
    "friction 0.1": lambda t: t["contact"][0]["real"]["friction"] == 0.1,
    "friction 0.2": lambda t: t["contact"][0]["real"]["friction"] == 0.2,
    "friction 0.3": lambda t: t["contact"][0]["real"]["friction"] == 0.3,
    "fractional delay": lambda t: t["robots"]["chaser"]["delay_ms"] % t["time"]["cycle_ms"] > 0.0,
    "varying delay": lambda t: t["robots"]["chaser"]["delay_wobble_ms"] > 0.0,
    "12 ms": lambda t: t["time"]["cycle_ms"] == 12.0,
    "lost set-points": lambda t: t["robots"]["chaser"]["dropout_probability"] > 0.0,
    "lag": lambda t: t["robots"]["chaser"]["model"] == "lag",
    "limits": lambda t: t["robots"]["chaser"]["model"] == "limited",
    "elastic joints": lambda t: t["robots"]["chaser"]["joint_stiffness_N_per_m"] > 0.0,
    "noise": lambda t: t["sensor"]["noise_N"] > 0.0,
    "bias": lambda t: any(t["sensor"]["bias_N"]),
    "low-pass": lambda t: t["sensor"]["lowpass_Hz"] > 0.0,
    "wrong tool": lambda t: (
        t["mock_up"]["chaser"]["mass_kg"] != t["mock_up"]["chaser"]["believed"]["mass_kg"]
    ),
    "two sensors": lambda t: t["sensor"]["on"] == "both",
    "capture": lambda t: t["capture"]["for_s"] > 0.0,
}


@pytest.fixture(scope="module")
def cases():
    return {name: load_scenario(PREFIX + name) for name in case_set().names}


def test_every_file_is_listed_once_with_a_reason_of_its_own():
    """A case that nobody lists is never run; a reason that two share says nothing of either, but
    for a family that differs in one number."""
    names = case_set().names
    assert len(names) >= 40
    assert sorted(names) == case_files() == sorted(set(names))
    assert set(case_set().quick) <= set(names)
    texts = {name: case_text(name) for name in names}
    assert len({digest_of(text) for text in texts.values()}) == len(names)
    for name, text in texts.items():
        assert len(reason_of(text)) > 40, name
        assert tomllib.loads(text)["name"] == name
        assert tomllib.loads(text)["description"]


def test_the_set_holds_what_the_benchmark_promises(cases):
    """Every kind of contact, delay, robot and sensor that the page speaks of is in some case."""
    for what, is_so in WANTED.items():
        assert any(is_so(case.tables) for case in cases.values()), what


@pytest.mark.parametrize("name", case_set().names)
def test_orbit_touches_after_a_free_flight_and_parts(cases, name):
    """A method that learns in free flight needs some, and a distance after parting needs a parting
    with time to spare for a late rig."""
    flown = run_reference(cases[name])
    assert flown.status == "completed"
    assert flown.contact_count >= 1
    assert flown.contacts[0]["start_s"] >= 0.9
    if name not in STILL_ON:
        last = flown.contacts[-1]
        assert math.isfinite(last["restitution"])
        assert last["end_s"] + 0.9 <= cases[name].tables["time"]["duration_s"]


def test_a_case_that_is_not_listed_is_refused_with_the_nearest():
    """A misspelt case is refused, and the nearest one is named."""
    with pytest.raises(BadInput, match="did you mean 'friction_02_sticking'"):
        load_scenario("benchmark:friction_02_stiking")


def test_random_cases_touch_and_part_and_depend_on_seed_and_number_alone():
    """A drawn case is a file that can be replayed: the same from the same seed, another from
    another, and always one in which something happens."""
    found = [draw_case(5, i) for i in range(12)]
    assert found[7] == draw_case(5, 7)
    assert found[7] != draw_case(6, 7)
    assert len({digest_of(text) for _, text in found}) == 12
    for name, text in found:
        assert reason_of(text)
        scenario = build(tomllib.loads(text))
        assert scenario.name == name
        flown = run_reference(scenario)
        assert 1 <= flown.contact_count <= MOST_CONTACTS
        assert flown.contacts[-1]["end_s"] + AFTER_S <= scenario.tables["time"]["duration_s"]
