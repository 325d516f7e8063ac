"""The `[facility]` table: who stands where in the laboratory, and which frame is which.

Shared by scenarios, rig files and arms; it knows none of them. Frames, each in the one before:

    laboratory    the room; z up unless gravity says otherwise
    orbit         the loop's world frame in the laboratory (`orbit_m`, `orbit_wxyz`; in a scenario
                  by default where its `[laboratory]` lays it)
    robot base    of each arm in the laboratory (`base_m`, `base_wxyz`)
    flange        follows from the arm's joints
    mock-up       in the flange's frame (`mock_up_m`, `mock_up_wxyz`), axes of the satellite
    centre of mass    of the satellite, in the mock-up's frame: the point that the loop moves

`read_facility` takes a plain table and gives back frames, or `BadInput` with every problem at once;
`facility_tables` is the way back.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from softdock.errors import BadInput, Problem
from softdock.files.schema import OPTIONAL, Parameter, file_key, own_key
from softdock.files.tables import Locate, Reader, nowhere
from softdock.loop.spatial.arrays import composed, rotate

ROBOTS = ("chaser", "target")
SHAPES = ("sphere", "capsule", "box")
MOST_VOLUMES = 64
NEAREST_BASES = 0.05  # m; two robots nearer than this stand in the same place
FAR = 1000.0  # m; larger rooms are a slip of the finger
Numbers = tuple[float, ...]


@dataclass(frozen=True)
class Frame:
    """A frame in another: where its origin is and how it is turned (w, x, y, z)."""

    p: Numbers = (0.0, 0.0, 0.0)
    q: Numbers = (1.0, 0.0, 0.0, 0.0)

    def then(self, other: Frame) -> Frame:
        """`other`, given in this frame, as seen from where this frame is given."""
        p = np.add(self.p, self.turned(other.p))
        return Frame(tuple(p.tolist()), tuple(composed(self.q, other.q).tolist()))

    def back(self) -> Frame:
        """The frame in which this one is given, as seen from this one."""
        inverse = Frame((0.0, 0.0, 0.0), (self.q[0], *(-v for v in self.q[1:])))
        return Frame(tuple((-np.array(inverse.turned(self.p))).tolist()), inverse.q)

    def turned(self, a: Any) -> Numbers:
        """A direction of this frame in the axes of the other."""
        return tuple(rotate(np.array(self.q), np.asarray(a, float)).tolist())

    def seven(self) -> np.ndarray:
        """As compiled code has a pose: position, then quaternion."""
        return np.array([*self.p, *self.q])


SAME = Frame()


@dataclass(frozen=True)
class Volume:
    """A simple volume: a sphere or a capsule (start, end, radius) or a box (frame, half edges)."""

    name: str
    shape: str
    start: Numbers = (0.0, 0.0, 0.0)
    end: Numbers = (0.0, 0.0, 0.0)
    radius: float = 0.0
    place: Frame = Frame()
    half: Numbers = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Load:
    """What the flange carries, in the mock-up's frame; None in a mount: what the scenario says."""

    mass: float  # kg
    centre: Numbers  # m
    inertia: Numbers  # kg m^2, about the centre


@dataclass(frozen=True)
class Mount:
    """One robot: its arm, where it stands, and what it holds how."""

    arm: str | Mapping[str, Any]  # a preset, a file, or a table of axes; "": not said
    base: Frame  # in the laboratory
    mock_up: Frame = Frame()  # in the flange
    centre_of_mass: Numbers = (0.0, 0.0, 0.0)  # in the mock-up
    base_axis: float = 0.0  # m or rad: where the rail or the turntable stands at the start
    follows: float = 0.0  # share of the flange's way that it takes over; 0: it stands still
    follow_lag: float = 1.0  # s, with which it does: contacts are left to the joints
    under: Mapping[str, Any] | None = None  # a rail or turntable under an arm that has none
    joints: Numbers | None = None  # rad; a configuration to start near
    load: Load | None = None
    volumes: tuple[Volume, ...] = ()  # of the mock-up, in its frame

    @property
    def satellite(self) -> Frame:
        """The satellite's frame, at its centre of mass, in the flange."""
        return self.mock_up.then(Frame(self.centre_of_mass))


@dataclass(frozen=True)
class Facility:
    """The whole room."""

    orbit: Frame = Frame()  # in the laboratory
    gravity: Numbers = (0.0, 0.0, -9.81)  # m/s^2, laboratory axes
    chaser: Mount | None = None
    target: Mount | None = None
    obstacles: tuple[Volume, ...] = ()  # in the laboratory

    def robots(self) -> dict[str, Mount]:
        """The robots that there are."""
        both = {"chaser": self.chaser, "target": self.target}
        return {name: mount for name, mount in both.items() if mount is not None}


