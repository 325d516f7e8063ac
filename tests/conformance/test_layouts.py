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

# how many lines have numbers that are mathematics or neighbours in a series, not places in an
# array; fewer: lower the number here
ALLOWED: dict[str, tuple[int, str]] = {
    "adaptation/networks/contact.py": (2, "the last column of a matrix, the last port"),
    "adaptation/networks/port.py": (2, "the last port"),
    "adaptation/remapping/host/truth.py": (3, "the row before"),
    "arms/follow.py": (5, "the last of seven axes in a tuple"),
    "arms/layout.py": (7, "seven axes in a row, to and from a tuple"),
    "arms/sweep.py": (4, "the rows beside"),
    "chance.py": (2, "rounds of Philox"),
    "energy/axis_scheme.py": (1, "the sample before"),
    "machine/code_files.py": (1, "bytes of a digest"),
    "machine/seam_doors.py": (1, "the row before"),
    "spatial/rotations.py": (2, "terms of a series"),
    "wire/numbers.py": (5, "powers of ten that a double holds; digits, the last first"),
    "wire/scanner.py": (3, "the byte beside"),
    "wire/xml_tokens.py": (2, "the byte beside"),
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


def _indices(node: ast.Subscript) -> list[ast.AST]:
    """Of `row[k, at + 13]` each, of a slice where it begins: its length is no place."""
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    begins = [one.lower if isinstance(one, ast.Slice) else one for one in parts]
    return [one for one in begins if one is not None]


def _numbers(tree: ast.Module) -> dict[str, int]:
    """Integers that a file gives a name: `FELT, READ = 67, 93`."""
    found = {}
    for one in (one for one in tree.body if isinstance(one, ast.Assign)):
        to, value = one.targets[0], one.value
        pairs = [(to, value)]
        if isinstance(to, ast.Tuple) and isinstance(value, ast.Tuple):
            pairs = list(zip(to.elts, value.elts, strict=False))
        for name, number in pairs:
            if isinstance(name, ast.Name) and isinstance(number, ast.Constant):
                found[name.id] = number.value if type(number.value) is int else 0
    return found


def hand_written(text: str) -> list[str]:
    """Lines of a file with an offset in an array: `mem[at + 13]`, `row[k, 123]`, `mem[at + 3 :]`,
    `load3(mem, at + 3)`, `range(17)`, and `mem[at + FELT]` with FELT = 67."""
    found, tree = [], ast.parse(text)
    large = {name for name, value in _numbers(tree).items() if value > SMALL}

    def is_place(node: ast.AST) -> bool:
        parts = (node, node.left, node.right) if isinstance(node, ast.BinOp) else (node,)
        alone = isinstance(node, ast.Constant) and type(node.value) is int and node.value > SMALL
        return alone or _shifted(node) or any(getattr(one, "id", "") in large for one in parts)

    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript):
            wrong = any(is_place(one) for one in _indices(node))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            moves = node.func.id.startswith(("load", "store"))
            counts = node.func.id == "range"
            wrong = (moves and any(is_place(one) for one in node.args)) or (
                counts and any(_is_number(a) and int(ast.unparse(a)) > SMALL + 1 for a in node.args)
            )
        else:
            continue
        if wrong:
            found.append(f"{node.lineno}: {ast.unparse(node)}")
    return found


# how many columns have a number that is mathematics: an index of a matrix, of a quaternion
COLUMNS = {
    "adaptation/guidance/shown.py": (1, "the scalar of quaternions"),
    "adaptation/remapping/host/wanted.py": (2, "a matrix"),
    "ports/continuous.py": (8, "one port, one right-hand side"),
    "ports/published_net.py": (4, "matrices of one port"),
    "ports/satellite.py": (3, "matrices of one port"),
}


def columns_by_number(text: str) -> list[str]:
    """Places in an array of rows that end in a number: `rows[k, 3]`."""
    return [
        f"{node.lineno}: {ast.unparse(node)}"
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Subscript)
        and isinstance(node.slice, ast.Tuple)
        and isinstance(node.slice.elts[-1], ast.Constant)
        and type(node.slice.elts[-1].value) is int
    ]


def core_files() -> list[str]:
    return [str(path.relative_to(CORE)) for path in sorted(CORE.rglob("*.py"))]


@pytest.mark.parametrize("file", core_files())
def test_no_offset_is_written_by_hand(file):
    """An integer that names a place must be changed wherever the layout changes, and nothing tells
    where: in compiled code a wrong one reads another number. A file with a reason has no more of
    them than it had."""
    found = hand_written((CORE / file).read_text(encoding="utf-8"))
    most, _ = ALLOWED.get(file, (0, ""))
    assert len(found) <= most, f"{file}: declare Cells for {found}"
    assert len(found) == most, f"{file}: {len(found)} are left, lower the number in the list"


def test_an_offset_that_is_written_by_hand_is_found():
    """The test above can fail."""
    wrong = ["mem[at + 13]", "mem[9]", "row[k, 9]", "row[:, k + 1]", "mem[at + 3 :]", "mem[FELT]"]
    wrong += ["mem[at + FELT]", "mem[FELT + at : n]", "load3(mem, at + 3)", "store(mem, READ, x)"]
    right = ["mem[at + AT.felt]", "row[2]", "q[k, 1]", "mem[at : at + 3]", "mem[at + TWO]", "x[:9]"]
    names = "FELT, READ = 67, 93\nTWO = 2\n"
    assert [line for line in wrong if not hand_written(names + line)] == []
    assert [line for line in right if hand_written(names + line)] == []


def test_no_column_has_a_number():
    """The columns of a table are few, so that their numbers look like mathematics."""
    files = [file for file in core_files() if file != "spatial/arrays.py"]  # matrices
    found = {file: columns_by_number((CORE / file).read_text("utf-8")) for file in files}
    allowed = {file: number for file, (number, _) in COLUMNS.items()}
    assert {file: len(lines) for file, lines in found.items() if lines} == allowed, found
    assert columns_by_number("rows[k, 0], rows[k], rows[k, IN_ROW.depth]") == ["1: rows[k, 0]"]


# arrays of the core that other packages read
ARRAYS = {"mem", "vector", "vectors", "outcome", "outcomes", "record", "log", "logs"}
# lines there whose numbers are no places
NO_PLACES = {
    "arms/placed.py": (2, "the joints stand behind the base axis, slot 0"),
    "campaign/kernel_specialisation.py": (1, "all rows but the first"),
    "campaign/orbits.py": (1, "the last contact"),
    "papers/zebenay/loops.py": (1, "the second row"),
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
    allowed = {file: most for file, (most, _) in NO_PLACES.items()}
    assert {file: len(lines) for file, lines in found.items()} == allowed, found


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
