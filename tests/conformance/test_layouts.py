"""No offset is written by hand: where things stand in a flat array is declared once, as `Cells`,
and the docs are written from that."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest

from softdock.core.adaptation import interface
from softdock.core.facility.simulated import Facility
from softdock.core.machine import cells, memory, state, vector
from softdock.core.machine.compiled import CORE
from softdock.core.machine.doors import OUTCOME, OUTCOME_COLUMNS
from softdock.core.machine.keys import SCHEDULE
from softdock.core.machine.record import CHANNELS, RECORD
from softdock.core.machine.vector_layout import SENSOR_AT
from softdock.core.schedules import ENTRY
from softdock.core.sensor.keys import SENSOR
from softdock.scenario.layouts_page import LAYOUTS, layouts_page
from softdock.scenario.memory import EVERY_SENSOR, any_electronics

# folders that are not searched, and why: take a line away to switch the search on there
NOT_YET: dict[str, str] = {
    "realtime": "bytes of messages and system calls",
    "wire": "bytes of messages and scanners of text",
}
# lines whose numbers are mathematics or neighbours in a series, not places in an array
ALLOWED: dict[str, str] = {
    "adaptation/hybrid/method.py": "the second of a key's two numbers",
    "adaptation/networks/contact.py": "the last port",
    "adaptation/networks/port.py": "the last port",
    "adaptation/remapping/environment/environment.py": "the second of a key's two numbers",
    "adaptation/remapping/environment/joints.py": "the second of two numbers; a joint's keys",
    "adaptation/remapping/environment/series.py": "six numbers of a symmetric matrix, and a second",
    "adaptation/remapping/host/truth.py": "the row before",
    "adaptation/remapping/surface_keys.py": "an enumeration",
    "arms/doors.py": "seven axes in a row",
    "arms/dynamics.py": "six numbers of a symmetric matrix",
    "arms/follow.py": "seven axes in a row",
    "arms/sweep.py": "seven axes in a row, and the rows beside",
    "arms/volumes.py": "seven axes in a row",
    "chance.py": "rounds of Philox",
    "contact/restitution.py": "steps of a bisection",
    "energy/axis_scheme.py": "the sample before",
    "machine/seam_doors.py": "the row before",
    "orbit/networks.py": "the second of a port's two ends",
    "ports/continuous.py": "half steps of a Runge-Kutta step",
    "ports/haptic_loop.py": "an enumeration",
    "ports/laws.py": "coefficients of a polynomial",
    "ports/resolution.py": "neighbours of a grid point",
    "ports/walls.py": "the sample before",
    "rig/layout.py": "an enumeration of states",
    "robots/arm/layout.py": "seven axes in a row",
    "robots/interception.py": "pieces of a profile",
    "spatial/rotations.py": "terms of a series",
}
SMALL = 5  # the last index of a vector, a quaternion or a symmetric matrix


def _is_number(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int and node.value > 0


def _shifted(node: ast.AST) -> bool:
    """An index such as `at + 13`."""
    return (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Add | ast.Sub)
        and (_is_number(node.right) or _is_number(node.left) or _shifted(node.left))
    )


def hand_written(path: Path) -> list[str]:
    """Lines of a file with an offset in an array: `mem[at + 13]`, `row[123]`, `load3(mem, at + 3)`,
    `range(17)`."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Subscript):
            index = node.slice
            large = isinstance(index, ast.Constant) and type(index.value) is int
            if _shifted(index) or (large and index.value > SMALL):  # type: ignore[attr-defined]
                found.append(f"{node.lineno}: {ast.unparse(node)}")
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            name = node.func.id
            if (name.startswith(("load", "store")) and any(_shifted(one) for one in node.args)) or (
                name == "range" and any(_is_number(a) and a.value > SMALL + 1 for a in node.args)
            ):
                found.append(f"{node.lineno}: {ast.unparse(node)}")
    return found


def core_files() -> list[str]:
    found = (str(path.relative_to(CORE)) for path in sorted(CORE.rglob("*.py")))
    return [path for path in found if path.split("/")[0] not in NOT_YET]


