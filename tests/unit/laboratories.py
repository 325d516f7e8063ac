"""One simulated docking as thirty laboratories would log it: their delimiters, heads, names, units,
conventions, encodings and rates. Each writer gives a file's name and its bytes."""

from __future__ import annotations

import io
import json
from collections.abc import Callable

import numpy as np
from logged_docking import Columns, Docking, abc, rows_of, text, xyz

NS = 1_700_000_000_123_456_789  # since 1970

Writer = Callable[[Docking], tuple[str, bytes]]
LABORATORIES: dict[str, tuple[Writer, bool]] = {}  # by name; and whether nothing is asked


def laboratory(asks: bool = False) -> Callable[[Writer], Writer]:
    def add(write: Writer) -> Writer:
        LABORATORIES[write.__name__] = (write, not asks)
        return write

    return add


def plain(d: Docking) -> Columns:
    """SI, names in small letters."""
    return {"time": d.t} | xyz("cmd_{}", d.cmd) | xyz("meas_{}", d.act) | xyz("f{}", d.force)


@laboratory()
def python_script(d):
    return "a.csv", text(plain(d)).encode()


@laboratory()
def german_excel(d):
    own = {"Zeit [s]": d.t} | xyz("Soll_{} [mm]", d.cmd, 1e3) | xyz("Ist_{} [mm]", d.act, 1e3)
    own |= xyz("F{} [N]", d.force)
    return "a.csv", b"\xef\xbb\xbf" + text(own, ";", ",", "\r\n").encode()


@laboratory()
def kuka_controller(d):
    own = {"t_ms": (1e3 * d.t).astype(int)} | xyz("RSol.{}", d.cmd, 1e3, "XYZ")
    own |= abc("RSol.{}", d.turned) | xyz("RIst.{}", d.act, 1e3, "XYZ") | abc("RIst.{}", d.turned)
    own |= xyz("FT.F{}", d.turned.inv().apply(d.force)) | xyz("FT.T{}", d.torque)
    return "a.csv", text(own, ";").encode()


@laboratory()
def unit_line(d):
    own = {"Time": d.t} | xyz("Pos_{}", d.act, 1e3) | xyz("Force_{}", d.force)
    return "a.txt", text(own, "\t", below=("\t".join(["s", *["mm"] * 3, *["N"] * 3]),)).encode()


@laboratory()
def numpy_savetxt(d):
    own = {"# t": d.t} | xyz("x_ref_{}", d.cmd) | xyz("x_act_{}", d.act) | xyz("F_{}", d.force)
    return "a.dat", text(own, " ", digits=12).encode()


@laboratory()
def matlab_columns(d):
    own = {"% time": d.t} | xyz("p{}", d.act) | xyz("F{}", d.force)
    lines = ["   ".join(f"{v:14.6e}" for v in row) for row in zip(*own.values(), strict=True)]
    return "a.txt", ("%  time   px   py   pz   Fx   Fy   Fz\n" + "\n".join(lines)).encode()


@laboratory()
def labview_utf16(d):
    own = {"Time (s)": d.t} | xyz("TCP {} (mm)", d.act, 1e3, "XYZ") | xyz("F{} (N)", d.force)
    return "a.txt", text(own, "\t", ",", "\r\n").encode("utf-16")


@laboratory()
def latin_degrees(d):
    own = {"t [\u00b5s]": (1e6 * d.t).astype(int)} | xyz("{} [mm]", d.act, 1e3, "XYZ")
    own |= abc("{} [\u00b0]", d.turned) | xyz("F{} [N]", d.force)
    return "a.csv", text(own, ";").encode("latin-1")


@laboratory()
def quoted_commas(d):
    own = {"Time (s)": d.t} | xyz("pos {} (m)", d.act) | xyz("Force {} (N)", d.force)
    return "a.csv", text(own, ",", ",", quote=True).encode()


@laboratory()
def long_preamble(d):
    above = ("Instrument: bench 3", "Operator: N. N.", "Rate [Hz]: 250", "", "Remarks: a, b and c")
    return "a.csv", text(plain(d), above=(*above, *(f"Gain {i}: 1.{i}" for i in range(9)))).encode()


