"""Every metric is explained in the docs, and their page on running runs as it says."""

from __future__ import annotations

import re
from pathlib import Path

from scenarios import cone_docking

from softdock.results.phases import simulate_phases

ROOT = Path(__file__).parents[2]


def keys_of(value):
    """Every key anywhere in the metrics, without those of the spread's statistics."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            if key != "spread":
                yield from keys_of(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from keys_of(inner)


def test_every_key_is_explained():
    """docs/metrics.md names each key that a run gives, and none that it does not."""
    given = set(keys_of(simulate_phases(cone_docking(), 2).metrics))
    tables = [
        line
        for line in (ROOT / "docs" / "metrics.md").read_text().splitlines()
        if line.startswith("| `")
    ]
    explained = {key for line in tables for key in re.findall(r"`(\w+|no verdict)`", line)}
    assert given <= explained, given - explained
    words = {"completed", "diverged", "mean", "std", "min", "max"}  # values, not keys
    assert explained <= given | words, explained - given - words


def test_the_page_on_running_runs(tmp_path, monkeypatch, capsys):
    """The Python of docs/verdict.md, as it stands there."""
    monkeypatch.chdir(tmp_path)
    code = re.search(r"```python\n(.*?)```", (ROOT / "docs" / "verdict.md").read_text(), re.S)
    exec(code.group(1), {})
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "UNSAFE. Rebound 106 % of the approach speed (on orbit 100 %)."
    assert re.fullmatch(r"1\.06\d\d \+- 0\.000\d", printed[-1])
