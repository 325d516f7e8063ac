"""A change touches few files: a contact law, a shape, a flag of the loop and a method, each added
as CONTRIBUTING says to a copy of the package, are picked up by the simulation, orbit, checks,
analyses and pages."""

from __future__ import annotations

import pytest
from recipe import follow

LAW = """
import math
from softdock.core.machine.compiled import compiled
from softdock.core.shapes.law import ContactLaw, Tangent
from softdock.core.shapes.spring_damper import linear_damped, no_row

@compiled
def _elastic(vector, law, depth):
    return law.stiffness * (depth + law.hardening * depth * depth)

@compiled
def _continued(vector, law, row, depth):
    return law.stiffness * (depth + law.hardening * depth * depth)

@compiled
def _stored(vector, law, depth):
    return law.stiffness * depth * depth * (0.5 + law.hardening * depth / 3.0)

@compiled
def _steepest(vector, law):
    return law.stiffness

@compiled
def _pace(vector, law, steepest, depth, speed, mobility, outside):
    slope = steepest * (1.0 + 2.0 * law.hardening * (max(depth, 0.0) + 0.01))
    return slope * mobility, law.damping * mobility

def _tangent(law, mass, speed, depth):
    d = 0.001 if depth is None else depth
    k = law["stiffness_N_per_m"]
    return Tangent(k * (1.0 + 2.0 * law["hardening_per_m"] * d), law["damping_Ns_per_m"], d)

HARDENING_LAW = ContactLaw(
    "hardening", keys=("stiffness", "damping", "hardening"),
    numbers=("stiffness", "damping", "", "hardening"),
    elastic=_elastic, damped=linear_damped, stored=_stored, continued=_continued, row=no_row,
    steepest=_steepest, pace=_pace, tangent=_tangent,
    lasting=lambda vector, stiffness, table: stiffness,
)
"""
LAW_KEY = """        key("hardening", "hardening_per_m", "of the slope", 0.0, unit="1/m", low=0.0,
            high=1e3, when=when("hardening")),
"""
SHAPE = """
import math
from softdock.core.machine.compiled import compiled
from softdock.core.machine.parameters import Group, Parameter
from softdock.core.shapes.drawing import Drawing, Place, Solid, circle
from softdock.core.shapes.shape import IN_SHAPE, TargetShape, never_closed, one_sector
from softdock.core.shapes.touch import INSIDE, NO_TOUCH, Touch, Touches
from softdock.core.spatial.vectors import add_scaled, dot, norm, scale
import numpy as np

KEYS = Group("rod", "An endless rod along the axis.", Parameter(
    "rod_radius", "rod_radius_m", "radius of the rod", None, "m", low=0.0, high=1e3,
    when=("geometry", ("rod",))))
AT = KEYS.at

@compiled
def _across(shape, tip):
    return add_scaled(tip, -dot(shape.axis, tip), shape.axis)

@compiled
def _touch(shape, tip, radius, side, active):
    across = _across(shape, tip)
    distance = norm(across)
    normal = scale(1.0 / distance, across)
    return Touches(Touch(radius + shape.radius - distance, normal), Touch(NO_TOUCH, normal), INSIDE)

@compiled
def _gap(shape, tip, radius):
    return norm(_across(shape, tip)) - shape.radius - radius

@compiled
def _store(vector, own, mem, at):
    mem[at + IN_SHAPE.radius] = vector[own + AT.rod_radius]

@compiled
def _through(shape, radius):
    return shape.radius + radius

@compiled
def _bend(shape, tip):
    return norm(_across(shape, tip))

def _distance(pair, places):
    axis = np.array(pair["axis"]) / np.linalg.norm(pair["axis"])
    return np.linalg.norm(places - np.outer(places @ axis, axis), axis=1) - pair["rod_radius_m"]

def _places(pair, flight):
    n = flight.start - flight.origin
    n = n - (n @ flight.axis) * flight.axis
    n = n / (n @ n) ** 0.5
    return [Place(n, flight.origin + (flight.radius + pair["rod_radius_m"]) * n)]

ROD_SHAPE = TargetShape(
    "rod", keys=KEYS, touch=_touch, seat=_gap, store=_store, closed=never_closed,
    sector=one_sector, through=_through, bend=_bend,
    problems=lambda vector, own: (
        [] if vector[own] < 5.0 else [("rod_radius_m", vector[own], "< 5")]
    ),
    widest=lambda vector, own: 90.0,
    drawing=Drawing("Gap between tip and rod", "Negative: in contact.", _places, is_round=True,
                    distance=_distance,
                    solid=lambda pair: Solid(pair["rod_radius_m"], profile=(
                        (pair["rod_radius_m"], -1.0), (pair["rod_radius_m"], 1.0))),
                    lines=lambda pair, from_front: [circle("rod", pair["rod_radius_m"])]),
)
"""
RUN = """
import json, sys
import numpy as np
from softdock import Stepper, build
from softdock.core.orbit import orbit
from softdock.errors import BadInput
from softdock.report.run.approach import approach, view_of
from softdock.report.run.motion_charts import gap_title
from softdock.report.run.outline import outline
from softdock.scenario.reference_page import scenario_reference
from softdock.scene.mock_ups import target_shapes
from softdock.stability.contact_places import reachable
from softdock.stability.linearised import linearise
tables, bad = json.load(sys.stdin)
scenario = build(tables)
loop = Stepper(scenario, rows=401)
loop.step(400)
flown = orbit(scenario)
pair = scenario.tables["contact"][0]
view = view_of(scenario, loop.series)
def why_not(tables):
    try:
        build(tables)
    except BadInput as error:
        return str(error)
    return ""
depth = loop.series["contact.depth"]
deepest = int(np.argmax(depth))
force = loop.series["true.chaser.force"][deepest]
json.dump({
    "depth": float(depth[deepest]), "force": float(np.linalg.norm(force)),
    "invented": float(loop.series["energy.kinetic"][-1] / loop.series["energy.kinetic"][0]),
    "orbit_contacts": len(flown.contacts), "orbit_restitution": flown.contacts[0]["restitution"],
    "stiffness": linearise(pair["real"], "contact.0.real", 30.0, 0.02, None).stiffness,
    "note": linearise(pair["real"], "contact.0.real", 30.0, 0.02, None).note,
    "normal": reachable(scenario.tables, pair)[0].normal.tolist(),
    "title": gap_title(view)[0], "lines": [line.name for line in outline(view, 1e3, False)],
    "gap": float(approach(view, loop.series).gap.min()),
    "listed": [name for name in ("hardening", "rod_radius_m") if name in scenario_reference()],
    "refused": why_not(bad),
    "remapped": why_not({**tables, "methods": [{"name": "remapping", "contact_point": "shape"}]}),
    "drawn": [(name, float(np.ptp(mesh.vertices[:, 0])), float(np.ptp(mesh.vertices[:, 2])))
              for name, mesh in target_shapes(scenario.tables["contact"], 0.1)],
}, sys.stdout)
"""


