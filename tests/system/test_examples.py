"""Every example runs, says what its title promises, and stays short. One process for all that need
no method of their own."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples"
SCRIPTS = sorted(FOLDER.glob("[0-9][0-9]_*.py"))
LONGEST = 60  # lines of at most 100 columns

# What the printed text must say: the numbers of EPOS on one axis are those of
# tests/golden/test_epos_1d.py.
SAID = {
    "01": [
        r"Rebound speed is 112 % of the approach speed; on orbit it is 100 %\.",
        r"restitution 1\.1191, in orbit 1\.0000",
        r"robot +\+2\.825 mJ",
        r"leaves at 20\.00 mm/s",
    ],
    "02": [
        r"0 +1\.0126 +1\.0126 +\+2\.5%",
        r"16 +1\.1191 +1\.1192 +\+25\.2%",
        r"32 +1\.2358 +1\.2371 +\+52\.7%",
    ],
    "03": [
        r"refused: chaser\.mass_kg: given -120",
        r"refused: contact\.0\.real\.stifness",
        r"warnings: none",
        r"0\.8738",
    ],
    "04": [r"stopped at 0\.\d+ s: observed energy 0\.\d+ mJ is over 5 %"],
    "05": [r"1000 runs, 625000 cycles", r"furthest from exp\(pi w h / 2\): 0\.00\d\d"],
    "06": [r"1 symplectic_euler +restitution 1\.1052", r"6 forward_euler +restitution 1\.1331"],
    "07": [r"1 force_lead +0\.24%.* at worst 3\.53%", r"2 direct +11\.90%"],
    "08": [
        r"written: metrics\.json, report\.html, run\.json, scenario\.toml, series\.parquet",
        r"true\.chaser\.force\.x \[N\]",
        r"lines: .*gap on orbit, .*on the satellite, on orbit, ",
        r"max ",
    ],
    # the first two lines and the contact point: as in tests/golden/test_lange_*.py
    "09": [
        r"0 N: -0\.98 N, after 8 s -7\.84 Ns and -0\.314 m",
        r"2 N: \+0\.00 N",
        r"point 3\.1 mm off",
        r"ignored +: restitution 0\.983 .*0\.954",
        r"measured +: .*1\.000",
    ],
    "10": [
        r"the rig stops: 0",
        r"restitution 1\.1191, 5\.310 N measured",
        r"observed energy \+3\.\d+ mJ",
        r"is known: False",
    ],
}


def expect(script: Path, printed: str) -> None:
    for pattern in SAID[script.name[:2]]:
        assert re.search(pattern, printed), f"{script.name} does not say '{pattern}':\n{printed}"


def number(script: Path) -> str:
    return script.name[:2]


def test_there_are_ten_and_each_is_short():
    """Numbered without a gap, each with a docstring that says what one learns."""
    assert [number(s) for s in SCRIPTS] == [f"{i:02d}" for i in range(1, 11)] == list(SAID)
    for script in SCRIPTS:
        text = script.read_text(encoding="utf-8")
        assert len(text.splitlines()) < LONGEST, script.name
        assert "You learn:" in text.split('"""')[1], script.name


@pytest.mark.parametrize("script", [s for s in SCRIPTS if number(s) != "07"], ids=number)
def test_an_example_runs(script, tmp_path, monkeypatch, capsys):
    """As a program, in a folder of its own; it leaves nothing there."""
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(script), run_name="__main__")
    expect(script, capsys.readouterr().out)
    assert list(tmp_path.iterdir()) == []


def test_the_example_with_a_method_of_its_own_runs(tmp_path):
    """In a process of its own: what it registers must not stay."""
    script = next(s for s in SCRIPTS if number(s) == "07")
    done = subprocess.run(
        [sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    expect(script, done.stdout)


def test_the_method_is_the_one_that_the_page_explains():
    """docs/your_own_method.md shows examples/force_lead.py, to the letter (and so their machine
    code is shared)."""
    page = (ROOT / "docs" / "your_own_method.md").read_text(encoding="utf-8")
    assert re.search(r"```python\n(from typing.*?)```", page, re.S)[1] == (
        FOLDER / "force_lead.py"
    ).read_text(encoding="utf-8")


def test_the_page_lists_every_example():
    """docs/course.md has a row for each, and says of it what its docstring says."""
    page = (ROOT / "docs" / "course.md").read_text(encoding="utf-8")
    for script in SCRIPTS:
        title = script.read_text(encoding="utf-8").split('"""')[1].partition(". You learn:")[0]
        assert f"[{script.name}](../examples/{script.name}) | {title} |" in page
