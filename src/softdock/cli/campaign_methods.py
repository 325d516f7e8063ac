"""A file of methods beside a campaign: it must be of use."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from softdock.errors import BadInput, Problem


def check_used(mine: list[str], files: tuple[Path, ...], plan: Any) -> None:
    """A file whose methods nothing here lists was named by mistake."""
    used = {entry["name"] for v in plan.variants for entry in v.scenario.tables["methods"]}
    if mine and not used & set(mine):
        allowed = (
            f"a file whose methods the campaign lists (methods = {mine}), or its scenario; "
            f"this one runs {', '.join(sorted(used))}"
        )
        said = "; ".join(plan.refused)
        raise BadInput(
            Problem(
                "--method-file", str(files[0]), f"{allowed}. Refused: {said}" if said else allowed
            )
        )
