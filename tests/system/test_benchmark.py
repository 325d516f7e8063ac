"""`softdock benchmark` from end to end, small: two cases and two methods, in processes of their
own."""

from __future__ import annotations

import json
import shlex

import pytest
from click.testing import CliRunner

from softdock import BadInput
from softdock.cli.main import cli
from softdock.scenario.files import load_scenario
from softdock.studies.benchmark import run as pool
from softdock.studies.benchmark.cell import measure_cell
from softdock.studies.benchmark.folder import CELLS, begin_folder, resume_folder
from softdock.studies.benchmark.plan import Entry, Plan, choose_cases, prepare_entries
from softdock.studies.benchmark.replay import format_command
from softdock.studies.benchmark.results import collect_results, read_results
from softdock.studies.benchmark.run import measure_cells

CASES, METHODS = "lossless_16ms,delay_jitter", "direct,energy_ledger"
SMALL = ["--cases", CASES, "--methods", METHODS, "--phases", "2", "-j", "1"]
VARYING = ("cost", "cpu_s", "number")  # of a cell: what a clock measures


def plan_of(cases=CASES, **keys):
    entries = (Entry("direct", ("direct",)), Entry("energy_ledger", ("energy_ledger",)))
    return Plan(choose_cases(cases), entries, phases=2, **keys)


def called(*words):
    return CliRunner().invoke(cli, ["benchmark", *map(str, words)])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A whole small benchmark."""
    path = tmp_path_factory.mktemp("benchmark") / "out"
    found = called(*SMALL, "--out", path)
    assert found.exit_code == 0, found.output
    return path


@pytest.fixture(scope="module")
def results(folder):
    return read_results(folder)


def plain(cell):
    return {key: value for key, value in cell.items() if key not in VARYING}


def test_every_cell_is_measured_and_the_ledger_is_near(folder, results):
    """Four cells, three levels, a page that says what the file says."""
    assert len(results["cells"]) == 4
    first = results["leaderboard"]["none"][0]
    assert (first["label"], first["within_1"], first["cases"]) == ("energy_ledger", 2, 2)
    assert results["leaderboard"]["none"][1]["within_1"] == 0  # the raw loop
    page = (folder / "report.html").read_text()
    assert "energy_ledger ranks first: 2 of 2 cases have an error within 1 %" in page
    assert sorted(p.name for p in (folder / "cases").iterdir()) == [
        "delay_jitter.toml",
        "lossless_16ms.toml",
    ]


def test_the_command_of_a_cell_gives_its_number(results):
    """`softdock run` with the printed keys judges at the same phases: the same distance."""
    for cell in results["cells"]:
        row = cell["knowledge"]["none"]
        words = shlex.split(format_command(f"benchmark:{cell['case']}", row["changes"]))
        found = CliRunner().invoke(cli, [*words[1:], "--json"])
        judged = json.loads(found.stdout)["verdict"]
        assert judged["criteria"]["distance"]["number"] == pytest.approx(row["distance"], abs=1e-14)
        assert judged["word"] == row["word"]


def test_errors_of_knowledge_reach_the_number_and_its_command():
    """Re-mapping on a damped contact: told exactly it is at orbit, an error of 10 % in stiffness,
    damping or the wanted law costs a per cent, and the worst one's command makes it again."""
    case, entry = load_scenario("benchmark:damped_e07"), Entry("remapping", ("remapping",))
    kinds = {way.kind for way in prepare_entries(case, entry, "wrong")}
    assert kinds == {"delay", "stiffness", "damping", "wanted"}
    cell = measure_cell(case, entry, 2, ["none", "wrong", "exact"])["knowledge"]
    assert cell["none"]["status"] == "cannot run"
    assert "stiffness" in cell["none"]["reason"]
    assert cell["exact"]["distance"] < 1e-4
    assert 5e-3 < cell["wrong"]["distance"] < 0.1
    for kind in ("stiffness", "wanted"):
        way = next(w for w in prepare_entries(case, entry, "wrong") if w.kind == kind)
        assert way.scenario.tables["contact"] == case.tables["contact"]  # orbit keeps the true one
    words = shlex.split(format_command("benchmark:damped_e07", cell["wrong"]["changes"]))
    judged = json.loads(CliRunner().invoke(cli, [*words[1:], "--json"]).stdout)["verdict"]
    again = judged["criteria"]["distance"]["number"]
    assert again == pytest.approx(cell["wrong"]["distance"], rel=1e-9)


