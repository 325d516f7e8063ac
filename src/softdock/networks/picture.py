"""The bond graph as a picture: half arrows along the power, causal strokes where the effort goes
in. No library, one SVG."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING

from softdock.networks.elements import Damper, Element, Junction, Mass, Port, Spring, Transformer

if TYPE_CHECKING:
    from softdock.networks.network import Network

STEP_X, STEP_Y, MARGIN, GAP = 130.0, 70.0, 60.0, 24.0


def bond_graph_svg(network: Network) -> str:
    """Elements by distance from the ports, left to right; the stroke stands at the end that is
    given the effort."""
    places = lay_out(network)
    width = 2 * MARGIN + max(x for x, _ in places.values())
    height = 2 * MARGIN + max(y for _, y in places.values())
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" role="img" '
        f'aria-label="Bond graph of {escape(network.name)}" font-family="sans-serif" '
        'font-size="15">',
        f"<title>Bond graph of {escape(network.name)}</title>",
        '<g stroke="currentColor" stroke-width="1.6" fill="none">',
    ]
    for i, bond in enumerate(network.parts.bonds):
        source = network.causality.effort_from[i]
        lines.append(
            _bond(
                places[bond.tail],
                places[bond.head],
                stroke_at_head=source == bond.tail,
                label=f"{bond.tail} to {bond.head}",
            )
        )
    lines.append('</g><g fill="currentColor" text-anchor="middle">')
    for name, (x, y) in places.items():
        lines.append(
            f'<text x="{x + MARGIN:.1f}" '
            f'y="{y + MARGIN + 5:.1f}">{escape(symbol(network.parts.elements[name]))}</text>'
        )
    return "\n".join([*lines, "</g></svg>"]) + "\n"


def symbol(element: Element) -> str:
    """Symbol as bond graphs write it: C spring, I mass, R damper, TF transformer, 0 and 1
    junctions, Sf and Se ports."""
    match element:
        case Junction():
            return str(element.kind)
        case Spring():
            return f"C: {element.name}"
        case Mass():
            return f"I: {element.name}"
        case Damper():
            return f"R: {element.name}"
        case Transformer():
            return f"TF: {element.name}"
        case Port():
            return f"{'Sf' if element.causality == 'position' else 'Se'}: {element.name}"


def lay_out(network: Network) -> dict[str, tuple[float, float]]:
    """A tree from the first port; each element beside its parent, rows shared out among the
    leaves."""
    parts = network.parts
    places: dict[str, tuple[float, float]] = {}
    rows = [0.0]

    def place(name: str, depth: int, seen: set[str]) -> float:
        seen.add(name)
        children = [
            end
            for i in parts.at(name)
            for end in (parts.bonds[i].tail, parts.bonds[i].head)
            if end not in seen
        ]
        heights = [
            place(child, depth + 1, seen) for child in dict.fromkeys(children) if child not in seen
        ]
        if heights:
            y = sum(heights) / len(heights)
        else:
            y = rows[0]
            rows[0] += STEP_Y
        places[name] = (depth * STEP_X, y)
        return y

    seen: set[str] = set()
    for port in network.ports:
        if port.name not in seen:
            place(port.name, 0, seen)
    return places


def _bond(
    tail: tuple[float, float], head: tuple[float, float], stroke_at_head: bool, label: str
) -> str:
    (x1, y1), (x2, y2) = tail, head
    length = math.hypot(x2 - x1, y2 - y1) or 1.0
    ux, uy = (x2 - x1) / length, (y2 - y1) / length
    gap = GAP * (1.0 + 0.5 * abs(ux))
    ax, ay, bx, by = (
        x1 + MARGIN + gap * ux,
        y1 + MARGIN + gap * uy,
        x2 + MARGIN - gap * ux,
        y2 + MARGIN - gap * uy,
    )
    half = f"M{bx:.1f},{by:.1f} L{bx - 9 * ux - 6 * uy:.1f},{by - 9 * uy + 6 * ux:.1f}"
    sx, sy = (bx, by) if stroke_at_head else (ax, ay)
    stroke = f"M{sx - 7 * uy:.1f},{sy + 7 * ux:.1f} L{sx + 7 * uy:.1f},{sy - 7 * ux:.1f}"
    return (
        f'<path d="M{ax:.1f},{ay:.1f} L{bx:.1f},{by:.1f} {half} '
        f'{stroke}"><title>{escape(label)}</title></path>'
    )
