"""Contact of every shape and law, with sets of tips and bristles, compiles to PTX in double
precision."""

from __future__ import annotations

import re

import numpy as np
from numba import typeof

from softdock.compile.features import Every
from softdock.loop.contact import touch_bodies
from softdock.loop.contact.pair import Pairs
from softdock.loop.spatial.motion import MOTION


def kernel(pairs, vector, mem, motions, out):
    chaser, target = MOTION(motions, 0).whole, MOTION(motions, MOTION.size).whole
    touch = touch_bodies(vector, mem, 0, pairs, chaser, target, True)
    out[0], out[1], out[2] = touch.force
    out[3] = touch.lost


def test_contact_compiles_to_ptx(compile_for_h200):
    row = typeof(np.zeros(1))
    ptx = compile_for_h200(kernel, (typeof(Pairs(1, 0, Every(0))), row, row, row, row))
    assert "fma.rn.f64" in ptx
    assert not re.search(r"\b(add|sub|mul|fma|div|sqrt)[.a-z]*\.f32", ptx)
