"""The bodies of a scenario as parts of a scene, and the size of what touches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from softdock.loop.contact.models import shape_named
from softdock.loop.spatial.arrays import inverse, rotate
from softdock.results.scene import mock_ups
from softdock.results.scene.model import Mesh, Part, Track
from softdock.results.scene.motions import Relative, relative_to
from softdock.results.scene.surfaces import box

WIDEST = 0.3  # of the smaller body: a piece of wall is never larger


class Furniture(NamedTuple):
    meshes: dict[str, Mesh]
    parts: tuple[Part, ...]
    scale: float  # m, size of what touches
    along: np.ndarray  # direction of the approach, target axes
    touches: bool  # whether a contact pair is described
    notes: tuple[str, ...]


def furnish(
    tables: Mapping[str, Any],
    whole: Mapping[str, Track],
    flanges: Mapping[str, np.ndarray] | None = None,
) -> Furniture:
    """All solid bodies that a scenario describes. `flanges`: where robots hold the mock-ups, in the
    axes of each body [m]."""
    held = flanges or {}
    seen = relative_to(whole["chaser"], whole["target"])
    pairs = tables["contact"]
    if not pairs:
        return _furnish_without_shapes(tables, seen)
    scale = measure_touching_size(tables, seen)
    along = _average_approach(pairs, seen)
    look = rotate(inverse(seen.attitude[0]), along)  # chaser axes
    meshes, parts = _furnish_chaser(tables["chaser"], pairs, look, scale, held.get("chaser"))
    more, others = _furnish_target(tables["target"], pairs, along, scale, held.get("target"))
    return Furniture(
        meshes=meshes | more,
        parts=(*parts, *others),
        scale=scale,
        along=along,
        touches=True,
        notes=_list_notes(pairs),
    )


def _list_notes(pairs: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    notes = ["Satellites are drawn as uniform boxes with the same mass and inertia."]
    if any(mock_ups.get_shape_solid(pair) is None for pair in pairs):
        notes.append("Infinite walls are drawn as a patch.")
    return tuple(notes)


def measure_touching_size(tables: Mapping[str, Any], seen: Relative) -> float:
    """Size of what touches [m]: of a mouth or a ball; for a wall, of the motion."""
    bodies = min(float(mock_ups.compute_cuboid(tables[b])[0].max()) for b in ("chaser", "target"))
    sizes = []
    for pair in tables["contact"]:
        solid = mock_ups.get_shape_solid(pair)
        if solid is not None:
            sizes.append(solid.opening + float(pair["tip_radius_m"]))
        else:
            axis = np.array(pair["axis"], float)
            gap = (_track_tip(pair, seen) - np.array(pair["origin_m"])) @ (
                axis / np.linalg.norm(axis)
            )
            way = float(abs(gap[0])) or float(np.abs(gap).max())  # the same whatever a rig does
            sizes.append(max(2.5 * float(pair["tip_radius_m"]), min(3.0 * way, WIDEST * bodies)))
    return max(max(sizes), 1e-4)


def _track_tip(pair: Mapping[str, Any], seen: Relative) -> np.ndarray:
    """Track of the tip, target axes [m]."""
    return seen.position + rotate(seen.attitude, np.array(pair["tip_m"], float))


def _find_approach(pair: Mapping[str, Any], seen: Relative) -> np.ndarray:
    """Direction of approach, target axes: against a shape's axis, or towards a ball."""
    axis = -np.array(pair["axis"], float)
    if shape_named(pair["geometry"]).drawing.is_round:
        way = np.array(pair["origin_m"], float) - _track_tip(pair, seen)[0]
        axis = way if np.linalg.norm(way) > 1e-9 else axis
    return np.asarray(axis / np.linalg.norm(axis))


def _average_approach(pairs: Sequence[Mapping[str, Any]], seen: Relative) -> np.ndarray:
    """Mean direction of approach of several shapes: petals are entered between them."""
    ways = np.array([_find_approach(pair, seen) for pair in pairs])
    middle = ways.mean(axis=0)
    size = float(np.linalg.norm(middle))
    return np.asarray(middle / size) if size > 0.1 else ways[0]


