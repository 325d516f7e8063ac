"""Does `faithful` ever give back more than there was? Random contacts of
softdock/campaign/passive_contacts.py, every second with noise: relative kinetic energy in the end
at most 1.01 of that before."""

from __future__ import annotations

from typing import Any

import numpy as np

from softdock.campaign.passive_contacts import passive_contacts

ALLOWED = 1.01


def excesses(runs: int, seed: int) -> dict[str, Any]:
    """Runs that broke the bound, and the largest ratio of each family."""
    found = passive_contacts(runs, seed, methods=[{"name": "faithful"}])
    ratios = {f.name: f.end_J[f.judged] / f.kinetic_J[f.judged] for f in found.families}
    ended = sum(int(np.sum(~f.completed)) for f in found.families)
    return {
        "runs": found.runs,
        "judged": sum(len(r) for r in ratios.values()),
        "failures": ended + sum(int(np.sum(r > ALLOWED)) for r in ratios.values()),
        "largest": {name: float(r.max()) for name, r in ratios.items() if len(r)},
    }
