"""A STEP file becomes the mesh of its solid: the extra `step` brings cascadio.

Behind the marker `oracle`: without the package the test says so and skips, with
SOFTDOCK_REQUIRE_ORACLES=1 it fails.
"""

from __future__ import annotations

import importlib.util
import os

import numpy as np
import pytest

from softdock.errors import BadInput
from softdock.meshes.reading import read_mesh, volume

MISSING = importlib.util.find_spec("cascadio") is None
if MISSING and os.environ.get("SOFTDOCK_REQUIRE_ORACLES") == "1":
    raise ModuleNotFoundError("cascadio: install the dependency group 'oracles'")
pytestmark = [
    pytest.mark.oracle,
    pytest.mark.skipif(MISSING, reason="no cascadio: uv sync --group oracles"),
]
HEAD = """ISO-10303-21;
HEADER;
FILE_DESCRIPTION((''),'2;1');
FILE_NAME('part','2000-01-01T00:00:00',(''),(''),'','','');
FILE_SCHEMA(('AUTOMOTIVE_DESIGN { 1 0 10303 214 1 1 1 1 }'));
ENDSEC;
DATA;
"""
END = "ENDSEC;\nEND-ISO-10303-21;\n"
BASIS = """#1=APPLICATION_CONTEXT('automotive design');
#2=PRODUCT_CONTEXT('',#1,'mechanical');
#3=PRODUCT('part','part','',(#2));
#4=PRODUCT_DEFINITION_FORMATION('','',#3);
#5=PRODUCT_DEFINITION_CONTEXT('part definition',#1,'design');
#6=PRODUCT_DEFINITION('design','',#4,#5);
#7=PRODUCT_DEFINITION_SHAPE('','',#6);
#8=(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT(.MILLI.,.METRE.));
#9=(NAMED_UNIT(*)PLANE_ANGLE_UNIT()SI_UNIT($,.RADIAN.));
#10=(NAMED_UNIT(*)SI_UNIT($,.STERADIAN.)SOLID_ANGLE_UNIT());
#11=UNCERTAINTY_MEASURE_WITH_UNIT(LENGTH_MEASURE(1.E-6),#8,'distance_accuracy_value','');
#12=(GEOMETRIC_REPRESENTATION_CONTEXT(3)GLOBAL_UNCERTAINTY_ASSIGNED_CONTEXT((#11))
GLOBAL_UNIT_ASSIGNED_CONTEXT((#8,#9,#10))REPRESENTATION_CONTEXT('',''));
#13=CARTESIAN_POINT('',(0.,0.,0.));
#14=DIRECTION('',(0.,0.,1.));
#15=DIRECTION('',(1.,0.,0.));
#16=AXIS2_PLACEMENT_3D('',#13,#14,#15);
"""


def cylinder(radius: float, height: float) -> bytes:
    """A solid cylinder along z from 0, mm: two planes and a cylindrical face with its seam."""
    return (
        HEAD
        + BASIS
        + f"""#20=CARTESIAN_POINT('',({radius},0.,0.));
#21=CARTESIAN_POINT('',({radius},0.,{height}));
#22=VERTEX_POINT('',#20);
#23=VERTEX_POINT('',#21);
#24=CARTESIAN_POINT('',(0.,0.,{height}));
#25=AXIS2_PLACEMENT_3D('',#24,#14,#15);
#26=CIRCLE('',#16,{radius});
#27=CIRCLE('',#25,{radius});
#28=EDGE_CURVE('',#22,#22,#26,.T.);
#29=EDGE_CURVE('',#23,#23,#27,.T.);
#30=VECTOR('',#14,1.);
#31=LINE('',#20,#30);
#32=EDGE_CURVE('',#22,#23,#31,.T.);
#33=ORIENTED_EDGE('',*,*,#28,.T.);
#34=ORIENTED_EDGE('',*,*,#32,.T.);
#35=ORIENTED_EDGE('',*,*,#29,.F.);
#36=ORIENTED_EDGE('',*,*,#32,.F.);
#37=EDGE_LOOP('',(#33,#34,#35,#36));
#38=FACE_OUTER_BOUND('',#37,.T.);
#39=CYLINDRICAL_SURFACE('',#16,{radius});
#40=ADVANCED_FACE('',(#38),#39,.T.);
#41=ORIENTED_EDGE('',*,*,#28,.F.);
#42=EDGE_LOOP('',(#41));
#43=FACE_OUTER_BOUND('',#42,.T.);
#44=PLANE('',#16);
#45=ADVANCED_FACE('',(#43),#44,.F.);
#46=ORIENTED_EDGE('',*,*,#29,.T.);
#47=EDGE_LOOP('',(#46));
#48=FACE_OUTER_BOUND('',#47,.T.);
#49=PLANE('',#25);
#50=ADVANCED_FACE('',(#48),#49,.T.);
#51=CLOSED_SHELL('',(#40,#45,#50));
#52=MANIFOLD_SOLID_BREP('',#51);
#53=ADVANCED_BREP_SHAPE_REPRESENTATION('',(#16,#52),#12);
#54=SHAPE_DEFINITION_REPRESENTATION(#7,#53);
"""
        + END
    ).encode()


def test_a_cylinder_is_closed_in_metres_and_fine():
    mesh = read_mesh(cylinder(200.0, 300.0), "part.step", "m")
    assert np.abs(np.ptp(mesh.vertices, axis=0) - [0.4, 0.4, 0.3]).max() < 1e-4
    assert mesh.vertices[:, 2].min() == pytest.approx(0.0, abs=1e-9)  # z stays z
    radii = np.linalg.norm(mesh.vertices[:, :2], axis=1)
    assert radii.max() == pytest.approx(0.2, abs=1e-7)  # the file's own millimetres
    middles = mesh.vertices[mesh.faces[:, [0, 1]]].mean(axis=1)
    middles = middles[(middles[:, 2] > 0.001) & (middles[:, 2] < 0.299)]
    assert 0.2 - np.linalg.norm(middles[:, :2], axis=1).min() < 2e-5  # m, off the surface
    assert volume(mesh) == pytest.approx(np.pi * 0.2**2 * 0.3, rel=2e-4)


def test_a_step_file_without_a_solid_is_refused():
    with pytest.raises(BadInput, match=r"OpenCASCADE can read|a mesh with triangles"):
        read_mesh((HEAD + BASIS + END).encode(), "part.step", "m")
