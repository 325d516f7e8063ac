"""A simulated run written the way another laboratory would: other names, units, frames, clocks.

The arithmetic is scipy's and stands apart from what reads it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation, Slerp

BASE_P, BASE_R = np.array([0.4, -1.2, 0.7]), Rotation.from_euler("ZYX", [0.3, -0.2, 0.5])
FLANGE_P, FLANGE_R = np.array([0.05, 0.02, -0.1]), Rotation.from_euler("ZYX", [-0.4, 0.1, 0.2])
SENSOR_P, SENSOR_R = np.array([-0.3, 0.04, 0.02]), Rotation.from_euler("ZYX", [1.0, 0.2, -0.3])
STAMP_0 = 1_700_000_000_123_456_789  # ns since 1970
FORCE_CLOCK_S = 3.25  # the sensor's clock is behind by this


def rotation(q: np.ndarray) -> Rotation:
    return Rotation.from_quat(q[:, [1, 2, 3, 0]])


def vector_toml(values: Any) -> str:
    return "[" + ", ".join(repr(float(v)) for v in values) + "]"


def wxyz(r: Rotation) -> str:
    x, y, z, w = r.as_quat()
    return vector_toml([w, x, y, z])


def write_csv(path: Path, columns: dict[str, np.ndarray], delimiter: str = ",") -> Path:
    """repr keeps every bit."""
    rows = zip(*(column.tolist() for column in columns.values()), strict=True)
    lines = [delimiter.join(columns), *(delimiter.join(map(repr, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def pose_columns(prefix: str, p: np.ndarray, q: np.ndarray, angles: str) -> dict[str, np.ndarray]:
    """Position [mm] and attitude of the flange in the robot's base."""
    body = rotation(q)
    flange = BASE_R.inv() * body * FLANGE_R.inv()
    at = BASE_R.inv().apply(p - BASE_P) - flange.apply(FLANGE_P)
    found = {f"{prefix}_{a}_mm": 1e3 * at[:, i] for i, a in enumerate("xyz")}
    if angles == "abc":
        abc = np.degrees(flange.as_euler("ZYX"))
        return found | {f"{prefix}_{a}": abc[:, i] for i, a in enumerate("abc")}
    return found | {f"{prefix}_q{a}": flange.as_quat()[:, i] for i, a in enumerate("xyzw")}


def twist_columns(prefix: str, v: np.ndarray, q: np.ndarray, w: np.ndarray) -> dict:
    """Velocity of the flange [mm/s] and rate [deg/s], in the base's axes."""
    body = rotation(q)
    turning = body.apply(w)
    speed = v - np.cross(turning, body.apply(FLANGE_R.inv().apply(FLANGE_P)))
    v_B, w_B = BASE_R.inv().apply(speed), np.degrees(BASE_R.inv().apply(turning))
    found = {f"{prefix}_v{a}": 1e3 * v_B[:, i] for i, a in enumerate("xyz")}
    return found | {f"{prefix}_w{a}": w_B[:, i] for i, a in enumerate("xyz")}


def robot_columns(series: Any, angles: str = "abc") -> dict[str, np.ndarray]:
    """Everything but the force, a row a cycle; stamps in whole ns since 1970."""
    stamps = STAMP_0 + np.rint(1e9 * series["time"]).astype(np.int64)
    found: dict[str, np.ndarray] = {"utc_ns": stamps}
    for body in ("chaser", "target"):
        for role, key in (("cmd", f"command.{body}"), ("act", f"seen.{body}"), ("sat", body)):
            p, q = series[f"{key}.position"], series[f"{key}.attitude"]
            found |= pose_columns(f"{role}_{body}", p, q, angles)
            if role != "act":
                v, w = series[f"{key}.velocity"], series[f"{key}.rate"]
                found |= twist_columns(f"{role}_{body}", v, q, w)
        for kind in ("force", "torque"):
            values = series[f"satellite.{body}.{kind}"]
            found |= {f"on_{body}_{kind}_{a}": values[:, i] for i, a in enumerate("xyz")}
    return found | {"pose_age_ms": 1e3 * series["pose_age"]}


