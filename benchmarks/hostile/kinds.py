"""Every kind of file that a user can write: samples of it, and the reader that must take any bytes.

A reader gets a file and returns, or raises `BadInput`. It writes nothing and executes nothing;
files that are code have their own tester (code_files.py).
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from softdock.scenario.files import load_scenario, preset_names, preset_text

Reader = Callable[[Path], object]
ROOT = Path(__file__).parents[2]


class Kind(NamedTuple):
    name: str
    suffix: str
    samples: Callable[[], list[bytes]]
    read: Reader
    has_lines: bool = True  # a refusal says in which line


def _scenarios() -> list[bytes]:
    rigs = sorted((ROOT / "benchmarks" / "fingerprint" / "rigs").glob("*.toml"))
    return [
        *(preset_text(name).encode() for name in preset_names()),
        *(path.read_bytes() for path in rigs),
        (ROOT / "examples" / "03_your_own_rig.toml").read_bytes(),
    ]


def _campaigns() -> list[bytes]:
    folder = files("softdock.studies.campaign").joinpath("presets")
    return [*(p.read_bytes() for p in folder.iterdir() if p.name.endswith(".toml")), OWN_CAMPAIGN]


MOST_DRAWS = 20_000  # of a campaign that is checked to the end here
OWN_CAMPAIGN = b"""name = "mine"
description = "all that a campaign may say"
scenario = "epos_1d"
runs = 40
seed = 3
sampling = "sobol"
methods = ["direct"]
integrators = ["exact_hold", "forward_euler"]
reference = true
error_limit = 0.1

[set]
time.duration_s = 1.0
sensor.noise_N = 0.01

[[vary]]
key = "robots.chaser.delay_ms"
uniform = [0.0, 20.0]

[[vary]]
keys = ["chaser.velocity_m_per_s.0", "chaser.velocity_m_per_s.1"]
mean = [0.02, 0.0]
deviation = [0.001, 0.001]
correlation = [[1.0, 0.2], [0.2, 1.0]]

[[vary]]
key = "chaser.attitude_wxyz"
turn_about = [0.0, 1.0, 0.0]
normal = [0.0, 1.0]
within = [-2.0, 2.0]

[trajectories]
runs = [0, 3]
worst = 2
every_ms = 20.0

