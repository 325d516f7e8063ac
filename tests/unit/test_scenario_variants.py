"""A scenario is checked once; a variant of it is checked for what changed, and is to the bit what
`build` makes of the same tables."""

from __future__ import annotations

import copy
from functools import partial

import numpy as np
import pytest

from softdock.errors import BadInput
from softdock.results.phases import list_phases
from softdock.results.variants import change_scenario
from softdock.scenario.build import Scenario, build, build_variant
from softdock.scenario.files import load_scenario, preset_names
from softdock.scenario.keys import set_key
from softdock.scenario.table_reader import TableReader

CHANGES = (
    {"robots.chaser.delay_ms": 24.0},
    {"time.cycle_ms": 2.0},
    {"satellites.integrator": "symplectic_euler"},
    {"sensor.noise_N": 0.5, "random.seed": 7},
    {"chaser.velocity_m_per_s": [0.02, 0.0, -0.0]},
    {"external.chaser.rows": [[0.0, 1, 0, 0, 0, 0, 0], [1.0, 0, 0, 0, 0, 0, 0]]},
    {"methods": [{"name": "direct"}]},
    {"methods": [{"name": "monitor"}, {"name": "direct"}]},
    {"contact": []},
    {"laboratory.gravity_m_per_s2": [0.0, 0.0, -1.0]},
    {"verdict.phases": 3},
    {"name": "another"},
)


def changed(scenario: Scenario, changes) -> dict:
    tables = copy.deepcopy(scenario.tables)
    for key, value in changes.items():
        set_key(tables, key, value)
    return tables


def result(make, tables):
    """All that a scenario holds, spelled out; or what is wrong."""
    try:
        made = make(tables)
    except BadInput as error:
        return str(error)
    return (
        made.vector.tobytes(),
        repr(made.tables),
        repr(made.markers),
        made.warnings,
        made.notes,
        made.approach,
    )


@pytest.mark.parametrize("preset", preset_names())
def test_a_variant_is_what_build_makes_of_its_tables(preset):
    """To the bit, with the same warnings; what is refused is refused with the same words. Variants
    of variants, too."""
    scenario = load_scenario(preset)
    for changes in CHANGES:
        tables = changed(scenario, changes)
        of_build = result(build, tables)
        assert result(partial(build_variant, scenario), tables) == of_build
        if isinstance(of_build, tuple):
            variant = build_variant(scenario, tables)
            assert result(partial(build_variant, variant), scenario.tables) == result(
                build, scenario.tables
            )


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("robots.chaser.delay_ms", -1.0),
        ("chaser.fixed", 1),  # equal to True, and not what is allowed
        ("sensor.nise_N", 0.5),
        ("contact.0.real.law", "sprng_damper"),
        ("robots.chaser.delay_jitter_ms", 5.0),  # with another table: the cycle
        ("time.cycle_ms", 600.0),  # with the contact, which it does not resolve
    ],
)
def test_what_a_variant_may_not_have_is_refused(key, value):
    """In the table that changed, and where it does not go with another."""
    scenario = load_scenario("epos_1d")
    tables = changed(scenario, {key: value})
    refused = result(build, tables)
    assert isinstance(refused, str)
    assert key.rpartition(".")[2] in refused or "contact" in refused
    assert result(partial(build_variant, scenario), tables) == refused


def test_only_tables_that_changed_are_checked(monkeypatch):
    """Eight sampling phases and ten variants of each: three tables of a phase, one of a variant."""
    scenario = load_scenario("epos_1d")
    checked: list[str] = []
    check = TableReader.check

    def note(self, path, *rest):
        checked.append(path)
        return check(self, path, *rest)

    monkeypatch.setattr(TableReader, "check", note)
    phases = list_phases(scenario, 8)
    assert set(checked) <= {"chaser", "target"}
    checked.clear()
    for delay in range(10):
        change_scenario(scenario, {"robots.chaser.delay_ms": float(delay)})
    assert checked == ["robots.chaser"] * 10
    assert len({phase.vector.tobytes() for phase in phases}) == 8


def test_tables_that_a_user_changes_in_place_are_seen():
    """The tables of a scenario are a user's to change: what is taken over is compared first."""
    scenario = load_scenario("epos_1d")
    scenario.tables["robots"]["chaser"]["delay_ms"] = 8.0
    variant = scenario.replace({"name": "changed"})
    assert np.array_equal(variant.vector, build(scenario.tables | {"name": "changed"}).vector)
