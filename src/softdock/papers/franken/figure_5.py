"""Fig. 5: repeated contacts with the standard linear solid; position, force and exchanged energy,
at 100 Hz to 10 kHz."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from softdock.networks.walls import (
    PASSIVE,
    Rendered,
    force_error,
    published_residual,
    render_better,
    render_euler,
    render_published,
    true_force,
)
from softdock.output.pages.frame.charts import Line, chart
from softdock.papers.frame import Column, Exhibit, Findings
from softdock.papers.franken.parameters import (
    AMPLITUDE,
    FREQUENCY,
    RATES,
    SIMULATION,
    sine,
    sine_velocity,
    solid,
)

PERIOD = 2.0  # s; one contact
DRAWN = 2  # contacts in the charts
CONTROLLER = 20.0  # Ns/m; b_max is not published
# m/s^2, of the motion: the better step capped for it stays passive
MOST_ACCELERATION = AMPLITUDE * (2.0 * np.pi * FREQUENCY) ** 2
CLOSE = (1.38, 1.62)  # s; the first contact


def compute_energies(rate: int) -> dict[str, Any]:
    """Energy exchanged in the first contact and the error of the force, for every rendering of the
    wall."""
    T, samples = 1.0 / rate, round(PERIOD * rate)
    q, wall = sine(np.arange(samples + 1) * T), solid(SIMULATION)
    substeps = max(4, 40_000 // rate)
    truth = true_force(wall, T, samples, sine, sine_velocity, substeps=substeps)
    pulling = true_force(wall, T, samples, sine, sine_velocity, pull=True, substeps=substeps)
    euler = render_euler(SIMULATION.k1, SIMULATION.k2, SIMULATION.b1, T, q)
    published, better = render_published(wall, T, q), render_better(wall, T, q)
    capped = render_better(wall, T, q, most_acceleration=MOST_ACCELERATION)
    return {
        "rate_Hz": rate,
        "continuous_mJ": 1e3 * float(pulling.exchanged[-1]),
        "continuous_no_pull_mJ": 1e3 * float(truth.exchanged[-1]),
        "euler_mJ": 1e3 * float(euler.exchanged[-1]),
        "published_mJ": 1e3 * float(published.exchanged[-1]),
        "better_mJ": 1e3 * float(better.exchanged[-1]),
        "capped_mJ": 1e3 * float(capped.exchanged[-1]),
        "published_peak_N": float(published.force.max()),
        "euler_error": force_error(euler.force, truth.force),
        "published_error": force_error(published.force, truth.force),
        "better_error": force_error(better.force, truth.force),
        "capped_error": force_error(capped.force, truth.force),
        "capped_guarantee": capped.guarantee,
        "published_residual_J": float(np.abs(published_residual(published.books)).max()),
    }


def energy_over_phases(rate: int = 1000, number: int = 100) -> tuple[float, float]:
    """Least and largest exchanged energy of the published algorithm over the sampling phase
    [mJ]."""
    T = 1.0 / rate
    energies = []
    for phase in np.arange(number) / number:
        q = sine((np.arange(round(PERIOD * rate) + 1) + phase) * T)
        energies.append(1e3 * float(render_published(solid(SIMULATION), T, q).exchanged[-1]))
    return min(energies), max(energies)


def make_figure_5() -> Exhibit:
    rows = [compute_energies(rate) for rate in RATES]
    at_1k = next(row for row in rows if row["rate_Hz"] == 1000)
    low, high = energy_over_phases()
    return Exhibit(
        key="figure_5",
        title="Fig. 5: repeated contacts",
        says=_summarise,
        columns=(
            Column("rate_Hz", "rate [Hz]"),
            Column("continuous_mJ", "continuous [mJ]"),
            Column("euler_mJ", "Euler [mJ]"),
            Column("published_mJ", "published [mJ]"),
            Column("better_mJ", "better step, uncapped [mJ]"),
            Column("capped_mJ", "better step, capped for the motion [mJ]"),
            Column("euler_error", "force error, Euler"),
            Column("published_error", "published"),
            Column("better_error", "better step, uncapped"),
            Column("capped_error", "capped"),
        ),
        rows=rows,
        numbers={
            "published_peak_at_1_kHz_N": at_1k["published_peak_N"],
            "published_least_over_phase_mJ": low,
            "published_largest_over_phase_mJ": high,
            "single_spring_error": single_spring_error(),
        },
        assumptions=(
            "alpha = 1 (not published); no passivity controller in the table; phase sin(t = "
            "0). The energy is that of the first contact.",
            "The continuous model may pull until q is out of the wall, as the paper's; where "
            "it must not, it exchanges "
            f"{at_1k['continuous_no_pull_mJ']:.4f} mJ. Force errors are RMS over RMS, "
            "against the mean force of the model that does not pull.",
            f"Capped: for the largest acceleration of this motion, {MOST_ACCELERATION:.3g} m/s²; "
            "for every motion that keeps to it the wall is passive. Uncapped it is passive only "
            "while its tank of 0.01 mJ lasts.",
        ),
        remarks=(
            "The paper prints no numbers with this figure; only signs can be held against it.",
        ),
        charts=_charts(),
    )


def _summarise(rows: list[dict[str, Any]], numbers: dict[str, Any]) -> Findings:
    at = next(row for row in rows if row["rate_Hz"] == 1000)
    as_stated = at["euler_mJ"] < 0.0 < min(at["published_mJ"], at["continuous_mJ"])
    active = [row for row in rows if row["published_mJ"] < 0.0]
    passive_from = min((row["rate_Hz"] for row in rows if row not in active), default=math.inf)
    first = (
        ("As the paper states" if as_stated else "Not as the paper states")
        + f", at 1 kHz: {_describe_exchange('Euler', at['euler_mJ'])}, "
        f"{_describe_exchange('the published algorithm', at['published_mJ'])} "
        f"(continuous: {at['continuous_mJ']:+.4f} mJ)"
    )
    worst = min(rows, key=lambda row: row["published_mJ"])
    second = (
        f"Without its controller the published algorithm gives energy away at "
        f"{', '.join(format(row['rate_Hz'], 'g') for row in active)} Hz, at worst "
        f"{-worst['published_mJ']:.3f} mJ"
        + (f"; from {passive_from:g} Hz on it takes" if active and passive_from < math.inf else "")
        if active
        else "It takes energy at every rate of the table"
    )
    held = [row for row in rows if row["capped_guarantee"] == PASSIVE]
    price = max(rows, key=lambda row: row["capped_error"])
    capped = (
        f"The better step, capped for the motion, is guaranteed passive at {len(held)} of "
        f"{len(rows)} rates. Its force error is largest at {price['rate_Hz']:g} Hz, "
        f"{100 * price['capped_error']:.2g} %; without the cap it is "
        f"{100 * price['better_error']:.2g} % there, and nothing is guaranteed."
    )
    alone, both = numbers["single_spring_error"], at["published_error"]
    cause = (
        "The paper explains the difference between the published and the continuous model by the "
        "fixed-time dissipation (23). "
        + (
            "It is the state of S1 that lags the hand: without S2 and B1 altogether"
            if alone > 0.5 * both
            else "That may be: without S2 and B1"
        )
        + f" the force error at 1 kHz is {100 * alone:.2f} %, with them {100 * both:.2f} %."
    )
    return Findings(f"{first}. {second}.", [cause, capped])


def _describe_exchange(who: str, energy: float) -> str:
    """`energy` [mJ] that flowed into the wall, in words."""
    return f"{who} {'takes' if energy >= 0.0 else 'gives away'} {abs(energy):.4f} mJ"


def single_spring_error() -> float:
    """Force error of the published algorithm on S1 alone at 1 kHz."""
    from softdock.networks.models import single_spring

    T, samples = 1e-3, 2000
    wall = single_spring(SIMULATION.k1)
    truth = true_force(wall, T, samples, sine, sine_velocity)
    return force_error(
        render_published(wall, T, sine(np.arange(samples + 1) * T)).force, truth.force
    )


def _charts() -> list[str]:
    T, samples = 1e-3, round(DRAWN * PERIOD * 1000)
    t = np.arange(samples + 1) * T
    q, wall = sine(t), solid(SIMULATION)
    found: dict[str, tuple[str, Rendered]] = {
        "continuous": ("orbit", true_force(wall, T, samples, sine, sine_velocity, pull=True)),
        "Euler": ("c2", render_euler(SIMULATION.k1, SIMULATION.k2, SIMULATION.b1, T, q)),
        "published": ("c1", render_published(wall, T, q)),
        "published, controller": (
            "c3",
            render_published(wall, T, q, controller_Ns_per_m=CONTROLLER),
        ),
        "better step, uncapped": ("c5", render_better(wall, T, q)),
        "better step, capped": (
            "c4",
            render_better(wall, T, q, most_acceleration=MOST_ACCELERATION),
        ),
    }
    windows = [CLOSE]
    force = [
        Line(name, role, t, r.force, steps=name != "continuous")
        for name, (role, r) in found.items()
    ]
    energy = [Line(name, role, t, 1e3 * r.exchanged) for name, (role, r) in found.items()]
    beyond = [
        Line(name, role, t, 1e3 * (r.exchanged - r.dissipated)) for name, (role, r) in found.items()
    ]
    position = [
        Line("position", "satellite", t, q + SIMULATION.wall),
        Line("wall", "orbit", t, np.full(len(t), SIMULATION.wall), dash="dash"),
    ]
    return [
        chart(
            "figure_5_position",
            "Position of the interface",
            position,
            "time [s]",
            "q [m]",
            height=240,
        ),
        chart(
            "figure_5_force",
            "Force at 1 kHz",
            force,
            "time [s]",
            "force [N]",
            windows=windows,
            x_range=CLOSE,
        ),
        chart(
            "figure_5_energy",
            "Exchanged energy: condition (3), it must not fall below nought",
            energy,
            "time [s]",
            "energy [mJ]",
            windows=windows,
        ),
        chart(
            "figure_5_beyond",
            "Exchanged less dissipated energy: condition (4), the same",
            beyond,
            "time [s]",
            "energy [mJ]",
            windows=windows,
        ),
    ]
