"""A mesh as contact geometry: how exact, how fast, and whether it adds energy.

- making a grid of 2 mm of a mesh of 50,000 triangles and 0.6 m (target at most 30 s);
- its distance against the exact one of the mesh, one cell away from edges (p99 at most 0.01 mm);
- a query (target at most 0.5 us);
- `model_mediated` on these and with a bristle: how far it ends from orbit, of the approach speed;
- box, ring and ring with petals: the energy that comes back without a loss (1e-6);
- the force around closed paths over what is stored on them (target 1e-6);
- the cone from a file against softdock's own, on orbit: restitution (1e-3), and the energy that
  comes back without a loss (1e-6);
- a cycle of one body with 32 touching tips on a plane, what each of them costs (0.5 us), and a step
  of MuJoCo's with one body and 32 contacts, where it is installed (softdock no slower); the same
  with 480 more tips that are far, and with bristles.

Times are of this thread's processor, so that other work on the machine counts less.
"""

from __future__ import annotations

import importlib.util
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from softdock import build, run_loop, run_reference
from softdock.loop.contact.tips import MOST_TIPS
from softdock.loop.state import STATE
from softdock.meshes.grid import interpolate_all
from softdock.meshes.kept import Grid, make_block
from softdock.meshes.reading import Mesh
from softdock.meshes.tree import make_tree, nearest_of
from softdock.results.stepper import Stepper

LIMITS = {
    "make_s": 30.0,
    "error_p99_mm": 0.01,
    "query_us": 0.5,
    "closed_path": 1e-6,
    "restitution_apart": 1e-3,
    "energy_lost": 1e-6,
    "energy_lost_solids": 1e-6,
    "tip_us": 0.5,
    "slower_than_mujoco": 1.0,
}
CELL, TIP = 0.002, 0.01  # m
MOUTH, BOTTOM, THICK, ANGLE = 0.29, 0.1, 0.01, np.radians(30.0)  # a cone of 0.6 m


def profile() -> np.ndarray:
    """(radius, height) around the wall of the cone, the mouth at height 0."""
    deep = (MOUTH - BOTTOM) / np.tan(ANGLE)
    out, down = THICK * np.cos(ANGLE), THICK * np.sin(ANGLE)
    inner, outer = (
        [(MOUTH, 0.0), (BOTTOM, -deep)],
        [(BOTTOM + out, -deep - down), (MOUTH + out, -down)],
    )
    return np.array(inner + outer)


def cone(sides: int, pieces: int) -> Mesh:
    corners = profile()
    steps = np.arange(pieces)[:, None] / pieces
    ends = np.roll(corners, -1, axis=0)
    r, z = np.concatenate([a + steps * (b - a) for a, b in zip(corners, ends, strict=True)]).T
    turns = 2.0 * np.pi * np.arange(sides)[:, None] / sides
    vertices = np.stack([r * np.cos(turns), r * np.sin(turns), z + 0.0 * turns], -1).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(sides), np.arange(len(r)), indexing="ij")
    here, on = i * len(r), (i + 1) % sides * len(r)
    a, b, c, d = here + j, on + j, on + (j + 1) % len(r), here + (j + 1) % len(r)
    faces = np.concatenate([np.stack([a, b, c], -1), np.stack([a, c, d], -1)]).reshape(-1, 3)
    return Mesh(vertices, faces)


def places(mesh: Mesh, far: float, count: int) -> np.ndarray:
    """Outside, over the middle of triangles."""
    chance = np.random.default_rng(5)
    corners = mesh.vertices[mesh.faces[chance.integers(len(mesh.faces), size=count)]]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return np.asarray(corners.mean(axis=1) + chance.uniform(0.2, 1.0, (count, 1)) * far * normals)


def find_error(grid: Grid) -> float:
    """p99 of the distance's error [m], two cells and more outside, one cell away from edges."""
    points = places(grid.mesh, TIP, 20_000)
    exact, _ = nearest_of(make_tree(grid.mesh.vertices, grid.mesh.faces), points)
    found, gradient = grid.distances(points)
    foot = points - exact[:, None] * gradient
    place = np.stack([np.linalg.norm(foot[:, :2], axis=1), foot[:, 2]], 1)
    edge = np.min([np.linalg.norm(place - corner, axis=1) for corner in profile()], axis=0)
    far = (exact > 2.0 * CELL) & (edge > CELL)
    return float(np.percentile(np.abs(found - exact)[far], 99))