def sensor_wrench(series: Any) -> tuple[np.ndarray, np.ndarray]:
    """As the sensor on the chaser reads: its own axes, about its own origin, opposite sign."""
    taken = series["time"] - series["force_age"]
    seen_at, first = np.unique(series["time"] - series["pose_age"], return_index=True)
    attitude = Slerp(seen_at, rotation(series["seen.chaser.attitude"][first]))
    body = attitude(np.clip(taken, seen_at[0], seen_at[-1]))
    f = body.inv().apply(series["measured.chaser.force"])
    t = body.inv().apply(series["measured.chaser.torque"]) - np.cross(SENSOR_P, f)
    return -SENSOR_R.inv().apply(f), -SENSOR_R.inv().apply(t)


def force_columns(series: Any) -> dict[str, np.ndarray]:
    f, t = sensor_wrench(series)
    found = {f"FT_F{a}": f[:, i] for i, a in enumerate("xyz")}
    return found | {f"FT_T{a}": 1e3 * t[:, i] for i, a in enumerate("xyz")}


def sensor_file(series: Any) -> dict[str, np.ndarray]:
    """Each sample once, by the sensor's own clock [s]."""
    taken, first = np.unique(series["time"] - series["force_age"], return_index=True)
    columns = {name: column[first] for name, column in force_columns(series).items()}
    return {"t_sensor": taken - FORCE_CLOCK_S, **columns}


def map_text(
    angles: str = "abc", force_clock: str = "log", age: str = 'age = "force_age_ms"'
) -> str:
    """The map that fits."""
    form = "kuka_abc" if angles == "abc" else "xyzw"
    q = "abc" if angles == "abc" else ("qx", "qy", "qz", "qw")
    lines = [
        'schema = 1\nname = "bench"\nrows = "log"',
        '[clock.log]\ncolumn = "utc_ns"\nunit = "ns"',
        f"[frame.base]\nposition_m = {vector_toml(BASE_P)}\nattitude_wxyz = {wxyz(BASE_R)}",
    ]
    for body in ("chaser", "target"):
        lines.append(
            f"[{body}.mounting]\nposition_m = {vector_toml(FLANGE_P)}\n"
            f"attitude_wxyz = {wxyz(FLANGE_R)}"
        )
        for kind, role in (("command", "cmd"), ("measured", "act"), ("satellite", "sat")):
            stem = f"{role}_{body}"
            part = [f'[{body}.{kind}]\nframe = "base"\nattitude_form = "{form}"']
            part += [f"position = {[f'{stem}_{a}_mm' for a in 'xyz']}\nposition_unit = 'mm'"]
            part += [f"attitude = {[f'{stem}_{a}' for a in q]}"]
            part += ["attitude_unit = 'deg'"] if angles == "abc" else []
            if kind == "measured":
                part += ["age = 'pose_age_ms'\nage_unit = 'ms'"]
            else:
                part += [f"velocity = {[f'{stem}_v{a}' for a in 'xyz']}\nvelocity_unit = 'mm/s'"]
                part += [f"rate = {[f'{stem}_w{a}' for a in 'xyz']}\nrate_unit = 'deg/s'"]
                part += ["rate_axes = 'world'"]
            lines.append("\n".join(part))
        lines.append(
            f"[{body}.wrench_on_satellite]\n"
            + "\n".join(
                f"{kind} = {[f'on_{body}_{kind}_{a}' for a in 'xyz']}"
                for kind in ("force", "torque")
            )
        )
    lines.append(
        f"[chaser.wrench]\nclock = '{force_clock}'\naxes = 'sensor'\nacts = 'on_sensor'\n"
        f"force = {[f'FT_F{a}' for a in 'xyz']}\ntorque = {[f'FT_T{a}' for a in 'xyz']}\n"
        f"torque_unit = 'Nmm'\n{age}\n"
        + ("age_unit = 'ms'\n" if age.startswith("age =") else "")
        + f"sensor.position_m = {vector_toml(SENSOR_P)}\nsensor.attitude_wxyz = {wxyz(SENSOR_R)}"
    )
    return "\n\n".join(lines) + "\n"
