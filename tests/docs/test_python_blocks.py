"""Programs that README and docs/your_own_method.md show run as they stand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run_first_block(page: str, capsys) -> list[str]:
    """What the first Python block of a page prints, line by line."""
    text = (ROOT / page).read_text(encoding="utf-8")
    exec(re.search(r"```python\n(.*?)```", text, re.S)[1], {})
    return capsys.readouterr().out.splitlines()


def test_the_readmes_program_runs(capsys):
    """8 ms on EPOS: unsafe, and faithful with `model_mediated`; the restitution is the lossless
    contact's."""
    raw, better = run_first_block("README.md", capsys)
    assert raw.startswith("UNSAFE. Rebound 106 % of the approach speed (on orbit 100 %).")
    headline, _, restitution = better.rpartition(" ")
    assert headline.startswith("FAITHFUL.")
    assert float(restitution) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.filterwarnings("ignore::softdock.results.simulation.SlowModels")
def test_a_method_in_plain_python_runs(capsys, own_registry):
    """The raw loop with a law of one's own gives the restitution of EPOS at 16 ms; led by the force
    to come it is near one. The method, which has the name of the example's, is gone after it."""
    (line,) = run_first_block("docs/your_own_method.md", capsys)
    raw, led = map(float, line.split())
    assert raw == pytest.approx(1.1190838714, abs=1e-9)
    assert led == pytest.approx(1.0, abs=5e-3)
