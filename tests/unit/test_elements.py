"""Passive elements of `model_mediated`: the fit of their weights, their force and their energy,
against independent computations."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.optimize import nnls

from softdock.compile.cells import Cell, Cells
from softdock.compile.jit import entry_point
from softdock.methods.model_mediated.element_fit import ELEMENT_FIT, RIDGE, fit_elements
from softdock.methods.model_mediated.elements import (
    COUNT,
    INNER,
    compute_columns,
    move_inner,
    push_elements,
)
from softdock.methods.model_mediated.law_samples import FIT, Sample

BENCH = Cells(
    "bench", Cell("fit", FIT), Cell("work", ELEMENT_FIT), Cell("inner", INNER), Cell("push", float)
)
T, DEEP, SPEED, SAMPLES = 4e-3, 2e-3, 0.05, 60


@entry_point
def fitted(mem):
    bench = BENCH(mem, 0)
    return fit_elements(bench.fit, bench.work, 4e-3, 0.0)


@entry_point
def moved(mem, depth, rate, dt):
    """The elements of `work.trial` go on to a depth: their columns and their force there."""
    bench = BENCH(mem, 0)
    move_inner(bench.work.trial, bench.inner, depth, dt)
    compute_columns(bench.work.trial, bench.inner, rate, bench.work.row)
    bench.push = push_elements(bench.work.trial, bench.inner, depth, rate, 0.0, 1e-12)
    return bench.push


def make_bench():
    mem = np.zeros(BENCH.size)
    return mem, BENCH(mem)


def sampled(force):
    """Samples of half a sine of depth, and what they say of a force."""
    mem, bench = make_bench()
    for i in range(SAMPLES):
        phase = np.pi * (i + 0.5) / SAMPLES
        depth, rate = DEEP * np.sin(phase), DEEP * np.pi / (SAMPLES * T) * np.cos(phase)
        f = force(depth, rate)
        bench.fit.rows[i] = Sample(depth, rate, depth, rate, f, 1e-8, 0.0, i * T, 1)
    bench.fit.count = bench.fit.seen = SAMPLES
    bench.fit.deepest = DEEP
    bench.fit.largest = max(abs(bench.fit.rows[i].force) for i in range(SAMPLES))
    return mem, bench


def test_weights_are_those_of_an_independent_solver():
    """Non-negative least squares with a ridge: the same minimum as scipy's, to 1e-6 of the force's
    square."""
    rng = np.random.default_rng(5)
    mem, bench = sampled(
        lambda d, r: 3e5 * d * (1.0 + 0.3 * np.tanh(20.0 * r)) + 1e3 + rng.normal()
    )
    assert np.isfinite(fitted(mem))
    weights = np.array([bench.work.trial.weights[j] for j in range(COUNT)])
    rows, forces = [], []
    bench.inner.depth = 0.0
    for i in range(SAMPLES):  # the fit goes on in four pieces along the cubic; so does this
        one = bench.fit.rows[i]
        if i == 0:
            moved(mem, one.depth, one.rate, min(one.depth / one.rate, T))
        else:
            last = bench.fit.rows[i - 1]
            for b in (0.25, 0.5, 0.75, 1.0):
                a = 1.0 - b
                d = a * a * (1 + 2 * b) * last.depth + b * b * (1 + 2 * a) * one.depth
                moved(mem, d + T * a * b * (a * last.rate - b * one.rate), one.rate, T / 4)
        rows.append([bench.work.row[j] for j in range(COUNT)])
        forces.append(one.force)
    columns, forces = np.array(rows), np.array(forces)
    size = np.linalg.norm(columns, axis=0)
    ridge = np.sqrt(RIDGE) * np.eye(COUNT)
    best, _ = nnls(np.vstack([columns / size, ridge]), np.append(forces, np.zeros(COUNT)))

    def cost(unit):
        return np.sum((columns / size @ unit - forces) ** 2) + RIDGE * np.sum(unit**2)

    assert np.all(weights >= 0.0)
    assert cost(weights * size) == pytest.approx(cost(best), abs=1e-6 * np.sum(forces**2))


def test_the_force_is_the_weighted_sum_and_gives_back_no_more_than_it_took():
    """Random weights along random ways that begin and end at no depth: the force is the sum of the
    columns where that pushes, and the work taken out is at most 0.5 % of that put in."""
    rng = np.random.default_rng(7)
    for _ in range(20):
        mem, bench = make_bench()
        law = bench.work.trial
        law.depth, law.rate, law.time = DEEP, SPEED, T
        weights = rng.exponential(1e5, COUNT) * (rng.random(COUNT) < 0.3)
        for j in range(COUNT):
            law.weights[j] = weights[j]
        ends = np.concatenate([[0.0], rng.uniform(0.1, 1.5, 4) * DEEP, [0.0]])
        way = np.concatenate(
            [
                a + (b - a) * 0.5 * (1 - np.cos(np.linspace(0, np.pi, 400))[1:])
                for a, b in itertools.pairwise(ends)
            ]
        )
        given = taken = last = before = 0.0
        for depth in way[:-1]:
            rate = (depth - last) / 2e-4
            force = moved(mem, depth, rate, 2e-4)
            row = np.array([bench.work.row[j] for j in range(COUNT)])
            assert force == pytest.approx(max(weights @ row, 0.0), rel=1e-9, abs=1e-9)
            work = 0.5 * (force + before) * (depth - last)
            given, taken = given + max(work, 0.0), taken + max(-work, 0.0)
            last, before = depth, force
        assert taken <= 1.005 * given
