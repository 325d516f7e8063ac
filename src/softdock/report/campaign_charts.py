"""Charts of a campaign: distributions as steps, maps over two keys as colours, with the bound of honest operation drawn as a line."""

from __future__ import annotations

from typing import Any

import numpy as np

from softdock.report.charts import ROLES, Line, chart
from softdock.report.elements import text, unit_of

MAPPED = {  # outcome: title, colour scale, range
    "captured": ("Captured", "Viridis", (0.0, 1.0)),
    "honest": ("Honest: share of runs within the bound of orbit", "Viridis", (0.0, 1.0)),
    "distance_from_orbit": ("Distance from orbit, with the envelope of honest operation", "Cividis", None),
    "energy_invented_share": ("Energy invented, of that at the start", "RdBu", None),
    "peak_force_real_N": ("Peak force [N]", "Cividis", None),
    "active": ("Active: share of runs that invented energy", "Viridis", (0.0, 1.0)),
}
MOST_MAPS = 24  # on a page


def distribution_charts(r: dict[str, Any], headings: dict[str, str]) -> str:
    """One chart an outcome, a line a variant."""
    parts, same = [], []
    for name, found in r["distributions"].items():
        lines = []
        if len({value for one in found if one["runs"] for value in (one["least"], one["most"])}) == 1:
            same.append(f"{headings.get(name, name)} {found[0].get('most', 0.0):.4g}")
            continue
        for i, one in enumerate(found):
            if one["runs"]:
                edges, counts = np.array(one["edges"], dtype=float), np.array(one["counts"], dtype=float)
                share = np.concatenate([counts / max(one["runs"], 1), [0.0]])
                fill = {"fill": "tozeroy"} if len(found) == 1 else {}
                lines.append(Line(r["variants"][i]["label"], ROLES[i % len(ROLES)], edges, share, steps=True, extra=fill))
        if not lines:
            continue
        first = found[0]
        caption = ""
        if len(found) == 1:
            q = first["quantiles"]
            caption = f"Median {q['50']:.4g}, 5 to 95 %: {q['5']:.4g} to {q['95']:.4g}, largest {first['most']:.4g}."
            caption += f" {first['beyond']} run{' lies' if first['beyond'] == 1 else 's lie'} beyond the chart." if first["beyond"] else ""
            caption += f" Undefined in {first['undefined']} run{'' if first['undefined'] == 1 else 's'}." if first["undefined"] else ""
        heading = headings.get(name, name)
        title = heading[0].upper() + heading[1:]
        parts.append(chart(f"distribution-{name}", title, lines, _with_unit(heading, name), "share of runs", caption=caption, time_axis=False))
    return "".join(parts) + (text(f"The same in all runs: {', '.join(same)}.") if same else "")


def _with_unit(heading: str, name: str) -> str:
    unit = unit_of(name)
    return f"{heading} [{unit}]" if unit else heading


def map_charts(r: dict[str, Any], headings: dict[str, str]) -> str:
    """A map an outcome and variant, as far as a page has room."""
    maps = r["maps"]
    if not maps:
        return ""
    parts: list[str] = []
    x, y = (np.array(c, dtype=float) for c in maps["centres"])
    for name, (title, scale, limits) in MAPPED.items():
        for i, values in enumerate(maps["outcomes"].get(name, [])):
            if len(parts) >= MOST_MAPS:
                break
            z = np.array([[np.nan if v is None else v for v in row] for row in values], dtype=float).T
            if not np.isfinite(z).any():
                continue
            lines = [_colours(name, x, y, z, scale, _limits(name, z, limits))]
            caption = ""
            if name == "distance_from_orbit" and r["honest_below"] is not None and min(z.shape) > 1:
                lines.append(_bound(x, y, z, r["honest_below"]))
                caption = f"Line: {100.0 * r['honest_below']:g} % of the approach. On the side where the distance is smaller the rig is honest."
            label = f": {r['variants'][i]['label']}" if len(r["variants"]) > 1 else ""
            layout = {"showlegend": False, "xaxis": _axis(maps["axes"][0], x), "yaxis": _axis(maps["axes"][1], y)}
            parts.append(chart(f"map-{name}-{i}", f"{title}{label}", lines, maps["axes"][0], maps["axes"][1], caption=caption, time_axis=False, layout=layout))
    return "".join(parts)


def _axis(title: str, centres: np.ndarray) -> dict[str, Any]:
    """Logarithmic where the values are spread over more than a decade."""
    wide = centres[0] > 0.0 and centres[-1] > 10.0 * centres[0]
    return {"title": {"text": title}, "type": "log" if wide else "linear"}


def _limits(name: str, z: np.ndarray, limits: tuple[float, float] | None) -> tuple[float, float]:
    if limits is not None:
        return limits
    fine = z[np.isfinite(z)]
    if name == "energy_invented_share":  # white is none
        most = float(np.abs(fine).max()) or 1.0
        return -most, most
    return float(fine.min()), float(fine.max())


def _colours(name: str, x: np.ndarray, y: np.ndarray, z: np.ndarray, scale: str, limits: tuple[float, float]) -> Line:
    extra = {"type": "heatmap", "z": z, "x": x, "y": y, "zmin": limits[0], "zmax": limits[1], "colorscale": scale, "colorbar": {"thickness": 14}}
    extra |= {"hovertemplate": "%{x:.4g}, %{y:.4g}: %{z:.4g}"}
    return Line(name, "c1", x[:1], y[:1], extra=extra)


def _bound(x: np.ndarray, y: np.ndarray, z: np.ndarray, level: float) -> Line:
    contours = {"start": level, "end": level, "size": 1.0, "coloring": "none", "showlabels": True}
    extra = {"type": "contour", "z": z, "x": x, "y": y, "contours": contours, "showscale": False, "hoverinfo": "skip"}
    return Line("bound", "c4", x[:1], y[:1], width=3.0, extra=extra)
