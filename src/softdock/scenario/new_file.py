"""A scenario file of a rig's own numbers, every line with a comment: what `softdock new` writes.

In: answers by name (`QUESTIONS`), in the units that people use. Out: TOML text that passes
`softdock check`. Nothing is hidden: what was not asked stands in the file with its default and its
meaning.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, NamedTuple

from softdock.methods.registry import RAW
from softdock.scenario.verdict_table import VERDICT

AS_DELAY = "as --delay"


class Question(NamedTuple):
    """One answer: its option, what is asked, unit, default, and the smallest allowed."""

    name: str
    asks: str
    unit: str
    default: Any
    low: float = 0.0
    of_target: bool = False  # of a client that moves, on a robot of its own


QUESTIONS = (
    Question("chaser_mass", "mass of the servicer", "kg", 420.0, low=1e-9),
    Question("chaser_inertia", "its inertia: 3 or 9 numbers, body axes", "kg m^2", "60,75,70"),
    Question("target_mass", "mass of the client", "kg", 1150.0, low=1e-9, of_target=True),
    Question(
        "target_inertia",
        "its inertia: 3 or 9 numbers, body axes",
        "kg m^2",
        "310,280,330",
        of_target=True,
    ),
    Question("chaser_arm", "probe tip from the servicer's centre of mass", "m", 1.0),
    Question(
        "target_arm",
        "cone's mouth (or wall) from the client's centre of mass",
        "m",
        1.0,
        of_target=True,
    ),
    Question("speed", "approach speed", "mm/s", 20.0, low=1e-9),
    Question("offset", "lateral offset at touch", "mm", 15.0),
    Question("tilt", "misalignment at touch", "deg", 1.5, low=-180.0),
    Question("tumble", "tumble of the client", "deg/s", 0.3, low=-360.0, of_target=True),
    Question("stiffness", "stiffness of the contact", "N/m", 30000.0, low=1e-9),
    Question("restitution", "restitution of the contact, 0 to 1", "-", 0.6, low=1e-9),
    Question("friction", "friction coefficient", "-", 0.1),
    Question("delay", "delay of the robots, command to motion", "ms", 24.0),
    Question(
        "target_delay", "delay of the client's robot, if another", "ms", AS_DELAY, of_target=True
    ),
    Question("cycle", "control cycle", "ms", 4.0, low=1e-9),
    Question("sensor_rate", "sample rate of the force sensor", "Hz", 1000.0, low=1e-9),
    Question("noise", "its noise, standard deviation", "N", 0.2),
    Question("sensor_delay", "from a sample to its arrival", "ms", 0.0),
    Question("filter", "cut-off of its low-pass, 0: none", "Hz", 0.0),
    Question("bias", "its bias along the probe", "N", 0.0, low=-1e6),
    Question("tool_mass", "mass of the tool beyond the sensor", "kg", 2.0),
    Question("tool_error", "error of its weighing", "%", 3.0, low=-100.0),
    Question("duration", "length of a run", "s", 12.0, low=1e-9),
)
SHAPES = ("cone", "wall", "mesh")
ROBOT, FIXED = TARGETS = ("robot", "fixed")  # what carries the client


# which direction of a mesh's file looks at the servicer, and the attitude that turns it to -x
_HALF = math.sqrt(0.5)
LOOKS = {
    "z": (_HALF, 0.0, -_HALF, 0.0),
    "-z": (_HALF, 0.0, _HALF, 0.0),
    "x": (0.0, 0.0, 0.0, 1.0),
    "-x": (1.0, 0.0, 0.0, 0.0),
    "y": (_HALF, 0.0, 0.0, _HALF),
    "-y": (_HALF, 0.0, 0.0, -_HALF),
}
FINE, BALL = 0.0075, 0.05  # of a mesh's size: the cell of its grid, and the radius of the tip
FEWEST_CELLS = 2.0  # in a wall


class MeshPart(NamedTuple):
    """A client's part from a file."""

    path: Path
    named: str  # as the scenario names it
    unit: str
    looks: str  # key of LOOKS


