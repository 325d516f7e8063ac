"""One verdict: every command and page shows the word and the headline of the object that softdock
made, and no other scale of judgement."""

from __future__ import annotations

import json
import re
from html import escape
from types import SimpleNamespace

import numpy as np
import pytest
from click.testing import CliRunner
from recorded_rig import record
from rig_runs import quick

import softdock
from softdock.cli.main import cli
from softdock.cli.progress import output
from softdock.cli.rig_console import judge_recordings, show_series
from softdock.cli.stability_tables import print_stability
from softdock.cli.why import print_causes
from softdock.output.folders.run_folder import open_run
from softdock.output.pages.stability import write_page
from softdock.output.viewer.panels import verdict_html
from softdock.results.verdict import Word, name_method
from softdock.rig.runs import RigRun
from softdock.scenario.files import load_scenario
from softdock.studies.stability.chart import chart_of
from softdock.studies.stability.from_scenario import loops_of

OLD_WORDS = re.compile(r"\b(honest|invented|invents|flown|from nothing)\b|\bOff:", re.I)
TINY = """schema = 1
name = "tiny"
scenario = "epos_1d"
reference = true
runs = 4
[[vary]]
key = "robots.chaser.delay_ms"
uniform = [0.0, 4.0]
"""
MAP = """schema = 1
[clock.log]
column = "time"
[chaser.command]
position = ["command.chaser.position.x", "command.chaser.position.y", "command.chaser.position.z"]
attitude = [1.0, 0.0, 0.0, 0.0]
[chaser.measured]
position = ["seen.chaser.position.x", 0.0, 0.0]
attitude = [1.0, 0.0, 0.0, 0.0]
[chaser.satellite]
same_as = "command"
[chaser.wrench]
force = ["measured.chaser.force.x", 0.0, 0.0]
torque = [0.0, 0.0, 0.0]
[chaser.wrench_on_satellite]
same_as = "wrench"
"""


def flat(text: str) -> str:
    """Without the breaks of lines."""
    return " ".join(text.split())


def call(*line: str) -> str:
    said = CliRunner().invoke(cli, list(line), env={"COLUMNS": "160"})
    assert said.exit_code in (0, 3), said.output
    return said.stdout


def check(said: str, verdict: dict, page: str = "") -> None:
    """Word and headline of this verdict in the terminal and on the page."""
    headline = verdict["headline"]
    assert headline.startswith(verdict["word"].upper())
    assert verdict["word"] in list(Word)
    assert headline in flat(said)
    assert not OLD_WORDS.search(said), OLD_WORDS.search(said)
    if page:
        shown = re.sub(r"</?strong>", "", page.split("<script", 1)[0])
        assert escape(headline) in shown
        body = re.sub(r"<script.*?</script>", "", page, flags=re.S)
        assert not OLD_WORDS.search(body), OLD_WORDS.search(body)


def test_run(tmp_path):
    """The terminal, the page, the stored metrics and `run.verdict` show one object."""
    said = call("run", "epos_1d", "--out", str(tmp_path / "run"))
    run = open_run(tmp_path / "run")
    check(said, run.metrics["verdict"], (tmp_path / "run/report.html").read_text("utf-8"))
    assert str(run.verdict) == run.metrics["verdict"]["headline"]
    assert run.verdict.word is Word.UNSAFE
    assert f"{100.0 * run.restitution:.3g} % of the approach speed" in str(run.verdict)
    assert "Main cause: 16 ms delay of the chaser's robot." in str(run.verdict)


def test_why_and_stability(tmp_path, capsys):
    """Both have the verdict of the same sampling phases; a stability page opens with it."""
    why = json.loads(call("why", "epos_1d", "--no-methods", "--phases", "1", "--json"))
    print_causes(output(), why)
    check(capsys.readouterr().out, why["verdict"])
    chart = tmp_path / "chart.html"
    found = json.loads(call("stability", "epos_1d", "--json", "--chart", str(chart)))
    assert found["verdict"]["clause"] == why["verdict"]["clause"]
    assert escape(found["verdict"]["headline"]) in re.sub(
        r"</?strong>", "", chart.read_text("utf-8")
    )
    print_stability(found)
    check(capsys.readouterr().out, found["verdict"])
    panels = chart_of(loops_of(load_scenario("epos_1d"))[0].loop)
    write_page(panels, chart, "without a verdict")
    assert "Unstable at 16 ms of delay; the critical delay is" in chart.read_text("utf-8")


