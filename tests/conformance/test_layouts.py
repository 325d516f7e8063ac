"""Where numbers stand in flat arrays is declared once, as `Cells`: the cells of a layout do not
overlap, and what is read elsewhere by name agrees with the declaration."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

import numpy as np
import pytest
from sources import SOURCES

from softdock.compile import cells
from softdock.loop import memory, state, vector
from softdock.loop.entry_points import OUTCOME, OUTCOME_COLUMNS
from softdock.loop.facility.state import FACILITY, Facility
from softdock.loop.keys import SCHEDULE
from softdock.loop.method import interface
from softdock.loop.record import CHANNELS, RECORD
from softdock.loop.schedules import ENTRY
from softdock.loop.sensor.keys import SENSOR
from softdock.loop.vector_layout import SENSOR_AT
from softdock.scenario.memory import EVERY_SENSOR, any_electronics


def declared_layouts() -> Iterator[tuple[str, cells.Cells]]:
    """Every layout that a module has under a name."""
    for module, path in SOURCES.items():
        if "Cells(" in path.read_text(encoding="utf-8"):
            for name, value in vars(import_module(module)).items():
                if isinstance(value, cells.Cells):
                    yield f"{module}.{name}", value


def test_cells_do_not_overlap():
    """Protects numbers from being written over: every float of a layout belongs to exactly one
    cell."""
    layouts = dict(declared_layouts())
    assert len(layouts) > 100
    for where, layout in layouts.items():
        taken = [i for cell in layout for i in range(layout.size)[layout.slice_of(cell.name)]]
        assert taken == list(range(layout.size)), where


def test_channels_and_columns_come_from_the_layout():
    """The names of columns and their places are one declaration: as many as there are floats."""
    assert len(CHANNELS) == RECORD.size
    assert len(OUTCOME_COLUMNS) == OUTCOME.size
    assert CHANNELS[RECORD.at.depth].name == "contact.depth"
    assert OUTCOME_COLUMNS[OUTCOME.at.target] == "target.px"


def test_the_head_of_mem_is_what_methods_know():
    """Methods book and ask to stop in cells that the loop reads."""
    known = (interface.BOOK_VIRTUAL, interface.BOOK_DESIGNED, interface.STOP_REQUEST)
    assert known == memory.HEAD.at[:3]
    assert memory.HEAD.size == vector.PAIRS_MEM


def test_a_schedule_in_the_vector_is_what_its_keys_reserve():
    """`rows` stands for its first float and the number of rows, then the frame."""
    assert (SCHEDULE.at.rows, SCHEDULE.at.frame) == (ENTRY.at.at, ENTRY.at.frame)
    assert SCHEDULE.size == ENTRY.size


def test_a_place_of_the_state_is_found_by_its_path():
    """What Python reads of the loop's state, it reads by name."""
    assert state.place("satellites") == slice(0, 26)
    assert state.place("tracker.impulse").stop - state.place("tracker.impulse").start == 3
    assert state.place("status").stop == state.STATE_FLOATS
    assert {cell.name for cell in FACILITY} == set(Facility._fields)


def test_cells_of_one_name_are_refused():
    """Two cells of a name would share one offset."""
    with pytest.raises(ValueError, match="names twice"):
        cells.Cells("twice", cells.Cell("a"), cells.Cell("a"))


@pytest.mark.parametrize("key", [key for key in SENSOR if key.name not in EVERY_SENSOR])
def test_a_key_of_the_sensor_brings_its_code(key):
    """A fault that stood at another place of the list was once left out of the compiled loop."""
    vector = np.zeros((1, SENSOR_AT + SENSOR.size + 1000))
    assert not any_electronics(vector)
    vector[0, SENSOR_AT + getattr(SENSOR.at, key.name)] = 1.0
    assert any_electronics(vector)