def _place(key: str, meaning: str, default: Any = None, most: float = FAR) -> Parameter:
    return file_key(key, meaning, default, unit="m", low=-most, high=most, size=3)


def _attitude(key: str, default: Numbers = SAME.q) -> Parameter:
    return file_key(key, "its axes", default, kind="quaternion", size=4)


def _is_arm(value: Any) -> bool:
    return isinstance(value, str | Mapping) and bool(value)


_BOX, _CAPSULE, _ROUND = (
    ("shape", ("box",)),
    ("shape", ("capsule",)),
    ("shape", ("sphere", "capsule")),
)
VOLUME = (
    file_key("shape", "of the volume", choices=SHAPES),
    replace(_place("centre_m", "its centre"), when=("shape", ("sphere", "box"))),
    replace(_attitude("wxyz"), when=_BOX),
    file_key("half_m", "half edges", unit="m", low=0.0, open_low=True, high=FAR, size=3, when=_BOX),
    replace(_place("start_m", "centre of one end"), when=_CAPSULE),
    replace(_place("end_m", "centre of the other end"), when=_CAPSULE),
    file_key("radius_m", "its radius", unit="m", low=0.0, open_low=True, high=FAR, when=_ROUND),
)
ARM = own_key(
    "arm",
    "which arm it is",
    "the name of a preset, a .toml or .urdf file, or a table of axes",
    _is_arm,
)
MOUNT = (
    file_key(
        "joints_deg",
        "a configuration to start near",
        OPTIONAL,
        "joints",
        unit="deg",
        low=-1e6,
        high=1e6,
        size=6,
    ),
    file_key(
        "base_axis_deg", "where the turntable stands", OPTIONAL, unit="deg", low=-1e4, high=1e4
    ),
    file_key("base_axis_m", "where the rail stands", 0.0, unit="m", low=-FAR, high=FAR),
    _place("centre_of_mass_m", "of the satellite, in the mock-up", SAME.p),
    file_key(
        "base_axis_follows",
        "share of the flange's way that it takes",
        0.0,
        "follows",
        low=0.0,
        high=1.0,
    ),
    file_key(
        "base_axis_lag_s",
        "with which it does",
        1.0,
        "follow_lag",
        unit="s",
        low=0.0,
        open_low=True,
        high=1e3,
    ),
)
LOAD = (
    file_key("load_kg", "what the flange carries", name="mass", unit="kg", low=0.0, high=1e4),
    replace(_place("load_centre_m", "its centre, in the mock-up", SAME.p), name="centre"),
    file_key(
        "load_inertia_kg_m2",
        "about it",
        (0.0,) * 6,
        "inertia",
        unit="kg m^2",
        kind="moments",
        size=6,
    ),
)


def read_facility(
    table: Any,
    locate: Locate = nowhere,
    path: str = "facility",
    orbit: Frame = SAME,
    gravity: Numbers = (0.0, 0.0, -9.81),
    arm_needed: bool = True,
) -> Facility:
    """A facility from a plain table. Raises `BadInput` with every problem found.

    `orbit`, `gravity`: what holds where the table does not say. `arm_needed`: whether every robot
    must say which arm it is; a rig file may leave that open, and its frames hold all the same.
    """
    problems: list[Problem] = []
    top = Reader(table, path, problems, locate)
    pull = file_key(
        "gravity_m_per_s2", "in the room", gravity, unit="m/s^2", low=-100.0, high=100.0, size=3
    )
    facility = Facility(
        orbit=_frame(top, "orbit", orbit),
        gravity=top.value(pull),
        chaser=_mount(top, "chaser", arm_needed),
        target=_mount(top, "target", arm_needed),
        obstacles=tuple(_volume(row) for row in top.rows("obstacles", MOST_VOLUMES)),
    )
    top.done()
    if not facility.robots() and not problems:
        top.refuse("chaser", None, f"a robot: [{path}.chaser], [{path}.target] or both")
    problems += [] if problems else same_place(facility, path, locate)
    if problems:
        raise BadInput(problems)
    return facility


def same_place(
    facility: Facility, path: str = "facility", locate: Locate = nowhere
) -> list[Problem]:
    """Two robots that stand in each other."""
    robots = facility.robots()
    if len(robots) < 2:
        return []
    away = math.dist(robots["chaser"].base.p, robots["target"].base.p)
    if away >= NEAREST_BASES:
        return []
    key = f"{path}.target.base_m"
    allowed = (
        f"a place at least {NEAREST_BASES:g} m from the chaser's base; "
        "softdock place finds one for each robot"
    )
    value = f"{list(robots['target'].base.p)}, {away:.3g} m from the chaser's base"
    return [Problem(key, value, allowed, locate(key))]