[report]
map = ["robots.chaser.delay_ms", "chaser.velocity_m_per_s.0"]
worst_by = "energy_added_J"
"""


def _campaign(path: Path) -> object:
    from softdock.studies.campaign.plan import make_plan
    from softdock.studies.campaign.spec import count_grid_points, load_spec

    spec = load_spec(path)
    if spec.runs * count_grid_points(spec.vary) > MOST_DRAWS:
        return spec  # every draw is checked, with progress: that takes its time
    return make_plan(spec)


NETWORK = b"""name = "my tissue"
bonds = ["hand -> together", "together -> S1, in_series", "in_series -> S2, B1"]
[ports.hand]
causality = "position"
[springs.S1]
stiffness_N_per_m = 500.0
[springs.S2]
stiffness_N_per_m = 50.0
exponent = 1.5
[dampers.B1]
damping_Ns_per_m = 100.0
[junctions]
together = 1
in_series = 0
"""
READY = b"""model = "standard_linear_solid"
arguments = { k1 = 500.0, k2 = 50.0, b1 = 100.0 }
"""


def _networks() -> list[bytes]:
    """Networks that rigs have in them, each as a file, and one that is written out."""
    import tomllib

    from softdock.scenario.files import to_toml

    found = [NETWORK, READY]
    for path in sorted((ROOT / "benchmarks" / "fingerprint" / "rigs").glob("network*.toml")):
        for method in tomllib.loads(path.read_text())["methods"]:
            if "network" in method:
                found.append(to_toml(method["network"]).encode())
    return found


def _network(path: Path) -> object:
    from softdock.networks.resolution import warnings_of
    from softdock.scenario.network_file import load_network

    network = load_network(path)
    return network.describe(), warnings_of(network, 1e-3), network.svg()


def _arms() -> list[bytes]:
    folder = files("softdock.loop.arms").joinpath("presets")
    return [p.read_bytes() for p in folder.iterdir() if p.name.endswith(".toml")]


URDF = b"""<?xml version="1.0"?>
<robot name="six"><link name="base"/>
%s
</robot>
"""
_JOINT = """<joint name="a%d" type="revolute"><origin xyz="%s" rpy="0 0 0"/><axis xyz="%s"/>
<parent link="%s"/><child link="l%d"/><limit lower="-2.9" upper="2.9" velocity="2.0" effort="100"/>
</joint><link name="l%d"><inertial><mass value="5"/><origin xyz="0 0 0.1"/>
<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>"""


def _urdfs() -> list[bytes]:
    places = ("0 0 0.4", "0.2 0 0.3", "0 0 0.7", "0.2 0 0.1", "0.5 0 0", "0.1 0 0")
    axes = ("0 0 1", "0 1 0", "0 1 0", "1 0 0", "0 1 0", "1 0 0")
    joints = [
        _JOINT % (i + 1, places[i], axes[i], "base" if i == 0 else f"l{i}", i + 1, i + 1)
        for i in range(6)
    ]
    return [URDF % "\n".join(joints).encode()]


def _arm(path: Path) -> object:
    from softdock.loop.arms.sources import load_arm

    return load_arm(path)


FACILITY = b"""
[facility.chaser]
arm = "kr16"
base_m = [-2.5, 0.0, -1.0]
[facility.target]
arm = "kr120"
base_m = [2.5, 0.0, -1.0]
base_wxyz = [0.0, 0.0, 0.0, 1.0]
"""


def _facilities() -> list[bytes]:
    return [preset_text("lange_cone").encode() + FACILITY, preset_text("epos_3d").encode()]


def _facility(path: Path) -> object:
    from softdock.loop.arms.scenario_facility import facility_of

    return facility_of(load_scenario(path).tables)


def _ethernet_files() -> list[bytes]:
    from softdock.rig.drivers.rsi_templates import RobotFiles, write_ethernet_xml

    return [write_ethernet_xml(RobotFiles("chaser", "127.0.0.1", 59152)).encode()]


def _ethernet(path: Path) -> object:
    from softdock.rig.drivers.rsi_config import make_sen_telegram, read_ethernet_file

    return make_sen_telegram(read_ethernet_file(path))


def _contexts() -> list[bytes]:
    from softdock.rig.drivers.rsi_templates import RobotFiles, write_context_xml

    return [write_context_xml(RobotFiles("chaser", "127.0.0.1", 59152)).encode()]


def _context(path: Path) -> object:
    from softdock.rig.drivers.rsi_templates import read_context

    return read_context(path.read_bytes(), str(path))


def _schedules() -> list[bytes]:
    return [b"time_s,fx,fy,fz,tx,ty,tz\n" + b"".join(b"%d,1,0,0,0,0,0.5\n" % i for i in range(20))]


def _schedule(path: Path) -> object:
    sample = 'csv = "' + path.name + '"'
    scenario = path.with_suffix(".toml")
    scenario.write_text(preset_text("epos_1d") + f"\n[external.chaser]\n{sample}\n")
    return load_scenario(scenario)


def _rigs() -> list[bytes]:
    """The presets, a rig with two sensors, one robot and arms, and what `rig new` writes."""
    from softdock.rig.file import load_rig, rig_presets, rig_text
    from softdock.rig.writing import Addresses, new_rig_text

    whole = load_rig("emulated_pair").toml()  # every key that there is, written out
    own = new_rig_text("mine", Addresses(), "IPO_FAST")
    lines = [x for x in own.splitlines() if not x.startswith(("ethernet_xml", "context"))]
    return [
        *(rig_text(name)[0].encode() for name in rig_presets()),
        whole.encode(),
        "\n".join(lines).encode(),
        OWN_RIG,
    ]


OWN_RIG = b"""schema = 1
name = "one robot"
note = "in the old hall"
[clock]
master = "target"
mode = "IPO"
[robots.chaser]
driver = "fixed"
[robots.target]
address = "127.0.0.1"
port = 59153
stop_input = "DiL"
stop_value = 1
[sensors.chaser]
port = 59154
http_port = 0
in_flange_wxyz = [0.0, 1.0, 0.0, 0.0]
[sensors.target]
port = 59156
http_port = 59157
rate_Hz = 1000
bias_N = [0.1, -0.2, 9.8]
[tools.target]
mass_kg = 2.0
centre_m = [0.0, 0.0, 0.05]
inertia_kg_m2 = [0.01, 0.01, 0.01]
[limits]
force_N = 50.0
[facility.target]
base_m = [1.0, 0.0, 0.0]
[emulate]
faults = "loss=0.01,stall=20ms@3s"
"""


def _rig(path: Path) -> object:
    from softdock.rig.file import load_rig

    return load_rig(path).toml()


KINDS = {
    kind.name: kind
    for kind in (
        Kind("scenario", ".toml", _scenarios, load_scenario),
        Kind("campaign", ".toml", _campaigns, _campaign),
        Kind("network", ".toml", _networks, _network),
        Kind("arm", ".toml", _arms, _arm),
        Kind("urdf", ".urdf", _urdfs, _arm),
        Kind("facility", ".toml", _facilities, _facility),
        Kind("ethernet", ".xml", _ethernet_files, _ethernet),
        Kind("context", ".rsi.xml", _contexts, _context),
        Kind("schedule", ".csv", _schedules, _schedule),
        Kind("rig", ".toml", _rigs, _rig),
    )
}
