"""What no network may have: negative elements, loose ends, ports without causality, potentials
without a floor."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from softdock.errors import Problem
from softdock.files.values import find_problems
from softdock.networks.elements import (
    CAUSALITY,
    COEFFICIENTS,
    DAMPING,
    EXPONENT,
    MASS,
    MOST_COEFFICIENTS,
    ONE_BOND,
    ONE_SIDED,
    PER_FORCE,
    POLYNOMIAL,
    QUADRATIC,
    RATIO,
    STIFFNESS,
    TABLE,
    Bond,
    Damper,
    Element,
    Junction,
    Mass,
    Parts,
    Port,
    Spring,
    Transformer,
)


def _is_number(value: Any) -> bool:
    return (
        isinstance(value, (int, float, np.floating))
        and not isinstance(value, bool)
        and math.isfinite(value)
    )


def problems_of_element(network: str, element: Element, parts: Parts) -> list[Problem]:
    """What is wrong with an element by itself."""
    key = f"{network}.{element.name}"
    if not isinstance(element.name, str) or not element.name:
        return [Problem(f"{network}.name", element.name, "a name for the element")]
    if element.name in parts.elements:
        return [Problem(key, element.name, "a name of its own: there is such an element already")]
    match element:
        case Spring():
            return _problems_of_spring(key, element)
        case Mass():
            return find_problems(MASS, element.mass, f"{key}.{MASS.key}")
        case Damper():
            return _problems_of_damper(key, element, parts)
        case Transformer():
            return find_problems(RATIO, element.ratio, f"{key}.{RATIO.key}")
        case Port():
            return find_problems(CAUSALITY, element.causality, f"{key}.{CAUSALITY.key}")
        case Junction():
            return (
                [] if element.kind in (0, 1) else [Problem(f"{key}.kind", element.kind, "0 or 1")]
            )


def _problems_of_damper(key: str, damper: Damper, parts: Parts) -> list[Problem]:
    found = find_problems(DAMPING, damper.damping, f"{key}.{DAMPING.key}")
    found += find_problems(QUADRATIC, damper.quadratic, f"{key}.{QUADRATIC.key}")
    found += find_problems(PER_FORCE, damper.per_force, f"{key}.{PER_FORCE.key}")
    if not found and damper.damping == damper.quadratic == damper.per_force == 0.0:
        found.append(
            Problem(
                f"{key}.damping_Ns_per_m", 0.0, "a damper that damps: at least one coefficient > 0"
            )
        )
    if (damper.per_force != 0.0) != bool(damper.of) or (
        damper.of and not isinstance(parts.elements.get(damper.of), Spring)
    ):
        found.append(
            Problem(
                f"{key}.of",
                damper.of or None,
                "with per_force_s_per_m, and only then, the name of a spring that exists already",
            )
        )
    return found


def _problems_of_spring(key: str, spring: Spring) -> list[Problem]:
    if spring.kind == POLYNOMIAL:
        return _problems_of_polynomial(key, spring.coefficients)
    if spring.kind == TABLE:
        return _problems_of_potential(key, spring)
    found = find_problems(STIFFNESS, spring.stiffness, f"{key}.{STIFFNESS.key}")
    if spring.kind == ONE_SIDED:
        found += find_problems(EXPONENT, spring.exponent, f"{key}.{EXPONENT.key}")
    return found


def _problems_of_polynomial(key: str, coefficients: tuple[float, ...]) -> list[Problem]:
    """The energy must have a floor: highest power even with a positive coefficient; and the rest
    position must be its lowest point."""
    key = f"{key}.coefficients"
    trimmed = list(coefficients)
    while trimmed and trimmed[-1] == 0.0:
        trimmed.pop()
    if (
        not trimmed
        or len(trimmed) > MOST_COEFFICIENTS
        or not all(_is_number(c) for c in coefficients)
    ):
        return [
            Problem(
                key,
                coefficients,
                COEFFICIENTS.allowed,
            )
        ]
    if len(trimmed) % 2 == 0 or trimmed[-1] < 0.0:
        return [
            Problem(
                key,
                coefficients,
                "a potential with a lower bound: highest power even, its coefficient > 0",
            )
        ]
    # V / x^2 is a polynomial; V >= 0 everywhere if it has no real root where it changes sign
    roots = np.roots(trimmed[::-1]) if len(trimmed) > 1 else np.array([])
    crossings = [r.real for r in roots if abs(r.imag) < 1e-9 * (1.0 + abs(r))]
    below = any(
        np.polyval(trimmed[::-1], x * (1.0 + s * 1e-4) + s * 1e-12) < 0.0
        for x in crossings
        for s in (-1.0, 1.0)
    )
    return (
        [Problem(key, coefficients, "a potential whose lowest point is at x = 0")] if below else []
    )


def _problems_of_potential(key: str, spring: Spring) -> list[Problem]:
    pair = (
        spring.stretch
        if isinstance(spring.stretch, tuple | list) and len(spring.stretch) == 2
        else (None, None)
    )
    low, high = pair
    if not (_is_number(low) and _is_number(high) and low < high):
        return [Problem(f"{key}.stretch_m", spring.stretch, "two rising finite numbers [m]")]
    allowed = "a function of x [m] that gives a finite energy [J] on the whole stretch"
    try:
        values = (
            [spring.potential(float(x)) for x in np.linspace(low, high, 65)]
            if spring.potential
            else []
        )
    except Exception as error:  # whatever a user's function raises
        return [Problem(f"{key}.potential", None, f"{allowed} ({type(error).__name__}: {error})")]
    if not values or not all(_is_number(v) for v in values):
        return [Problem(f"{key}.potential", None, allowed)]
    if values[1] > values[0] or values[-2] > values[-1]:
        return [
            Problem(
                f"{key}.potential",
                None,
                "a potential with a lower bound: it must not fall towards an end of its stretch",
            )
        ]
    return []


def check_network(network: str, parts: Parts) -> None:
    """Refuse what cannot be a network, all problems at once."""
    from softdock.errors import BadInput

    found = []
    if not parts.of(Port):
        found.append(
            Problem(f"{network}.ports", None, "at least one port, of causality position or force")
        )
    for element in parts.elements.values():
        bonds = len(parts.at(element.name))
        key = f"{network}.{element.name}"
        if isinstance(element, ONE_BOND) and bonds != 1:
            found.append(Problem(f"{key}.bonds", bonds, "exactly one bond"))
        elif isinstance(element, Transformer) and not _passes_through(
            element.name, [parts.bonds[i] for i in parts.at(element.name)]
        ):
            found.append(
                Problem(
                    f"{key}.bonds", bonds, "exactly two bonds, one towards it and one away from it"
                )
            )
        elif isinstance(element, Junction) and bonds < 2:
            found.append(
                Problem(f"{key}.bonds", bonds, "a junction that joins: at least two bonds")
            )
    found += _apart(network, parts)
    if found:
        raise BadInput(found)


def _passes_through(name: str, bonds: list[Bond]) -> bool:
    return len(bonds) == 2 and sum(b.head == name for b in bonds) == 1


def _apart(network: str, parts: Parts) -> list[Problem]:
    """Elements that no port reaches."""
    reached = {p.name for p in parts.of(Port)}
    grew = bool(reached)
    while grew:
        more = {
            n
            for b in parts.bonds
            for n in (b.tail, b.head)
            if b.tail in reached or b.head in reached
        }
        grew = not more <= reached
        reached |= more
    loose = [n for n in parts.elements if n not in reached]
    return (
        [Problem(f"{network}.{n}", "disconnected", "a way over bonds to a port") for n in loose]
        if reached
        else []
    )
