"""The course runs: eight scripts in percent format, each with an exercise and its solution, and the
numbers that they promise. As notebooks they hold the same cells."""

from __future__ import annotations

import json
import re
import runpy
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))
from notebooks import cells_of, notebook, write_notebooks  # noqa: E402

SCRIPTS = sorted((ROOT / "examples" / "course").glob("[1-8]_*.py"))
PROMISED = {  # numbers of EPOS on one axis are those of tests/golden/test_epos_1d.py
    "1": [r"on the rig 1\.1191", r"8 ms: 1\.0646, \+13\.3%", r"\+0\.6\d%, a quarter"],
    "2": [r"16 ms: .* = 1\.1192, sampled loop 1\.1190", r"26 Ns/m", r"with it: 23\.9 ms"],
    "3": [r"robot +\+2\.8251 mJ", r"sum \+3\.1786 mJ, added \+3\.1786", r"row: sensor"],
    "4": [r"UNSAFE\. Rebound 112 %", r"0\.589 N of uncompensated weight", r"believed\.mass_kg"],
    "5": [r"direct +restitution 1\.1191", r"adaptive_damping +restitution 1\.00\d\d"],
    "6": [
        r"stiffness (99\d|100\d)",
        r"robot 16\.\d ms of delay",
        r"cannot tell friction: the tip never slid",
        r"frame",
    ],
    "7": [r"promised: mass", r"mass (1\.99|2\.00)\d\d \+-", r"4 times less certain"],
    "8": [r"of 200 bounces lose energy", r"Requirement: pass", r"299 runs"],
}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_lesson_says_what_it_promises(script, capsys):
    """Run as it stands, solution and all."""
    runpy.run_path(str(script), run_name="__main__")
    printed = capsys.readouterr().out
    for pattern in PROMISED[script.name[0]]:
        assert re.search(pattern, printed), (pattern, printed)


def test_there_are_eight_lessons_with_an_exercise_each():
    """A heading, an exercise, a solution, at most 90 lines."""
    assert [path.name[0] for path in SCRIPTS] == list("12345678")
    for path in SCRIPTS:
        text = path.read_text(encoding="utf-8")
        assert text.startswith("# %% [markdown]\n# # ")
        assert text.count("# ## Exercise") == 1
        assert text.count('# %% tags=["solution"]') == 1
        assert len(text.splitlines()) <= 90, path


def test_notebooks_hold_the_same_cells(tmp_path):
    """Text is text, code is code, and nothing is lost."""
    write_notebooks(tmp_path)
    made = sorted(tmp_path.glob("*.ipynb"))
    assert [path.stem for path in made] == [path.stem for path in SCRIPTS]
    for path, script in zip(made, SCRIPTS, strict=True):
        book = json.loads(path.read_text(encoding="utf-8"))
        assert book["nbformat"] == 4
        source = script.read_text(encoding="utf-8")
        code = ["".join(c["source"]) for c in book["cells"] if c["cell_type"] == "code"]
        for cell in code:
            assert cell in source
        words = " ".join("".join(c["source"]) for c in book["cells"])
        assert "## Exercise" in words
        assert notebook(cells_of(source)) == book
