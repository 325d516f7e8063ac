"""The kind of a run: what decides which code it goes through, apart from how large its numbers are.

A CUDA kernel is compiled for one kind. What all runs of a batch have in common (integrator, robots,
shape and law of the contact, where everything stands in `mem`) is then a constant in it, and what
such runs never do is not in its code. Numbers that all runs share (`Numbers`) are arguments of the
kernel, which cost a thread neither a register nor memory, so a kernel serves every value of them.
What differs between the runs of a batch stays a variable of each. The CPU's entry points are
compiled once, for every kind.

Nothing is listed twice: the whole numbers and flags of `Params`, and of the structures in it, are
found by their types (`whole_paths`), and `Kind`, `kind_of`, `of_kind` and `store_numbers` are
generated. A flag that is added (flags.py) is specialised without an edit here.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterator
from types import UnionType
from typing import Any, NamedTuple, Union, get_args, get_origin, get_type_hints

from softdock.compile.generated import generate, make_replacer
from softdock.compile.jit import compiled
from softdock.loop.contact.pair import PAIR_FLOATS, KnownPair
from softdock.loop.contact.prepare import store_pair
from softdock.loop.vector import PAIRS_AT, Params

# paths below `Params` that stay each run's own
OWN = (
    "chance",
    "chaser_robot.which",
    "chaser_robot.at",
    "chaser_robot.whole",
    "target_robot.which",
    "target_robot.at",
    "target_robot.whole",
)
EVEN = ("chaser", "target")  # bodies that may have the same mass along every axis: one number of it


class Numbers(NamedTuple):
    """Numbers of a prepared run, in groups that the runs of a batch share or do not. Also used as a
    mask over the groups."""

    clock: Any
    sensor: Any
    stop: Any
    window: Any
    delays: Any
    chaser_mass: Any
    chaser_inertia: Any
    target_mass: Any
    target_inertia: Any
    pair: Any  # the first contact pair, as in `mem`


# where the numbers of each group stand below `Params`; a path of three or six floats says so
GROUPS: dict[str, tuple[tuple[str, int], ...]] = {
    "clock": (("T", 1), ("duration", 1)),
    "sensor": (
        ("sensor.period", 1),
        ("sensor.delay", 1),
        ("sensor.noise_force", 1),
        ("sensor.noise_torque", 1),
        ("sensor.threshold", 1),
    ),
    "stop": (("stop_force", 1), ("stop_torque", 1)),
    "window": (("merge_window", 1),),
    "delays": (("chaser_robot.delay", 1), ("target_robot.delay", 1)),
    "chaser_mass": (("chaser.mass", 3), ("chaser.inverse_mass", 3)),
    "chaser_inertia": (("chaser.inertia", 6), ("chaser.inverse_inertia", 6)),
    "target_mass": (("target.mass", 3), ("target.inverse_mass", 3)),
    "target_inertia": (("target.inertia", 6), ("target.inverse_inertia", 6)),
}


def _structure(hint: Any) -> Any:
    """The NamedTuple class of a field's type (the first of several), or None."""
    if get_origin(hint) in (Union, UnionType):
        hint = get_args(hint)[0]
    return hint if isinstance(hint, type) and hasattr(hint, "_fields") else None


def whole_paths(cls: Any, own: tuple[str, ...] = OWN, below: str = "") -> Iterator[tuple[str, Any]]:
    """Path and type of every whole number and flag of a structure and of those in it."""
    hints = get_type_hints(cls)
    for field in cls._fields:
        path, inside = below + field, _structure(hints[field])
        if path in own or field == "features":
            continue
        if inside is not None:
            yield from whole_paths(inside, own, path + ".")
        elif hints[field] in (int, bool):
            yield path, hints[field]


def kind_name(path: str) -> str:
    """The field of `Kind` for a path below `Params`."""
    return path.removeprefix("flags.").replace(".", "_")


WHOLE: dict[str, Any] = dict(whole_paths(Params))
# Whole numbers, flags as 0 and 1; pickled with a kernel's key on disk
Kind: Any = namedtuple(  # type: ignore[misc]
    "Kind", [*(kind_name(path) for path in WHOLE), *(f"{body}_even" for body in EVEN)]
)
KIND_FIELDS = len(Kind._fields)
SIZES = Numbers(  # floats in each group
    **{group: sum(size for _, size in paths) for group, paths in GROUPS.items()}, pair=PAIR_FLOATS
)
NUMBER_FLOATS = sum(SIZES)


