"""A table of estimates with their uncertainties, as `softdock identify` prints them."""

from __future__ import annotations

from typing import Any


def table_of(title: str) -> Any:
    """An empty table of estimates."""
    from rich.table import Table

    table = Table(title=title, title_justify="left")
    for heading, justify in (
        ("what", "left"),
        ("value", "right"),
        ("standard uncertainty", "right"),
        ("unit", "left"),
    ):
        table.add_column(heading, justify=justify)  # type: ignore[arg-type]
    return table


def add_row(
    table: Any, name: str, estimate: dict[str, Any] | None, unit: str, factor: float = 1.0
) -> None:
    if estimate is None:
        return
    value, sigma = estimate["value"], estimate["standard_uncertainty"]
    if isinstance(value, list):
        table.add_row(
            name,
            " ".join(f"{factor * v:.5g}" for v in value),
            " ".join(f"{factor * s:.2g}" for s in sigma),
            unit,
        )
    else:
        table.add_row(name, f"{factor * value:.6g}", f"{factor * sigma:.2g}", unit)
