"""Does `model_mediated` ever give back more than there was? Random contacts of
softdock/studies/campaign/passive_contacts.py, every second with noise, half of all with faults of
sensors and robots: relative kinetic energy in the end, parted or not, at most 1.01 of that
before."""

from __future__ import annotations

from typing import Any

import numpy as np

from softdock.studies.campaign.passive_contacts import Campaign, run_passive_contacts

ALLOWED = 1.01
METHOD = {"name": "model_mediated"}


def excesses(runs: int, seed: int) -> dict[str, Any]:
    """Runs that broke the bound, and the largest ratio of each family, without and with faults."""
    sound = run_passive_contacts(runs - runs // 2, seed, methods=[METHOD])
    faulty = run_passive_contacts(runs // 2, seed + 1, methods=[METHOD], faulty=True)
    found = {"sound": _of(sound), "faulty": _of(faulty)}
    return {
        "runs": sound.runs + faulty.runs,
        "parted": sum(one["parted"] for one in found.values()),
        "failures": sum(one["failures"] for one in found.values()),
        "largest": {name: one["largest"] for name, one in found.items()},
        "failed": [row for one in found.values() for row in one["failed"]],
    }


def _of(campaign: Campaign) -> dict[str, Any]:
    """Every run counts; one that stopped has failed."""
    largest, failed = {}, []
    for family in campaign.families:
        ratio = family.end_J / family.kinetic_J
        largest[family.name] = float(ratio.max())
        for run in np.flatnonzero((ratio > ALLOWED) | ~family.completed):
            failed.append({"family": family.name, "run": int(run), "ratio": float(ratio[run])})
    return {
        "parted": sum(int(f.is_judged.sum()) for f in campaign.families),
        "failures": len(failed),
        "largest": largest,
        "failed": failed[:20],
    }