def test_going_on_gives_what_an_uninterrupted_benchmark_gives(folder, results, tmp_path):
    """Cells that were cut, changed or never measured are measured again, the others are kept."""
    plan, path = plan_of(), tmp_path / "out"
    begin_folder(plan, path)
    lines = (folder / CELLS).read_bytes().splitlines(keepends=True)
    changed = lines[1].replace(b'"completed"', b'"Completed"', 1)
    (path / CELLS).write_bytes(lines[0] + changed + lines[2][:50])
    again = resume_folder(plan, path)
    assert len(again.cells) == 1
    assert [said.split(";")[0] for said in again.notes] == [
        f"line 2 of {CELLS} was cut or changed",
        f"line 3 of {CELLS} was cut or changed",
    ]
    found = called(*SMALL, "--out", path, "--resume")
    assert found.exit_code == 0, found.output
    remade = read_results(path)
    assert [plain(c) for c in remade["cells"]] == [plain(c) for c in results["cells"]]
    assert remade["cells"][0] == results["cells"][0]  # kept, with its cost


def test_another_benchmark_is_not_gone_on_with(tmp_path):
    """The refusal says which option differs, and both seeds."""
    begin_folder(plan_of("lossless_16ms", seed=1, drawn=0), tmp_path / "out")
    with pytest.raises(BadInput, match=r"another --seed \(1, not 2\)"):
        resume_folder(plan_of("lossless_16ms", seed=2, drawn=0), tmp_path / "out")
    with pytest.raises(BadInput, match="another --cases"):
        resume_folder(plan_of("damped_e07", seed=1, drawn=0), tmp_path / "out")
    with pytest.raises(BadInput, match=r"no plan\.json"):
        resume_folder(plan_of(), tmp_path)
    found = called(*SMALL, "--out", tmp_path / "out")
    assert found.exit_code == 2
    assert "--resume goes on with the benchmark in it" in found.output


def test_leaving_early_keeps_what_was_measured(tmp_path):
    """Ctrl-C ends the processes, and the cells that came stand in the folder."""
    plan = plan_of()
    kept = begin_folder(plan, tmp_path / "out")
    cells = measure_cells(plan, kept.list_missing(), 1)
    at, cell = next(cells)
    kept.add(at, cell)
    cells.close()
    assert list(resume_folder(plan, tmp_path / "out").cells) == [at.number]


def test_a_process_that_dies_fails_its_cell_and_no_other(monkeypatch):
    """A worker that dies costs its own cell, which says so after a second try, and not the
    benchmark."""
    monkeypatch.setattr(pool, "WORKER", "this")  # prints, and ends
    plan = plan_of("lossless_16ms")
    found = list(measure_cells(plan, list(plan.cells())[:1], 1))
    row = found[0][1]["knowledge"]["exact"]
    assert row["status"] == "failed"
    assert "died twice" in row["reason"]


def test_results_are_shown_again_and_compared(folder, tmp_path):
    """Without a run: the page of a file, and what has changed since another."""
    found = called("--results", folder, "--against", folder, "--out", tmp_path / "page")
    assert found.exit_code == 0, found.output
    assert "no error has changed on the 2 cases" in " ".join(found.output.split())
    assert "Since then" in (tmp_path / "page" / "report.html").read_text()
    refused = called("--results", folder, "--quick")
    assert refused.exit_code == 2
    assert "--results runs nothing" in refused.output


def test_drawn_cases_are_files_of_the_folder(tmp_path):
    """Random cases are in the plan as text, and their commands name their files."""
    plan = Plan(choose_cases("none", drawn=2, seed=3), plan_of().entries, phases=1, seed=3, drawn=2)
    begin_folder(plan, tmp_path / "out")
    for case in plan.cases:
        file = tmp_path / "out" / case.source
        assert load_scenario(file).tables == case.scenario.tables
    assert plan.identity()["--seed"] == 3


def test_a_whole_file_of_results_can_be_made_of_a_folder_at_any_time(folder):
    """The results are a function of the cells: nothing else is remembered."""
    kept = resume_folder(plan_of(), folder)
    again, before = collect_results(kept, 1, 0.0), read_results(folder)
    assert again["cells"] == before["cells"]
    assert again["leaderboard"] == before["leaderboard"]
