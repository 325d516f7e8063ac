"""Statements of the paper, compared with numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from softdock.networks.walls import render_published
from softdock.papers.frame import Column, Exhibit, Findings
from softdock.papers.franken.figure_5 import compute_energies, single_spring_error
from softdock.papers.franken.figure_6 import balance_gaps
from softdock.papers.franken.parameters import SIMULATION, sine, solid

HOLDS = "holds"  # in our simulation, as printed
SIMULATED = "a simulation, made again"
NO_DATA = "an experiment without printed data: our simulation of it"
RATES = (100, 1000, 10000)  # Hz
CLOSED = 1e-3  # of H_I: less than this is a balance that closes
CONVERGES = 2.0  # times smaller error from 1 to 10 kHz, at least


def make_claims() -> Exhibit:
    at = {rate: compute_energies(rate) for rate in RATES}
    controlled = render_published(
        solid(SIMULATION), 0.01, sine(np.arange(201) * 0.01), controller_Ns_per_m=20.0
    )
    gap_off, gap_on = balance_gaps()
    numbers = {
        "euler_mJ": at[1000]["euler_mJ"],
        "published_mJ": at[1000]["published_mJ"],
        "published_at_100_Hz_mJ": at[100]["published_mJ"],
        "controlled_at_100_Hz_mJ": 1e3 * float(controlled.exchanged[-1]),
        "error_ratio": at[1000]["published_error"] / at[10000]["published_error"],
        "published_error": at[1000]["published_error"],
        "single_spring_error": single_spring_error(),
        "balance_gap_controller_off": gap_off,
        "balance_gap_controller_on": gap_on,
    }
    columns = (
        Column("claim", "the paper says"),
        Column("found", "found"),
        Column("value", "value"),
        Column("meaning", "of what"),
        Column("bound", "holds if"),
        Column("against", "held against"),
    )
    return Exhibit(
        key="claims",
        title="What the paper states",
        says=_summarise,
        columns=columns,
        rows=judge_claims(numbers),
        numbers=numbers,
        assumptions=("Each is judged by a bound of ours, in the table.",),
    )


def judge_claims(n: dict[str, float]) -> list[dict[str, Any]]:
    """One row for each statement, judged by its number."""
    order = math.log10(n["error_ratio"]) if n["error_ratio"] > 0.0 else -math.inf
    return [
        _row(
            "the Euler model is not passive (Fig. 5, 1 kHz)",
            n["euler_mJ"] < 0.0,
            "it is passive here",
            (n["euler_mJ"], "mJ exchanged", "< 0"),
            SIMULATED,
        ),
        _row(
            "the passive model is dissipative (Fig. 5, 1 kHz)",
            n["published_mJ"] > 0.0,
            "it gives energy away",
            (n["published_mJ"], "mJ exchanged", "> 0"),
            SIMULATED,
        ),
        _row(
            "the framework guarantees passivity (conclusions)",
            n["published_at_100_Hz_mJ"] >= 0.0,
            "not at 100 Hz without its controller",
            (n["published_at_100_Hz_mJ"], "mJ exchanged at 100 Hz without it", ">= 0"),
            SIMULATED,
        ),
        _row(
            "the same, controller of 20 Ns/m",
            n["controlled_at_100_Hz_mJ"] >= 0.0,
            "not within one contact",
            (n["controlled_at_100_Hz_mJ"], "mJ exchanged at 100 Hz with it", ">= 0"),
            SIMULATED,
        ),
        _row(
            "both models converge as T goes to 0",
            n["error_ratio"] > CONVERGES,
            "they do not",
            (
                order,
                "order of the force's error, from 1 to 10 kHz",
                f"> {math.log10(CONVERGES):.1f}",
            ),
            SIMULATED,
        ),
        _row(
            "the difference is due to the fixed-time dissipation (23)",
            n["single_spring_error"] < 0.5 * n["published_error"],
            "it is there without S2 and B1: x_S1 lags q",
            (
                n["single_spring_error"] / n["published_error"],
                "of the force error is there with S1 alone",
                "< 0.5",
            ),
            SIMULATED,
        ),
        _row(
            "at last H_I = H_S1 + H_B1 (Fig. 6)",
            abs(n["balance_gap_controller_off"]) < CLOSED,
            "only with the controller"
            if abs(n["balance_gap_controller_on"]) < CLOSED
            else "not, nor with the controller",
            (n["balance_gap_controller_off"], "of H_I missing, controller off", f"< {CLOSED:g}"),
            NO_DATA,
        ),
    ]


def _row(
    claim: str, holds: bool, otherwise: str, value: tuple[float, str, str], against: str
) -> dict[str, Any]:
    number, meaning, bound = value
    return {
        "claim": claim,
        "found": HOLDS if holds else otherwise,
        "value": float(number),
        "meaning": meaning,
        "bound": bound,
        "against": against,
    }


def _summarise(rows: list[dict[str, Any]], numbers: dict[str, Any]) -> Findings:
    judged = judge_claims(numbers)
    kept = sum(row["found"] == HOLDS for row in judged)
    others = "; the others need a condition or a correction" if kept < len(judged) else ""
    return Findings(
        f"{kept} of {len(judged)} statements hold in our simulation as printed{others}. None is "
        "held against measured data: the paper prints no numbers with its figures."
    )
