"""Charts of a campaign: distributions as steps, and maps over two keys. Each map has its own colour
scale, whose ends its caption states."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from softdock.output.pages.frame.charts import ROLES, Line, chart
from softdock.output.pages.frame.elements import axis_title, is_share, text, unit_of
from softdock.results.quantities import format_quantity
from softdock.studies.campaign.maps import list_mapped_outcomes
from softdock.studies.campaign.outcome import Map
from softdock.studies.campaign.outcomes import get_heading


def distribution_charts(r: dict[str, Any]) -> str:
    """One chart for each outcome, one line for each variant."""
    parts, same = [], []
    for name, charts in r["distributions"].items():
        lines = []
        if (
            len({value for one in charts if one["runs"] for value in (one["least"], one["most"])})
            == 1
        ):
            value = float(charts[0].get("most", 0.0))
            same.append(f"{get_heading(name)} {format_quantity(value, _unit(name))}")
            continue
        for i, one in enumerate(charts):
            if one["runs"]:
                edges, counts = (
                    np.array(one["edges"], dtype=float),
                    np.array(one["counts"], dtype=float),
                )
                share = np.concatenate([counts / max(one["runs"], 1), [0.0]])
                fill = {"fill": "tozeroy"} if len(charts) == 1 else {}
                lines.append(
                    Line(
                        r["variants"][i]["label"],
                        ROLES[i % len(ROLES)],
                        (100.0 if is_share(name) else 1.0) * edges,
                        share,
                        steps=True,
                        extra=fill,
                    )
                )
        if not lines:
            continue
        first = charts[0]
        caption = ""
        if len(charts) == 1:
            q, unit = first["quantiles"], _unit(name)
            middle, low, high, most = (
                format_quantity(float(x), unit) for x in (q["50"], q["5"], q["95"], first["most"])
            )
            caption = f"Median {middle}, 5 to 95 %: {low} to {high}, largest {most}."
            caption += (
                f" {first['beyond']} run{' lies' if first['beyond'] == 1 else 's lie'} "
                "beyond the chart."
                if first["beyond"]
                else ""
            )
            caption += (
                f" Undefined in {first['undefined']} run{'' if first['undefined'] == 1 else 's'}."
                if first["undefined"]
                else ""
            )
        words = get_heading(name)
        title = words[0].upper() + words[1:]
        parts.append(
            chart(
                f"distribution-{name}",
                title,
                lines,
                _append_unit(words, name),
                "share of runs",
                caption=caption,
                time_axis=False,
            )
        )
    return "".join(parts) + (text(f"The same in all runs: {', '.join(same)}.") if same else "")


def _unit(name: str) -> str:
    return "%" if is_share(name) else unit_of(name)


def _append_unit(words: str, name: str) -> str:
    unit = _unit(name)
    return f"{words} [{unit}]" if unit else words


MOST_MAPS = 40  # on a page
NO_RUN, NO_STATEMENT = "#dfe3e8", "#8f99a6"  # greys
PALETTES: dict[str, Any] = {  # one for each meaning
    "good": [[0.0, "#f2e6d8"], [1.0, "#1b7a5a"]],
    "bad": [[0.0, "#f4efe9"], [1.0, "#b3261e"]],
    "force": [[0.0, "#fdf3d0"], [0.5, "#f08a24"], [1.0, "#7a1f10"]],
    "error": [[0.0, "#eef1f8"], [0.5, "#7c83c4"], [1.0, "#2b1d66"]],
    "energy": "RdBu",
}
SHARES = ("error", "energy")  # meanings whose values are shown in percent
MILLIMETRES_BELOW = 0.5  # m; an axis of smaller lengths is drawn in mm
FEWEST_TICKS = 12  # values of a list that are all written at the axis


class Axis(NamedTuple):
    """One axis of the maps: edges and centres of the drawn cells, their names, and plotly's
    layout."""

    edges: np.ndarray
    centres: np.ndarray
    layout: dict[str, Any]
    names: list[str]  # of the cells


def map_charts(r: dict[str, Any]) -> str:
    """One map for each outcome and variant, up to MOST_MAPS; the others are named."""
    found = r["maps"]
    if not found:
        return ""
    axes = [
        make_axis(*side)
        for side in zip(
            found["axes"], found["scales"], found["centres"], found["edges"], strict=True
        )
    ]
    runs, parts, left, count = [np.array(one) for one in found["runs"]], [], [], 0
    single = all((one <= 1).all() for one in runs)
    for outcome, drawing in ((one.name, one.map) for one in list_mapped_outcomes()):
        if drawing is None or outcome not in found["outcomes"] or (single and drawing.is_share):
            continue  # with one run per cell the distance and the energy say it better
        every = [
            np.array([[np.nan if v is None else v for v in row] for row in values], dtype=float)
            for values in found["outcomes"][outcome]
        ]
        room = max(0, MOST_MAPS - count)
        left += [f"{drawing.title}: {r['variants'][i]['label']}" for i in range(room, len(every))]
        count += len(every[:room])
        charts = [
            _map_chart(r, outcome, drawing, i, every, runs[i], axes)
            for i in range(len(every[:room]))
        ]
        small = "grid small" if len(charts) > 2 else "grid"
        parts.append(
            f'<div class="{small}">{"".join(charts)}</div>' if len(charts) > 1 else "".join(charts)
        )
    notes = [_cells_note(r, runs)]
    if left:
        notes.append(
            f"{len(left)} maps have no room on this page and are in summary.json (maps): "
            f"{'; '.join(left[:10])}{' ...' if len(left) > 10 else ''}."
        )
    return text(" ".join(notes)) + "".join(parts)


def make_axis(title: str, scale: str, centres: list[float], edges: list[float]) -> Axis:
    """Axis of the maps. Listed values get cells of equal width; other cells have their own width,
    on a logarithmic axis if they are even there."""
    at, words = np.array(centres, dtype=float), axis_title(title)
    if words.endswith(" [m]") and np.abs([*centres, *edges]).max() < MILLIMETRES_BELOW:
        at, edges, words = 1e3 * at, [1e3 * x for x in edges], words.replace(" [m]", " [mm]")
    layout: dict[str, Any] = {"title": {"text": words}}
    names = [f"{v:.6g}" for v in at]
    if scale == "values":
        place = np.arange(len(at), dtype=float)
        every = -(-len(at) // FEWEST_TICKS)
        layout |= {"tickvals": place[::every].tolist(), "ticktext": names[::every]}
        return Axis(np.arange(len(at) + 1) - 0.5, place, layout, names)
    if len(edges):
        return Axis(np.array(edges), at, layout | {"type": scale}, names)
    step = np.diff(at).mean() if len(at) > 1 else abs(at[0]) or 1.0  # a grid's steps are even
    return Axis(
        np.concatenate([at - 0.5 * step, at[-1:] + 0.5 * step]),
        at,
        layout | {"type": "linear"},
        names,
    )


def _cells_note(r: dict[str, Any], runs: list[np.ndarray]) -> str:
    whole, empty = runs[0].size, int((runs[0] == 0).sum())
    each = (
        "one run"
        if all((one == 1).all() for one in runs)
        else f"{runs[0].sum() / whole:.3g} runs on average"
    )
    note = f"{whole} cells a map, {each} in each"
    note += f"; {empty} hold no run and are light grey." if empty else "."
    return note + (
        " Each map has colours of its own; their ends are stated." if len(r["variants"]) > 1 else ""
    )


def _map_chart(
    r: dict[str, Any],
    name: str,
    drawing: Map,
    i: int,
    every: list[np.ndarray],
    runs: np.ndarray,
    axes: list[Axis],
) -> str:
    across, up = axes
    z, count = every[i].T, runs.T
    limits = _value_range(drawing, every[i : i + 1])
    undefined = "no contact" if drawing.needs_contact else "not defined"
    lines = [
        *_grey_cells(across, up, z, count, undefined),
        _coloured_cells(name, across, up, z, count, drawing, limits),
    ]
    caption = [_describe_scale(drawing, every, i)] if len(every) > 1 else []
    if drawing.needs_contact and (~np.isfinite(z) & (count > 0)).any():
        caption.append("Dark grey: no contact.")
    if name in ("error_against_orbit", "within_limit") and (
        silent := int((~np.isfinite(z) & (count > 0)).sum())
    ):
        caption.append(
            f"Dark grey, {silent} cell{'' if silent == 1 else 's'}: no error defined, "
            "because nothing touched or a contact was under way at the end."
        )
    if name == "error_against_orbit" and r["error_limit"] is not None and min(z.shape) > 1:
        caption.append(_describe_envelope(z, r["error_limit"], bool((count > 1).any())))
        lines.append(_bound_line(across, up, z, r["error_limit"]))
    label = f": {r['variants'][i]['label']}" if len(r["variants"]) > 1 else ""
    layout = {"showlegend": False, "xaxis": dict(across.layout), "yaxis": dict(up.layout)}
    x_title, y_title = (one.layout["title"]["text"] for one in axes)
    return chart(
        f"map-{name}-{i}",
        f"{drawing.title}{label}",
        lines,
        x_title,
        y_title,
        caption=" ".join(one for one in caption if one),
        time_axis=False,
        height=360 if len(every) <= 2 else 300,
        layout=layout,
    )


def _describe_envelope(z: np.ndarray, bound: float, several: bool) -> str:
    """Caption of the contour line; with several runs in a cell it is that of their mean."""
    fine, limit = z[np.isfinite(z)], f"{100.0 * bound:g} % of the approach speed"
    if len(fine) and fine.max() <= bound:
        return (
            f"The mean of every cell is within {limit}; single runs may not be."
            if several
            else f"The error is within {limit} wherever it is defined."
        )
    if len(fine) and fine.min() > bound:
        return (
            f"The mean of every cell is beyond {limit}."
            if several
            else f"The error is beyond {limit} wherever it is defined."
        )
    side = (
        "On the side of smaller errors the rig is within the limit on average."
        if several
        else "On the side of smaller errors the rig is within the limit."
    )
    return f"Line: {'a mean error of ' if several else ''}{limit}. {side}"


def _value_range(drawing: Map, every: list[np.ndarray]) -> tuple[float, float]:
    """Least and largest value of some maps."""
    if drawing.limits is not None:
        return drawing.limits
    fine = np.concatenate([z[np.isfinite(z)] for z in every])
    if not len(fine):
        return 0.0, 1.0
    if drawing.about_zero:
        most = float(np.abs(fine).max()) or 1.0
        return -most, most
    least, most = float(fine.min()), float(fine.max())
    return (least if least > 0.5 * most > 0.0 else min(0.0, least)), most or 1.0


def _describe_scale(drawing: Map, every: list[np.ndarray], i: int) -> str:
    """Upper end of this map's colours, and of all variants'."""
    if drawing.limits is not None:
        return ""
    own, most = _value_range(drawing, every[i : i + 1])[1], _value_range(drawing, every)[1]
    return f"Colours up to {own:.3g}; over all variants the most is {most:.3g}."


def _heatmap(name: str, across: Axis, up: Axis, z: np.ndarray, extra: dict[str, Any]) -> Line:
    shown = {"type": "heatmap", "z": z, "x": across.edges, "y": up.edges} | extra
    return Line(name, "c1", across.centres[:1], up.centres[:1], extra=shown)


def _coloured_cells(
    name: str,
    across: Axis,
    up: Axis,
    z: np.ndarray,
    count: np.ndarray,
    drawing: Map,
    limits: tuple[float, float],
) -> Line:
    bar: dict[str, Any] = {"thickness": 14}
    if drawing.meaning in SHARES:
        bar["tickformat"] = "~%"
    if drawing.yes_or_no and set(np.unique(z[np.isfinite(z)]).tolist()) <= {0.0, 1.0}:
        bar |= {"tickvals": [0.0, 1.0], "ticktext": list(drawing.yes_or_no)}
    extra = {
        "zmin": limits[0],
        "zmax": limits[1],
        "colorscale": PALETTES.get(drawing.meaning, drawing.meaning),
        "colorbar": bar,
        "hoverongaps": False,
    }
    return _heatmap(
        name,
        across,
        up,
        z,
        extra
        | {
            "text": _hover_texts(across, up, count),
            "hovertemplate": "%{z:.3g}<br>%{text}<extra></extra>",
        },
    )


def _grey_cells(
    across: Axis, up: Axis, z: np.ndarray, count: np.ndarray, undefined: str
) -> list[Line]:
    """Cells without a run, and cells in which the outcome is not defined, in grey."""
    found = []
    for which, colour, words in (
        (count == 0, NO_RUN, "no run"),
        (~np.isfinite(z) & (count > 0), NO_STATEMENT, undefined),
    ):
        if which.any():
            extra = {
                "zmin": 0.0,
                "zmax": 1.0,
                "colorscale": [[0.0, colour], [1.0, colour]],
                "showscale": False,
                "hoverongaps": False,
            }
            extra |= {
                "text": _hover_texts(across, up, count),
                "hovertemplate": f"{words}<br>%{{text}}<extra></extra>",
            }
            found.append(_heatmap(words, across, up, np.where(which, 1.0, np.nan), extra))
    return found


def _hover_texts(across: Axis, up: Axis, count: np.ndarray) -> list[list[str]]:
    """Hover text of every cell."""
    rows = zip(up.names, count.tolist(), strict=True)
    return [
        [
            f"{x}, {y}: {n} run{'' if n == 1 else 's'}"
            for x, n in zip(across.names, row, strict=True)
        ]
        for y, row in rows
    ]


def _bound_line(across: Axis, up: Axis, z: np.ndarray, level: float) -> Line:
    contours = {"start": level, "end": level, "size": 1.0, "coloring": "none", "showlabels": True}
    extra = {
        "type": "contour",
        "z": z,
        "x": across.centres,
        "y": up.centres,
        "contours": contours,
        "showscale": False,
        "hoverinfo": "skip",
    }
    return Line("bound", "c4", across.centres[:1], up.centres[:1], width=3.0, extra=extra)