def time_query(grid: Grid) -> float:
    """Seconds of a query at places in contact, in random order."""
    points = places(grid.mesh, TIP, 200_000)
    values, gradients = np.empty(len(points)), np.empty((len(points), 3))
    times = []
    for _ in range(5):
        began = time.thread_time()
        interpolate_all(grid.address, points, values, gradients)
        times.append(time.thread_time() - began)
    return min(times) / len(points)


def go_around(grid: Grid) -> float:
    """Median over closed paths of the work of k d grad d, over the most that is stored on each."""
    turn, losses = 2.0 * np.pi * (np.arange(4000) + 0.5) / 4000, []
    for i, place in enumerate(places(grid.mesh, 0.5 * TIP, 200)):
        a, b = np.linalg.qr(np.random.default_rng(i).normal(size=(3, 2)))[0].T
        path = place + 0.2 * TIP * (np.outer(np.cos(turn), a) + np.outer(np.sin(2.0 * turn), b))
        way = 0.2 * TIP * (np.outer(-np.sin(turn), a) + 2.0 * np.outer(np.cos(2.0 * turn), b))
        distance, gradient = grid.distances(path)
        depth = np.maximum(TIP - distance, 0.0)
        work = 2.0 * np.pi * abs((np.einsum("ij,ij->i", gradient, way) * depth).mean())
        losses.append(work / (0.5 * depth.max() ** 2))
    return float(np.median(losses))


RING = {
    "geometry": "ring",
    "outer_radius_m": 0.3,
    "inner_radius_m": 0.25,
    "length_m": 0.05,
    "edge_radius_m": 0.01,
}
PETALS = {
    **RING,
    "petals": 3,
    "petal_radius_m": 0.27,
    "petal_width_m": 0.2,
    "petal_length_m": 0.15,
    "petal_thickness_m": 0.02,
    "petal_tilt_deg": 20.0,
}
BOX = {"geometry": "box", "size_m": [0.1, 0.2, 0.3], "edge_radius_m": 0.01}
# where tips meet an edge, the end and the back of a petal, ring and petal at once, edge and corner
TOUCHES = (
    (RING, (0.0, 0.303)),
    (PETALS, (0.0, 0.22)),
    (PETALS, (0.0, 0.24)),
    (PETALS, (0.02, 0.293)),
    (BOX, (0.11, 0.02)),
    (BOX, (0.153, 0.104)),
)


def lose_on_solids() -> float:
    """The largest share of the energy that is lost without damping."""
    lost = []
    for shape, (y, z) in TOUCHES:
        pair = {"tip_m": [1.0, 0.0, 0.0], "tip_radius_m": TIP, "origin_m": [-0.2, 0.0, 0.0]}
        pair |= {"axis": [-1.0, 0.0, 0.0], "real": {"stiffness_N_per_m": 5000.0}}
        body = {"mass_kg": 50.0, "inertia_kg_m2": [4.0, 5.0, 6.0]}
        chaser = {**body, "position_m": [-1.5, y, z], "velocity_m_per_s": [0.1, 0.0, 0.0]}
        tables = {"chaser": chaser, "target": body, "contact": [pair | shape]}
        flown = run_reference(build({"time": {"cycle_ms": 1.0, "duration_s": 6.0}, **tables}))
        if not flown.contact_count:
            raise RuntimeError(f"nothing touched a {shape['geometry']} at {y:g}, {z:g} m")
        lost.append(abs(1.0 - (flown.kinetic + flown.stored) / flown.kinetic_start))
    return max(lost)


