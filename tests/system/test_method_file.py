"""A method from a file, with every command: it is picked up everywhere by its declaration alone,
its text is kept beside the results, and no folder runs it again by itself."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from plain import run_plain

# Each in a process of its own, which knows only the files it was given; in plain Python, because
# what is tested here is not what compiling does.
COMMANDS = """
import json, sys
from click.testing import CliRunner
from softdock.cli.main import cli
answers = []
for arguments in json.load(sys.stdin):
    done = CliRunner().invoke(cli, arguments)
    answers.append([done.exit_code, done.stdout, done.stderr, repr(done.exception)])
json.dump(answers, sys.stdout)
"""
SOFT_PUSH = """
from typing import NamedTuple

from gain_beside import GAIN
from softdock.methods import (
    Cell, Cells, Group, Method, Parameter, Wrench, Wrenches, compiled, norm, recorded, scale
)

GROUP = Group("soft_push", "Less of the measured force.", Parameter("share", "share", "kept", 0.9))
AT = GROUP.at
CELLS = Cells("soft_push", recorded("force", "N", "that acts"), Cell("count", 1, "-", "cycles"))
CELL = CELLS.at


class SoftPush(NamedTuple):
    memory: int
    share: float


@compiled
def prepare(marker, vector, base, memory):
    return SoftPush(memory, GAIN * vector[base + AT.share])


@compiled
def wrench(method, mem, rig, measured, satellites, wrenches):
    mem[method.memory + CELL.count] += 1.0
    c, t = wrenches.chaser, wrenches.target
    mem[method.memory + CELL.force] = method.share * norm(c.force)
    return Wrenches(
        Wrench(scale(method.share, c.force), scale(method.share, c.torque)),
        Wrench(scale(method.share, t.force), scale(method.share, t.torque)),
    )


