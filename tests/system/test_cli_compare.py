"""`softdock compare` as a person uses it: table, JSON, page and folder agree; a method of one's
own; everything that can be wrong."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from browser import chromium, opened
from click.testing import CliRunner
from plain import run_plain

from softdock.cli.main import cli
from softdock.output.pages.comparison_charts import choose_shown
from softdock.output.pages.frame.elements import look_up
from softdock.scenario.files import load_scenario
from softdock.studies.compare import compare

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "your_own_method.md"
HOSTILE = (
    '</script><script>window.hit = 1</script><img src="http://192.0.2.1/x" onerror="window.hit = '
    '2">'
)
RETURNS_NAN = """
import math
from typing import NamedTuple

from softdock.loop.method.interface import Wrenches
from softdock.methods.registry import Method
from softdock.compile.jit import compiled
from softdock.loop.parameters import Group
from softdock.loop.spatial.motion import Wrench


class Broken(NamedTuple):
    memory: int


@compiled
def prepare(marker, vector, base, memory):
    return Broken(memory)


@compiled
def wrench(method, mem, rig, measured, satellites, wrenches):
    return Wrenches(Wrench((math.nan, 0.0, 0.0), wrenches.chaser.torque), wrenches.target)


GROUP = Group("broken", "Gives NaN.")
METHOD = Method("broken", "gives NaN", "nothing", GROUP, Broken(0), prepare, wrench=wrench)
"""


pytestmark = pytest.mark.usefixtures("own_registry")


def run(*arguments: str) -> Any:
    return CliRunner().invoke(cli, ["compare", *arguments])


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    """The file that docs/your_own_method.md shows."""
    file = tmp_path / "force_lead.py"
    file.write_text(
        re.search(r"```python\n(from typing.*?)```", PAGE.read_text(encoding="utf-8"), re.S)[1]
    )
    return file


def numbers_of_page(html: str) -> list[tuple[str, Any]]:
    """Every number on the page with the key it says it is from."""
    found = re.findall(r'data-key="([^"]+)" data-value="([^"]*)" data-block="comparison"', html)
    return [(key, json.loads(value.replace("&quot;", '"'))) for key, value in found]


def test_table_json_page_and_folder_agree(tmp_path):
    """One comparison, told four ways: the same numbers."""
    done = run("epos_1d", "--out", str(tmp_path / "here"))
    assert done.exit_code == 0, done.output
    results = json.loads((tmp_path / "here" / "comparison.json").read_text())
    html = (tmp_path / "here" / "comparison.html").read_text()
    numbers = numbers_of_page(html)
    assert len(numbers) > 30
    for key, value in numbers:
        assert value == look_up(results, key), key
    assert (
        json.loads(
            re.search(r'<script type="application/json" id="comparison">(.*?)</script>', html)[1]
        )
        == results
    )
    assert len(html) < 5e6
    for row in results["candidates"]:
        assert re.search(
            rf"{row['rank']} .*{row['integrator']} .*{row['restitution']:.3f}", done.output
        )
    assert results["recommendation"].split(":")[0] in " ".join(done.output.split())
    assert str(tmp_path / "here" / "comparison.html") in done.output
    assert (
        load_scenario(tmp_path / "here" / "scenario.toml").tables == load_scenario("epos_1d").tables
    )


def test_json_is_alone_on_standard_output(tmp_path, monkeypatch):
    """And nothing is kept that was not asked for."""
    monkeypatch.chdir(tmp_path)
    delays = [f"--set=robots.{body}.delay_ms=8" for body in ("chaser", "target")]
    done = run("epos_1d", "--json", "--methods", "direct", "--integrators", "exact_hold", *delays)
    (row,) = json.loads(done.stdout)["candidates"]
    assert row["restitution"] == pytest.approx(1.0646, abs=1e-4)  # exp(pi w h / 2)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["epos_1d", "--methods", "dirct"], "did you mean 'direct'"),
        (["epos_1d", "--integrators", "euler"], "--integrators"),
        (["epos_1", "--json"], "did you mean 'epos_1d'"),
        (["epos_1d", "--set", "chaser.mass_kg=-1"], "chaser.mass_kg"),
        (["epos_1d", "--phases", "0"], "phases"),
        (["epos_1d", "--force"], "--out"),
        (["epos_1d", "--method-file", "missing.py"], "missing.py"),
        (["epos_1d", "--out", "taken"], "holds something"),
        (["epos_1d", "--out", "taken/file"], "this is a file"),
        (["epos_1d", "--set", "chaser.position_m=[-0.1, 0.0, 0.0]"], "deep"),
    ],
)
def test_bad_input_is_refused(arguments, message, tmp_path, monkeypatch):
    """One message, exit code 2, nothing written."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "file").write_text("x")
    done = run(*arguments)
    assert done.exit_code == 2
    assert message in done.output
    assert "Traceback" not in done.output
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["file", "taken"]


def test_all_runs_stopped_early(tmp_path):
    """Exit code 3, and what was there is shown and kept."""
    done = run(
        "epos_1d",
        "--set",
        "stop.force_N=3",
        "--methods",
        "direct",
        "--integrators",
        "exact_hold",
        "--out",
        str(tmp_path / "here"),
    )
    assert done.exit_code == 3
    assert "force limit" in done.output
    assert (tmp_path / "here" / "comparison.html").is_file()


