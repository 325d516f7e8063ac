"""Do CPU and GPU agree on networks? The linear and the nonlinear step over random motions, as a
loop calls them, and whole runs with networks in them."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from benchmarks.scenarios import epos_1d
from softdock.compile.jit import OPTIONS
from softdock.methods.networks.contact import NetworkContact, make_linear_network
from softdock.methods.networks.nonlinear import NonlinearContact, make_network
from softdock.methods.networks.port import HEAD, STATE, Port
from softdock.networks.linear_step import TANK, lay_out_linear, linear_sample, places
from softdock.networks.nonlinear_step import nonlinear_floats, nonlinear_sample
from softdock.networks.nonlinear_step import places as nonlinear_places
from softdock.networks.tables import network_from
from softdock.scenario.build import build
from softdock.scenario.network_file import network_rows
from softdock.studies.campaign.columns import Columns, make_columns
from softdock.studies.campaign.cuda import load_numba_cuda

T, SAMPLES, TANK_J = 1e-3, 2000, 1e-4
SOLID = {"model": "standard_linear_solid", "arguments": {"k1": 500.0, "k2": 50.0, "b1": 100.0}}
BALL = {
    "model": "hunt_crossley",
    "arguments": {"stiffness": 8000.0, "exponent": 1.5, "per_speed": 0.6},
}
NETWORKS: dict[str, dict[str, Any]] = {
    "sls": SOLID,
    "chain of ten": {
        "model": "chain",
        "arguments": {
            "masses": 10,
            "mass": 0.02,
            "stiffness": 2000.0,
            "damping": 0.5,
            "end_stiffness": 200.0,
            "end_damping": 0.5,
        },
    },
    "three axes": {
        "model": "three_axis_wall",
        "arguments": {"normal": [500.0, 50.0, 100.0], "tangential": [200.0, 50.0, 10.0]},
    },
    "hunt-crossley": BALL,
}
FLEXIBLE = {
    "model": "flexible_satellite",
    "arguments": {"hub": 58.0, "appendage": 5.0, "stiffness": 100.0, "damping": 1.0},
}


def linear_motion(numbers, mem, dq, efforts):
    """All samples of a motion, the network's matrices in `numbers` as a scenario's vector holds
    them."""
    nothing = (0.0, 0.0, 0.0)
    net = make_linear_network(
        NetworkContact(
            memory=0,
            numbers=numbers,
            at=0,
            port=Port(0, 0, (nothing, nothing, nothing), 0.0),
            sided=0,
            tank=0.0,
            acceleration=0.0,
        ),
        mem,
        STATE.at.bound,
    )
    at = places(net.n, net.m)
    own = mem[HEAD : HEAD + at.size]
    for k in range(dq.shape[0]):
        for i in range(net.m):
            efforts[k, i] = own[at.y + i]
        linear_sample(net, own, dq, k)


def nonlinear_motion(numbers, mem, dq, efforts):
    nothing = (0.0, 0.0, 0.0)
    net = make_network(
        NonlinearContact(
            memory=0,
            numbers=numbers,
            at=0,
            port=Port(0, 0, (nothing, nothing, nothing), 0.0),
            tank=0.0,
            acceleration=0.0,
        ),
        mem,
        T,
    )
    at = nonlinear_places(net.n, net.laws.r, net.m)
    own = mem[HEAD : HEAD + at.predicted + net.m]
    for k in range(dq.shape[0]):
        for i in range(net.m):
            efforts[k, i] = own[at.y + i]
        nonlinear_sample(net, own, dq, k)


def given(name: str) -> tuple[Any, tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """The motion's function, and its arguments: numbers, memory with a full tank and the cap's
    bound, a random smooth motion, room for the efforts."""
    network = network_from(NETWORKS[name])
    n, r, m = len(network.dirac.stores), len(network.dirac.dampers), len(network.ports)
    rows, _ = network_rows(NETWORKS[name], T, "position")
    mem = np.zeros(
        HEAD + (lay_out_linear(n, m).size if network.linear else nonlinear_floats(n, r, m))
    )
    mem[HEAD + TANK], mem[STATE.at.bound : STATE.at.bound + m] = TANK_J, 1e-5
    rng, t = np.random.default_rng(608), np.arange(SAMPLES + 1) * T
    q = sum(
        a * np.sin(2 * np.pi * f * t[:, None] + rng.uniform(0.0, 6.3, m))
        for a, f in ((3e-3, 0.9), (1e-3, 3.1), (3e-4, 11.0))
    )
    function = linear_motion if network.linear else nonlinear_motion
    return function, (rows, mem, np.ascontiguousarray(np.diff(q, axis=0)), np.zeros((SAMPLES, m)))


def check_steps() -> dict[str, float]:
    """Worst difference of the held efforts, per largest effort."""
    cuda, found = load_numba_cuda(), {}
    for name in NETWORKS:
        function, arguments = given(name)
        on_cpu = [a.copy() for a in arguments]
        numba.njit(**OPTIONS)(function)(*on_cpu)
        on_gpu = [cuda.to_device(a) for a in arguments]
        cuda.jit(function)[1, 1](*on_gpu)
        efforts = on_gpu[3].copy_to_host()
        found[name] = float(np.abs(efforts - on_cpu[3]).max() / np.abs(on_cpu[3]).max())
    return found


def batches(n: int, seed: int = 609) -> list[tuple[str, Columns]]:
    """A mass against a real wall with a virtual contact beside it, with a nonlinear one, and a
    flexible satellite against the wall."""
    rng = np.random.default_rng(seed)
    swept = {
        "chaser.mass_kg": rng.uniform(40.0, 90.0, n),
        "chaser.velocity_m_per_s.0": -rng.uniform(0.01, 0.04, n),
    }
    found = []
    for name, method, keys in (
        ("network_contact, linear", {"name": "network_contact", "network": SOLID}, tuple(swept)),
        ("network_contact, nonlinear", {"name": "network_contact", "network": BALL}, tuple(swept)),
        (
            "network_satellite",
            {"name": "network_satellite", "network": FLEXIBLE},
            ("chaser.velocity_m_per_s.0",),
        ),
    ):
        found.append(
            (
                name,
                make_columns(
                    build(epos_1d(2.0) | {"methods": [method]}), {key: swept[key] for key in keys}
                ),
            )
        )
    return found