def scenario(contact: dict) -> dict:
    """A chaser that flies against the target along x."""
    return {
        "name": "recipe",
        "time": {"cycle_ms": 4.0, "duration_s": 1.6},
        "chaser": {
            "mass_kg": 60.0,
            "inertia_kg_m2": [20.0, 20.0, 20.0],
            "position_m": [0.004, 0.0, 0.0],
            "velocity_m_per_s": [-0.02, 0.0, 0.0],
        },
        "target": {"mass_kg": 60.0, "inertia_kg_m2": [20.0, 20.0, 20.0]},
        "contact": [contact],
    }


@pytest.mark.parametrize("added", ["law", "shape"])
def test_a_law_and_a_shape_are_one_file_and_one_entry(tmp_path, added):
    """Nothing else names them: simulation, orbit, checks, analyses, reference and charts ask the
    declaration."""
    if added == "law":
        real = {"law": "hardening", "stiffness_N_per_m": 4000.0, "hardening_per_m": 3.0}
        good = scenario({"geometry": "wall", "real": real})
        bad = scenario({"geometry": "wall", "real": real | {"lambda_s_per_m": 1.0}})
        found = follow(
            tmp_path,
            {"core/shapes/hardening.py": LAW},
            {
                "core/shapes/laws.py": [
                    (
                        "\n__all__",
                        "\nfrom softdock.core.shapes.hardening import HARDENING_LAW\n",
                    ),
                    (")\nLAWS = ", "    HARDENING_LAW,\n"),
                ],
                # a key that no law has, and a number more than any has
                "core/shapes/keys.py": [
                    ("        *_friction(side, None", LAW_KEY),
                    ("    friction: int\n", "    hardening: int\n"),
                    ('"friction", "slip")', '"hardening", '),
                ],
                "core/shapes/law.py": [
                    ("    at: int  # of its table", "    hardening: float  # 1/m\n"),
                    (")\nLAW_CELLS", '    Cell("hardening", 1, "1/m", "of the slope"),\n'),
                ],
            },
            RUN,
            [good, bad],
        )
        d = found["depth"]
        assert found["force"] == pytest.approx(4000.0 * (d + 3.0 * d * d), rel=1e-12)
        assert found["stiffness"] == pytest.approx(4000.0 * (1.0 + 6.0 * 0.001))
        assert found["note"].startswith("hardening, linearised at a depth of 1 mm")
        assert found["listed"] == ["hardening"]
        assert "lambda_s_per_m" in found["refused"]
        assert "contact.0.real has no single stiffness" in found["remapped"]
    else:
        rod = {
            "geometry": "rod",
            "rod_radius_m": 0.25,
            "axis": [0.0, 0.0, 1.0],
            "origin_m": [-0.25, 0.0, 0.3],
            "real": {"stiffness_N_per_m": 4000.0},
        }
        found = follow(
            tmp_path,
            {"core/shapes/rod.py": SHAPE},
            {
                "core/shapes/models.py": [
                    ("\nSHAPE_MODELS", "\nfrom softdock.core.shapes.rod import ROD_SHAPE\n"),
                    (")\nGEOM", ", ROD_SHAPE"),
                ]
            },
            RUN,
            [scenario(rod), scenario(rod | {"rod_radius_m": 6.0})],
        )
        assert found["force"] == pytest.approx(4000.0 * found["depth"], rel=1e-12)
        assert found["normal"] == pytest.approx([1.0, 0.0, 0.0])
        assert (found["title"], found["lines"]) == ("Gap between tip and rod", ["rod"])
        assert found["gap"] == pytest.approx(-found["depth"], rel=1e-3)  # not from its origin
        assert found["listed"] == ["rod_radius_m"]
        (drawn,) = found["drawn"]  # in the scene of pages, pictures and the viewer
        assert drawn == ["rod 1", pytest.approx(0.5), pytest.approx(2.0)]
        assert "rod_radius_m" in found["refused"]
        assert "contact.0 is a rod" in found["remapped"]  # which says nothing of lines
    assert found["depth"] > 1e-4
    assert found["orbit_contacts"] == 1
    assert found["orbit_restitution"] == pytest.approx(1.0, abs=1e-6)


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
from softdock.campaign.columns import columns
from softdock.campaign.kernel_specialisation import tailor
from softdock.campaign.single_rewriting import rewritten
from softdock.core.machine.generated import SOURCES
from softdock.core.machine.specialise import Kind, kind_of, of_kind
from softdock.core.machine.vector import prepare
found = []
for tables in json.load(sys.stdin):
    scenario = build(tables)
    params = prepare(scenario.vector, scenario.markers)
    _, numbers, special = tailor(*columns(scenario, {"chaser.mass_kg": [60.0, 61.0]}))
    kind = Kind(*special.kind)
    turned = kind._replace(slow=1 - kind.slow)
    alone = params._replace(flags=params.flags._replace(slow=not params.flags.slow))
    made = of_kind(alone, kind, special.common, numbers, special.shared)
    found.append({"flag": params.flags.slow, "kind": kind_of(params).slow, "batch": kind.slow,
                  "common": special.common.slow, "constant": made.flags.slow,
                  "other": of_kind(params, turned, special.common, numbers,
                                   special.shared).flags.slow})
