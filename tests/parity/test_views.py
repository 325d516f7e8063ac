"""Views of flat arrays (compile/cells.py, compile/views.py): the same in plain Python, in compiled
code and in a kernel; what is not declared is refused in all of them."""

from __future__ import annotations

import pickle
import re
from types import FunctionType
from typing import Annotated, NamedTuple

import numba
import numpy as np
import pytest

from softdock.compile.cells import Cell, Cells, layout_of, many
from softdock.compile.jit import compiled, entry_point
from softdock.compile.numba_internals import PATCHED
from softdock.loop.parameters import Group, Parameter

Vector = tuple[float, float, float]


class Push(NamedTuple):
    force: Annotated[Vector, "N", "on a body"]
    torque: Annotated[Vector, "Nm", "about its centre of mass"]


class Episode(NamedTuple):
    open: bool
    count: int
    began: Annotated[float, "s"]
    push: Push
    pair: tuple[Push, Push]


class Other(NamedTuple):
    force: Vector
    torque: Vector


LAW = Cells("law_of_a_pair", Cell("k", float, "N/m"), Cell("seen", int), Cell("normal", 3))
EPISODE = layout_of(Episode)
STATE = Cells(
    "state_of_a_test",
    Cell("energy", 1, "J", "so far"),
    Cell("back", 3, "N"),
    Cell("push", Push, "N, Nm"),
    Cell("law", LAW),
    Cell("laws", many(3, LAW)),
    Cell("flags", many(4, bool)),
    Cell("matrix", many(2, many(2))),
    Cell("pushes", many(2, Push)),
    Cell("episode", EPISODE),
    Cell("copy", many(3, LAW)),
    Cell("end", int),
)
KEYS = Group("keys_of_a_test", "For views.", Parameter("mass", "mass_kg", "mass", size=3))
COUNTS = Cells("counts", Cell("state", int), Cell("contacts", float), Cell("open", bool))


@compiled
def _longer(law, by):
    law.k = law.k * by + 0.1
    law.seen += 1
    return law.normal


def _change(mem, at, rows, counts, vector):
    s = STATE(mem, at)
    s.energy += 0.1
    s.back = (s.back[2] / 3.0, s.energy, s.back[0])
    s.push = Push((s.back[1], 2.0, 3.0), s.push.force)
    s.law.normal = KEYS(vector, 1).mass
    for i in range(3):
        law = s.laws[i]
        law.normal = s.law.normal
        turned = _longer(law, s.energy + i)
        s.pushes[i % 2] = Push(turned, s.push.torque)
        s.flags[i] = s.laws[i].seen > 1
        s.laws[i].k /= 7.0
    s.matrix[1][0] = s.matrix[0][1] - 1.0
    s.copy = s.laws
    e = s.episode
    e.whole = Episode(
        open=s.flags[0], count=e.count + 2, began=s.energy, push=s.push, pair=(s.pushes[1], e.push)
    )
    e.began += 1.0
    s.episode.open = not e.whole.open
    s.end = e.count
    s.matrix[1][1] = mem[at + STATE.at.end] + STATE.size
    row = LAW(rows, 1)
    row.k = EPISODE(mem, at).began
    c = COUNTS(counts)
    c.state += 3
    c.contacts = c.state - 1
    c.open = c.state > 3
    return s.pushes[0].force[1] + s.laws[2].k


def _arrays():
    mem = np.sin(np.arange(STATE.size + 5.0)) * 9.0
    return mem, np.zeros((2, LAW.size)), np.array([4, 0, 9]), np.arange(4.0)


_change_compiled = entry_point(_change)


