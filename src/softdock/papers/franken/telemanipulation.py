"""Beyond the paper, its future work: telemanipulation with a network as local model, passivity
layer apart from transparency layer; with the wall known beforehand, and where it must be found."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from softdock.networks.telemanipulation import SCHEMES, TeleSetting, telemanipulate
from softdock.output.pages.frame.charts import ROLES, Line, chart
from softdock.papers.frame import Column, Exhibit, Findings

DELAYS_MS = (0.0, 20.0, 50.0, 100.0)
KNOWN, FOUND = "known", "must be found"
SHOWN_MS = 50.0  # of the chart
MOST_SHOWN = 1e6  # mm/s: larger speeds of a diverging motion are shown as this
SETTING = TeleSetting()


def _row(delay: float, scheme: str, wall: str) -> dict[str, Any]:
    found = telemanipulate(scheme, delay, wall_known=wall == KNOWN, setting=SETTING).numbers
    stable, speed = found["stable"], found["rms_speed_mm_per_s"]
    return {
        "delay_ms": delay,
        "scheme": scheme,
        "wall": wall,
        "stable": stable,
        "growth_per_s": found["growth_per_s"],
        "rms_speed_mm_per_s": speed if speed < MOST_SHOWN else None,
        "force_against_static": found["force_over_static"] if stable else None,
        "given_mJ": found["most_given_mJ"] if stable else None,
    }


def make_telemanipulation() -> Exhibit:
    rows = [
        _row(delay, scheme, wall)
        for wall in (KNOWN, FOUND)
        for delay in DELAYS_MS
        for scheme in SCHEMES
        if wall == KNOWN or scheme.startswith("local_model")  # the reflected force needs no place
    ]
    return Exhibit(
        key="telemanipulation",
        title="Future work: telemanipulation",
        says=_summarise,
        columns=(
            Column("delay_ms", "delay each way [ms]"),
            Column("scheme", "scheme"),
            Column("wall", "place of the wall"),
            Column("stable", "dies down"),
            Column("growth_per_s", "growth of the RMS speed [1/s]"),
            Column("rms_speed_mm_per_s", "RMS speed at rest [mm/s]"),
            Column("force_against_static", "force over static"),
            Column("given_mJ", "most energy given to the devices [mJ]"),
        ),
        rows=rows,
        numbers={
            "lent_mJ": 2e3 * SETTING.tank_J,
            **{
                key: v
                for key, v in asdict(SETTING).items()
                if key not in ("delay_ms", "wall_known")
            },
        },
        assumptions=(
            "All parameters are keys of `softdock.networks.telemanipulation.TeleSetting`, and "
            "stand "
            "below with their values; all are assumed. The local model is a spring of the wall's "
            "stiffness, that stands where the wall is from the start, or only once the slave has "
            "found it; until then the hand feels the slave's controller. A delay of 0 is one "
            "sample. Dies down: as on the bench.",
        ),
        remarks=(),
        charts=[_chart()],
    )


def _chart() -> str:
    lines = []
    for i, (scheme, wall) in enumerate(
        [(s, KNOWN) for s in SCHEMES if s.endswith("layered")] + [("local_model_layered", FOUND)]
    ):
        run = telemanipulate(scheme, SHOWN_MS, wall_known=wall == KNOWN, setting=SETTING)
        lines.append(Line(f"{scheme}, wall {wall}", ROLES[i], run.time_s, run.force_N))
    title = f"Force on the hand, {SHOWN_MS:g} ms each way"
    return chart("telemanipulation_force", title, lines, "time [s]", "force [N]")


def _summarise(rows: list[dict[str, Any]], numbers: dict[str, Any]) -> Findings:
    layered = [r for r in rows if r["scheme"] != "reflected"]
    bare = [f"{r['delay_ms']:g}" for r in rows if r["scheme"] == "reflected" and r["stable"]]
    local = {
        wall: [
            r["force_against_static"]
            for r in rows
            if r["scheme"].startswith("local_model") and r["wall"] == wall
        ]
        for wall in (KNOWN, FOUND)
    }
    reflected = [r["force_against_static"] for r in rows if r["scheme"] == "reflected_layered"]
    delays = ", ".join(f"{delay:g}" for delay in DELAYS_MS)
    paid = [r for r in layered if r["given_mJ"] is not None and r["given_mJ"] <= numbers["lent_mJ"]]
    return Findings(
        f"With the passivity layer {sum(r['stable'] for r in layered)} of {len(layered)} runs die "
        f"down, and {len(paid)} of {len(layered)} give the devices no more than was lent; without "
        f"it the reflected force does at {', '.join(bare) or 'no'} ms. At {delays} ms the local "
        f"model has {_format_list(local[KNOWN])} of the static force where it knows the wall, and "
        f"{_format_list(local[FOUND])} where the wall must be found.",
        [
            "A force that the tank cannot pay is scaled down: the reflected force has "
            f"{_format_list(reflected)} of the static one. A local model that must find the wall "
            f"has {_format_list(local[FOUND])}: at least that share at "
            f"{sum(_reaches(a, b) for a, b in zip(local[FOUND], reflected, strict=True))} of "
            f"{len(reflected)} delays."
        ],
    )


def _reaches(share: float | None, other: float | None) -> bool:
    """Whether a share of the static force is at least another, to rounding."""
    return share is not None and (other is None or share >= other - 1e-4)


def _format_list(values: list[float | None]) -> str:
    return ", ".join("-" if value is None else f"{value:.3f}" for value in values)
