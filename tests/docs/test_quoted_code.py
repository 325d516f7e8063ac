"""What pages and headers quote from the code is what the code says: files, names, numbers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from softdock.compile.disk_cache import KEEP_CACHES_S, LONGEST_WAIT_S
from softdock.loop.energy.ledger import ROWS
from softdock.loop.method.method import Method
from softdock.loop.spatial.motion import MOTION_FLOATS

ROOT = Path(__file__).parents[2]
FILES = [
    path.relative_to(ROOT).as_posix()
    for folder in ("src", "tests", "benchmarks", "examples", "docs")
    for path in sorted((ROOT / folder).rglob("*.py"))
]
PAGES = [*sorted(ROOT.glob("docs/**/*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
PROGRAMS = sorted(ROOT.glob("src/**/*.py"))
# Files of a user's own, in examples of commands, and one that `softdock fmu` writes.
A_USERS_OWN = {
    "FILE.py",
    "mine.py",
    "my_driver.py",
    "my_outcomes.py",
    "methods/force_lead.py",
    "softdock_controller.py",
}
NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def find_files(name: str) -> list[Path]:
    """The files that a path, or the end of one, may mean."""
    return [ROOT / file for file in FILES if f"/{file}".endswith(f"/{name}")]


def list_missing(text: str) -> list[str]:
    """Files and names in a text that are not there: `file.py`, `folder/file.py: name`."""
    found = []
    for name in re.findall(r"(?<![\w./{}*-])([\w/]+\.py)\b", text):
        if name not in A_USERS_OWN and not find_files(name):
            found.append(name)
    for file, name in re.findall(r"`([\w/]+\.py): (\w+)`", text):
        texts = [path.read_text(encoding="utf-8") for path in find_files(file)]
        if texts and not any(re.search(rf"\b{name}\b", one) for one in texts):
            found.append(f"{file}: {name}")
    return found


def test_named_files_and_names_are_there():
    """A module that was renamed or split takes the pages and headers along that lead to it."""
    found = {}
    for path in (*PAGES, *PROGRAMS):
        if gone := list_missing(path.read_text(encoding="utf-8")):
            found[path.relative_to(ROOT).as_posix()] = gone
    assert found == {}


def test_what_is_gone_is_found():
    """The test above can fail, by file and by name."""
    assert list_missing("loop/cycle.py, `loop/cycle.py: control` and mine.py") == []
    assert list_missing("kinds_of_old.py, `loop/cycle.py: no_such`") == [
        "kinds_of_old.py",
        "loop/cycle.py: no_such",
    ]


@pytest.mark.parametrize(
    ("page", "sentence"),
    [
        ("compiled_core", f"folders older than {KEEP_CACHES_S / 86400:g} days"),
        ("compiled_core", f"waits for it, at most {LONGEST_WAIT_S / 60:g} minutes"),
        ("conventions", f"{MOTION_FLOATS} numbers, in this order"),
        ("energy", f"The rows ({NUMBERS[len(ROWS)]}, and those of elastic joints)"),
    ],
)
def test_numbers_quoted_from_code_are_the_codes(page, sentence):
    """A constant that changes in the code changes in the sentence that quotes it."""
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    assert sentence in " ".join(text.split())


def test_every_hook_of_a_method_is_on_its_page():
    """docs/your_own_method.md names each compiled hook that `Method` has."""
    text = (ROOT / "docs" / "your_own_method.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(\w+)(?:\(method, mem[^`]*)?`", text))
    hooks = {"wrench", "external", "correct", "set_point", "rewound", "replaced", "past"}
    assert hooks <= set(Method.__dataclass_fields__)
    assert hooks <= named