def mediate() -> tuple[float, float]:
    """How far `model_mediated` ends from orbit, of the approach speed: the largest on the shapes
    above, and with a bristle."""
    apart = []
    for shape, (y, z) in (*TOUCHES[:5], ({"geometry": "wall"}, (0.0, 0.02))):
        bristle = shape["geometry"] == "wall"
        real = {"stiffness_N_per_m": 5000.0, "damping_Ns_per_m": 20.0}
        if bristle:
            real |= {"friction": 0.2, "friction_stiffness_N_per_m": 1e4}
        pair = {"tip_m": [1.0, 0.0, 0.0], "tip_radius_m": TIP, "origin_m": [-0.2, 0.0, 0.0]}
        pair |= {"axis": [-1.0, 0.0, 0.0], "real": real, **shape}
        body = {"mass_kg": 50.0, "inertia_kg_m2": [4.0, 5.0, 6.0]}
        chaser = {"position_m": [-1.45, y, z], "velocity_m_per_s": [0.05, 0.01 * bristle, 0.0]}
        delays = {name: {"delay_ms": 16.0} for name in ("chaser", "target")}
        scenario = build(
            {
                "time": {"cycle_ms": 4.0, "duration_s": 8.0},
                "chaser": body | chaser,
                "target": body,
                "contact": [pair],
                "robots": delays,
                "methods": [{"name": "model_mediated"}],
            }
        )
        run, orbit = run_loop(scenario), run_reference(scenario)
        if not orbit.contact_count:
            raise RuntimeError(f"nothing touched a {shape['geometry']} at {y:g}, {z:g} m")
        off = run.series["chaser.velocity"][-1] - orbit.chaser[7:10]
        apart.append(float(np.linalg.norm(off)) / 0.05)
    return max(apart[:-1]), apart[-1]


def cone_dockings(folder: Path) -> list[dict[str, Any]]:
    """A docking into softdock's own cone, and the same into a mesh of it."""
    mesh = cone(2000, 6)
    lines = [f"v {x:.17g} {y:.17g} {z:.17g}" for x, y, z in mesh.vertices]
    lines += [f"f {a} {b} {c}" for a, b, c in mesh.faces + 1]
    (folder / "cone.obj").write_text("\n".join(lines))
    own = {
        "geometry": "cone",
        "mouth_radius_m": MOUTH,
        "bottom_radius_m": BOTTOM,
        "half_angle_deg": float(np.degrees(ANGLE)),
        "wall_thickness_m": THICK,
    }
    files = {
        "geometry": "mesh",
        "file": str(folder / "cone.obj"),
        "attitude_wxyz": [0.5**0.5, 0.0, -(0.5**0.5), 0.0],
        "resolution_m": CELL,
    }
    body = {"mass_kg": 50.0, "inertia_kg_m2": [4.0, 5.0, 6.0]}
    found = []
    for shape in (own, files):
        pair = {"tip_m": [1.0, 0.0, 0.0], "tip_radius_m": TIP, "origin_m": [-0.2, 0.0, 0.0]}
        pair |= {"axis": [-1.0, 0.0, 0.0], "real": {"stiffness_N_per_m": 5000.0}}
        chaser = {"position_m": [-1.35, 0.17, 0.05], "velocity_m_per_s": [0.1, 0.0, 0.0]}
        tables = {"chaser": {**body, **chaser}, "target": body, "contact": [pair | shape]}
        found.append({"time": {"cycle_ms": 1.0, "duration_s": 5.0}, **tables})
    return found


def compare_cones(folder: Path) -> tuple[float, float]:
    """Restitution of the file's cone less that of softdock's own, and the share of the energy that
    is lost without damping."""
    flown = [run_reference(build(tables)) for tables in cone_dockings(folder)]
    a, b = (one.contacts[0]["restitution"] for one in flown)
    return abs(a - b), abs(1.0 - flown[1].kinetic / flown[1].kinetic_start)


CYCLES, WARM_UP, REPEATS = 5000, 100, 10
TIPS = 32


def ring(number: int) -> list[list[float]]:
    turn = 2.0 * np.pi * np.arange(number) / number
    return [[0.0, 0.1 * np.cos(a), 0.1 * np.sin(a), TIP, 1.0] for a in turn]


