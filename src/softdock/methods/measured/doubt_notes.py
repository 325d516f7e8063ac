"""What was not believed of a sensor in a run: numbers and words, from the cells of doubts.py."""

from __future__ import annotations

from typing import Any

from softdock.methods.measured.doubts import DOUBT

OVERDRAFT = 0.01  # of a contact's energy: less is not worth a warning


def doubt_books(mem: Any) -> dict[str, float]:
    """What was not believed in a run, from the cells of the doubts."""
    return {
        "cycles_not_believed": float(mem[DOUBT.frozen] + mem[DOUBT.no_number] + mem[DOUBT.astray]),
        "cycles_frozen": float(mem[DOUBT.frozen]),
        "cycles_no_number": float(mem[DOUBT.no_number]),
        "cycles_far_astray": float(mem[DOUBT.astray]),
        "cycles_cut": float(mem[DOUBT.cut]),
        "jumps": float(mem[DOUBT.jumps]),
        "cycles_saturated": float(mem[DOUBT.saturated]),
        "overdrawn_J": float(mem[DOUBT.overdrawn]),
    }


def doubt_events(mem: Any, energy: float) -> list[str]:
    """The same in words, for the run's log. `energy`: J, of a contact; a hundredth of it too much
    is no event."""
    b, found = doubt_books(mem), []
    for key, words in (
        ("frozen", "froze"),
        ("no_number", "was no number"),
        ("far_astray", "had given far more than it took"),
    ):
        if b[f"cycles_{key}"]:
            found.append(f"the force {words}: it did not act in {b[f'cycles_{key}']:.0f} cycles")
    if b["cycles_cut"]:
        found.append(
            "the wrench would have given more than a passive contact can return: it was cut "
            f"in {b['cycles_cut']:.0f} cycles"
        )
    if b["jumps"]:
        found.append(
            f"the force jumped {b['jumps']:.0f} times; each jump was held back for a cycle"
        )
    if b["cycles_saturated"]:
        found.append(
            f"a channel of force or torque was saturated in {b['cycles_saturated']:.0f} "
            "cycles: the real work was larger than what is booked"
        )
    if b["overdrawn_J"] > OVERDRAFT * energy:
        found.append(
            f"by the readings the contact returned up to {b['overdrawn_J']:.3g} J more than "
            "it took, which no passive contact does: not given"
        )
    return found