def _frame(row: Reader, name: str, default: Frame | None = None) -> Frame:
    """A frame by its two keys. Without a default the position must be given."""
    p = row.value(_place(f"{name}_m", "its origin", None if default is None else default.p))
    return Frame(p, row.value(_attitude(f"{name}_wxyz", (default or SAME).q)))


def _mount(top: Reader, name: str, arm_needed: bool) -> Mount | None:
    if not top.has(name):
        top.take(name)
        return None
    row = top.inner(name)
    arm = row.value(ARM if arm_needed else replace(ARM, default=OPTIONAL))
    own = row.read(MOUNT)
    angle, slide = own.pop("base_axis_deg"), own.pop("base_axis_m")
    joints = own.pop("joints")
    mount = Mount(
        arm=arm if _is_arm(arm) else "",
        base=_frame(row, "base"),
        mock_up=_frame(row, "mock_up", SAME),
        centre_of_mass=own.pop("centre_of_mass_m"),
        base_axis=slide if angle is None else math.radians(angle),
        under=row.take("base_axis"),  # read with the arm
        joints=None if joints is None else tuple(math.radians(v) for v in joints),
        load=_load(row),
        volumes=tuple(_volume(each) for each in row.rows("volumes", MOST_VOLUMES)),
        **own,
    )
    row.done()
    return mount


def _load(row: Reader) -> Load | None:
    if not row.has(LOAD[0].key):
        for parameter in LOAD:
            if not row.has(parameter.key):
                row.take(parameter.key)
        return None
    return Load(**row.read(LOAD))


def _volume(row: Reader) -> Volume:
    last = row.path.rpartition(".")[2]
    name = row.value(file_key("name", "of the volume", last, kind="text", high=40))
    own = row.read(VOLUME)
    row.done()
    shape, centre, radius = own["shape"], own["centre_m"], own["radius_m"]
    if shape == "box":
        place = Frame(centre or SAME.p, own["wxyz"] or SAME.q)
        return Volume(name, shape, place=place, half=own["half_m"] or SAME.p)
    start, end = own["start_m"] or centre or SAME.p, own["end_m"] or centre or SAME.p
    return Volume(name=name, shape=shape, start=start, end=end, radius=radius or 0.0)


def facility_tables(facility: Facility, round_to: int = 9) -> dict[str, Any]:
    """A facility as a plain table; reading it back gives the same one, rounded."""

    def plain(values: Numbers) -> list[float]:
        return [round(float(v), round_to) + 0.0 for v in values]

    def framed(name: str, frame: Frame) -> dict[str, Any]:
        return {f"{name}_m": plain(frame.p), f"{name}_wxyz": plain(frame.q)}

    def of(volume: Volume) -> dict[str, Any]:
        table: dict[str, Any] = {"name": volume.name, "shape": volume.shape}
        if volume.shape == "box":
            place = {"centre_m": plain(volume.place.p), "wxyz": plain(volume.place.q)}
            return table | place | {"half_m": plain(volume.half)}
        if volume.shape == "sphere":
            return table | {"centre_m": plain(volume.start), "radius_m": volume.radius}
        ends = {"start_m": plain(volume.start), "end_m": plain(volume.end)}
        return table | ends | {"radius_m": volume.radius}

    table = framed("orbit", facility.orbit) | {"gravity_m_per_s2": plain(facility.gravity)}
    for name, mount in facility.robots().items():
        row: dict[str, Any] = ({"arm": mount.arm} if mount.arm else {}) | framed("base", mount.base)
        row |= framed("mock_up", mount.mock_up)
        row["centre_of_mass_m"] = plain(mount.centre_of_mass)
        if mount.base_axis:
            row["base_axis_m"] = mount.base_axis
        if mount.follows:
            row |= {"base_axis_follows": mount.follows, "base_axis_lag_s": mount.follow_lag}
        if mount.under is not None:
            row["base_axis"] = mount.under
        if mount.joints is not None:
            row["joints_deg"] = plain(tuple(math.degrees(v) for v in mount.joints))
        if mount.load is not None:
            row |= {"load_kg": mount.load.mass, "load_centre_m": plain(mount.load.centre)}
            row["load_inertia_kg_m2"] = plain(mount.load.inertia)
        if mount.volumes:
            row["volumes"] = [of(volume) for volume in mount.volumes]
        table[name] = row
    if facility.obstacles:
        table["obstacles"] = [of(volume) for volume in facility.obstacles]
    return {"facility": table}
