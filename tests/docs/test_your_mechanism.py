"""docs/your_mechanism.md as a user goes through it: the file, the scenario, its check, a campaign;
and the numbers of its table of materials."""

from __future__ import annotations

import math
import re
import shlex
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from softdock.cli.main import cli
from softdock.scenario.files import load_scenario, preset_names
from softdock.studies.campaign.plan import load_plan
from softdock.studies.campaign.spec import list_presets

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "your_mechanism.md").read_text(encoding="utf-8")


def test_the_page_as_it_is_typed(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS))
    monkeypatch.chdir(tmp_path)
    write_mechanism = __import__("picture").write_mechanism
    made = CliRunner().invoke(cli, shlex.split(write_mechanism())[1:])
    assert made.exit_code == 0, made.output
    rig = Path("my_drogue.toml")
    shown = PAGE[PAGE.index('geometry = "mesh"') :].split("\n```")[0]
    assert shown in rig.read_text()
    rig.write_text(rig.read_text() + "\n" + Path("captured.toml").read_text())
    assert CliRunner().invoke(cli, ["check", str(rig)]).exit_code == 0
    assert load_scenario(rig).tables["capture"]["seat"] == "place"
    assert load_plan("my_map.toml").runs == 72
    sys.modules.pop("picture", None)


def test_the_presets_of_the_page_are_there():
    table = PAGE[PAGE.index("| preset | campaign |") :].split("\n\n")[0]
    for row in table.splitlines()[2:]:
        preset, campaign = re.findall(r"`(\w+)`", row)[:2]
        assert preset in preset_names()
        assert campaign in list_presets()
        assert load_plan(campaign).spec.scenario == preset


def hertz(modulus, poisson):
    return 4.0 / 3.0 * modulus / (2.0 * (1.0 - poisson**2)) * math.sqrt(0.02)


def gent(shore):
    """Young's modulus of a rubber by its Shore A hardness [Pa]."""
    return 1e6 * 0.0981 * (56.0 + 7.62336 * shore) / (0.137505 * (254.0 - 2.54 * shore))


def test_the_table_of_materials_is_hertz():
    rows = {
        line.split("|")[1].split(",")[0].strip(): line.split("|")
        for line in PAGE[PAGE.index("| material |") :].split("\n\n")[0].splitlines()[2:]
    }
    known = {"steel": (210e9, 0.3), "aluminium": (70e9, 0.33), "PLA": (3.5e9, 0.36)}
    for name, (modulus, poisson) in known.items():
        assert rows[name][2].strip().startswith(f"{modulus / 1e9:g} GPa")
        assert float(rows[name][3]) == pytest.approx(hertz(modulus, poisson), rel=0.02)
    soft, hard = (gent(shore) for shore in (40.0, 80.0))
    assert rows["rubber"][2].strip().startswith(f"{1e-6 * soft:.1f} to {1e-6 * hard:.1f} MPa")
    shown = [float(x) for x in rows["rubber"][3].split(" to ")]
    assert shown == pytest.approx([hertz(soft, 0.5), hertz(hard, 0.5)], rel=0.03)