def test_the_sample_method_does_what_its_page_says(sample, tmp_path):
    """The file of docs/your_own_method.md, run as the page says; every number of its table."""
    command = re.search(r"^    softdock compare (.*)$", PAGE.read_text(encoding="utf-8"), re.M)[
        1
    ].replace("force_lead.py", str(sample))
    done = run(*command.split(), "--out", str(tmp_path / "here"))
    assert done.exit_code == 0, done.output
    assert "running the code in" in done.stderr
    results = json.loads((tmp_path / "here" / "comparison.json").read_text())
    rows = {row["label"]: row for row in results["candidates"]}
    table = re.findall(
        r"^\| (\w+, \w+) \| ([\d.]+) % \| ([\d.]+) \| (?:([\d.]+) % )?\|$",
        PAGE.read_text(encoding="utf-8"),
        re.M,
    )
    assert [label for label, *_ in table] == [row["label"] for row in results["candidates"]]
    for label, distance, restitution, worst in table:
        assert f"{100 * rows[label]['error_against_orbit']:.3g}" == distance
        assert f"{rows[label]['restitution']:.4f}" == restitution
        assert (
            f"{100 * rows[label]['worst']['error_against_orbit']:.3g}"
            if rows[label]["worst"]
            else ""
        ) == worst
    assert results["recommendation"].startswith("Use force_lead with exact_hold")
    assert rows["force_lead, exact_hold"]["cost_ratio_to_direct"] > 0.5
    html = (tmp_path / "here" / "comparison.html").read_text()
    assert "ran your own code" in html
    assert all(value == look_up(results, key) for key, value in numbers_of_page(html))
    assert any("knowledge_errors" in key for key, _ in numbers_of_page(html))


def test_the_sample_method_says_where_it_cannot_run(sample, tmp_path):
    """No contact: refused in words; the raw loop is still compared. Exit code 2: it was the user's
    method that was asked for."""
    only = ("--methods", "direct", "--integrators", "exact_hold")
    done = run("oos_sim", "--method-file", str(sample), *only, "--out", str(tmp_path / "here"))
    assert done.exit_code == 2
    assert "there is no contact whose force it could lead" in done.output
    assert re.search(r"1 .*direct", done.output)


def test_a_method_that_does_not_compile(sample, tmp_path):
    """The reason and the line, the others still shown, exit code 2."""
    text = sample.read_text().replace("keys.stiffness", "keys.stifness")
    file = tmp_path / "wrong.py"
    file.write_text(text)
    line = next(i for i, s in enumerate(text.splitlines(), 1) if "keys.stifness" in s)
    only = ("--methods", "direct", "--integrators", "exact_hold")
    done = run("epos_1d", "--method-file", str(file), *only, "--out", str(tmp_path / "here"))
    assert done.exit_code == 2
    said = " ".join(done.output.split())
    assert (
        "could not run force_lead (any): it does not compile: Unknown attribute 'stifness'" in said
    )
    assert f"(wrong.py:{line})" in said
    assert re.search(r"1 .*direct", done.output)


def test_a_method_that_returns_nan(tmp_path):
    """Diverged and last, the others still shown, exit code 3. In plain Python, so that nothing has
    to be compiled."""
    (tmp_path / "nan.py").write_text(RETURNS_NAN)
    program = "from softdock.cli.main import main; main()"
    command = ["compare", "epos_1d", "--method-file", "nan.py", "--methods", "direct"]
    command += ["--integrators", "exact_hold", "--set", "time.duration_s=0.1", "--json"]
    done = run_plain(program, *command, cwd=tmp_path)
    assert done.returncode == 3, done.stderr
    rows = json.loads(done.stdout)["candidates"]
    assert [(r["method"], r["status"]) for r in rows] == [
        ("direct", "completed"),
        ("broken", "diverged"),
    ]
    assert rows[1]["energy_added_J"] is None


def test_curves_drawn_at_once():
    """The best of each method first, then by rank; none that stopped while others did not."""
    found = [
        ("a", 1, "completed"),
        ("a", 2, "completed"),
        ("b", 1, "completed"),
        ("c", 1, "diverged"),
    ]
    rows = [{"label": f"{m}{i}", "method": m, "status": s} for m, i, s in found]
    assert choose_shown(rows) == {"a1", "a2", "b1"}
    many = [
        {"label": f"{m}{i}", "method": m, "status": "completed"} for i in range(4) for m in "ab"
    ]
    assert choose_shown(many) == {"a0", "b0", "a1", "b1", "a2"}


@pytest.mark.browser
def test_the_page_in_a_browser(tmp_path):
    """Charts are drawn, nothing is asked of the network, the console stays empty, a hostile name
    does nothing, light and dark."""
    file = tmp_path / "comparison.html"
    comparison = compare(
        load_scenario("epos_1d", {"name": HOSTILE, "description": HOSTILE}), "direct,hybrid"
    )
    assert len(comparison.ranked) == 2  # one row per method, at its better integrator
    file.write_text(comparison.page(), encoding="utf-8")
    with chromium() as browser:
        for scheme in ("light", "dark"):
            with opened(
                browser, file, viewport={"width": 1200, "height": 900}, color_scheme=scheme
            ) as here:
                here.drawn()
                charts = here.page.evaluate(
                    "() => Array.from(document.querySelectorAll('.chart[data-time=yes]')).map(e => "
                    "e.querySelectorAll('g.trace path.js-line').length)"
                )
                assert charts == [1 + len(comparison.ranked)] * 3  # orbit and the candidates
                bars = here.page.evaluate(
                    "() => Array.from(document.querySelectorAll('[id^=chart-bars]')).map(e => "
                    "e.querySelectorAll('g.bars g.point').length)"
                )
                assert bars == [len(comparison.ranked)] * 2  # distance and force
                assert here.page.evaluate("() => window.hit") is None
                assert here.requests == []
                assert here.complaints == []