def time_tips(number: int, far: int = 0, **friction: float) -> float:
    """Seconds of a cycle, so many tips of a body touching a wall, and others far off."""
    body = {"mass_kg": 100.0, "inertia_kg_m2": [4.0, 5.0, 6.0]}
    pair: dict[str, Any] = {"geometry": "wall", "axis": [-1.0, 0.0, 0.0], "tips": ring(number)}
    pair["tips"] += [[x - 1.0, *rest] for x, *rest in ring(far)]
    pair |= {"real": {"stiffness_N_per_m": 1.0, **friction}}
    chaser = {"position_m": [-TIP, 0.0, 0.0], "velocity_m_per_s": [1e-3, 0.0, 0.0]}
    tables = {"chaser": {**body, **chaser}, "target": {**body, "fixed": True}, "contact": [pair]}
    duration = 1e-3 * (WARM_UP + CYCLES)
    loop = Stepper(build({"time": {"cycle_ms": 1.0, "duration_s": duration}, **tables}))
    loop.step(WARM_UP)
    before = loop.state[STATE.at.depth]
    began = time.thread_time()
    loop.step(CYCLES)
    took = time.thread_time() - began
    if not (before > 0.0 and loop.state[STATE.at.depth] > 0.0):
        raise RuntimeError("the tips parted while being timed")
    return took / CYCLES


def time_mujoco(number: int) -> float:
    """Seconds of MuJoCo's step: one body of so many spheres pressed on a plane."""
    import mujoco

    spheres = "".join(
        f'<geom type="sphere" size="{r}" pos="{y} {z} 0" friction="0 0 0" condim="1" mass="3"/>'
        for _, y, z, r, _ in ring(number)
    )
    text = (
        '<mujoco><option timestep="0.001"/><worldbody><geom type="plane" size="1 1 1" condim="1"/>'
        f'<body pos="0 0 {TIP}"><freejoint/>{spheres}</body></worldbody></mujoco>'
    )
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, nstep=WARM_UP)
    before = data.ncon
    began = time.thread_time()
    mujoco.mj_step(model, data, nstep=CYCLES)
    took = time.thread_time() - began
    if not before == data.ncon == number:
        raise RuntimeError(f"MuJoCo had {before} and {data.ncon} contacts in place of {number}")
    return took / CYCLES


def time_sets() -> dict[str, float]:
    """us of a cycle, of a tip, and of MuJoCo's step: turn by turn, the best of each."""
    timers = {
        "one": lambda: time_tips(1),
        "many": lambda: time_tips(TIPS),
        "far": lambda: time_tips(TIPS, MOST_TIPS - TIPS),
        "bristles": lambda: time_tips(TIPS, friction=0.3, friction_stiffness_N_per_m=10.0),
    }
    if importlib.util.find_spec("mujoco"):
        timers["mujoco"] = lambda: time_mujoco(TIPS)
    turns = [{name: timer() for name, timer in timers.items()} for _ in range(REPEATS)]
    best = {name: 1e6 * min(turn[name] for turn in turns) for name in timers}
    found = {"cycle_of_32_tips_us": best["many"], "with_480_far_us": best["far"]}
    found["with_bristles_us"] = best["bristles"]
    found["tip_us"] = (best["many"] - best["one"]) / (TIPS - 1)
    if "mujoco" in best:
        found["mujoco_step_us"] = best["mujoco"]
        found["slower_than_mujoco"] = best["many"] / best["mujoco"]
    return found


def run() -> dict[str, Any]:
    small = cone(12, 1)
    make_block(small, "warm", 0.004, 0.02)  # compiles
    mesh = cone(1000, 6)
    began, used = time.perf_counter(), time.process_time()
    block = make_block(mesh, "cone", CELL, TIP)
    made, used = time.perf_counter() - began, time.process_time() - used
    grid = Grid(block, mesh)
    grid.distances(places(mesh, TIP, 10))
    with tempfile.TemporaryDirectory() as folder:
        apart, lost = compare_cones(Path(folder))
    mediated, rubbed = mediate()
    found: dict[str, Any] = {
        "make_s": made,
        "make_processor_s": used,
        "error_p99_mm": 1e3 * find_error(grid),
        "query_us": 1e6 * time_query(grid),
        "closed_path": go_around(grid),
        "restitution_apart": apart,
        "energy_lost": lost,
        "energy_lost_solids": lose_on_solids(),
        "mediated_apart": mediated,
        "mediated_apart_bristle": rubbed,
        **time_sets(),
    }
    met = all(found.get(key, 0.0) <= limit for key, limit in LIMITS.items())
    sizes = {"triangles": len(mesh.faces), "grid_MB": block.nbytes / 1e6}
    target = ", ".join(f"{key} {limit:g}" for key, limit in LIMITS.items())
    return {**found, **sizes, "target": target, "met": met}