def scenario_text(
    name: str,
    shape: str,
    answers: dict[str, Any],
    target: str = ROBOT,
    part: MeshPart | None = None,
) -> str:
    """The whole file. No comment and no description repeats a key's value, which may be changed."""
    a = {**{q.name: q.default for q in QUESTIONS}, **answers}
    other = a["delay"] if a["target_delay"] == AS_DELAY else float(a["target_delay"])
    lines = [
        f"# {name}: written by `softdock new`. The keys carry their units; change any line.",
        "# softdock check FILE    softdock run FILE    softdock why FILE    softdock compare FILE",
        "schema = 1 # version of this format",
        f'name = "{name}" # short name, also of its result folders',
        'description = "" # shown on its pages',
        "",
        "[time]",
        f"cycle_ms = {_n(a['cycle'])} # control cycle: the force is held over it",
        f"duration_s = {_n(a['duration'])} # covers the contacts and the separation",
        f"plant_steps = {4 if part is None else 8} # steps of robots and contact in a cycle",
        "",
        "[satellites]",
        'integrator = "exact_hold" # integration of the satellites under the held force',
        "",
        "[chaser] # the servicer; x along its probe",
        f"mass_kg = {_n(a['chaser_mass'])} # mass",
        f"inertia_kg_m2 = {_inertia(a['chaser_inertia'])} # about its centre of mass, body axes",
        "",
        *_target(a, target),
        *_rig(a, other, target),
        "[[contact]] # probe tip against the client",
        *(_shape(shape, a, target) if part is None else _mesh(part, a, target)),
        "[contact.real]",
        'law = "spring_damper" # force = stiffness x depth + damping x rate, never pulling',
        f"stiffness_N_per_m = {_n(a['stiffness'])} # of mock-ups and mounting in series",
        f"restitution = {_n(a['restitution'])} # sets the damping, by the effective mass",
        f"friction = {_n(a['friction'])} # Coulomb coefficient",
        "",
        "[[methods]] # compensation of the delay; `softdock compare FILE` recommends one",
        f'name = "{RAW}" # none: the measured force moves the satellites',
        "",
        "[verdict] # the limits of the verdict",
        *(f"{p.key} = {p.default} # {p.meaning}" for p in VERDICT),
    ]
    return "\n".join(lines) + "\n"


def _target(a: dict[str, Any], target: str) -> list[str]:
    """The client, and how it is approached."""
    moves = target == ROBOT
    client = [
        "[target] # the client; its opening towards -x",
        *(
            (
                f"mass_kg = {_n(a['target_mass'])} # mass",
                f"inertia_kg_m2 = {_inertia(a['target_inertia'])} # about its centre of mass, "
                "body axes",
            )
            if moves
            else (
                "fixed = true # bolted to the floor, without robot and mass; the "
                "origin is its mouth or wall",
            )
        ),
        "",
    ]
    whose = "offset, tilt and the target's attitude" if moves else "offset and tilt"
    return [
        *client,
        "[approach] # sets position, velocity and attitude of the chaser",
        f"distance_m = {_n(_distance(a))} # tip to the plane of the mouth or wall, at the start",
        f"speed_m_per_s = {_n(1e-3 * a['speed'])} # along the axis",
        f"lateral_offset_m = {_n(1e-3 * a['offset'])} # across the axis",
        f"misalignment_deg = {_n(a['tilt'])} # tilt of the chaser",
        *([f"tumble_deg_per_s = {_n(a['tumble'])} # rate of the target"] if moves else []),
        f'at = "touch" # {whose} hold when the tip reaches the plane',
        "",
    ]


def _rig(a: dict[str, Any], other: float, target: str) -> list[str]:
    """Robots, sensor and tool; `other`: the delay of the client's robot [ms]."""
    believed = a["tool_mass"] * (1.0 - 0.01 * a["tool_error"])
    second = ["[robots.target]", f"delay_ms = {_n(other)} # the same"]
    return [
        "[robots.chaser]",
        f"delay_ms = {_n(a['delay'])} # from a set-point to the mock-up's motion",
        *(["", *second] if target == ROBOT else []),
        '# model = "lag" # a robot with a lag: add lag_Hz; "limited": see the reference',
        "",
        "[sensor] # between the chaser's robot and its tool",
        f"rate_Hz = {_n(a['sensor_rate'])} # sample rate",
        'handover = "mean" # mean of the samples since the last cycle; or "latest"',
        f"delay_ms = {_n(a['sensor_delay'])} # latency of a sample",
        f"noise_N = {_n(a['noise'])} # standard deviation of a sample",
        f"lowpass_Hz = {_n(a['filter'])} # low-pass cut-off, which adds delay; 0: none",
        f"bias_N = [{_n(a['bias'])}, 0.0, 0.0] # zero offset, in sensor axes",
        "threshold_N = 0.0 # dead band: smaller forces count as zero",
        "",
        "[laboratory]",
        "gravity_m_per_s2 = [0.0, 0.0, -9.81] # acts on the tool, not on the satellites",
        "",
        "[mock_up.chaser] # the tool beyond the sensor",
        f"mass_kg = {_n(a['tool_mass'])} # true mass",
        f"centre_m = [{_n(0.9 * a['chaser_arm'])}, 0.0, 0.0] # its centre, from the chaser's",
        f"believed.mass_kg = {_n(believed)} # mass that the compensation assumes",
        "",
    ]