METHOD = Method(
    name="soft_push",
    summary="less of the measured force",
    knows="nothing",
    group=GROUP,
    marker=SoftPush(0, 0.0),
    prepare=prepare,
    wrench=wrench,
    cells=CELLS,
    books=lambda mem: {"cycles": float(mem[CELL.count])},
    once="a test says so",
    threshold_key="share",
    linear_part=lambda values, normals: ({"virtual_damping": 7.0}, ["a note of soft_push"]),
)
"""
COMMANDS_WITH_FILE = (
    *("run", "stability", "compare", "why", "identify", "picture"),
    *("campaign", "replay", "again"),
)
SHORT = ["--set", "time.duration_s=0.08", "--set", "chaser.position_m=[0.0004,0,0]"]


def softdock(*lines: list[str], folder: Path) -> list[tuple[int, str, str]]:
    answer = run_plain(COMMANDS, given=json.dumps(lines), cwd=folder)
    assert answer.returncode == 0, answer.stderr
    return [(code, out, err + raised) for code, out, err, raised in json.loads(answer.stdout)]


@pytest.fixture(scope="module")
def used(tmp_path_factory):
    """Every command with the file; the folders they wrote."""
    folder = tmp_path_factory.mktemp("own")
    (folder / "soft_push.py").write_text(SOFT_PUSH)
    (folder / "gain_beside.py").write_text("GAIN = 1.0\n")
    (folder / "campaign.toml").write_text(
        'scenario = "base.toml"\nruns = 2\nreference = false\nmethods = ["soft_push"]\n'
        '[[vary]]\nkey = "robots.chaser.delay_ms"\nuniform = [1.0, 9.0]\n'
    )
    mine = ["--method-file", "soft_push.py"]
    first = softdock(
        ["run", "epos_1d", *SHORT, *mine, "--out", "run"],
        ["stability", "epos_1d", *SHORT, *mine, "--json"],
        ["compare", "epos_1d", *SHORT, *mine, "--methods", "direct", "--integrators", "exact_hold",
         "--out", "compared"],
        ["why", "epos_1d", *SHORT, *mine, "--phases", "1", "--json"],
        ["identify", "run", *mine, "--json"],
        ["picture", "run", "run.svg", *mine],
        folder=folder,
    )  # fmt: skip
    (folder / "base.toml").write_text((folder / "run" / "scenario.toml").read_text())
    more = softdock(
        ["campaign", "campaign.toml", *mine, "--out", "campaign", "--threads", "1"],
        ["campaign", "campaign", *mine, "--replay", "1", "--out", "replayed"],
        ["run", "run/scenario.toml", *mine, "--out", "again"],
        folder=folder,
    )
    return folder, dict(
        zip(
            COMMANDS_WITH_FILE,
            [*first, *more],
            strict=True,
        )
    )


@pytest.mark.parametrize("command", COMMANDS_WITH_FILE)
def test_every_command_takes_the_file(used, command):
    """A method defined in a test is picked up by run, compare, campaign and stability, and by
    whatever opens what they wrote."""
    _, answers = used
    code, _, said = answers[command]
    assert code == 0 or (command == "identify" and "too short" in said), said
    assert "running the code in soft_push.py (--method-file)" in said


def test_what_it_declares_arrives(used):
    """Books, channel, page, keys, linear part: each from the declaration alone."""
    folder, answers = used
    metrics = json.loads((folder / "run" / "metrics.json").read_text())
    assert metrics["method_books"]["soft_push"] == {"cycles": 20.0}
    assert b"soft_push.force" in (folder / "run" / "series.parquet").read_bytes()
    assert "soft_push" in (folder / "run" / "report.html").read_text()
    assert 'name = "soft_push"\nshare = 0.9' in (folder / "run" / "scenario.toml").read_text()
    assert "epos_1d lists direct: run with soft_push in its place" in answers["run"][2]
    found = json.loads(answers["stability"][1])
    assert found["given"]["virtual_damping_Ns_per_m"] == 7.0
    assert "a note of soft_push" in answers["stability"][1]
    assert found["verdict"]["criteria"] == metrics["verdict"]["criteria"]  # of its runs, not of
    assert "--method-file soft_push.py" in found["verdict"]["next_step"]  # those without it
    rows = json.loads((folder / "compared" / "comparison.json").read_text())["candidates"]
    assert {row["method"] for row in rows} == {"direct", "soft_push"}
    assert "The outcomes are those of the campaign's table." in answers["replay"][1]


def test_the_same_run_again(used):
    """From its folder, with the file named: the same numbers."""
    folder, _ = used
    for name in ("series.parquet", "scenario.toml"):
        assert (folder / "again" / name).read_bytes() == (folder / "run" / name).read_bytes()
    again, first = (
        json.loads((folder / run / "metrics.json").read_text()) for run in ("again", "run")
    )
    differing = {key for key in first if again[key] != first[key]}
    assert differing <= {"verdict", "why"}  # they name what was run: a preset, or a file
    assert again["verdict"]["word"] == first["verdict"]["word"]


@pytest.mark.parametrize("name", ["run", "campaign", "compared", "replayed"])
def test_a_folder_keeps_text_and_hash(used, name):
    """The file as it ran, what it imports from beside it, and its SHA-256."""
    folder, _ = used
    kept = json.loads((folder / name / "methods.json").read_text())["files"]
    assert [one["methods"] for one in kept] == [["soft_push"]]
    assert (folder / name / "methods" / "soft_push.py").read_text() == SOFT_PUSH
    assert (folder / name / "methods" / "gain_beside.py").read_text() == "GAIN = 1.0\n"
    assert kept[0]["sha256"] == hashlib.sha256(SOFT_PUSH.encode()).hexdigest()


def test_no_folder_runs_code_by_being_opened(used):
    """Without the file named: a refusal with the kept file, its hash and the option, and none of
    its code has run."""
    folder, _ = used
    trap = folder / "run" / "methods" / "soft_push.py"
    sound = trap.read_bytes()
    trap.write_text("open('trap', 'w')\n" + SOFT_PUSH)
    sha = hashlib.sha256(SOFT_PUSH.encode()).hexdigest()
    try:
        answers = softdock(
            ["run", "run/scenario.toml", "--json"],
            ["campaign", "campaign", "--resume"],
            ["stability", "--mass", "60", "--stiffness", "1000", "--delay-ms", "16",
             "--chart", "x.html", "--run", "run"],
            folder=folder,
        )  # fmt: skip
    finally:
        trap.write_bytes(sound)
    for code, out, said in answers:
        assert code == 2, (out, said)
        words = " ".join((out + said).split())
        assert "--method-file FILE" in words
        assert sha in words.replace(" ", "") or sha in words
        assert "methods/soft_push.py" in words
    assert not (folder / "trap").exists()


def test_another_file_is_not_taken_for_it(used):
    """A file, or a module beside it, that has changed: `run` warns with both hashes, a campaign is
    not gone on with."""
    folder, _ = used
    (folder / "gain_beside.py").write_text("GAIN = 0.5\n")
    try:
        again, resumed = softdock(
            ["run", "run/scenario.toml", "--method-file", "soft_push.py", "--json"],
            ["campaign", "campaign", "--resume", "--method-file", "soft_push.py"],
            folder=folder,
        )
    finally:
        (folder / "gain_beside.py").write_text("GAIN = 1.0\n")
    assert again[0] == 0, again
    assert "is not the file that" in again[1]
    assert resumed[0] == 2
    assert "runs of two versions are not mixed" in " ".join(resumed[2].split())


def test_a_file_that_nothing_lists_is_refused(used):
    """A campaign that lists none of its methods was not meant."""
    folder, _ = used
    (folder / "other.toml").write_text(
        'scenario = "epos_1d"\nruns = 2\n[[vary]]\nkey = "chaser.mass_kg"\nuniform = [60.0, 70.0]\n'
    )
    code, _, said = softdock(
        ["campaign", "other.toml", "--method-file", "soft_push.py", "--out", "none"],
        folder=folder,
    )[0]
    assert code == 2
    assert "a file whose methods the campaign lists" in " ".join(said.split())
    assert not (folder / "none").exists()


BROKEN = {
    "negative": ("memory=lambda values, T: -3", "gives -3"),
    "huge": ("memory=lambda values, T: 10**15", "gives 1000000000000000"),
    "no number": ("memory=lambda values, T: 'much'", "gives 'much'"),
    "NaN": ("memory=lambda values, T: float('nan')", "gives nan"),
    "raises": ("memory=lambda values, T: values['nothing']", "KeyError"),
    "check raises": ("check=lambda values, tables: 1 / 0", "ZeroDivisionError"),
    "check is no function": ("check=3", ".check: given 3"),
    "group": ("group=None", "a softdock.methods.Group"),
    "plain tuple": ("", "prepare must return the method's own NamedTuple"),
}


def test_broken_methods_are_refused(used):
    """Memory that is no whole number of floats, functions that raise, a plain tuple in place of the
    NamedTuple: one message each, no traceback."""
    folder, _ = used
    lines = []
    for i, (name, (changed, _)) in enumerate(BROKEN.items()):
        text = SOFT_PUSH.replace("    cells=CELLS,\n", f"    {changed},\n" if changed else "")
        text = text.replace("    group=GROUP,\n", "") if name == "group" else text
        if name == "plain tuple":
            text = text.replace("return SoftPush(memory, ", "return (memory, ")
        (folder / f"bad_{i}.py").write_text(text.replace("soft_push", f"bad_{i}"))
        lines.append(["run", "epos_1d", *SHORT, "--method-file", f"bad_{i}.py", "--json"])
    answers = softdock(*lines, folder=folder)
    for (name, (_, message)), (code, out, said) in zip(BROKEN.items(), answers, strict=True):
        assert code == 2, (name, out, said)
        assert message in " ".join(said.split()), (name, said)
        assert "Traceback" not in said
