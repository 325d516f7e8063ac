"""A change touches few files: a contact law, a shape, a flag of the loop and a method, each added
as CONTRIBUTING says to a copy of the package, are picked up by the simulation, orbit, checks,
analyses and pages."""

from __future__ import annotations

import pytest
from recipe import follow
from recipe_scenario import scenario

LAW = """
import math
from softdock.compile.jit import compiled
from softdock.loop.contact.law import ContactLaw, Tangent
from softdock.loop.contact.spring_damper import linear_damped, no_row

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
from softdock.compile.jit import compiled
from softdock.loop.parameters import Group, Parameter
from softdock.loop.contact.drawing import Drawing, Place, Solid, circle
from softdock.loop.contact.shape import TargetShape, never_closed, one_sector
from softdock.loop.contact.touch import INSIDE, NO_TOUCH, Touch, Touches
from softdock.loop.spatial.vectors import add_scaled, dot, norm, scale
import numpy as np

KEYS = Group("rod", "An endless rod along the axis.", Parameter(
    "rod_radius", "rod_radius_m", "radius of the rod", None, "m", low=0.0, high=1e3,
    when=("geometry", ("rod",))))

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
def _store(vector, own, numbers):
    numbers.radius = KEYS(vector, own).rod_radius

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
from softdock.reference import run_reference
from softdock.errors import BadInput
from softdock.output.pages.run.motion_charts import track_tip, choose_view
from softdock.output.pages.run.motion_charts import gap_title
from softdock.output.pages.run.motion_charts import outline_lines
from scenario_page import scenario_reference
from softdock.results.scene.mock_ups import make_target_shapes
from softdock.studies.stability.from_scenario import list_reachable_places
from softdock.studies.stability.from_scenario import linearise
tables, bad = json.load(sys.stdin)
scenario = build(tables)
loop = Stepper(scenario, rows=401)
loop.step(400)
flown = run_reference(scenario)
pair = scenario.tables["contact"][0]
view = choose_view(scenario, loop.series)
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
    "normal": list_reachable_places(scenario.tables, pair)[0].normal.tolist(),
    "title": gap_title(view)[0], "lines": [line.name for line in outline_lines(view, 1e3, False)],
    "gap": float(track_tip(view, loop.series).gap.min()),
    "listed": [name for name in ("hardening", "rod_radius_m") if name in scenario_reference()],
    "refused": why_not(bad),
    "remapped": why_not({**tables, "methods": [{"name": "remapping", "contact_point": "shape"}]}),
    "drawn": [(name, float(np.ptp(mesh.vertices[:, 0])), float(np.ptp(mesh.vertices[:, 2])))
              for name, mesh in make_target_shapes(scenario.tables["contact"], 0.1)],
}, sys.stdout)
"""


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
            {"loop/contact/hardening.py": LAW},
            {
                "loop/contact/laws.py": [
                    (
                        "\n__all__",
                        "\nfrom softdock.loop.contact.hardening import HARDENING_LAW\n",
                    ),
                    (")\nLAWS = ", "    HARDENING_LAW,\n"),
                ],
                # a key that no law has, and a number more than any has
                "loop/contact/keys.py": [
                    ("        *_friction(side, None", LAW_KEY),
                ],
                "loop/contact/law.py": [
                    (
                        "    at: Annotated[int",
                        '    hardening: Annotated[float, "1/m", "of the slope"]\n',
                    ),
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
            {"loop/contact/rod.py": SHAPE},
            {
                "loop/contact/models.py": [
                    ("\nSHAPE_MODELS", "\nfrom softdock.loop.contact.rod import ROD_SHAPE\n"),
                    (")\nDEEPEST", "    ROD_SHAPE,\n"),
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
