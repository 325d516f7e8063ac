"""What a simulation knows of the re-mapping's contacts, and the method cannot: where the mock-ups
truly touched, and whether they did. Plain Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from softdock.loop.spatial.arrays import rotate, rotate_back

FAR_BEHIND = 0.01  # m by which an executable set-point may lag before a user hears of it
CAUGHT_UP = 1e-3  # m, of the same at the end of a run
Series = Mapping[str, np.ndarray]


def _carry_mock_up(
    series: Series, body: str, rows: np.ndarray, later: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """True positions and attitudes, carried on from their rows by some time [s]."""
    p = (
        series[f"mock_up.{body}.position"][rows]
        + later[:, None] * series[f"mock_up.{body}.velocity"][rows]
    )
    q, half = (
        series[f"mock_up.{body}.attitude"][rows],
        0.5 * later[:, None] * series[f"mock_up.{body}.rate"][rows],
    )
    w, u = q[:, :1], q[:, 1:]
    turned = np.hstack(
        [w - np.sum(u * half, axis=1, keepdims=True), u + w * half + np.cross(u, half)]
    )
    return p, turned / np.linalg.norm(turned, axis=1, keepdims=True)


def find_seen_rows(name: str, series: Series) -> np.ndarray:
    """Rows whose cycle saw a real contact."""
    return np.nonzero(series[f"{name}.contact"] % 2.0 == 1.0)[0]


def compute_felt_times(series: Series, rows: np.ndarray) -> np.ndarray:
    """Instants of the force samples that those cycles had [s]."""
    return np.asarray(series["time"][rows - 1] - series["force_age"][rows - 1])


def point_errors(
    name: str, tables: Mapping[str, Any], series: Series
) -> tuple[np.ndarray, np.ndarray]:
    """Times of the readings [s], and how far the contact point that was used is from the true touch
    [m], each as seen from the target mock-up.

    Two bodies that overlap touch from the tip's deepest point to the target's surface, along the
    normal: the distance is to that line. Rows in which nothing touched are left out.
    """
    rows = find_seen_rows(name, series)
    times, T = compute_felt_times(series, rows), float(series["time"][1] - series["time"][0])
    at = np.clip(np.rint(times / T).astype(int), 0, len(series["time"]) - 1)
    touching = (np.linalg.norm(series["true.chaser.force"][at], axis=1) > 0.0) & (
        series["contact.depth"][at] > 0.0
    )
    rows, times, at = rows[touching], times[touching], at[touching]
    if not len(rows) or not tables["contact"]:
        return times, np.zeros(0)
    force, torque, depth = (
        series["true.chaser.force"][at],
        series["true.chaser.torque"][at],
        series["contact.depth"][at],
    )
    n = force / np.linalg.norm(force, axis=1, keepdims=True)
    (c, c_q), (t, t_q) = (
        _carry_mock_up(series, body, at, times - series["time"][at])
        for body in ("chaser", "target")
    )
    on_line = series["mock_up.chaser.position"][at] + np.cross(n, torque) / np.linalg.norm(
        force, axis=1, keepdims=True
    )
    deepest, nearest = np.zeros_like(n), np.full(len(n), np.inf)
    for pair in tables["contact"]:
        tip = np.broadcast_to(np.asarray(pair["tip_m"], dtype=float), n.shape)
        as_touched = series["mock_up.chaser.position"][at] + rotate(
            series["mock_up.chaser.attitude"][at], tip
        )
        away = np.linalg.norm(np.cross(as_touched - on_line, n), axis=1)
        here = c + rotate(c_q, tip) - pair["tip_radius_m"] * n
        deepest, nearest = (
            np.where((away < nearest)[:, None], here, deepest),
            np.minimum(away, nearest),
        )
    beside = series[f"{name}.point"][rows] - rotate_back(t_q, deepest - t)
    along_n = rotate_back(t_q, n)
    along = np.sum(beside * along_n, axis=1)
    beyond = along - np.clip(along, 0.0, depth)
    return times, np.asarray(np.linalg.norm(beside + (beyond - along)[:, None] * along_n, axis=1))


def _find_false_contacts(
    name: str, series: Series, contacts: Sequence[Mapping[str, float]]
) -> np.ndarray:
    """Times at which the method saw a contact begin while nothing touched [s]."""
    rows, T = find_seen_rows(name, series), float(series["time"][1] - series["time"][0])
    first = rows[series[f"{name}.contact"][rows - 1] % 2.0 == 0.0]
    times = compute_felt_times(series, first)
    touched = np.zeros(len(times), bool)
    for contact in contacts:
        touched |= (times >= contact["start_s"] - 1e-9) & (times <= contact["end_s"] + T)
    return np.asarray(times[~touched])


def compare_with_truth(
    name: str,
    values: Mapping[str, Any],
    tables: Mapping[str, Any],
    series: Series,
    contacts: Sequence[Mapping[str, float]],
) -> tuple[dict, list[str]]:
    """Into the method's books, and in words."""
    _, errors = point_errors(name, tables, series)
    books = (
        {"largest_point_error_m": float(errors.max()), "mean_point_error_m": float(errors.mean())}
        if len(errors)
        else {}
    )
    found, false = [], _find_false_contacts(name, series, contacts)
    books["contacts_seen_where_nothing_touched"] = float(len(false))
    if len(false):
        when = (
            f"{len(false)} contact(s) seen while nothing touched, the first at t = {false[0]:.3f} s"
        )
        found.append(
            f"{when}: a force above threshold_N = {values['threshold_N']:g} N that was none "
            "moved the satellites; raise it"
        )
    behind = series[f"{name}.deviation"]
    if behind.max() > FAR_BEHIND or behind[-1] > CAUGHT_UP:
        when = (
            f"executable set-points fell behind the satellites by up to {1e3 * behind.max():.3g} "
            f"mm, at t = {series['time'][int(behind.argmax())]:.3f} s"
        )
        end = (
            f"and were {1e3 * behind[-1]:.3g} mm behind at the end"
            if behind[-1] > CAUGHT_UP
            else "and caught up"
        )
        found.append(
            f"{when}, {end}: mock-ups may touch late, or not where the satellites do; wider "
            "limits bring them closer"
        )
    return books, found
