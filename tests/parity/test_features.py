"""A loop with every feature and a plain one are the same loop where a scenario asks for none of
them; and one that is optimised lightly is the same as one that is optimised as for users. The other
tests compile most methods with every feature, lightly, and rest on this."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from softdock import Stepper
from softdock.compile.features import Every, Markers, Plain
from softdock.loop.vector import METHODS_AT
from softdock.scenario import features
from softdock.scenario.files import load_scenario

CYCLES = 500
# A plain loop with a method: `make test` runs it in plain Python (test_plain_python.py).
METHOD = pytest.mark.prove
LISTS = {
    "direct": [{"name": "direct"}],
    "delay_passivity": [{"name": "delay_passivity"}],
}


@pytest.mark.parametrize("preset", ["epos_1d", "epos_2d"])
@pytest.mark.parametrize("methods", ["direct", pytest.param("delay_passivity", marks=METHOD)])
def test_plain_and_every_give_the_same_bits(preset, methods):
    """State, memory, records and log, in and out of contact; compiled from other code."""
    scenario = load_scenario(preset).replace({"methods": LISTS[methods]})
    loops = []
    for chosen in (Plain(0), Every(0)):
        markers = Markers(chosen, scenario.markers.methods)
        loop = Stepper(dataclasses.replace(scenario, markers=markers), rows=CYCLES + 1)
        loop.step(CYCLES)
        loops.append(loop)
    plain, every = loops
    assert np.any(plain.series["true.chaser.force"] != 0.0), "it must touch"
    for name in ("state", "mem", "record", "log"):
        assert getattr(plain, name).tobytes() == getattr(every, name).tobytes(), name


def test_the_switch_changes_what_is_compiled_and_nothing_else(monkeypatch):
    """On: every feature for methods that do anything; off: what the scenario asks for."""
    vector, base = np.zeros(METHODS_AT), load_scenario("epos_1d")
    acting = base.replace({"methods": [{"name": "delay_passivity"}]}).markers.methods
    still = base.replace({"methods": [{"name": "direct"}]}).markers.methods
    for switch, of_acting in (("0", Plain), ("1", Every)):
        monkeypatch.setenv(features.SWITCH, switch)
        assert type(features.markers_of(vector, acting).features) is of_acting
        assert type(features.markers_with(vector, [], acting).features) is of_acting
        assert type(features.markers_of(vector, still).features) is Plain