def test_compare_names_the_method(tmp_path):
    """The headline of a comparison is the best candidate's, with its method."""
    out = tmp_path / "compared"
    said = call("compare", "epos_1d", "--methods", "direct", "--phases", "1", "--out", str(out))
    results = json.loads((out / "comparison.json").read_text("utf-8"))
    best = results["candidates"][0]
    named = name_method(best["verdict"], best["method"])
    assert named["headline"].startswith("UNSAFE with direct. ")
    check(said, named, (out / "comparison.html").read_text("utf-8"))


@pytest.mark.parametrize("reference", [True, False])
def test_campaign(tmp_path, reference):
    """Its headline judges; without a reference there is no verdict, and why is said."""
    (tmp_path / "tiny.toml").write_text(
        TINY.replace("true", str(reference).lower()), encoding="utf-8"
    )
    out = tmp_path / "campaign"
    said = call("campaign", str(tmp_path / "tiny.toml"), "--out", str(out), "--backend", "cpu")
    verdict = json.loads((out / "summary.json").read_text("utf-8"))["verdict"]
    check(said, verdict, (out / "report.html").read_text("utf-8"))
    assert (verdict["word"] == "no verdict") is not reference


class ReportsOnly:
    """A facility that is known from its reports, as one over UDP or as an FMU: no truth."""

    def __init__(self, scenario):
        inner = softdock.SimulatedFacility(scenario)
        self.start, self.exchange, self.stop = inner.start, inner.exchange, inner.stop


def test_a_run_known_from_reports_and_an_imported_log(tmp_path):
    """The page of each, the terminal of `import` and the recording that is read again show one
    object."""
    scenario = load_scenario("epos_1d")
    run = softdock.drive(scenario, ReportsOnly(scenario))
    folder = run.save(tmp_path / "reports")
    kept = json.loads((folder / "metrics.json").read_text("utf-8"))["verdict"]
    page = (folder / "report.html").read_text("utf-8")
    assert kept["word"] == Word.UNSAFE
    again = softdock.open_recording(folder)
    assert again.judge()["headline"] == kept["headline"]
    check(kept["headline"], kept, page)
    names = [n for n in run.series if n == "time" or ".chaser." in n or n.startswith("chaser.")]
    rows = np.stack([run.series[n] for n in names], axis=1)
    log, out = tmp_path / "log.csv", tmp_path / "imported"
    np.savetxt(log, rows, fmt="%.17g", delimiter=",", header=",".join(names), comments="")
    (tmp_path / "map.toml").write_text(MAP, encoding="utf-8")
    line = ("--map", str(tmp_path / "map.toml"), "--scenario", "epos_1d", "--out", str(out))
    said = call("import", str(log), *line)
    imported = json.loads((out / "metrics.json").read_text("utf-8"))["verdict"]
    check(said, imported, (out / "report.html").read_text("utf-8"))
    assert imported["clause"] == kept["clause"]


def test_recordings(tmp_path, capsys):
    """`rig run`, its page, `replay` and the viewer show the verdict of the recording."""
    file = tmp_path / "run.mcap"
    rig = quick({}, load_scenario("epos_1d"))
    series = SimpleNamespace(runs=[RigRun(record(rig, file), None, file, [])])
    judged = judge_recordings(series)
    series.planned, series.not_taken, series.drivers = 1, {}, {}
    series.granted = SimpleNamespace(fifo=0, locked=False, refusals=())
    show_series(rig, series, judged)
    check(capsys.readouterr().out, judged[0], (tmp_path / "run.html").read_text("utf-8"))
    check(call("replay", str(file), "--method", "direct"), judged[0])
    run = softdock.simulate(load_scenario("epos_1d"))
    shown = verdict_html(run.verdict)
    assert "UNSAFE" in shown
    assert str(run.verdict).partition(". ")[2] in shown