@compiled
def _is_even(mass):
    return 1 if mass[0] == mass[1] == mass[2] else 0


@compiled
def _either(common, constant, own):
    """The constant where all runs have it in common. `common` is a constant too: no branch
    remains."""
    return constant if common != 0 else own


@compiled
def _evened(even, values):
    """One number in place of three."""
    return (values[0], values[0], values[0]) if even != 0 else values


def _kind_text() -> str:
    """Source of `kind_of`: the kind of one run."""
    lines = [
        f"        {kind_name(path)}={f'int(p.{path})' if hint is bool else f'p.{path}'},\n"
        for path, hint in WHOLE.items()
    ]
    lines += [f"        {body}_even=_is_even(p.{body}.mass),\n" for body in EVEN]
    return f"def kind_of(p):\n    return Kind(\n{''.join(lines)}    )\n"


def _places() -> dict[str, tuple[str, int, int]]:
    """For every number's path: its group, the first float in it, and how many."""
    found = {}
    for group, paths in GROUPS.items():
        at = 0
        for path, size in paths:
            found[path] = (group, at, size)
            at += size
    return found


def _numbers_text() -> str:
    """Source of `store_numbers`: the numbers of one run, one after the other."""
    lines, row = [], 0
    for path, (_, _, size) in _places().items():
        for i in range(size):
            lines.append(f"    row[{row}] = p.{path}{f'[{i}]' if size > 1 else ''}\n")
            row += 1
    pair = f"    if p.pairs.number > 0:\n        store_pair(vector, PAIRS_AT, row, {row}, False)\n"
    return f"def store_numbers(row, vector, p):\n{''.join(lines)}{pair}"


def _chosen(path: str) -> str:
    """Source of one field: the batch's where all runs share it, else the run's own."""
    name = kind_name(path)
    if path in WHOLE:
        constant = f"kind.{name} != 0" if WHOLE[path] is bool else f"kind.{name}"
        return f"_either(common.{name}, {constant}, p.{path})"
    if path not in _places():
        return f"p.{path}"
    group, first, size = _places()[path]
    floats = [f"numbers.{group}[{first + i}]" for i in range(size)]
    value = floats[0] if size == 1 else f"({', '.join(floats)})"
    value = f"_either(shared.{group}, {value}, p.{path})"
    body, _, field = path.partition(".")
    if body in EVEN and field in ("mass", "inverse_mass"):
        even = f"_either(common.{body}_even, kind.{body}_even, _is_even(p.{body}.mass))"
        return f"_evened({even}, {value})"
    return value


def _built(cls: Any, below: str, indent: str, used: dict[str, Any]) -> str:
    """Source of a structure with each field chosen; `used`: the classes in it, by name."""
    used[cls.__name__], hints, lines = cls, get_type_hints(cls), []
    for field in cls._fields:
        path, inside = below + field, _structure(hints[field])
        if inside is None or path in OWN or field == "features":
            lines.append(f"{indent}    {field}={_chosen(path)},\n")
        else:
            lines.append(
                f"{indent}    {field}={_built(inside, path + '.', indent + '    ', used)},\n"
            )
    return f"{cls.__name__}(\n{''.join(lines)}{indent})"


def _of_kind() -> Any:
    """`of_kind(p, kind, common, numbers, shared)`: the same parameters, with constants and the
    kernel's arguments for what the batch has in common; `common`: a `Kind` of ones and zeros,
    `shared`: a `Numbers` of them."""
    used: dict[str, Any] = {"_is_even": _is_even, "_evened": _evened, "_either": _either}
    built = _built(Params, "", "    ", used)
    return generate(
        "of_kind", f"def of_kind(p, kind, common, numbers, shared):\n    return {built}\n", used
    )


kind_of = generate("kind_of", _kind_text(), {"Kind": Kind, "_is_even": _is_even})
store_numbers = generate(
    "store_numbers", _numbers_text(), {"store_pair": store_pair, "PAIRS_AT": PAIRS_AT}
)
of_kind = _of_kind()
_with_pairs = make_replacer(Params, "pairs")


@compiled
def with_known_pair(params, numbers):
    """The same parameters, where all runs of a batch have one and the same contact pair."""
    p = params
    return _with_pairs(p, KnownPair(p.pairs.number, p.pairs.kinds, p.features, numbers.pair))
