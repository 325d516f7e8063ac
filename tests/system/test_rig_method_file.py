"""A method from a user's file on a rig: it acts in the rig's own program, recordings keep its text
and hash among their attachments, and none of them runs it again by itself. In plain Python, as
test_method_file.py, whose method this is."""

from __future__ import annotations

import hashlib
import json

import pytest
from plain import run_plain
from test_method_file import SHORT, SOFT_PUSH, softdock

MINE = ["--method-file", "soft_push.py"]
QUICK = ["--set", "sensors.chaser.rate_Hz=250", "--set", "run_up.listen_s=0.1"]
QUICK += ["--set", "run_up.ramp_s=0.1", "--json"]
TOUCH = ["--scenario-set", "time.duration_s=0.2"]
TOUCH += ["--scenario-set", "chaser.position_m=[0.0004,0,0]"]
SHA = hashlib.sha256(SOFT_PUSH.encode()).hexdigest()
# what `rig run` would hand to its loop and to the recorder, with neither robots nor recorder
RIG_RUN = """
import json, pickle, sys
from click.testing import CliRunner
from softdock.cli import rig_run
from softdock.cli.main import cli
from softdock.rig.emulated_rig import make_emulation
from softdock.rig.runs import describe_run

def stand_in(on, *_, **__):
    told = describe_run(on, "", {}, {})
    names = [one["name"] for one in on.scenario.tables["methods"]]
    handed = pickle.dumps(make_emulation(on))  # to processes that have not run the file
    json.dump({"methods": names, "attachments": dict(told.attachments),
               "emulators_need_the_file": b"soft_push" in handed}, sys.stderr)
    raise SystemExit(0)

rig_run.run_commanded = stand_in
done = CliRunner().invoke(cli, ["rig", "run", "emulated_pair", "epos_1d", *sys.argv[1:]])
print(done.stderr[done.stderr.index('{"methods'):] if done.exit_code == 0 else done.stderr)
"""
OPENED = """
import sys
from softdock.output.folders.sources import open_recording
found = open_recording("run.mcap", as_rig=True)
print("\\n".join(found.warnings), found.scenario, sorted(found.attachments))
"""


@pytest.fixture(scope="module")
def used(tmp_path_factory):
    """The file, and commands that were run with it."""
    folder = tmp_path_factory.mktemp("own_on_rig")
    (folder / "soft_push.py").write_text(SOFT_PUSH)
    (folder / "gain_beside.py").write_text("GAIN = 1.0\n")
    answers = softdock(
        ["rig", "check", "emulated_pair", "epos_1d", *TOUCH, *QUICK],
        ["rig", "check", "emulated_pair", "epos_1d", *TOUCH, *QUICK, *MINE],
        ["run", "epos_1d", *SHORT, *MINE, "--json", "--mcap", "run.mcap"],
        folder=folder,
    )
    return folder, answers


def test_it_acts_in_the_rigs_program(used):
    """Of `rig check`: nine tenths of every force move the satellite less, and it is said that the
    file's code runs."""
    _, (without, with_it, _) = used
    assert without[0] == with_it[0] == 0, (without, with_it)
    assert "running the code in soft_push.py (--method-file)" in with_it[2]
    assert "epos_1d lists direct: run with soft_push in its place" in with_it[2]
    peaks = [json.loads(one[1])["predicted"]["peak_force_N"] for one in (without, with_it)]
    assert peaks[1] > 1.001 * peaks[0] > 0.0


def test_the_recording_of_a_rig_keeps_text_and_hash(used):
    """What `rig run` records: the file, what it imports from beside it, and its SHA-256; nothing
    of the kind where no file was given. Emulated robots get nothing of it: they could not load
    it."""
    folder, _ = used
    with_it, without = (run_plain(RIG_RUN, *given, cwd=folder).stdout for given in (MINE, []))
    told = json.loads(with_it)
    assert told["methods"] == ["soft_push"]
    assert not told["emulators_need_the_file"]
    assert told["attachments"]["methods/soft_push.py"] == SOFT_PUSH
    assert told["attachments"]["methods/gain_beside.py"] == "GAIN = 1.0\n"
    (kept,) = json.loads(told["attachments"]["methods.json"])["files"]
    assert (kept["sha256"], kept["methods"]) == (SHA, ["soft_push"])
    assert set(json.loads(without)["attachments"]) == {"scenario.toml", "rig.toml"}


def test_no_recording_runs_code_by_being_opened(used):
    """Without the file named: as a run it is refused, as a rig's recording it opens without its
    scenario; both say which file it was, its hash and the option. With the file it opens."""
    folder, answers = used
    assert answers[2][0] == 0, answers[2]
    refused, opened = softdock(
        ["picture", "run.mcap", "no.svg"], ["picture", "run.mcap", "yes.svg", *MINE], folder=folder
    )
    as_rig = run_plain(OPENED, cwd=folder)
    assert refused[0] == 2, refused
    for said in (refused[1] + refused[2], as_rig.stdout):
        words = " ".join(said.split())
        assert "--method-file FILE" in words
        assert "attached as methods/soft_push.py" in words
        assert SHA in words.replace(" ", "")
    assert "None ['methods.json', 'methods/gain_beside.py'" in as_rig.stdout
    assert opened[0] == 0, opened


def test_a_method_that_does_not_compile_is_bad_input_on_a_rig_too(used):
    """A plain tuple in place of the method's NamedTuple: one message, no traceback."""
    folder, _ = used
    text = SOFT_PUSH.replace("return SoftPush(memory, ", "return (memory, ")
    (folder / "bad.py").write_text(text.replace("soft_push", "bad"))
    line = ["rig", "check", "emulated_pair", "epos_1d", *TOUCH, *QUICK, "--method-file", "bad.py"]
    ((code, _, said),) = softdock(line, folder=folder)
    assert code == 2, said
    assert "prepare must return the method's own NamedTuple" in " ".join(said.split())
    assert "Traceback" not in said
