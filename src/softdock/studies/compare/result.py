"""What a comparison holds: every number as plain data (`results`, the JSON), and the curves that
a page draws."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from softdock.scenario.build import Scenario
from softdock.studies.compare.outcomes import Curves


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
        from softdock.output.pages.comparison import comparison_page

        html: str = comparison_page(self)
        return html

    def save(self, folder: str | Path, force: bool = False) -> Path:
        """Page, JSON and scenario, each whole or not at all. Refuses a folder that has something in
        it, unless `force`. Returns its path."""
        from softdock.output.folders.study_folders import save_comparison

        path: Path = save_comparison(self, folder, force)
        return path