def _furnish_chaser(
    body: Mapping[str, Any],
    pairs: Sequence[Any],
    look: np.ndarray,
    scale: float,
    flange: np.ndarray | None,
) -> tuple[dict[str, Mesh], list[Part]]:
    tips = mock_ups.find_distinct_tips(pairs)
    length = mock_ups.choose_probe_length(pairs, scale)
    meshes, parts = {}, []
    for i, pair in enumerate(tips):
        key = f"probe_{i + 1}"
        meshes[key] = mock_ups.make_probe(pair, look, length, scale)
        parts.append(
            Part(
                name=f"probe {i + 1}",
                mesh=key,
                track="mock_up.chaser",
                role="mock_up",
                layer="mock_ups",
            )
        )
    front = np.mean([np.array(pair["tip_m"], float) for pair in tips], axis=0) - length * look
    surface = min(mock_ups.reach_along(body, look), float(front @ look) - 0.4 * scale)
    back = max(float(front @ look) - surface, 0.0)
    meshes["chaser_holder"] = mock_ups.make_holder(tips, look, length, scale, back, flange)
    meshes["chaser_box"] = mock_ups.make_satellite_box(body, front - back * look, look)
    parts.append(
        Part(
            name="chaser's mount",
            mesh="chaser_holder",
            track="mock_up.chaser",
            role="measured",
            layer="mock_ups",
        )
    )
    parts.append(
        Part(
            name="chaser",
            mesh="chaser_box",
            track="chaser",
            role="satellite",
            layer="satellites",
            opacity=0.22,
        )
    )
    return meshes, parts


def _furnish_target(
    body: Mapping[str, Any],
    pairs: Sequence[Any],
    along: np.ndarray,
    scale: float,
    flange: np.ndarray | None,
) -> tuple[dict[str, Mesh], list[Part]]:
    meshes, parts = {}, []
    back = -np.inf
    for i, (name, mesh) in enumerate(mock_ups.make_target_shapes(pairs, scale)):
        key = f"shape_{i + 1}"
        meshes[key] = mesh
        parts.append(
            Part(
                name=name,
                mesh=key,
                track="mock_up.target",
                role="c8",
                layer="mock_ups",
                opacity=0.55,
            )
        )
        back = max(back, float((mesh.vertices @ along).max()))
    origins = np.mean([np.array(pair["origin_m"], float) for pair in pairs], axis=0)
    foot = origins + (back + 0.01 * scale - float(origins @ along)) * along  # not in one plane
    surface = mock_ups.reach_along(body, -along)
    start = max(-surface - back, 0.35 * scale)
    radius = 0.42 * scale
    end = foot + start * along
    meshes["target_holder"] = mock_ups.make_column(foot, end if flange is None else flange, radius)
    parts.append(
        Part(
            name="target's mount",
            mesh="target_holder",
            track="mock_up.target",
            role="measured",
            layer="mock_ups",
        )
    )
    if body["fixed"]:  # bolted: there is no satellite
        return meshes, parts
    meshes["target_box"] = mock_ups.make_satellite_box(body, end, -along)
    parts.append(
        Part(
            name="target",
            mesh="target_box",
            track="target",
            role="c8",
            layer="satellites",
            opacity=0.22,
        )
    )
    return meshes, parts


def _furnish_without_shapes(tables: Mapping[str, Any], seen: Relative) -> Furniture:
    """Bodies without a contact pair: boxes only, opaque where robots hold them."""
    meshes, parts = {}, []
    zero, along = np.zeros(3), np.array([1.0, 0.0, 0.0])
    for body, role in (("chaser", "mock_up"), ("target", "c8")):
        if tables[body]["fixed"] and not np.any(seen.position[0]):
            continue  # a target without a shape at the chaser's own place is no body to show
        edges, axes = mock_ups.compute_cuboid(tables[body])
        meshes[f"{body}_box"] = box(edges, zero, axes)
        parts.append(
            Part(
                name=body, mesh=f"{body}_box", track=f"mock_up.{body}", role=role, layer="mock_ups"
            )
        )
        parts.append(
            Part(
                name=body,
                mesh=f"{body}_box",
                track=body,
                role="satellite",
                layer="satellites",
                opacity=0.22,
            )
        )
    scale = max(float(mock_ups.compute_cuboid(tables[b])[0].max()) for b in ("chaser", "target"))
    note = (
        "No contact pair is described: bodies are drawn as uniform boxes with the same mass and "
        "inertia."
    )
    return Furniture(
        meshes=meshes,
        parts=tuple(parts),
        scale=scale,
        along=along,
        touches=False,
        notes=(note,),
    )
