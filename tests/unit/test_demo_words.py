"""What the demo says is made of its rows: rows made wrong on purpose say something else."""

from __future__ import annotations

from softdock.report.demo.words import remedy, verdict_of, why

ORBIT = {"label": "orbit", "delay_ms": None, "restitution": 1.0}
RAW = [
    {
        "label": f"{delay:g}",
        "delay_ms": delay,
        "method": "direct",
        "restitution": e,
        "energy_invented_J": energy,
    }
    for delay, e, energy in ((0.0, 1.01, 3e-4), (16.0, 1.12, 3e-3), (32.0, 1.24, 7e-3))
]
DAMPED = {
    "label": "16, damped",
    "delay_ms": 16.0,
    "method": "adaptive_damping",
    "restitution": 1.002,
    "energy_invented_J": 3e-3,
}


def test_the_sentence_on_top_follows_orbit_and_the_worst_row():
    """Orbit's own restitution, and a rig that gives back less as one that gives back more."""
    assert verdict_of([ORBIT, *RAW]).endswith(
        "24.0 % more speed than it received; orbit gives back the same."
    )
    lossy = ORBIT | {"restitution": 0.7}
    assert verdict_of([lossy, *RAW]).endswith("orbit gives back 30.0 % less.")
    slow = [row | {"restitution": 0.8} for row in RAW]
    assert "20.0 % less speed" in verdict_of([ORBIT, *slow])


def test_what_a_delay_did_follows_the_energies():
    """It grows with the delay only where it does, and is invented only where it is."""
    assert "The longer the delay, the more." in why([ORBIT, *RAW])
    mixed = [RAW[0], RAW[1] | {"energy_invented_J": 1e-4}, RAW[2]]
    assert "not always more with more delay" in why([ORBIT, *mixed])
    taken = [row | {"energy_invented_J": -1e-3} for row in RAW]
    assert "gave it no energy" in why([ORBIT, *taken])


def test_what_a_remedy_did_follows_its_row():
    """It takes energy out again only if the bounce is nearer to orbit's than without it."""
    assert "takes it out again" in remedy([ORBIT, *RAW, DAMPED])
    assert "no nearer to orbit" in remedy([ORBIT, *RAW, DAMPED | {"restitution": 1.5}])
    assert "does not go on inventing" in remedy([ORBIT, *RAW, DAMPED | {"energy_invented_J": 0.0}])


def test_orbit_is_no_remedy():
    """Orbit's row names no method (`None`), as the demo writes it: nothing is said of it."""
    orbit = ORBIT | {"method": None, "delay_ms": None}
    assert remedy([orbit, *RAW]) == ""
    assert "None" not in remedy([orbit, *RAW, DAMPED])
