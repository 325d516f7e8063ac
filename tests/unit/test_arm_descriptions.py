"""Arms from tables and URDF files: what is read, and what is refused with which words."""

from __future__ import annotations

import copy
import math
import random
import re

import numpy as np
import pytest
from arms_rows import RAIL, configurations, pose_difference, poses_of, preset_tables

from softdock.errors import BadInput
from softdock.loop.arms import arm_names, load_arm
from softdock.loop.arms.table import arm_from_table
from softdock.loop.arms.urdf import arm_from_urdf


def urdf_of(name: str) -> str:
    """A preset as a URDF file, frames turned against each other as files have them."""
    tables = preset_tables(name)
    rows = ['<robot name="made">', '<link name="base"/>']
    parent = "base"
    for i, joint in enumerate(tables["joints"]):
        low, high = np.radians(joint["range_deg"])
        x, y, z = joint["offset_m"]
        h = " ".join(str(v) for v in joint["direction"])
        cx, cy, cz = joint["centre_m"]
        ixx, iyy, izz = joint["inertia_kg_m2"]
        rows.append(
            f'<joint name="{joint["name"]}" type="revolute"><parent link="{parent}"/>'
            f'<child link="l{i}"/><origin xyz="{x} {y} {z}"/><axis xyz="{h}"/>'
            f'<limit lower="{low}" upper="{high}" velocity="{np.radians(joint["speed_deg_per_s"])}"'
            f' effort="{joint["torque_Nm"]}"/></joint>'
            f'<link name="l{i}"><inertial><origin xyz="{cx} {cy} {cz}"/>'
            f'<mass value="{joint["mass_kg"]}"/><inertia ixx="{ixx}" iyy="{iyy}" izz="{izz}"'
            ' ixy="0" ixz="0" iyz="0"/></inertial></link>'
        )
        parent = f"l{i}"
    x, y, z = tables["flange"]["offset_m"]
    turn = "1.5707963267948966 0 0" if "wxyz" in tables["flange"] else "0 0 0"
    rows.append(
        f'<joint name="last" type="fixed"><parent link="{parent}"/><child link="flange"/>'
        f'<origin xyz="{x} {y} {z}" rpy="{turn}"/></joint><link name="flange"/></robot>'
    )
    return "\n".join(rows)


def refused(text: str) -> str:
    with pytest.raises(BadInput) as error:
        arm_from_urdf(text.encode(), "arm.urdf")
    return str(error.value)


@pytest.mark.parametrize("name", arm_names())
def test_presets_say_what_is_published(name):
    """Every preset loads, has its source, and never calls a stiffness published."""
    arm = load_arm(name)
    assert arm.source
    assert "offsets" in arm.published
    assert arm.is_assumed("stiffness")
    assert arm.is_assumed("acceleration")
    assert not arm.warnings


@pytest.mark.parametrize("name", arm_names())
def test_a_urdf_gives_the_same_arm(name):
    """Kinematics, limits and masses of a URDF file are those of the table it was made from."""
    table, urdf = load_arm(name), arm_from_urdf(urdf_of(name).encode())
    q = configurations(table, 20, 1)
    assert pose_difference(poses_of(table, q), poses_of(urdf, q)).max() < 1e-12
    for key in ("low", "high", "speed", "torque", "mass", "family"):
        if key != "family":
            assert np.allclose(table.of_axes(key)[1:], urdf.of_axes(key)[1:])
    assert np.allclose(table.of_axes("centre", 3)[1:], urdf.of_axes("centre", 3)[1:])
    assert np.allclose(table.of_axes("inertia", 6)[1:], urdf.of_axes("inertia", 6)[1:])
    assert table.family == urdf.family


def test_a_rounded_urdf_is_made_exact_with_a_warning():
    """An angle written as 1.5708 still gives an arm with an exact inverse, and a warning."""
    text = urdf_of("kr16").replace(
        '<origin xyz="0 0 0"/><axis xyz="0 1 0"/>',
        '<origin xyz="0 0 0" rpy="0 0 0.0000037"/><axis xyz="0 1 0"/>',
    )
    bent = urdf_of("kr16").replace('<axis xyz="0 1 0"/>', '<axis xyz="0.000004 1 0"/>', 1)
    assert arm_from_urdf(text.encode()).family == "spherical_wrist"
    arm = arm_from_urdf(bent.encode())
    assert any("made parallel" in warning for warning in arm.warnings)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("<robot name", "<!DOCTYPE r [<!ENTITY a 'b'>]><robot name"), "DOCTYPE"),
        (("<robot name", "<?php echo ?><robot name"), "processing instruction"),
        (("</robot>", "<gazebo><plugin name='p' filename='x.so'/></gazebo></robot>"), "<plugin>"),
        (("</robot>", "<script>rm</script></robot>"), "<script>"),
        (("</robot>", "<xacro:include filename='x'/></robot>"), "xacro"),
        (('xyz="0.68 0.0 0.0"', 'xyz="${a} 0 0"'), "substitutions"),
        (("</robot>", "<joint name='back' type='fixed'><parent link='flange'/>"
          "<child link='l2'/></joint></robot>"), "no loop"),
        (("</robot>", "<joint name='back' type='fixed'><parent link='flange'/>"
          "<child link='base'/></joint></robot>"), "loop"),
        (("<limit lower", "<limt lower"), "no lower, upper, velocity"),
        (('type="revolute"', 'type="continuous"'), "type continuous"),
        (("</robot>", ""), "well-formed"),
        (('<axis xyz="0 1 0"/>', '<axis xyz="0 0 0"/>'), "not all zero"),
        (("</robot>", "<a>" * 40 + "</a>" * 40 + "</robot>"), "deep"),
    ],
)  # fmt: skip
def test_a_urdf_that_is_more_than_data_is_refused(change, words):
    """Code, entities, loops, missing limits: refused, with the words that tell where."""
    text = urdf_of("kr16").replace("0.68 0 0", "0.68 0.0 0.0")
    assert change[0] in text
    message = refused(text.replace(*change) if change[0] != "<limit lower" else
                      text.replace(change[0], change[1], 1))  # fmt: skip
    assert words in message
    assert "arm.urdf:" in message


