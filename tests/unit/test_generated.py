"""Generated functions: copies of structures, specialisation of kernels, choices by number."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from softdock.compile import generated
from softdock.compile.generated import make_chooser, make_replacer
from softdock.loop import specialise
from softdock.loop.contact.keys import LAW_KEYS, PAIR
from softdock.loop.contact.laws import LAWS
from softdock.loop.contact.models import GEOMETRIES
from softdock.loop.contact.pair import BITS, KIND_BITS, MOST_LAWS, MOST_SHAPES
from softdock.loop.params import Params


def plain(function):
    """A generated part as plain Python."""
    return getattr(function, "py_func", function)


class Inner(NamedTuple):
    on: bool
    count: int
    size: float


class Thing(NamedTuple):
    flag: bool
    place: tuple
    number: float
    index: int
    extra: float


def test_a_copy_has_one_field_changed():
    """The other fields are the same, whatever their order in the class."""
    it = Thing(flag=True, place=(1.0, 2.0, 3.0), number=4.0, index=5, extra=6.0)
    assert plain(make_replacer(Thing, "index"))(it, 7) == it._replace(index=7)
    assert plain(make_replacer(Thing, "extra", "flag"))(it, 8.0, False) == it._replace(
        extra=8.0, flag=False
    )


def test_a_field_that_is_not_there_is_refused():
    """A misspelled field is found when the module is imported."""
    with pytest.raises(ValueError, match="no fields"):
        make_replacer(Thing, "indx")


def test_a_choice_by_number_falls_back_to_the_first():
    """Functions in the order of their list; equal ones share a branch."""
    one, two = (lambda x: x + 1), (lambda x: x + 2)
    choose = plain(make_chooser("chosen", "kind, x", "kind", [one, two, one], but="kind"))
    assert [choose(kind, 10) for kind in range(4)] == [11, 12, 11, 11]


def test_a_new_flag_of_the_loop_is_specialised_without_another_edit():
    """Flags and whole numbers are found by their types, in structures within structures too."""

    class More(NamedTuple):
        old: float
        new_flag: bool
        inner: Inner

    More.__annotations__ = {"old": float, "new_flag": bool, "inner": Inner}
    found = dict(specialise.whole_paths(More))
    assert found == {"new_flag": bool, "inner.on": bool, "inner.count": int}


def test_every_number_of_params_is_in_a_group_or_own():
    """A number that no group has would be each run's own register, though all runs share it."""
    grouped = {path for paths in specialise.GROUPS.values() for path, _ in paths}
    hints = specialise.get_type_hints(Params)
    floats = {field for field in Params._fields if hints[field] is float}
    assert floats <= grouped
    assert len(specialise.Kind._fields) == len(set(specialise.Kind._fields))
    assert "of_kind" in generated.SOURCES
    assert "memory_slots" in generated.SOURCES["of_kind"]


def test_more_shapes_and_laws_than_four_fit_into_a_kind():
    """A fifth shape once ran over into the bits of the law, silently."""
    from softdock.compile.jit import entry_point
    from softdock.loop.contact import pair

    packed, load = entry_point(pair.packed), entry_point(pair.load_pair)
    mem = np.zeros(pair.PAIR_FLOATS)
    for geometry in (0, 3, 4, MOST_SHAPES - 1):
        for law in (0, 7, 8, MOST_LAWS - 1):
            kind = packed(geometry, law, 1, 0, 1)
            found = load(mem, 0, kind)
            assert (found.geometry, found.law.kind) == (geometry, law)
            assert (found.shape.closed, found.soft, found.law.rubs) == (True, False, True)
            assert kind < 1 << KIND_BITS
    assert sum(width for _, width in BITS) * 4 < 63
    assert len(GEOMETRIES) <= MOST_SHAPES
    assert len(LAWS) <= MOST_LAWS


def test_real_and_wanted_law_stand_alike_in_the_vector():
    """One set of offsets serves both."""
    for name, offset in LAW_KEYS._asdict().items():
        key = "lambda" if name == "factor" else name
        assert getattr(PAIR.at, f"wanted_{key}") - PAIR.at.wanted_law == offset