@laboratory()
def units_in_round_brackets(d):
    units = ",".join(["(s)", *["(mm)"] * 3, *["(N)"] * 3, *["(Nmm)"] * 3])
    own = {"t": d.t} | xyz("tcp_{}", d.act, 1e3) | xyz("F{}", d.force) | xyz("M{}", d.torque, 1e3)
    return "a.csv", text(own, below=(units,)).encode()


@laboratory()
def two_line_head(d):
    own = {"t": d.t} | xyz("c{}", d.cmd) | xyz("m{}", d.act) | xyz("f{}", d.force)
    above = (",Command,,,Measured,,,Force,,",)
    return "a.csv", text(own, above=above, head="t,x,y,z,x,y,z,x,y,z").encode()


@laboratory()
def ur_rtde(d):
    turned = d.turned.as_rotvec()
    own: Columns = {"timestamp": 1000.0 + d.t}
    for name, rows in (
        ("target_TCP_pose", np.hstack([d.cmd, turned])),
        ("actual_TCP_pose", np.hstack([d.act, turned])),
        ("actual_TCP_force", np.hstack([d.force, d.torque])),
    ):
        own |= {f"{name}_{i}": rows[:, i] for i in range(6)}
    return "a.csv", text(own, " ", digits=12).encode()


@laboratory()
def abb_quaternions(d):
    x, y, z, w = d.turned.as_quat().T
    own = (
        {"Time[s]": d.t}
        | xyz("pos_{}[mm]", d.act, 1e3)
        | dict(zip(["q1", "q2", "q3", "q4"], (w, x, y, z)))
    )
    return "a.csv", text(own | xyz("force_{}[N]", d.force), ";").encode()


@laboratory()
def fanuc_wpr(d):
    own = {"Time(ms)": 1e3 * d.t} | xyz("{}", d.act, 1e3, "XYZ")
    own |= xyz("{}", d.turned.as_euler("xyz", degrees=True), axes="WPR") | xyz("F{}(N)", d.force)
    return "a.csv", text(own).encode()


@laboratory()
def iso_times(d):
    stamps = np.datetime64("2024-03-01T23:59:59.500") + (1e3 * d.t).astype("timedelta64[ms]")
    return "a.csv", text({**plain(d), "time": stamps.astype(str)}).encode()


@laboratory()
def time_of_day(d):
    seconds = 86399.5 + d.t  # over midnight
    said = [f"{int(s // 3600) % 24:02d}:{int(s // 60) % 60:02d}:{s % 60:06.3f}" for s in seconds]
    own = {"Uhrzeit": np.array(said)} | xyz("Ist {} [mm]", d.act, 1e3) | xyz("F{} [N]", d.force)
    return "a.csv", text(own, ";").replace(".", ",").encode()


@laboratory()
def epoch_ns(d):
    own = {"seq": np.arange(len(d.t)), "stamp_ns": NS + np.rint(1e9 * d.t).astype(np.int64)}
    own |= {"state": np.array(["RUN"] * len(d.t))} | {
        k: v for k, v in plain(d).items() if k != "time"
    }
    return "a.csv", text(own).encode()


@laboratory()
def ros_topic_csv(d):
    q = d.turned.as_quat()
    own = {
        "%time": NS + np.rint(1e9 * d.t).astype(np.int64),
        "field.header.seq": np.arange(len(d.t)),
    }
    own |= xyz("field.pose.position.{}", d.act) | xyz("field.pose.orientation.{}", q, axes="xyzw")
    return "a.csv", text(own | xyz("field.wrench.force.{}", d.force), digits=12).encode()


