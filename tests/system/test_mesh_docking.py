"""A cone from a file touches as softdock's own cone does: in the loop, on orbit and in a campaign;
and what a mesh needs is refused before the clock starts."""

from __future__ import annotations

import numpy as np
import pytest
from mesh_files import ANGLE, BOTTOM, MOUTH, THICK, cone_profile, revolved, write_stl

from softdock import build, run_loop, run_reference
from softdock.errors import BadInput
from softdock.loop.contact.pairs import PAIR, PAIR_FLOATS
from softdock.loop.specialise import Numbers
from softdock.loop.vector import PAIRS_AT
from softdock.results.scene.mock_ups import make_target_shapes
from softdock.studies.campaign.batch import run_cpu
from softdock.studies.campaign.columns import make_columns
from softdock.studies.campaign.device_grids import IN_NUMBERS, with_device_grids

TURNED = [0.5**0.5, 0.0, -(0.5**0.5), 0.0]  # z of the file, out of the mouth, is -x of the target
OWN = {
    "geometry": "cone",
    "mouth_radius_m": MOUTH,
    "bottom_radius_m": BOTTOM,
    "half_angle_deg": float(np.degrees(ANGLE)),
    "wall_thickness_m": THICK,
}
RADIUS, CELL = 0.008, 0.001  # m


@pytest.fixture(scope="module")
def mesh(tmp_path_factory):
    path = tmp_path_factory.mktemp("mesh") / "cone.stl"
    write_stl(path, *revolved(cone_profile(), sides=1000, pieces=12))
    return {
        "geometry": "mesh",
        "file": str(path),
        "attitude_wxyz": TURNED,
        "resolution_m": CELL,
    }


def docking(shape, stiffness=5000.0, duration=1.6, **real):
    body = {"mass_kg": 50.0, "inertia_kg_m2": [4.0, 5.0, 6.0]}
    return {
        "time": {"cycle_ms": 1.0, "duration_s": duration},
        "chaser": {**body, "position_m": [-1.28, 0.021, 0.008], "velocity_m_per_s": [0.1, 0, 0]},
        "target": body,
        "contact": [
            {
                "tip_m": [1.0, 0.0, 0.0],
                "tip_radius_m": RADIUS,
                "origin_m": [-0.2, 0.0, 0.0],
                "axis": [-1.0, 0.0, 0.0],
                "real": {"stiffness_N_per_m": stiffness, **real},
                **shape,
            }
        ],
    }


def test_the_loop_touches_a_file_s_cone_as_its_own(mesh):
    own, files = (run_loop(build(docking(shape, damping_Ns_per_m=10.0))) for shape in (OWN, mesh))
    assert files.contact_count == own.contact_count == 1
    for key in ("restitution", "peak_force_real_N", "impulse_Ns"):
        a, b = own.contacts[0][key], files.contacts[0][key]
        assert b == pytest.approx(a, rel=4e-3), key  # a cycle more or less at the touch
    pair = files.scenario.tables["contact"]
    (_, drawn) = make_target_shapes(pair, 0.1)[0]
    assert np.ptp(drawn.vertices, axis=0)[1] == pytest.approx(
        2.0 * (MOUTH + THICK * 0.866), rel=1e-3
    )


def test_orbit_keeps_the_energy_and_the_cone_s_restitution(mesh):
    """Without a loss the energy of the approach comes back to 1e-6; restitution is the analytic
    cone's to 1e-3."""
    own, files = (run_reference(build(docking(shape))) for shape in (OWN, mesh))
    for flown in (own, files):
        assert flown.contact_count == 1
        assert flown.contacts[0]["restitution_energetic"] == pytest.approx(1.0, abs=1e-6)
        assert flown.kinetic == pytest.approx(flown.kinetic_start, rel=1e-6)
    assert files.contacts[0]["restitution"] == pytest.approx(
        own.contacts[0]["restitution"], abs=1e-3
    )
    assert files.contacts[0]["impulse_Ns"] == pytest.approx(own.contacts[0]["impulse_Ns"], rel=1e-3)


def test_a_batch_shares_the_grid(mesh):
    scenario = build(docking(mesh))
    speeds = np.array([0.09, 0.1])
    swept = {"chaser.velocity_m_per_s.0": speeds}
    batch = run_cpu(*make_columns(scenario, swept), threads=2)
    run = run_loop(scenario)
    assert batch.column("contacts").tolist() == [1, 1]
    assert batch.contact(0, "impulse_Ns")[1] == run.contacts[0]["impulse_Ns"]
    with pytest.raises(BadInput, match="one value in a batch"):
        make_columns(scenario, {"contact.0.tip_radius_m": np.array([0.008, 0.009])})


def test_a_gpu_gets_the_address_of_its_own_copy(mesh):
    """In the vectors and in the numbers that all runs share; a copy is made once."""

    class Cuda:
        copies = 0

        def to_device(self, block):
            self.copies += 1
            copy = block.copy()
            pointer = type("Pointer", (), {"value": copy.ctypes.data, "copy": copy})
            return type("Array", (), {"device_ctypes_pointer": pointer})

    scenario, cuda = build(docking(mesh)), Cuda()
    column = PAIRS_AT + PAIR.at.mesh_file
    here = scenario.vector[column]
    pair = np.zeros(PAIR_FLOATS)
    pair[IN_NUMBERS[0]] = here
    numbers = Numbers(**{**dict.fromkeys(Numbers._fields, ()), "pair": tuple(pair)})
    moved, shared = with_device_grids(cuda, np.stack([scenario.vector] * 2), numbers)
    assert cuda.copies == 1
    assert moved[0, column] == moved[1, column] == shared.pair[IN_NUMBERS[0]] != here
    assert scenario.vector[column] == here
    assert (np.delete(moved, column, 1) == np.delete(scenario.vector, column)).all()


def test_a_tip_that_would_go_through_ends_the_run(mesh):
    soft = build(docking(mesh, stiffness=50.0, duration=2.5))
    assert run_loop(soft).status == run_reference(soft).status == "a tip is too deep in a wall"


def test_what_a_mesh_needs_is_refused(mesh, tmp_path):
    for changes, words in (
        ({"file": str(tmp_path / "none.stl")}, "contact.0.file"),
        ({"tip_radius_m": 0.001}, "contact.0.tip_radius_m: given 0.001; allowed: at least 0.002"),
        ({"resolution_m": 1e-5}, "contact.0.resolution_m"),
        ({"unit": "mm"}, "a size of 0.001 to 20 m"),
        ({"unit": "km"}, "one of m, cm, mm, in"),
    ):
        with pytest.raises(BadInput) as refused:
            build(docking({**mesh, **changes}))
        assert words in str(refused.value)


def test_the_interpolation_compiles_for_a_gpu(compile_for_h200):
    from numba import types

    from softdock.meshes.grid import interpolate

    def kernel(address, out):
        value, gradient = interpolate(address, (out[0], out[1], out[2]))
        out[0], out[1] = value, gradient[0]

    assert ".f64" in compile_for_h200(kernel, (types.int64, types.float64[::1]))
