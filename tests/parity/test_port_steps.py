"""The sampled steps are one code: plain Python, compiled, CUDA."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pytest
from plain import run_plain

sys.path.insert(
    0, str(Path(__file__).parents[2])
)  # for `benchmarks`, which is no part of the package

from benchmarks import gpu_networks
from softdock.networks import Sampled, hunt_crossley, standard_linear_solid
from softdock.networks.published import published_net, published_sample

PROGRAM = """
import numpy as np
from softdock.networks import Sampled, hunt_crossley, standard_linear_solid
from softdock.networks.walls import render_better, render_published
t = np.arange(201) * 1e-3
q = 1e-3 - 4e-3 * (1.0 - np.cos(2.0 * np.pi * 5.0 * t))
dq = np.diff(q)
wall = standard_linear_solid(500.0, 50.0, 100.0)
ball = hunt_crossley(8000.0, 1.5, 0.6)
found = [
    Sampled(n, 1e-3, most_acceleration=10.0, states=s).run(dq)[:, 0]
    for n, s in ((wall, None), (ball, [1e-3]))
]
found += [render_published(wall, 1e-3, q, controller_Ns_per_m=5.0).force[1:]]
found += [render_better(wall, 1e-3, q).force[1:]]
"""


def test_plain_python_gives_the_same_numbers(tmp_path):
    """All four ways to step, around a touch and a parting, to 1e-13 of the peak."""
    scope: dict = {}
    exec(PROGRAM, scope)
    code = PROGRAM + "\nnp.save(__import__('sys').argv[1], np.array(found))"
    file = str(tmp_path / "plain.npy")
    done = run_plain(code, file)
    assert done.returncode == 0, done.stderr
    plain = np.load(file)
    compiled = np.array(scope["found"])
    assert np.abs(compiled).max() > 1.0
    assert np.abs(plain - compiled).max() <= 1e-13 * np.abs(compiled).max()


@pytest.mark.parametrize("name", ["sls", pytest.param("hunt-crossley", marks=pytest.mark.prove)])
def test_a_sample_compiles_for_cuda(name, compile_for_h200):
    """The same functions, called from a kernel as a loop calls them (benchmarks/gpu_networks.py
    runs these on a GPU), become PTX in double precision."""
    from numba import typeof

    motion, arguments = gpu_networks.given(name)
    ptx = compile_for_h200(motion, tuple(typeof(a) for a in arguments))
    assert "fma.rn.f64" in ptx
    assert not re.search(r"\b(add|sub|mul|fma|div|sqrt)[.a-z]*\.f32", ptx)


def test_the_published_sample_compiles_for_cuda(compile_for_h200):
    """Protects the published step on a GPU: it compiles to the GPU's own square root."""
    from numba import typeof

    net = published_net(standard_linear_solid(500.0, 50.0, 100.0), 1e-3)

    def kernel(net, mem, q):
        published_sample(net, mem, q)

    assert "sqrt.rn.f64" in compile_for_h200(
        kernel, (typeof(net), typeof(np.zeros(4)), typeof(1.0))
    )


def test_stepping_by_hand_is_running():
    """One sample at a time from Python gives the bits of the whole run."""
    dq = -1e-4 * np.sin(np.arange(50))
    for network in (standard_linear_solid(500.0, 50.0, 100.0), hunt_crossley(8000.0, 1.5, 0.6)):
        whole, stepped = Sampled(network, 1e-3).run(dq)[:, 0], Sampled(network, 1e-3)
        by_hand = [stepped.effort[0], *(stepped.step(d)[0] for d in dq[:-1])]
        assert np.array_equal(whole, by_hand)
