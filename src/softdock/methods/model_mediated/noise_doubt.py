"""What noise leaves uncertain of the speed after a contact, from the samples that were kept of it.
Plain Python, after the run.

The covariance of all numbers of the laws is that of least squares, (J^T W J)^-1, with a damper
beside every law that has none: one that noise hides. Only what is lost changes the speed of a
single touch, not how stiff it is. Along a half wave as deep as the samples, D, and as fast, u:

    loss by c d'        u D pi / 2              by k lambda d^n d'     k D^n u D B((n + 1) / 2, 3/2)

and friction adds its own impulse, mu times the normal one. Where pairs touch at once, how stiff one
is beside the others turns the way that the satellites take.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from softdock.loop.contact.keys import MOST_PAIRS
from softdock.methods.model_mediated.friction import FRICTION, FrictionSample
from softdock.methods.model_mediated.joint_state import SAMPLE_OF_SEVERAL, SEVERAL_TOUCHES, TOUCH
from softdock.methods.model_mediated.law import EXACT, F_0, TAU, N, has
from softdock.methods.model_mediated.law_samples import FIT, Sample
from softdock.methods.model_mediated.state import STATE

LEAST_OUT = 0.05  # of the approach: a speed after the contact below is taken for it
SHARE = 0.5  # of a stiffness beside others': the change of direction
PER = 4  # numbers of a law: k, the loss, and n or f_0



def _read_rows(mem: np.ndarray, at: int, fields: tuple[str, ...], count: int) -> dict[str, Any]:
    """The rows of a NamedTuple of floats, by field."""
    rows = mem[at : at + count * len(fields)].reshape(count, len(fields))
    return {name: rows[:, i] for i, name in enumerate(fields)}


def _derive(law: Any, model: int, d: np.ndarray, r: np.ndarray) -> np.ndarray:
    """Of a law's force by k, by its loss and by n or f_0, for depths and rates: three columns."""
    n, power = law.power, np.power(d, law.power)
    third = np.zeros_like(d)
    if has(model, F_0):
        third = np.minimum(d / law.ramp, 1.0) if law.ramp > 0.0 else np.ones_like(d)
    elif has(model, N):
        third = law.stiffness * power * np.log(d) * (1.0 + law.factor * r)
    loss = law.stiffness * power * r if has(model, N) else r
    return np.stack([power * (1.0 + law.factor * r), loss, third, np.zeros_like(d)], axis=1)


def estimate_noise_doubt(mem: Any) -> float:
    """Standard deviation of the speed after a contact, of the approach speed; 0 where no law is
    known."""
    s = STATE(mem)
    pairs = [i for i in range(MOST_PAIRS) if s.fits[i].model > 0 and s.fits[i].deepest > 0.0]
    if not pairs:
        return 0.0
    size = PER * len(pairs) + 1
    information, fastest = np.zeros((size, size)), 0.0
    rates = dict.fromkeys(pairs, 0.0)
    for at, i in enumerate(pairs):
        fit, law = s.fits[i], s.found[i]
        rows = _read_rows(
            mem, STATE.at.fits + i * FIT.size + FIT.at.rows, Sample._fields, int(fit.count)
        )
        felt = (rows["depth"] > 0.0) & (rows["depth_2"] > 0.0) & (rows["force"] > 0.0)
        if not felt.any():
            continue
        d, r = rows["depth"][felt], rows["rate"][felt]
        rates[i] = float(np.abs(r).max())
        J = np.zeros((len(d), size))
        J[:, PER * at : PER * at + PER] = _derive(law, int(fit.model), d, r)
        if has(int(fit.model), TAU):
            J[:, PER * at + 3] = -rows["slope"][felt]
        w = 1.0 / (rows["variance"][felt] + (EXACT * fit.largest) ** 2)
        information += max(float(fit.own_chi), 1.0) ** -1 * (J * w[:, None]).T @ J
    _add_several(mem, s, pairs, information, rates)
    spread, friction = _read_friction(mem, s)
    size_of = np.sqrt(np.diag(information))
    size_of = np.where(size_of > 0.0, size_of, 1.0)
    covariance = np.linalg.pinv(information / np.outer(size_of, size_of), rcond=1e-12, hermitian=True)
    covariance /= np.outer(size_of, size_of)
    G, stored, lost = np.zeros(size), 0.0, 0.0
    turns, energies = [], []
    for at, i in enumerate(pairs):
        law, fit = s.found[i], s.fits[i]
        D, n, u = float(fit.deepest), float(law.power), max(rates[i], 1e-12)
        fastest = max(fastest, u)
        wave = u * D * 0.5 * math.pi
        if has(int(fit.model), N):
            p = 0.5 * (n + 1.0)
            wave = u * D * math.gamma(p) * math.gamma(1.5) / math.gamma(p + 1.5)
            wave *= law.stiffness * D**n
        G[PER * at + 1] = wave
        energy = law.stiffness * D ** (n + 1.0) / (n + 1.0) + law.preload * D
        stored += energy
        energies.append(energy)
        lost += wave * (law.factor if has(int(fit.model), N) else law.damping)
        k = max(float(law.stiffness), 1e-300)
        turns.append(math.sqrt(max(covariance[PER * at, PER * at], 0.0)) / k)
    if not stored > 0.0:
        return 0.0
    before = stored + 0.5 * lost
    out = max(math.sqrt(max(stored - 0.5 * lost, 0.0) / before), LEAST_OUT)
    speed = math.sqrt(max(float(G @ covariance @ G), 0.0)) / (2.0 * before * out)
    turned = 0.0
    if s.several.seen > 0:
        turned = SHARE * max(t * e / stored for t, e in zip(turns, energies, strict=True))
    return math.hypot(speed, turned, (1.0 + out) * spread * friction)


def _add_several(
    mem: Any, s: Any, pairs: list[int], information: np.ndarray, rates: dict[int, float]
) -> None:
    """Equations of the samples in which several touch."""
    count = int(s.several.count)
    small = (EXACT * s.several.largest) ** 2
    for n in range(count):
        sample = s.several.rows[n]
        J = np.zeros((6, len(information)))
        for t in range(int(sample.number)):
            touch = sample.touches[t]
            i = int(touch.pair)
            if i not in pairs or touch.depth <= 0.0:
                continue
            at, law = pairs.index(i), s.found[i]
            rates[i] = max(rates[i], abs(touch.rate))
            by = _derive(
                law, int(s.fits[i].model), np.array([touch.depth]), np.array([touch.rate])
            )[0]
            normal, arm = np.array(touch.normal), np.array(touch.arm)
            along = np.concatenate([normal, np.cross(arm, normal)])
            J[:, PER * at : PER * at + PER] += np.outer(along, by)
        a = 1.0 / (sample.force_variance + small)
        b = 1.0 / (sample.torque_variance + 0.01 * small)
        information += (J * np.repeat([a, b], 3)[:, None]).T @ J


def _read_friction(mem: Any, s: Any) -> tuple[float, float]:
    """Standard deviation of the coefficient, and the share of it that acts at the sliding."""
    friction = s.friction_fit
    spread = float(s.joint.friction_spread if s.joint.fitted > 0 else friction.spread)
    count = int(friction.count)
    if count == 0 or not math.isfinite(spread):
        return 0.0, 0.0
    at = STATE.at.friction_fit + FRICTION.at.rows
    rows = _read_rows(mem, at, FrictionSample._fields, count)
    v = rows["sliding"]
    share = np.abs(v) / np.sqrt(v * v + float(friction.slip) ** 2)
    return spread, float(np.average(share, weights=np.maximum(rows["normal"], 1e-300)))