def _distance(a: dict[str, Any]) -> float:
    """Two seconds of free flight."""
    return float(f"{2e-3 * a['speed']:.6g}")


def _shape(shape: str, a: dict[str, Any], target: str) -> list[str]:
    mouth = -a["target_arm"] if target == ROBOT else 0.0
    lines = [
        f'geometry = "{shape}" # of the client\'s part',
        f"tip_m = [{_n(a['chaser_arm'])}, 0.0, 0.0] # centre of the tip, from the chaser's centre",
        "tip_radius_m = 0.005 # the tip is a sphere",
        f"origin_m = [{_n(mouth)}, 0.0, 0.0] # mouth or wall, from the target's centre",
        "axis = [-1.0, 0.0, 0.0] # out of the mouth, or off the wall",
    ]
    if shape == "cone":
        lines += [
            f"mouth_radius_m = {_n(max(0.05, 3e-3 * a['offset']))} # inner radius at the mouth",
            "bottom_radius_m = 0.01 # inner radius at the bottom",
            "half_angle_deg = 30.0 # between axis and wall",
            "wall_thickness_m = 0.005 # of the wall",
            "closed_bottom = true # a plate closes the bottom",
        ]
    return lines


def _mesh(part: MeshPart, a: dict[str, Any], target: str) -> list[str]:
    """A mesh whose foremost point is where a mouth would be, and whose middle is on the axis."""
    from softdock.meshes.kept import find_thin_wall, turn_matrix
    from softdock.meshes.reading import read_bytes_of, read_mesh
    from softdock.meshes.tree import make_tree

    mesh = read_mesh(read_bytes_of(part.path), part.path.name, part.unit)
    attitude = LOOKS[part.looks]
    turned = mesh._replace(vertices=mesh.vertices @ turn_matrix(attitude).T)
    low, high = turned.vertices.min(axis=0), turned.vertices.max(axis=0)
    size = float((high - low).max())
    cell = float(f"{FINE * size:.2g}")
    wall = find_thin_wall(turned, make_tree(*turned), FEWEST_CELLS * cell)[1]
    if wall < FEWEST_CELLS * cell:
        cell = float(f"{0.95 * wall / FEWEST_CELLS:.2g}")
    radius = float(f"{max(BALL * size, FEWEST_CELLS * cell):.2g}")
    mouth = -a["target_arm"] if target == ROBOT else 0.0
    middle = 0.5 * (low + high)
    origin = [float(f"{x:.6g}") + 0.0 for x in (mouth - low[0], -middle[1], -middle[2])]
    return [
        'geometry = "mesh" # of the client\'s part',
        f'file = "{part.named}" # beside this file',
        f'unit = "{part.unit}" # of the file\'s numbers',
        f"attitude_wxyz = [{', '.join(map(_n, attitude))}] # target from file",
        f"origin_m = [{', '.join(map(_n, origin))}] # the file's origin, from the target's centre",
        f"resolution_m = {_n(cell)} # cell of the grid of distances",
        f"tip_m = [{_n(a['chaser_arm'])}, 0.0, 0.0] # centre of the tip, from the chaser's centre",
        f"tip_radius_m = {_n(radius)} # the tip is a sphere",
        "axis = [-1.0, 0.0, 0.0] # towards the chaser",
    ]


def _inertia(given: Any) -> str:
    """Three or nine numbers as TOML."""
    numbers = [float(x) for x in str(given).split(",")]
    if len(numbers) == 9:
        rows = [numbers[i : i + 3] for i in (0, 3, 6)]
        return "[" + ", ".join("[" + ", ".join(map(_n, row)) + "]" for row in rows) + "]"
    return "[" + ", ".join(map(_n, numbers)) + "]"


def _n(x: float) -> str:
    return repr(float(f"{float(x):.12g}"))


def problem_of(question: Question, text: str) -> str:
    """Why an answer cannot be; empty: it can."""
    if question.default == AS_DELAY and text == AS_DELAY:
        return ""
    several = isinstance(question.default, str) and question.default != AS_DELAY
    parts = text.split(",") if several else [text]
    try:
        numbers = [float(part) for part in parts]
    except ValueError:
        return "a number" if len(parts) == 1 else "3 or 9 numbers with commas"
    if not all(math.isfinite(x) for x in numbers):
        return "finite numbers"
    if question.default == AS_DELAY:
        return "" if numbers[0] >= question.low else f"at least {question.low:g} [ms]"
    if isinstance(question.default, str):
        return "" if len(numbers) in (3, 9) else "3 or 9 numbers with commas"
    return "" if numbers[0] >= question.low else f"at least {question.low:g} [{question.unit}]"
