"""Output of `softdock stability` in the terminal: verdict, advice, numbers with units."""

from __future__ import annotations

from typing import Any

from rich.table import Table

from softdock.cli.progress import output
from softdock.cli.tables import print_verdict
from softdock.results.verdict import NO_VERDICT, UNSAFE
from softdock.studies.stability.advice import ACTIVE

MS = 1e3
ROWS = (
    ("whole delay", "whole_delay_s", MS, "ms"),
    ("critical whole delay", "critical_whole_delay_s", MS, "ms"),
    ("of it the robots'", "critical_delay_s", MS, "ms"),
    ("critical damping", "critical_damping_Ns_per_m", 1.0, "Ns/m"),
    ("critical damping, upper", "critical_damping_upper_Ns_per_m", 1.0, "Ns/m"),
    ("critical stiffness", "critical_stiffness_N_per_m", 1.0, "N/m"),
    ("critical mass", "critical_mass_kg", 1.0, "kg"),
    ("crossing frequency", "crossing_frequency_rad_per_s", 1.0, "rad/s"),
    ("growth rate", "growth_rate_per_s", 1.0, "1/s"),
    ("restitution, predicted", "predicted_restitution", 1.0, ""),
    ("restitution, dominant root", "restitution_of_dominant_root", 1.0, ""),
)
MARGINS = (
    ("delay", "delay_s", MS, "ms"),
    ("damping", "damping_Ns_per_m", 1.0, "Ns/m"),
    ("damping, upper", "damping_upper_Ns_per_m", 1.0, "Ns/m"),
    ("stiffness", "stiffness_N_per_m", 1.0, "N/m"),
    ("mass", "mass_kg", 1.0, "kg"),
)


def print_stability(result: dict[str, Any]) -> None:
    say = output()
    if result.get("verdict"):
        print_verdict(say, result["verdict"])
        say.print()
    elif "no_verdict" in result:
        say.print(result["no_verdict"], markup=False, highlight=False, soft_wrap=True)
    say.print(_opening(result), markup=False, highlight=False, soft_wrap=True)
    for sentence in filter(None, (explain_difference(result), *result["sentences"])):
        say.print(sentence, markup=False, highlight=False, soft_wrap=True)
    for part in ("dead_band", "latched"):
        for sentence in result.get(part, {}).get("sentences", []):
            say.print(sentence, markup=False, highlight=False, soft_wrap=True)
    for note in result["given"]["notes"]:
        say.print(f"note: {note}", markup=False, highlight=False, soft_wrap=True)
    say.print(_numbers_table("numbers", ROWS, result))
    say.print(_numbers_table("margins (positive: inside)", MARGINS, result["margins"]))
    say.print(_budget_table(result))
    if "robust" in result:
        _print_robust(say, result["robust"])
    if result.get("points"):
        say.print(_points_table(result["points"]))
    if "chart" in result:
        say.print(f"chart: {result['chart']}", markup=False, highlight=False, soft_wrap=True)


def _opening(result: dict[str, Any]) -> str:
    """Result of the linear analysis, and the methods that it leaves out."""
    left_out = result["given"].get("left_out") or []
    without = f" without {', '.join(left_out)}" if left_out else ""
    state = result["state"] if result["safe"] or not result.get("points") else ACTIVE
    return f"Linear analysis, {result['model']} loop of {result['point']}{without}: {state}."


def explain_difference(result: dict[str, Any]) -> str:
    """Why the linear analysis differs from the verdict; empty if it does not."""
    verdict = result.get("verdict")
    if not verdict or verdict["word"] == NO_VERDICT:
        return ""
    unsafe = verdict["word"] == UNSAFE
    if unsafe and result["safe"]:
        failed = ", ".join(verdict["failed"])
        return (
            f"The simulated runs are unsafe ({failed}), because the linear analysis covers one "
            "impact along one normal, without noise, bias, limits and friction."
        )
    if not unsafe and not result["safe"]:
        bound = 100.0 * verdict["bounds"]["unsafe_energy"]
        return (
            f"The verdict is {verdict['word']}, because in the simulated runs the contacts add at "
            f"most {bound:.3g} % of the approach energy. A longer contact may grow."
        )
    return ""


def _numbers_table(
    title: str, rows: tuple[tuple[str, str, float, str], ...], values: dict[str, Any]
) -> Table:
    table = Table(title=title)
    for heading, side in (("what", "left"), ("value", "right"), ("unit", "left")):
        table.add_column(heading, justify=side)  # type: ignore[arg-type]
    for name, key, factor, unit in rows:
        value = values[key]
        table.add_row(name, "none" if value is None else f"{factor * value:.6g}", unit)
    return table


def _budget_table(result: dict[str, Any]) -> Table:
    table = Table(title="delay budget")
    table.add_column("item")
    table.add_column(r"delay \[ms]", justify="right")
    table.add_column("what it is")
    for item in result["delay_budget"]:
        table.add_row(item["item"], f"{MS * item['delay_s']:.4g}", item["meaning"])
    table.add_row("in all", f"{MS * result['total_delay_s']:.4g}", "of the measured force's path")
    return table


def _points_table(points: list[dict[str, Any]]) -> Table:
    table = Table(title="all contact pairs")
    for heading in (
        "point",
        r"effective mass \[kg]",
        "stable",
        r"critical damping \[Ns/m]",
        "restitution",
    ):
        table.add_column(heading, justify="left" if heading == "point" else "right")
    for p in points:
        low, high = p["given"]["mass_range_kg"]
        mass = f"{low:.4g}" if low == high else f"{low:.4g} to {high:.4g}"
        critical, bounce = p["critical_damping_Ns_per_m"], p["predicted_restitution"]
        words = (
            "none" if critical is None else f"{critical:.4g}",
            "none" if bounce is None else f"{bounce:.4f}",
        )
        table.add_row(p["point"], mass, "yes" if p["stable"] else "no", *words)
    return table


def _print_robust(say: Any, robust: dict[str, Any]) -> None:
    worst = ", ".join(f"{name} {value:.4g}" for name, value in robust["worst_case"].items())
    state = "stable" if robust["worst_case_stable"] else "not stable"
    say.print(
        f"worst case ({worst}, SI): {state}, delay margin "
        f"{MS * robust['worst_case_delay_margin_s']:.3g} ms",
        markup=False,
        highlight=False,
        soft_wrap=True,
    )
    share, error = (
        100.0 * robust["probability_stable"],
        100.0 * robust["probability_standard_error"],
    )
    say.print(
        f"stable in {share:.1f} % (+- {error:.1f}) of {robust['samples']} draws",
        markup=False,
        highlight=False,
        soft_wrap=True,
    )
