"""More of what a hostile user tried: Ctrl-C at awkward moments, indices out of place, folders and
files that were believed or read for ever. Each failed before it was mended."""

from __future__ import annotations

import errno
import re
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from softdock.cli.main import cli
from softdock.errors import BadInput, CampaignStopped
from softdock.files.toml_text import parse_toml
from softdock.files.values import Refused
from softdock.scenario.csv_rows import read_rows
from softdock.scenario.files import preset_text
from softdock.scenario.network_file import load_network
from softdock.studies.campaign.execute import make_stop_error
from softdock.studies.campaign.plan import make_plan
from softdock.studies.campaign.shards import (
    MANIFEST,
    begin_folder,
    make_plan_from_texts,
    make_plan_texts,
    resume,
)
from softdock.studies.campaign.spec import load_spec

CAMPAIGN = """name = "small"
scenario = "{scenario}"
runs = 6
[set]
time.duration_s = 0.8
[[vary]]
key = "robots.chaser.delay_ms"
uniform = [0.0, 20.0]
"""


def campaign_file(folder: Path, scenario: str = "epos_1d", more: str = "") -> Path:
    path = folder / "small.toml"
    path.write_text(CAMPAIGN.format(scenario=scenario).replace("[set]", f"[set]\n{more}"))
    return path


def test_a_word_of_a_megabyte_is_read_at_once(tmp_path):
    """Deep keys were looked for from each letter of a word: 70 kB took ten seconds, and no Ctrl-C
    came through."""
    began = time.process_time()
    parse_toml('a = "' + "x" * 1_000_000 + '"\n', "long.toml")
    parse_toml("a" + " " * 1_000_000 + "= 1\n", "long.toml")
    assert time.process_time() - began < 5.0
    with pytest.raises(BadInput, match="too deep"):
        parse_toml(".".join("a" * 41) + " = 1\n", "deep.toml")
    (tmp_path / "long.csv").write_text("0," + "1" * 200_000 + ",0,0,0,0,0\n" * 2)
    with pytest.raises(Refused, match="field larger"):  # a traceback of Python's own reader
        read_rows(tmp_path, "long.csv")


@pytest.mark.parametrize("value", ["1e308", "5e-324"])
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_networks_of_impossible_numbers_are_refused_with_their_file(value, tmp_path):
    """Overflow ended in NumPy's warnings, or in a traceback of its eigenvalues."""
    file = tmp_path / "net.toml"
    arguments = f"{{ k1 = {value}, k2 = {value}, b1 = {value} }}"
    file.write_text(f'model = "standard_linear_solid"\narguments = {arguments}\n')
    told = ""
    try:
        load_network(file)
    except BadInput as error:
        told = str(error)
    assert told.startswith(str(file)) or not told


def test_a_campaign_numbers_its_runs_itself(tmp_path):
    """`random.run` in [set] was taken, and every run had the number of its row all the same."""
    with pytest.raises(BadInput, match=r"small.toml:\d+: set.random.run"):
        make_plan(load_spec(campaign_file(tmp_path, more="random.run = 3")))


def test_refusals_of_a_campaign_say_its_key_and_line(tmp_path):
    """They named options that nobody had given, without a line."""
    file = campaign_file(tmp_path)
    file.write_text('methods = ["dirext"]\n' + file.read_text())
    with pytest.raises(BadInput, match=r"small.toml:1: methods: .*did you mean 'direct'"):
        make_plan(load_spec(file))
    with pytest.raises(BadInput, match=r"small.toml:2: scenario: "):
        make_plan(load_spec(campaign_file(tmp_path, "epos_9d")))


def test_resume_is_promised_only_where_there_is_a_campaign(tmp_path):
    """A disc that was full before the manifest was written left nothing to go on with."""
    full = OSError(errno.ENOSPC, "no space")
    assert "nothing was run" in str(make_stop_error(full, tmp_path))
    (tmp_path / MANIFEST).write_text("{}")
    assert "--resume" in str(make_stop_error(full, tmp_path))


def test_a_damaged_table_is_not_believed_by_a_replay(tmp_path):
    """A flipped bit read as other numbers, and the replay was said to differ from its table."""
    from softdock.studies.campaign.replay import find_row

    plan = make_plan(load_spec(campaign_file(tmp_path)))
    folder = begin_folder(plan, tmp_path / "out", 6)
    shard = next(iter(folder.list_missing(plan)))
    folder.write(shard, b"PAR1 not what was written")
    folder.locate(shard).write_bytes(b"PAR1 not what was writtem")
    with pytest.raises(CampaignStopped, match="its checksum differs"):
        find_row(plan, tmp_path / "out", 3)


