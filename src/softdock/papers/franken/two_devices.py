"""Beyond the figures: tissue between two devices, the title's several dimensions in one network,
and the share alpha of (25), which the paper leaves open."""

from __future__ import annotations

from typing import Any

import numpy as np

from softdock.networks.continuous import simulate_continuous
from softdock.networks.models import tissue_between_two_devices
from softdock.networks.sampled import Sampled
from softdock.networks.walls import (
    force_error,
    largest_acceleration,
    published_residual,
    render_published,
)
from softdock.output.pages.frame.charts import Line, chart
from softdock.papers.frame import Column, Exhibit, Findings
from softdock.papers.franken.parameters import SIMULATION, sine, solid

TISSUE = (0.1, 1000.0, 0.5, 200.0, 0.2)  # kg, N/m and Ns/m to each device, to the ground
DURATION = 4.0  # s
TANK = 1e-5  # J
RATES = (100, 200, 500, 1000, 2000)  # Hz
MOST_ACCELERATION = 3.0  # m/s^2; either device's is below


def move_devices(t: np.ndarray) -> np.ndarray:
    """Positions of the left and the right device [m], faded in: 5 and 2 mm at 0.7 and 1.9 Hz, 3 mm
    at 1.1 Hz and 1 mm at 3 Hz."""
    left = 5e-3 * np.sin(2.0 * np.pi * 0.7 * t) + 2e-3 * np.sin(2.0 * np.pi * 1.9 * t)
    right = -3e-3 * np.sin(2.0 * np.pi * 1.1 * t) + 1e-3 * np.sin(2.0 * np.pi * 3.0 * t)
    fade = 1.0 - np.exp(-((t / 0.3) ** 2))
    return np.asarray(np.column_stack([fade * left, fade * right]))


def device_velocities(t: np.ndarray) -> np.ndarray:
    step = 1e-6  # s
    return np.asarray((move_devices(t + step) - move_devices(t - step)) / (2.0 * step))


