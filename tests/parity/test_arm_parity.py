"""Kinematics of arms are one code: plain Python, compiled, CUDA."""

from __future__ import annotations

import re

import numpy as np
from plain import run_plain

from softdock.loop.arms.follow import follow
from softdock.loop.arms.forward import flange_pose, jacobian, link_frames
from softdock.loop.arms.layout import ARM, WORK

PROGRAM = """
import numpy as np
from softdock.loop.arms import load_arm
from softdock.loop.arms import entry_points
from softdock.loop.arms.layout import WORK
found = []
for name in ("kr16", "ur10e"):
    arm, q = load_arm(name).vector, np.random.default_rng(3).uniform(-2.0, 2.0, (20, 7))
    q[:, 0] = 0.0
    poses, J, M = np.zeros((20, 7)), np.zeros((20, 42)), np.zeros((20, 49))
    entry_points.flange_rows(arm, q, poses)
    entry_points.jacobian_rows(arm, q, np.zeros(WORK.size), J)
    entry_points.mass_rows(arm, q, np.zeros(WORK.size), M)
    joints, refused = np.zeros((20, 8, 7)), np.zeros((20, 8), np.int64)
    entry_points.inverse_rows(arm, poses, q[:, 0].copy(), joints, refused)
    found += [poses, J, M, joints.reshape(20, -1)]
found = np.hstack(found)
"""


def test_plain_python_gives_the_same_numbers(tmp_path):
    """Forward, Jacobian, mass matrix and all branches, to 1e-11."""
    scope: dict = {}
    exec(PROGRAM, scope)
    code = PROGRAM + "\nnp.save(__import__('sys').argv[1], found)"
    file = str(tmp_path / "plain.npy")
    done = run_plain(code, file)
    assert done.returncode == 0, done.stderr
    assert np.abs(np.load(file) - scope["found"]).max() <= 1e-11


def test_kinematics_compile_for_cuda(compile_for_h200):
    """Forward, followed inverse and Jacobian in one kernel become PTX in double precision."""
    from numba import typeof

    def kernel(arm, q, work, into, branch):
        a, along = ARM(arm), WORK(work)
        before = (q[0], q[1], q[2], q[3], q[4], q[5], q[6])
        found = follow(a, flange_pose(a, before), before, branch)
        jacobian(a, along, link_frames(a, found.q, along).p, into)
        into[0] += found.status + found.clearance[0]

    row = typeof(np.zeros(4))
    ptx = compile_for_h200(kernel, (row, row, row, row, typeof(1)))
    assert "fma.rn.f64" in ptx
    assert not re.search(r"\b(add|sub|mul|fma|div|sqrt)[.a-z]*\.f32", ptx)
