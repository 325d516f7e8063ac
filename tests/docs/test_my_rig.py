"""The tutorial docs/my_rig.md: its commands run as a user would type them, and what the page says
is what they say."""

import re
import shlex
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from softdock.cli.main import cli
from softdock.results.simulation import simulate
from softdock.studies.campaign.plan import load_plan

PAGE = (Path(__file__).parents[2] / "docs" / "my_rig.md").read_text(encoding="utf-8")
COMMANDS = [
    line
    for block in re.findall(r"```\n(softdock.*?)```", PAGE, re.S)
    for line in block.strip().splitlines()
]
COMPARE = next(line for line in COMMANDS if line.startswith("softdock compare"))
LOG = COMMANDS[COMMANDS.index(COMPARE) + 1 :]
NUMBER = r"\d+(?:\.\d+)?"
PASTED, SCATTER = re.findall(r"```toml\n(.*?)```", PAGE, re.S)[1:]


def read_quote(pattern):
    """What a sentence of the page says in its groups."""
    return list(re.search(pattern, " ".join(PAGE.split())).groups())


def run_line(command):
    """A line of the page; the words that it prints."""
    result = CliRunner().invoke(cli, shlex.split(command)[1:])
    assert result.exit_code == 0, result.output
    return " ".join(result.stdout.split())


@pytest.fixture
def rig(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    new, *_ = COMMANDS
    run_line(new)
    return tmp_path / "my_rig.toml"


def change(file, pattern, by):
    text, count = re.subn(pattern, by.replace("\\", ""), file.read_text(), flags=re.S | re.M)
    assert count == 1
    file.write_text(text)


def test_safe_and_why(rig):
    """Check finds the weight, the run is unsafe and says what to do, and the causes are in the
    page's order."""
    _, check, run, why, *_ = COMMANDS
    warning = " ".join(re.search(r"^> (.*?)\n\n", PAGE, re.S | re.M)[1].replace("\n>", "").split())
    assert warning in run_line(check)
    output = run_line(run)
    assert output.startswith("UNSAFE. The loop adds")
    quoted = read_quote(
        r"The loop adds ([\d.]+) % .*? reference is ([\d.]+) % .*? force is ([\d.]+) N, "
        r"on orbit ([\d.]+) N"
    )
    shown = (
        r"loop adds ([\d.]+) % of the approach energy \(limit",
        r"on-orbit reference ([\d.]+) % of the approach speed",
        r"peak contact force ([\d.]+) N",
        r"peak contact force [\d.]+ N \(on orbit ([\d.]+) N",
    )
    assert quoted == [re.search(pattern, output)[1] for pattern in shown]
    causes = run_line(why)
    named = read_quote(
        r"the tool's weight \(([\d.]+) %\), then the chaser's robot \(([\d.]+) %\) and the "
        r"target's \(([\d.]+) %\)"
    )
    words = ("weight of the chaser's tool", "delay of the chaser's robot")
    order = [causes.index(word) for word in (*words, "delay of the target's robot")]
    assert order == sorted(order)
    for share in named:
        assert f"({share} %" in causes


def test_what_to_set(rig):
    """Weighed again it is still unsafe by its delay; the lines to paste are the page's, their
    verdict is that of a run with them, and runs of the campaign confirm it."""
    change(rig, r"^believed\.mass_kg = .*?$", "believed.mass_kg = 1.9995")
    still = run_line("softdock run my_rig.toml")
    word, *numbers = read_quote(
        r"now gives: \*\*(\w+)\*\*, an error of ([\d.]+) % of the approach speed and a peak "
        r"force of ([\d.]+) N, on orbit ([\d.]+) N"
    )
    assert still.startswith(f"{word}. Error against the on-orbit reference {numbers[0]} %")
    assert f"peak contact force {numbers[1]} N (on orbit {numbers[2]} N" in still
    assert "Next: `softdock compare my_rig.toml`" in still
    compared = run_line(f"{COMPARE} --methods model_mediated --integrators exact_hold")
    assert " ".join(PASTED.split()) in compared
    row = re.search(r"^\| model_mediated \|(.*)\|$", PAGE, re.M)[1].replace("|", " ").split()
    assert " ".join(row) in compared
    advice = r" Next: .*?\(docs/campaigns\.md\)\."  # the one thing that a run says otherwise
    named = "FAITHFUL with model_mediated."
    verdict = "FAITHFUL." + re.sub(advice, "", compared.split(named)[1]).split(" The page:")[0]
    assert "Worst of 8 sampling phases" in verdict
    change(rig, r"^\[satellites\].*?\n\n", "")
    change(rig, r"^\[\[methods\]\].*?\n\n", "")
    rig.write_text(rig.read_text() + "\n" + PASTED)
    output = re.sub(advice, "", run_line("softdock run my_rig.toml"))[: len(verdict) + 4]
    # the same words; numbers as near as six digits of what was pasted leave them
    words, numbers = re.split(NUMBER, verdict), [float(x) for x in re.findall(NUMBER, verdict)]
    assert re.split(NUMBER, output)[: len(words) - 1] == words[:-1]
    found = [float(x) for x in re.findall(NUMBER, output)[: len(numbers)]]
    assert found == pytest.approx(numbers, rel=0.01)
    Path("scatter.toml").write_text(SCATTER)
    plan = load_plan(Path("scatter.toml"))
    assert plan.runs == tomllib.loads(SCATTER)["runs"]
    for number in (0, 40):
        assert simulate(plan.scenario_of(number)).metrics["verdict"]["word"] == "faithful"
    output = [run_line(line) for line in LOG]
    assert "NO VERDICT: the log has no scenario" in output[2]
    found = float(re.search(r"contact stiffness \(1 contact\)\D*([\d.]+)", output[3])[1])
    assert found == pytest.approx(29_900.0, rel=0.01)