def render_tissue(rate: int) -> dict[str, Any]:
    """Both forces at one rate against the mean of the continuous tissue; the energies."""
    T, samples = 1.0 / rate, round(DURATION * rate)
    network = tissue_between_two_devices(*TISSUE)
    truth = simulate_continuous(
        network, T, samples, device_velocities, substeps=max(40, 40_000 // rate)
    )
    q = move_devices(np.arange(samples + 1) * T)
    moved = np.diff(q, axis=0)
    step = Sampled(network, T, most_acceleration=MOST_ACCELERATION, tank_J=TANK)
    efforts = step.run(moved)
    uncapped = Sampled(network, T, tank_J=TANK).run(moved)
    given = np.cumsum((efforts * moved).sum(axis=1))
    return {
        "rate_Hz": rate,
        "left_error": force_error(efforts[:, 0], truth.mean_effort[:, 0]),
        "right_error": force_error(efforts[:, 1], truth.mean_effort[:, 1]),
        "largest_force_N": float(np.abs(efforts).max()),
        "continuous_mJ": 1e3 * float(truth.fed[-1]),
        "fed_mJ": 1e3 * float(given[-1]),
        "least_fed_mJ": 1e3 * float(given.min()),
        "tank_mJ": 1e3 * step.tank_J,
        "uncapped_error": force_error(uncapped, truth.mean_effort),
        "acceleration_m_per_s2": largest_acceleration(q, T),
        "forces": efforts,
        "truth": truth.mean_effort,
    }


def make_two_devices() -> Exhibit:
    rows = [render_tissue(rate) for rate in RATES]
    shown = next(row for row in rows if row["rate_Hz"] == 1000)
    forces, truth = shown["forces"], shown["truth"]
    for row in rows:
        del row["forces"], row["truth"]
    t = np.arange(1, len(forces) + 1) / 1000.0
    lines = []
    for i, name in enumerate(("left", "right")):
        lines += [
            Line(f"{name}, continuous", "orbit", t, truth[:, i]),
            Line(f"{name}, better step", f"c{i + 1}", t, forces[:, i], steps=True),
        ]
    return Exhibit(
        key="two_devices",
        title="Several dimensions: tissue between two devices",
        says=_summarise_devices,
        columns=(
            Column("rate_Hz", "rate [Hz]"),
            Column("left_error", "force error, left"),
            Column("right_error", "right"),
            Column("uncapped_error", "both, without the cap"),
            Column("largest_force_N", "largest force [N]"),
            Column("continuous_mJ", "energy taken, continuous [mJ]"),
            Column("fed_mJ", "better step [mJ]"),
            Column("least_fed_mJ", "least so far [mJ]"),
            Column("tank_mJ", "tank at the end [mJ]"),
        ),
        rows=rows,
        numbers={"tank_at_start_mJ": 1e3 * TANK, "most_acceleration_m_per_s2": MOST_ACCELERATION},
        assumptions=(
            "A lump of 0.1 kg, held by each device through 1000 N/m and 0.5 Ns/m, anchored by 200 "
            "N/m and 0.2 Ns/m; both devices move all the time. The paper prints no such network: "
            "all is assumed. Force errors are RMS over RMS, against the continuous tissue's mean "
            "over each sample.",
        ),
        remarks=(
            "The published algorithm takes networks of one port without masses only: it has no "
            "column here.",
        ),
        charts=[
            chart(
                "two_devices",
                "Forces on the tissue at 1 kHz",
                lines,
                "time [s]",
                "force [N]",
            )
        ],
    )


def _summarise_devices(rows: list[dict[str, Any]], numbers: dict[str, Any]) -> Findings:
    at = next(row for row in rows if row["rate_Hz"] == 1000)
    lent = numbers["tank_at_start_mJ"]
    paid = [row for row in rows if row["least_fed_mJ"] >= -lent]
    slow = rows[0]
    return Findings(
        f"At 1 kHz the forces on both devices are {100 * at['left_error']:.2g} and "
        f"{100 * at['right_error']:.2g} % from the continuous tissue's, at {slow['rate_Hz']:g} Hz "
        f"{100 * slow['left_error']:.2g} and {100 * slow['right_error']:.2g} %. At {len(paid)} of "
        f"{len(rows)} rates the devices never got more than the {lent:g} mJ lent.",
        [
            f"At {slow['rate_Hz']:g} Hz the cap costs most of the error: without it the forces are "
            f"{100 * slow['uncapped_error']:.2g} % off, and nothing is guaranteed."
            if slow["uncapped_error"] < 0.5 * slow["left_error"]
            else f"At {slow['rate_Hz']:g} Hz the error is the sampling's: without the cap it is "
            f"{100 * slow['uncapped_error']:.2g} % as well.",
            f"The motion keeps to the cap at {sum(_keeps_to(row, numbers) for row in rows)} of "
            f"{len(rows)} rates; where it does, that is certain.",
        ],
    )


def _keeps_to(row: dict[str, Any], numbers: dict[str, Any]) -> bool:
    return bool(row["acceleration_m_per_s2"] <= numbers["most_acceleration_m_per_s2"])


ALPHAS = (0.25, 0.5, 0.75, 1.0)


def make_alpha() -> Exhibit:
    rows = [_alpha_row(alpha, rate) for rate in (100, 1000) for alpha in ALPHAS]
    return Exhibit(
        key="alpha",
        title="The share alpha of (25)",
        says=_summarise_alpha,
        columns=(
            Column("rate_Hz", "rate [Hz]"),
            Column("alpha", "alpha"),
            Column("energy_mJ", "energy exchanged in a contact [mJ]"),
            Column("virtual_mJ", "virtual energy of the deadlock [mJ]"),
            Column("peak_N", "peak force [N]"),
        ),
        rows=rows,
        numbers={},
        assumptions=(
            "Fig. 5's wall and motion, the published algorithm without its controller. alpha: the "
            "share of the depth at the first sample inside the wall with which springs start.",
        ),
        remarks=(
            "The paper uses alpha and prints no value; softdock takes 1, and `alpha` of "
            "`softdock.networks.walls.render_published`, of the haptic bench's `Setting` and "
            "`softdock haptics --alpha` set it.",
        ),
    )


def _alpha_row(alpha: float, rate: int) -> dict[str, Any]:
    q = sine(np.arange(2 * rate + 1) / rate)
    found = render_published(solid(SIMULATION), 1.0 / rate, q, alpha=alpha)
    return {
        "rate_Hz": rate,
        "alpha": alpha,
        "energy_mJ": 1e3 * float(found.exchanged[-1]),
        "virtual_mJ": 1e3 * float(found.books[-1, 4]),
        "peak_N": float(found.force.max()),
        "residual_J": float(np.abs(published_residual(found.books)).max()),
    }


def _summarise_alpha(rows: list[dict[str, Any]], numbers: dict[str, Any]) -> Findings:
    said = []
    for rate in (100, 1000):
        at = [row for row in rows if row["rate_Hz"] == rate]
        energies = [row["energy_mJ"] for row in at]
        said.append(
            f"at {rate} Hz {min(energies):+.4f} to {max(energies):+.4f} mJ, active with "
            f"{sum(e < 0.0 for e in energies)} of {len(at)}"
        )
    return Findings(
        f"Energy exchanged for alpha from {min(ALPHAS):g} to {max(ALPHAS):g}: {'; '.join(said)}."
    )