def test_a_view_is_the_same_compiled_and_in_plain_python():
    """Every kind of cell, read and written: the same arrays to the bit, and nothing beside them."""
    plain, compiled_, before = _arrays(), _arrays(), _arrays()
    scope = {**globals(), "_longer": getattr(_longer, "py_func", _longer)}
    result = FunctionType(_change.__code__, scope)(plain[0], 2, *plain[1:])
    assert _change_compiled(compiled_[0], 2, *compiled_[1:]) == result
    for one, other in zip(plain, compiled_, strict=True):
        assert one.tobytes() == other.tobytes()
    outside = np.r_[0:2, 2 + STATE.size : 5 + STATE.size]
    assert (plain[0][outside] == before[0][outside]).all()
    assert list(plain[2]) == [7, 6, 1]


def test_views_compile_to_ptx(compile_for_h200):
    """The same function in a kernel: arithmetic in double precision alone."""
    array, rows, whole = numba.float64[::1], numba.float64[:, ::1], numba.int64[::1]
    change = compiled(_change)

    def kernel(mem, rows, counts, vector):
        vector[0] = change(mem, 2, rows, counts, vector)

    ptx = compile_for_h200(kernel, (array, rows, whole, array))
    assert "fma.rn.f64" in ptx
    assert not re.search(r"\b(add|sub|mul|fma|div|sqrt)[.a-z]*\.f32", ptx)


def test_offsets_are_those_of_the_cells():
    """A view writes where `at` and `slice_of` say, which other code and the docs read."""
    mem = np.zeros(STATE.size)
    s = STATE(mem)
    s.back, s.laws[2].k, s.end = (1.0, 2.0, 3.0), 5.0, 6
    assert mem[STATE.slice_of("back")].tolist() == [1.0, 2.0, 3.0]
    assert mem[STATE.at.laws + 2 * LAW.size + LAW.at.k] == 5.0
    assert mem[STATE.at.end] == 6.0
    assert [cell.unit for cell in layout_of(Push)] == ["N", "Nm"]


def _write_unknown(mem):
    STATE(mem, 0).enregy = 1.0


def _read_unknown(mem):
    return STATE(mem, 0).enregy


def _write_another_class(mem):
    STATE(mem, 0).push = Other((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


def _write_two_of_three(mem):
    STATE(mem, 0).back = (1.0, 2.0)


WRONG = (_write_unknown, _read_unknown, _write_another_class, _write_two_of_three)


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: wrong.__name__)
def test_what_is_not_declared_is_refused(wrong):
    """A name that no cell has, a NamedTuple of another class, a tuple of another length: an error
    where it is written, in plain Python, and no code, with the line, where it is compiled."""
    mem, part = np.zeros(STATE.size), compiled(wrong)

    def call(mem):
        part(mem)

    with pytest.raises((AttributeError, TypeError)):
        wrong(mem)
    if not numba.config.DISABLE_JIT:
        refused = (numba.core.errors.NumbaError, NotImplementedError)
        with pytest.raises(refused, match="test_views" if PATCHED else ""):
            entry_point(call)(mem)
    assert not mem.any()


def test_a_wrong_declaration_is_refused():
    """Names twice, no size, the reserved name, and fields whose size nobody can tell."""
    for cells in ((Cell("a"), Cell("a")), (Cell("whole"),)):
        with pytest.raises(ValueError, match="cells of 'wrong'"):
            Cells("wrong", *cells)
    with pytest.raises(TypeError, match="'a': 0 is no kind"):
        Cells("wrong", Cell("a", 0))

    class Loose(NamedTuple):
        p: tuple

    with pytest.raises(TypeError, match="'p'"):
        layout_of(Loose)


def test_a_view_s_type_is_known_by_its_layout():
    """Machine code kept on disk is found by the type: another process has the same for the same
    layout, and another layout of the same name has another."""
    from softdock.compile.views import View

    kind = View(STATE, numba.float64)
    again = pickle.loads(pickle.dumps(kind))
    assert (again, str(again)) == (kind, str(kind))
    other = Cells("law_of_a_pair", Cell("seen", int), Cell("k", float), Cell("normal", 3))
    assert View(other, numba.float64) != View(LAW, numba.float64)
