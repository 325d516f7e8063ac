"""What a campaign returns: its summary, which is a dict, with its verdict and a table for a
notebook."""

from __future__ import annotations

from typing import Any

from softdock._notebook import format_block, format_table, format_verdict
from softdock.results.quantities import format_percent
from softdock.results.verdict import ALL_WORDS, Verdict, read_verdict


class CampaignSummary(dict[str, Any]):
    """The summary of a campaign, as `summary.json` has it."""

    @property
    def verdict(self) -> Verdict:
        """Of all runs, the worst deciding; of several variants the best."""
        return read_verdict(self["verdict"])

    def __repr__(self) -> str:
        return f"CampaignSummary({self['name']}: {self['runs']} runs. {self.verdict.headline})"

    def _repr_html_(self) -> str:
        """For a notebook: the verdict, and of every variant the share of runs with each verdict."""
        words = [
            word
            for word in ALL_WORDS
            if any((v["verdicts"] or {}).get(word) for v in self["variants"])
        ]
        captures = any(v["capture_rate"] is not None for v in self["variants"])
        rows = []
        for v in self["variants"]:
            shares = [(v["verdicts"] or {}).get(word, 0) / max(v["runs"], 1) for word in words]
            shares += [v["capture_rate"]] if captures else []
            rows.append((v["label"], str(v["runs"]), *map(format_percent, shares)))
        head = ("", "runs", *words, *(["captured"] if captures else []))
        return format_block(
            f"{self['name']}: {self['runs']} runs",
            format_verdict(self["verdict"]),
            format_table(head, rows),
        )
