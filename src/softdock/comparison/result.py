"""What a comparison holds: every number as plain data (`results`, the JSON), and the curves that
the page draws; and its folder on disk."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from softdock.archive.run_folder import make_folder
from softdock.comparison.outcomes import Curves
from softdock.files.atomic import write_whole
from softdock.scenario.build import Scenario
from softdock.scenario.files import to_toml

RESULTS_FILE, PAGE_FILE, SCENARIO_FILE = "comparison.json", "comparison.html", "scenario.toml"


@dataclass
class Comparison:
    """Candidates on one scenario, best first."""

    scenario: Scenario
    results: dict[str, Any]
    curves: list[Curves] = field(default_factory=list)  # orbit first, then the candidates by rank

    @property
    def ranked(self) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self.results["candidates"]
        return rows

    @property
    def recommendation(self) -> str:
        return str(self.results["recommendation"])

    def to_json(self) -> str:
        return json.dumps(self.results, indent=1, allow_nan=False, ensure_ascii=False) + "\n"

    def page(self) -> str:
        """The comparison as one self-contained page."""
        from softdock.report.comparison.page import comparison_page

        return comparison_page(self)

    def save(self, folder: str | Path, force: bool = False) -> Path:
        """Page, JSON and scenario, each whole or not at all. Refuses a folder that has something in
        it, unless `force`. Returns its path."""
        path = make_folder(folder, force)
        write_whole(path / SCENARIO_FILE, to_toml(self.scenario.tables).encode())
        write_whole(path / RESULTS_FILE, self.to_json().encode())
        write_whole(path / PAGE_FILE, self.page().encode())
        return path