found.append("slow=slow(vector, known)" in rewritten(SOURCES["find_flags"]))
json.dump(found, sys.stdout, default=int)
"""


def test_a_flag_of_the_loop_is_one_edit(tmp_path):
    """A function in one file: the flag is found from a scenario's vector, reaches the loop, is a
    constant of a batch's kernel, and of its twin in single precision."""
    wall = scenario({"geometry": "wall", "real": {"stiffness_N_per_m": 4000.0}})
    quick = {**wall, "time": {"cycle_ms": 1.0, "duration_s": 1.6}}
    *found, single = follow(
        tmp_path, {}, {"core/machine/flags.py": [("\nFlags: Any", FLAG)]}, RUN_FLAG, [wall, quick]
    )
    for it, slow in zip(found, (True, False), strict=True):
        assert (it["flag"], it["kind"], it["batch"], it["common"]) == (slow, slow, slow, 1)
        assert (it["constant"], it["other"]) == (slow, not slow)  # whatever the run itself says
    assert single


METHOD = """
from typing import NamedTuple
from softdock.core.adaptation.interface import Wrenches
from softdock.core.adaptation.measured.motions import store_wrenches
from softdock.core.adaptation.memory import recorded
from softdock.core.adaptation.method import Method
from softdock.core.machine.cells import Cell, Cells
from softdock.core.machine.compiled import compiled
from softdock.core.machine.parameters import Group, Parameter
from softdock.core.spatial.motion import Wrench
from softdock.core.spatial.vectors import scale

GROUP = Group("softened", "A share of the measured wrench.", Parameter(
    "share", "share_of_force", "of the measured wrench that acts", 0.5, low=0.0, high=1.0))
CELLS = Cells("softened", recorded("held_back", "N", "of the force along x"), Cell("last", 12))

class Softened(NamedTuple):
    memory: int
    share: float

@compiled
def prepare(marker, vector, base, memory):
    return Softened(memory, vector[base + GROUP.at.share])

@compiled
def _part(method, wrench):
    return Wrench(scale(method.share, wrench.force), scale(method.share, wrench.torque))

@compiled
def wrench(method, mem, rig, measured, satellites, wrenches):
    acting = Wrenches(_part(method, wrenches.chaser), _part(method, wrenches.target))
    mem[method.memory] = wrenches.chaser.force[0] - acting.chaser.force[0]
    store_wrenches(mem, method.memory + CELLS.at.last, acting)
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
from softdock.campaign.single import twin
from softdock.core.machine.compiling import ADAPTING
from softdock.scenario.candidates import candidates
from softdock.scenario.memory_page import memory_page
from softdock.scenario.reference_page import scenario_reference
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
    "listed": ["share_of_force" in scenario_reference(), "softened" in memory_page()],
    "linked": type(scenario.markers.methods[0]) in ADAPTING,
    "single": type(twin(scenario.markers).methods[0]).__module__,
}, sys.stdout, default=float)
"""


def test_a_method_is_its_file_and_one_entry(tmp_path):
    """A method of the core as one of a user's file: nothing else names it. It acts, is recorded,
    offered to comparisons with what it suggests, listed on the pages, refused where its keys are
    wrong, and has a twin in single precision."""
    wall = scenario({"geometry": "wall", "real": {"stiffness_N_per_m": 4000.0}})
    good = {**wall, "methods": [{"name": "softened", "share_of_force": 0.5}]}
    bad = {**wall, "methods": [{"name": "softened", "share_of_force": 2.0}]}
    found = follow(
        tmp_path,
        {"core/adaptation/softened.py": METHOD},
        {"core/adaptation/registry.py": [('    "hybrid.method",\n', '    "softened",\n')]},
        RUN_METHOD,
        [good, bad],
    )
    assert max(found["acting"]) > 1.0
    assert found["held_back"] == pytest.approx(found["acting"])
    assert [one["share_of_force"] for entries in found["offered"] for one in entries] == [0.25]
    assert found["listed"] == [True, True]
    assert found["linked"]
    assert found["single"] == "softdock_single.core.adaptation.softened"
    assert "share_of_force" in found["refused"]
