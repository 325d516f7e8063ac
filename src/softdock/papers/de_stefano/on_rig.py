"""The experiment of Figs. 12 to 14 on emulated hardware: robot controllers and a force sensor that
speak RSI and RDT, a supervisor between them, a hand that pushes the mock-up."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from softdock.output.pages.frame.charts import Line, chart
from softdock.papers.de_stefano.axis_scheme import BARE, drop_rounding, integrate_axis
from softdock.papers.de_stefano.experiment import CYCLE, FORMS, MASS, NOISE, run_experiment
from softdock.papers.frame import Column, Exhibit, Findings
from softdock.results.series import Series
from softdock.rig.emulated_rig import VirtualRig
from softdock.rig.file import load_rig
from softdock.rig.scenario import put_on_rig
from softdock.scenario.files import load_scenario

REACH = [1.8, 1.8, 1.8]  # m: the satellite drifts for 20 s
RIG = {  # what the pushes need of the preset emulated_pair
    "limits.energy_floor_J": 5.0,
    "limits.speed_m_per_s": 0.2,
    "limits.touch_N": 2.0,  # above six times the noise
    "robots.chaser.box_min_m": [-x for x in REACH],
    "robots.chaser.box_max_m": REACH,
    "robots.chaser.lower_mm": [-950.0 * x for x in REACH],
    "robots.chaser.upper_mm": [950.0 * x for x in REACH],
    "sensors.chaser.rate_Hz": 1000,
    "emulate.noise_N": NOISE,
}
LONGEST = 60.0  # s of virtual time


@functools.cache
def run_on_rig() -> tuple[Series, str]:
    """The preset oos_sim on the emulated rig, in virtual time: what the controller recorded, and
    how it ended."""
    scenario = load_scenario("oos_sim", {"sensor.noise_N": 0.0})
    rig = VirtualRig(put_on_rig(load_rig("emulated_pair", RIG), scenario))
    rig.run(LONGEST)
    return rig.program.series, rig.program.reason


def compute_scheduled_impulse() -> np.ndarray:
    """Of the whole schedule, by axis [Ns]: trapezoids."""
    rows = np.asarray(load_scenario("oos_sim").tables["hand"]["chaser"]["rows"])
    return np.asarray(np.trapezoid(rows[:, 1:4], rows[:, 0], axis=0))


def make_on_rig() -> Exhibit:
    series, ended = run_on_rig()
    there, scheduled = run_experiment(BARE).series, compute_scheduled_impulse()
    rows, lines = [], []
    for i, axis in enumerate("zyx"):
        at = "xyz".index(axis)
        force = series[f"measured.chaser.force.{axis}"]
        place = series[f"command.chaser.position.{axis}"]
        simulated = there[f"command.chaser.position.{axis}"]
        for form in (BARE, *FORMS):
            motion = integrate_axis(form, force, MASS, CYCLE)
            rows.append(
                {
                    "axis": axis,
                    "scheme": "without controller" if form == BARE else form,
                    "largest_force_N": float(np.abs(force).max()),
                    "impulse_Ns": float(CYCLE * force.sum()),
                    "scheduled_Ns": float(scheduled[at]),
                    "observed_end_J": drop_rounding(motion.left[-1] - motion.left[0], motion),
                    "largest_correction_m_per_s": float(np.abs(motion.correction).max()),
                    "end_position_m": float(motion.position[-1]),
                    "rig_end_position_m": float(place[-1] - place[0]),
                    "simulated_end_position_m": float(simulated[-1] - simulated[0]),
                }
            )
        lines.append(Line(f"force on {axis}", f"c{i + 1}", series["time"], force))
        way = place - place[0]
        lines.append(Line(f"position, {axis}", f"c{i + 4}", series["time"], way, second=True))
    return Exhibit(
        key="on_rig",
        title="Figs. 12 to 14 on an emulated rig",
        says=_summarise,
        columns=(
            Column("axis", "axis"),
            Column("scheme", "scheme, on the measured force"),
            Column("largest_force_N", "largest force [N]"),
            Column("impulse_Ns", "impulse, measured [Ns]"),
            Column("scheduled_Ns", "of the hand [Ns]"),
            Column("observed_end_J", "E_obs at the end [J]"),
            Column("largest_correction_m_per_s", "largest v_pc [m/s]"),
            Column("end_position_m", "position at the end, scheme [m]"),
            Column("rig_end_position_m", "on the rig [m]"),
            Column("simulated_end_position_m", "simulated [m]"),
        ),
        rows=rows,
        numbers={"ended": ended, "noise_N": NOISE, "cycles": float(len(series["time"]) - 1)},
        assumptions=(
            "The preset oos_sim on the preset emulated_pair with a wider box, in virtual time: RSI "
            "telegrams every 4 ms, force records at 1 kHz, robots with 16 ms of delay. "
            "`softdock rig run emulated_pair oos_sim` with the same limits runs it over sockets.",
        ),
        remarks=(
            "Real hardware was not available: the robots are programs that speak its wire.",
            "The sensor's zero is the mean of its noise before anything moves; what is left of it "
            "acts as a push for the whole run, on hardware too.",
        ),
        charts=[chart("on_rig", "Pushes and motion", lines, "time [s]", "N", second_title="m")],
    )


def _summarise(rows: list[dict[str, Any]], numbers: dict[str, Any]) -> Findings:
    bare = [row for row in rows if row["scheme"] == "without controller"]
    apart = max(abs(row["impulse_Ns"] - row["scheduled_Ns"]) for row in bare)
    off = max(abs(row["rig_end_position_m"] - row["simulated_end_position_m"]) for row in bare)
    falls = all(row["observed_end_J"] < 0.0 for row in bare)
    sharp = {
        form: max(row["largest_correction_m_per_s"] for row in rows if row["scheme"] == form)
        for form in FORMS
    }
    return Findings(
        f"The run ends as {numbers['ended']} after {numbers['cycles']:g} cycles. The hand's "
        f"impulse is measured within {apart:.2g} Ns on every axis, and the robot ends "
        f"{1e3 * off:.2g} mm from the simulation. Without controller the observed energy "
        + ("falls on every axis, as the paper has it." if falls else "does NOT fall on every axis"),
        [
            f"With {numbers['noise_N']:g} N of noise the published correction reaches "
            f"{sharp['published']:.2g} m/s, that with F(k-1) {sharp['previous_force']:.2g} m/s, "
            f"the bounded one {sharp['bounded']:.2g} m/s."
        ],
    )
