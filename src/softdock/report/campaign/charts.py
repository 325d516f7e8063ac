"""Charts of a campaign's distributions, as steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from softdock.campaign.outcomes import heading
from softdock.report.frame.charts import ROLES, Line, chart
from softdock.report.frame.elements import text, unit_of


def distribution_charts(r: dict[str, Any]) -> str:
    """One chart per outcome, one line per variant."""
    parts, same = [], []
    for name, found in r["distributions"].items():
        lines = []
        if (
            len({value for one in found if one["runs"] for value in (one["least"], one["most"])})
            == 1
        ):
            same.append(f"{heading(name)} {found[0].get('most', 0.0):.4g}")
            continue
        for i, one in enumerate(found):
            if one["runs"]:
                edges, counts = (
                    np.array(one["edges"], dtype=float),
                    np.array(one["counts"], dtype=float),
                )
                share = np.concatenate([counts / max(one["runs"], 1), [0.0]])
                fill = {"fill": "tozeroy"} if len(found) == 1 else {}
                lines.append(
                    Line(
                        r["variants"][i]["label"],
                        ROLES[i % len(ROLES)],
                        edges,
                        share,
                        steps=True,
                        extra=fill,
                    )
                )
        if not lines:
            continue
        first = found[0]
        caption = ""
        if len(found) == 1:
            q = first["quantiles"]
            caption = (
                f"Median {q['50']:.4g}, 5 to 95 %: {q['5']:.4g} to {q['95']:.4g}, largest "
                f"{first['most']:.4g}."
            )
            caption += (
                f" {first['beyond']} run{' lies' if first['beyond'] == 1 else 's lie'} "
                "beyond the chart."
                if first["beyond"]
                else ""
            )
            caption += (
                f" Undefined in {first['undefined']} run{'' if first['undefined'] == 1 else 's'}."
                if first["undefined"]
                else ""
            )
        words = heading(name)
        title = words[0].upper() + words[1:]
        parts.append(
            chart(
                f"distribution-{name}",
                title,
                lines,
                _with_unit(words, name),
                "share of runs",
                caption=caption,
                time_axis=False,
            )
        )
    return "".join(parts) + (text(f"The same in all runs: {', '.join(same)}.") if same else "")


def _with_unit(words: str, name: str) -> str:
    unit = unit_of(name)
    return f"{words} [{unit}]" if unit else words