@laboratory()
def merged_rates(d):
    slow = np.arange(len(d.t_fast)) % 4 == 0
    own = {"t": d.t_fast} | xyz("F{}", d.force_fast)
    rows = np.minimum(np.arange(len(d.t_fast)) // 4, len(d.t) - 1)
    own |= rows_of(xyz("cmd_{}", d.cmd[rows]) | xyz("act_{}", d.act[rows]), slow)
    return "a.csv", text(own).encode()


@laboratory()
def held_rates(d):
    rows = np.minimum((np.arange(len(d.t_fast)) + 1) // 4, len(d.t) - 1)
    own = {"time_s": d.t_fast} | xyz("cmd_{}", d.cmd[rows]) | xyz("meas_{}", d.act[rows])
    noise = np.random.default_rng(3).normal(0.0, 0.01, d.force_fast.shape)
    return "a.csv", text(own | xyz("f{}", d.force_fast + noise)).encode()


@laboratory()
def side_by_side_rates(d):
    count = len(d.t_fast)

    def padded(columns: Columns) -> Columns:
        return {k: np.concatenate([v, np.full(count - len(v), np.nan)]) for k, v in columns.items()}

    own = padded({"t_robot [s]": d.t} | xyz("tcp_{} [mm]", d.act, 1e3))
    own |= {"t_ft [s]": d.t_fast} | xyz("F{} [N]", d.force_fast)
    return "a.csv", text(own, ";", ",", digits=12).encode()


@laboratory()
def trailing_delimiters(d):
    own = plain(d) | {"temperature": np.full(len(d.t), np.nan)}
    return "a.csv", text(own, ";", end=";", nothing="NaN").encode()


@laboratory()
def blank_and_comment_lines(d):
    lines = text(plain(d)).splitlines()
    lines[100:100] = ["", "# contact soon", ""]
    return "a.csv", ("# log of bench 4\n\n" + "\n".join(lines) + "\n\n\n").encode()


@laboratory()
def excel_sep_line(d):
    return "a.csv", text(plain(d), ";", ",", "\r\n", above=("sep=;",)).encode()


@laboratory()
def german_words(d):
    own = {"Zeit_ms": 1e3 * d.t} | xyz("Sollwert_{}", d.cmd, 1e3, "XYZ")
    own |= xyz("Istwert_{}", d.act, 1e3, "XYZ") | xyz("Kraft_{}", d.force, 1.0, "XYZ")
    return "a.csv", text(own, ";", ",").encode()


@laboratory()
def sensor_of_the_tool(d):
    own = {"t": d.t} | xyz("tcp_{}_mm", d.act, 1e3)
    own |= dict(zip(["tcp_qx", "tcp_qy", "tcp_qz", "tcp_qw"], d.turned.as_quat().T))
    return "a.csv", text(own | xyz("ft_f{}", -d.turned.inv().apply(d.force))).encode()


@laboratory()
def inches_and_pounds(d):
    own = {"Time (sec)": d.t} | xyz("{} (in)", d.act, 1 / 0.0254, "XYZ")
    return "a.csv", text(own | xyz("F{} (lbf)", d.force, 1 / 4.4482216152605)).encode()


@laboratory()
def pandas_parquet(d):
    import pyarrow as pa
    import pyarrow.parquet as pq

    own = {name: pa.array(column) for name, column in plain(d).items()}
    pose = pa.StructArray.from_arrays([pa.array(c) for c in d.act.T], names=list("xyz"))
    own = {k: v for k, v in own.items() if not k.startswith("meas")} | {"meas_position": pose}
    own["count"] = pa.array(np.arange(len(d.t)).astype(np.uint64) + 2**63)
    sink = io.BytesIO()
    pq.write_table(pa.table(own), sink)
    return "a.parquet", sink.getvalue()


@laboratory()
def json_topics(d):
    from mcap.writer import Writer

    sink = io.BytesIO()
    writer = Writer(sink)
    writer.start()
    pose, wrench = (
        writer.register_channel(t, "json", 0) for t in ("/robot/tcp_pose", "/ft/wrench")
    )
    for i, t in enumerate(d.t):
        at = NS + round(1e9 * t)
        p = {"position": dict(zip("xyz", d.act[i].tolist()))}
        writer.add_message(pose, at, json.dumps(p).encode(), at)
        f = {"force": dict(zip("xyz", d.force[i].tolist()))}
        writer.add_message(wrench, at, json.dumps(f).encode(), at)
    writer.finish()
    return "a.mcap", sink.getvalue()


@laboratory(asks=True)
def no_names(d):
    return "a.csv", "\n".join(text(plain(d)).splitlines()[1:]).encode()


@laboratory(asks=True)
def only_counted(d):
    own = plain(d)
    own.pop("time")
    return "a.csv", text({"sample": np.arange(len(d.t))} | own).encode()


@laboratory(asks=True)
def angles_of_no_convention(d):
    own = {"t": d.t} | xyz("{} [mm]", d.act, 1e3)
    own |= xyz("R{} [deg]", d.turned.as_euler("xyz", degrees=True)) | xyz("F{} [N]", d.force)
    return "a.csv", text(own).encode()