def test_impossible_arms_are_refused_by_joint():
    """Zero links, limits the wrong way round and unknown keys: all of them at once, by joint."""
    tables = preset_tables("kr16")
    tables["joints"][1]["range_deg"] = [35, -155]
    tables["joints"][4]["speed_deg_per_s"] = 0
    tables["joints"][5]["speling"] = 1
    with pytest.raises(BadInput) as error:
        arm_from_table(tables)
    message = str(error.value)
    assert "joints.4.speed_deg_per_s" in message
    assert "joints.5.speling" in message
    del tables["joints"][5]["speling"]
    tables["joints"][4]["speed_deg_per_s"] = 330
    with pytest.raises(BadInput, match="'A2' whose lower end is below its upper end"):
        arm_from_table(tables)
    tables["joints"][1]["range_deg"] = [-155, 35]
    tables["joints"][2]["offset_m"] = [0, 0, 0]
    with pytest.raises(BadInput, match="upper arm"):
        arm_from_table(tables)
    with pytest.raises(BadInput, match="six joints"):
        arm_from_table(preset_tables("kr16") | {"joints": []})


def test_an_arm_of_neither_family_is_refused():
    """An offset wrist is named, with how far its axes miss each other."""
    tables = preset_tables("kr16")
    tables["joints"][5]["offset_m"] = [0, 0.05, 0]
    tables["joints"][4]["offset_m"] = [0, 0, 0.05]
    with pytest.raises(BadInput, match="miss each other"):
        arm_from_table(tables)
    with pytest.raises(BadInput, match="xacro is a program"):
        load_arm("robot.xacro")
    with pytest.raises(BadInput, match="did you mean 'kr16'"):
        load_arm("kr61")


def test_a_load_moves_the_centre_of_the_last_link():
    """Mass, centre and inertia of a load on the flange: two equal points make a dumb-bell."""
    tables = preset_tables("kr16")
    tables["joints"][5] |= {"mass_kg": 0, "inertia_kg_m2": [0, 0, 0]}
    arm = arm_from_table(tables).carrying(2.0, (0.0, 0.0, 0.3)).carrying(2.0, (0.0, 0.0, -0.3))
    assert arm.of_axes("mass")[6] == 4.0
    assert np.allclose(arm.of_axes("centre", 3)[6], (0.158, 0.0, 0.0))
    assert np.allclose(arm.of_axes("inertia", 6)[6], (0.36, 0.36, 0, 0, 0, 0))


def test_a_rail_is_read():
    """The base axis takes slot 0, with its own range."""
    arm = arm_from_table(preset_tables("kr16") | {"base_axis": RAIL})
    assert (arm.base_axis, arm.first) == ("rail", 0)
    assert arm.of_axes("high")[0] == 12.5
    assert abs(np.linalg.norm(arm.of_axes("directions", 3)[0]) - 1.0) < 1e-15


def test_a_damaged_file_ends_as_one_refusal():
    """Whatever is cut, swapped or put into a URDF file: an arm or `BadInput`, never a traceback."""
    rng, text, refusals = random.Random(1), urdf_of("kr16"), 0
    words = [
        "nan",
        "1e400",
        "-1",
        "l2",
        "flange",
        "fixed",
        "prismatic",
        "",
        "a b c",
        "link",
        "<x/>",
    ]
    for _ in range(300):
        changed = text
        for _ in range(rng.randint(1, 3)):
            match = rng.choice(list(re.finditer(r'[^"<>= ]+', changed)))
            changed = changed[: match.start()] + rng.choice(words) + changed[match.end() :]
        try:
            arm_from_urdf(changed.encode(), "arm.urdf")
        except BadInput as error:
            refusals += bool(error.problems)
    assert refusals > 200


def test_a_damaged_table_ends_as_one_refusal():
    """The same for a table of axes: wrong types, missing keys and numbers that are none."""
    rng, refusals = random.Random(2), 0
    values = [None, 0, -1, math.nan, math.inf, 1e300, "x", [], [1, 2], {}, True, [None] * 3]
    tables = preset_tables("ur10e") | {"base_axis": RAIL}
    for _ in range(300):
        changed = copy.deepcopy(tables)
        row = rng.choice([changed, changed["base_axis"], changed["flange"], *changed["joints"]])
        row[rng.choice(sorted(row))] = rng.choice(values)
        try:
            arm_from_table(changed)
        except BadInput as error:
            refusals += bool(error.problems)
    assert refusals > 150