@pytest.mark.parametrize("name", ["campaign.json", "sums/part-000000.json", "summary.json"])
def test_devices_in_a_campaign_folder_are_not_read(name, tmp_path):
    """A link to /dev/zero was read until memory was gone."""
    from softdock.output.folders.campaign_folder import _read_spent

    plan = make_plan(load_spec(campaign_file(tmp_path)))
    folder = begin_folder(plan, tmp_path / "out", 6)
    folder.write(next(iter(folder.list_missing(plan))), b"something")
    path = tmp_path / "out" / name
    path.unlink(missing_ok=True)
    path.symlink_to("/dev/zero")
    if name == "campaign.json":
        with pytest.raises(BadInput, match=r"no campaign\.json that can be read"):
            resume(plan, tmp_path / "out")
    else:
        _, said = resume(plan, tmp_path / "out")
        assert bool(said) == name.startswith("sums")
        assert _read_spent(tmp_path / "out") is None


def test_a_scenario_with_a_long_schedule_is_a_campaign(tmp_path):
    """Six thousand rows: written in full into the folder, read again to the same plan."""
    time_s = np.arange(6_000) * 1e-4
    rows = np.column_stack([time_s, np.sin(time_s), np.zeros((6_000, 5))])
    np.savetxt(tmp_path / "push.csv", rows, delimiter=",", fmt="%.17g")
    scenario = preset_text("epos_1d") + '\n[external.chaser]\ncsv = "push.csv"\n'
    (tmp_path / "rig.toml").write_text(scenario)
    plan = make_plan(load_spec(campaign_file(tmp_path, "rig.toml")))
    begin_folder(plan, tmp_path / "out", 6)
    again = make_plan(load_spec(tmp_path / "out"))
    assert make_plan_texts(again).fingerprint == make_plan_texts(plan).fingerprint
    assert (make_plan_from_texts(make_plan_texts(plan)).base.vector == plan.base.vector).all()
    stored = tomllib.loads((tmp_path / "out" / "scenario.toml").read_text())
    assert len(stored["external"]["chaser"]["rows"]) == 6_000
    resume(again, tmp_path / "out")
    assert (again.scenario_of(3).vector == plan.scenario_of(3).vector).all()


NETWORK = """name = "\\u001b[31mred"
bonds = ["hand -> together", "together -> S1, B1"]
[ports.hand]
causality = "position"
[springs.S1]
stiffness_N_per_m = 500.0
[dampers.B1]
damping_Ns_per_m = 100.0
[junctions]
together = 1
"""
HOSTILE = "\x1b]8;;http://evil\x07here\x1b]8;;\x07\x9b31m\u202e<script>alert(1)</script>"


def test_a_hostile_name_is_text_in_terminal_and_page(tmp_path):
    """A scenario's name and its file's name hold a terminal's link, a colour, the sign that turns
    writing around, and a script: every command spells them out, and no page keeps them."""
    toml = HOSTILE.encode("unicode_escape").decode().replace("\\x", "\\u00")
    text = re.sub(r"(?m)^name = .*$", lambda _: f'name = "{toml}"', preset_text("epos_1d"))
    file = tmp_path / "\x1b]0;title\x07<b>own.toml"
    file.write_text(text)
    for arguments in (
        ["run", str(file), "--out", str(tmp_path / "run")],
        ["why", str(file)],
        ["compare", str(file), "--methods", "energy_ledger", "--phases", "2"]
        + ["--out", str(tmp_path / "compared")],
        ["stability", str(file)],
        ["picture", str(file), str(tmp_path / "it.svg")],
    ):
        result = CliRunner().invoke(cli, arguments)
        assert result.exit_code == 0, result.output
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", result.output), arguments
    pages = [*tmp_path.rglob("*.html"), tmp_path / "it.svg"]
    assert len(pages) >= 3
    for page in pages:
        written = page.read_text().partition("<script>")[
            0
        ]  # plotly's own code may hold what it likes
        own = written.partition("<script>")[0]  # the charts' library may hold what it likes
        assert not re.search(r"[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\u202e]", own), page
        assert "<script>alert" not in written
        assert "<b>own" not in written


def test_names_with_escapes_are_spelled_out_in_every_output(tmp_path):
    """The name of a campaign, of a scenario and of a file stand in messages and tables."""
    file = campaign_file(tmp_path)
    file.write_text(file.read_text().replace('"small"', '"\\u001b[31mred"').replace("6", "0"))
    for arguments in (["campaign", str(file)], ["campaign", "\x1b[31mred"], ["check", "\x1b[2J"]):
        result = CliRunner().invoke(cli, arguments)
        assert result.exit_code == 2
        assert "\x1b" not in result.output
    named = tmp_path / "\x1b[31mred.toml"
    named.write_text(preset_text("epos_1d"))
    network = tmp_path / "net.toml"
    network.write_text(NETWORK)
    for arguments in (["check", str(named)], ["network", str(network)]):
        result = CliRunner().invoke(cli, arguments)
        assert result.exit_code == 0, result.output
        assert "\x1b" not in result.output
    code = "from softdock.cli.main import main; main()"
    done = subprocess.run([sys.executable, "-c", code, "\x1b[31m"], capture_output=True, text=True)
    assert done.returncode == 2
    assert "\x1b" not in done.stderr
