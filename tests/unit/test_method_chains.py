"""Lists of methods that cannot work together are refused; settings that do nothing are named."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from scenarios import epos_wall

from softdock import build
from softdock.compile.jit import entry_point
from softdock.errors import BadInput
from softdock.loop.method.method import BY_TYPE
from softdock.loop.spatial.motion import Motion
from softdock.methods.energy_ledger.method import _carry_sent
from softdock.methods.registry import METHODS
from softdock.scenario.method_chains import chain_problems


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["delay_passivity", "hybrid"], "last that changes the wrench"),
        (["energy_ledger", "delay_passivity"], "the same energy"),
        (["delay_passivity", "energy_ledger"], "the same energy"),
        (["energy_ledger", "energy_ledger"], "once"),
        (["passive_integrator", "passive_integrator"], "once"),
    ],
)
def test_chains_that_cannot_work_are_refused(names, words):
    """Methods that would count the same energy twice, or stand in the wrong order, are refused with
    why."""
    with pytest.raises(BadInput, match=words):
        build(epos_wall() | {"methods": [{"name": name} for name in names]})


def test_chains_that_can():
    """Chains that make sense are built, in the order that was given."""
    for names in (
        ["hybrid", "delay_passivity"],
        ["passive_integrator", "energy_ledger"],
        ["delay_passivity", "monitor"],
    ):
        built = build(epos_wall() | {"methods": [{"name": name} for name in names]})
        assert [entry["name"] for entry in built.tables["methods"]] == names


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ({"name": "energy_ledger", "confidence": 0.99}, "confidence = 0.99 does nothing"),
        ({"name": "delay_passivity", "confidence": 0.99}, "confidence = 0.99 does nothing"),
        (
            {"name": "passive_integrator", "form": "published", "largest_force_N": 10.0},
            "largest_force_N does nothing",
        ),
    ],
)
def test_settings_that_do_nothing_are_named(method, words):
    """A setting that its method does not use here is named; without it there is no warning."""
    assert any(words in warning for warning in build(epos_wall() | {"methods": [method]}).warnings)
    assert not any(
        "does nothing" in warning
        for warning in build(epos_wall() | {"methods": [{"name": method["name"]}]}).warnings
    )


def test_the_ledger_carries_on_what_an_earlier_method_sends():
    """A set-point that a method before it has moved is moved along with the satellite, not put back
    to it."""
    sent_with, turn = entry_point(_carry_sent), (math.cos(0.1), 0.0, 0.0, math.sin(0.1))
    was = Motion((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    settled = Motion((0.5, 0.0, 0.0), turn, (0.75, 0.0, 0.0), (0.0, 0.0, 0.25))
    moved = sent_with(was, settled, Motion((0.0, 0.25, 0.0), was.q, was.v, was.w))
    assert moved == Motion((0.5, 0.25, 0.0), turn, settled.v, settled.w)
    turned = sent_with(was, settled, Motion(was.p, turn, was.v, was.w))
    assert turned.q == pytest.approx((math.cos(0.2), 0.0, 0.0, math.sin(0.2)))


@pytest.fixture
def others():
    """A user's methods: one that settles the energy and must be last, one that adds a wrench."""
    before, kinds = dict(METHODS), dict(BY_TYPE)
    ledger = METHODS["energy_ledger"]
    settles = replace(
        ledger, name="settler", once="it was said", is_last_on_wrench="it counts the wrench"
    )
    adds = replace(METHODS["hybrid"], name="adder", changes_wrench=None)
    METHODS.update({"settler": settles, "adder": adds})
    yield
    for now, then in ((METHODS, before), (BY_TYPE, kinds)):
        now.clear()
        now.update(then)


def test_the_rules_cover_a_users_methods(others):
    """Which methods may stand together is asked of their declarations: those of a user too."""
    assert chain_problems(["adder", "settler"]) == []
    assert chain_problems(["settler", "settler"]) == [(1, "'settler' once: it was said")]
    assert chain_problems(["settler", "adder"]) == [
        (0, "'settler' after 'adder': it counts the wrench")
    ]
    assert chain_problems(["delay_passivity", "adder"])[0][1].startswith(
        "'delay_passivity' after 'adder': it must be the last"
    )
    assert chain_problems(["energy_ledger", "settler"]) == [
        (1, "either 'energy_ledger' or 'settler': both would take the same energy")
    ]
    assert chain_problems(["nobody", None, 3]) == []