@pytest.mark.parametrize("file", core_files())
def test_no_offset_is_written_by_hand(file):
    """An integer that names a place must be changed wherever the layout changes, and nothing tells
    where: in compiled code a wrong one reads another number."""
    found = hand_written(CORE / file)
    assert not found or file in ALLOWED, f"{file}: declare Cells for {found}"
    assert found or file not in ALLOWED, f"{file}: nothing there any more, take it off the list"


# arrays of the core that other packages read
ARRAYS = {"mem", "vector", "vectors", "outcome", "outcomes", "record", "log", "logs"}
# lines there whose numbers are no places
NO_PLACES = {
    "arms/placed.py": "the joints stand behind the base axis, slot 0",
    "campaign/kernel_specialisation.py": "all rows but the first",
    "campaign/orbits.py": "the last contact",
    "papers/zebenay/loops.py": "the second row",
}


def hand_written_outside(path: Path) -> list[str]:
    """Lines of a file above the core with an offset in one of its arrays: `outcomes[:, 2]`,
    `vectors[..., at + 1]`. Of `at : at + 3` the first is named, and its length is not a place."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Subscript):
            continue
        name = getattr(node.value, "attr", getattr(node.value, "id", ""))
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        ends = [
            end for one in parts if isinstance(one, ast.Slice) for end in (one.lower, one.upper)
        ]
        numbers = [one for one in (*parts, *ends) if one is not None and _is_number(one)]
        if name.lstrip("_") in ARRAYS and (numbers or any(_shifted(one) for one in parts)):
            found.append(f"{node.lineno}: {ast.unparse(node)}")
    return found


def test_no_offset_is_written_by_hand_above_the_core():
    """A column that is read by its number goes on being read when another takes its place."""
    package, found = CORE.parent, {}
    for path in sorted(package.rglob("*.py")):
        if not path.is_relative_to(CORE) and (lines := hand_written_outside(path)):
            found[str(path.relative_to(package))] = lines
    assert set(found) == set(NO_PLACES), found


@pytest.mark.parametrize("name", LAYOUTS)
def test_cells_do_not_overlap(name):
    """Every float of a layout belongs to exactly one cell."""
    layout = LAYOUTS[name]
    taken = [i for cell in layout for i in range(layout.size)[layout.slice_of(cell.name)]]
    assert taken == list(range(layout.size))


def test_every_layout_of_the_core_is_on_the_page():
    """A layout that nobody lists has no table in the docs and no test that its cells are apart."""
    listed = {layout.name for layout in LAYOUTS.values()}
    for file in core_files():
        if file.startswith("adaptation/"):
            continue  # docs/method_memory.md
        for node in ast.walk(ast.parse((CORE / file).read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Cells":
                name = node.args[0]
                assert getattr(name, "value", "") in listed, (file, ast.unparse(name))


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
    assert {cell.name for cell in state.FACILITY} == set(Facility._fields)


def test_cells_of_one_name_are_refused():
    """Two cells of a name would share one offset."""
    with pytest.raises(ValueError, match="names twice"):
        cells.Cells("twice", cells.Cell("a"), cells.Cell("a"))


def test_the_page_of_layouts_is_what_the_declarations_say():
    """To renew it: python -m softdock.scenario.layouts_page docs/layouts.md"""
    page = Path(__file__).parents[2] / "docs" / "layouts.md"
    assert page.read_text(encoding="utf-8") == layouts_page()


@pytest.mark.parametrize("key", [key for key in SENSOR if key.name not in EVERY_SENSOR])
def test_a_key_of_the_sensor_brings_its_code(key):
    """A fault that stood at another place of the list was once left out of the compiled loop."""
    vector = np.zeros((1, SENSOR_AT + SENSOR.size + 1000))
    assert not any_electronics(vector)
    vector[0, SENSOR_AT + getattr(SENSOR.at, key.name)] = 1.0
    assert any_electronics(vector)
