"""A change touches few files: a flag of the loop and a method, each added to a copy of the
package as CONTRIBUTING says, in plain Python."""

from __future__ import annotations

import pytest
from recipe import follow
from recipe_scenario import scenario

FLAG = '''
@flag
@compiled
def slow(vector, known):
    """A cycle takes more than 2 ms."""
    return known.T > 0.002


'''
RUN_FLAG = """
import json, sys
from softdock import build
from softdock.studies.campaign.columns import make_columns
from softdock.studies.campaign.kernel_specialisation import tailor
from softdock.loop.specialise import Kind, kind_of, of_kind
from softdock.loop.vector import prepare
found = []
for tables in json.load(sys.stdin):
    scenario = build(tables)
    params = prepare(scenario.vector, scenario.markers)
    _, numbers, special = tailor(*make_columns(scenario, {"chaser.mass_kg": [60.0, 61.0]}))
    kind = Kind(*special.kind)
    turned = kind._replace(slow=1 - kind.slow)
    alone = params._replace(flags=params.flags._replace(slow=not params.flags.slow))
    made = of_kind(alone, kind, special.common, numbers, special.shared)
    found.append({"flag": params.flags.slow, "kind": kind_of(params).slow, "batch": kind.slow,
                  "common": special.common.slow, "constant": made.flags.slow,
                  "other": of_kind(params, turned, special.common, numbers,
                                   special.shared).flags.slow})
json.dump(found, sys.stdout, default=int)
"""


def test_a_flag_of_the_loop_is_one_edit(tmp_path):
    """A function in one file: the flag is found from a scenario's vector, reaches the loop, is a
    constant of a batch's kernel."""
    wall = scenario({"geometry": "wall", "real": {"stiffness_N_per_m": 4000.0}})
    quick = {**wall, "time": {"cycle_ms": 1.0, "duration_s": 1.6}}
    found = follow(
        tmp_path, {}, {"loop/flags.py": [("\nif TYPE_CHECKING:", FLAG)]}, RUN_FLAG, [wall, quick]
    )
    for it, slow in zip(found, (True, False), strict=True):
        assert (it["flag"], it["kind"], it["batch"], it["common"]) == (slow, slow, slow, 1)
        assert (it["constant"], it["other"]) == (slow, not slow)  # whatever the run itself says


METHOD = """
from typing import NamedTuple
from softdock.loop.method.interface import Wrenches
from softdock.loop.method.memory import recorded
from softdock.loop.method.method import Method
from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import compiled
from softdock.loop.parameters import Group, Parameter
from softdock.loop.spatial.motion import Wrench
from softdock.loop.spatial.vectors import scale

GROUP = Group("softened", "A share of the measured wrench.", Parameter(
    "share", "share_of_force", "of the measured wrench that acts", 0.5, low=0.0, high=1.0))
CELLS = Cells(
    "softened", recorded("held_back", "N", "of the force along x"), Cell("last", Wrenches)
)

class Softened(NamedTuple):
    memory: int
    share: float

@compiled
def prepare(marker, vector, base, memory):
    return Softened(memory, GROUP(vector, base).share)

@compiled
def _part(method, wrench):
    return Wrench(scale(method.share, wrench.force), scale(method.share, wrench.torque))

@compiled
def wrench(method, mem, rig, measured, satellites, wrenches):
    acting = Wrenches(_part(method, wrenches.chaser), _part(method, wrenches.target))
    s = CELLS(mem, method.memory)
    s.held_back = wrenches.chaser.force[0] - acting.chaser.force[0]
    s.last = acting
    return acting

METHOD = Method(
    name="softened", summary="a share of the wrench", knows="nothing", group=GROUP, cells=CELLS,
    marker=Softened(0, 0.0), prepare=prepare, wrench=wrench,
    suggest=lambda scenario: {"share_of_force": 0.25},
)
"""
RUN_METHOD = """
import json, sys
import numpy as np
from softdock import BadInput, Stepper, build
from softdock.scenario.candidates import candidates
from scenario_page import scenario_reference
good, bad = json.load(sys.stdin)
scenario = build(good)
loop = Stepper(scenario, rows=401)
loop.step(400)
s = loop.series
others, _ = candidates(build({**good, "methods": []}), "all", ["exact_hold"])
offered = [one.scenario.tables["methods"] for one in others]
try:
    build(bad)
    refused = ""
except BadInput as error:
    refused = str(error)
json.dump({
    "acting": s["satellite.chaser.force"][:, 0].tolist(),
    "held_back": s["softened.held_back"].tolist(), "refused": refused,
    "offered": [m for m in offered if m[0]["name"] == "softened"],
    "listed": "share_of_force" in scenario_reference(),
}, sys.stdout, default=float)
"""


def test_a_method_is_its_file_and_one_entry(tmp_path):
    """A method of the core as one of a user's file: nothing else names it. It acts, is recorded,
    offered to comparisons with what it suggests, listed on its page, and refused where its keys
    are wrong."""
    wall = scenario({"geometry": "wall", "real": {"stiffness_N_per_m": 4000.0}})
    good = {**wall, "methods": [{"name": "softened", "share_of_force": 0.5}]}
    bad = {**wall, "methods": [{"name": "softened", "share_of_force": 2.0}]}
    found = follow(
        tmp_path,
        {"methods/softened.py": METHOD},
        {"methods/registry.py": [('    "hybrid": ', '    "softened": "softened",\n')]},
        RUN_METHOD,
        [good, bad],
    )
    assert max(found["acting"]) > 1.0
    assert found["held_back"] == pytest.approx(found["acting"])
    assert [one["share_of_force"] for entries in found["offered"] for one in entries] == [0.25]
    assert found["listed"]
    assert "share_of_force" in found["refused"]
