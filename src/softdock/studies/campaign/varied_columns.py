"""Where the keys that vary stand in the parameter vector, and which of its columns differ from run
to run."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from softdock.errors import BadInput, Problem, closest
from softdock.loop.parameters import Parameter
from softdock.loop.spatial.rigid_body import BODY
from softdock.loop.vector import CHASER_AT, RANDOM_AT, RANDOMS, TARGET_AT
from softdock.scenario.approach import KEYS, PATH, resolve_approach
from softdock.scenario.build import Scenario
from softdock.studies.campaign.columns import Place, get_resolved, list_sweepable
from softdock.studies.campaign.spec import Spec
from softdock.studies.campaign.vary import Vary

# `[approach]` varied in a campaign: each draw's distance, offset, tilt or tumble as the positions,
# velocities and attitudes that it stands for (scenario/approach.py).
#
# In: values of keys `approach.*` in the file's units, one row per run. Out: columns of the
# parameter vector. One run takes 0.1 ms, with a tumble that is turned back 3 ms; draws are kept,
# because they are asked for several times. Geometry is that of the base: keys of the first contact
# pair's tip, origin and axis do not vary beside it.

PREFIX = f"{PATH}."
SIZES = {"lateral_offset_m": 2, "misalignment_deg": 2, "tumble_deg_per_s": 3}
WRITTEN = {  # key: where it begins in the vector, how many numbers
    "chaser.position_m": (CHASER_AT + BODY.at.position, 3),
    "chaser.velocity_m_per_s": (CHASER_AT + BODY.at.velocity, 3),
    "chaser.attitude_wxyz": (CHASER_AT + BODY.at.attitude, 4),
    "target.position_m": (TARGET_AT + BODY.at.position, 3),
    "target.attitude_wxyz": (TARGET_AT + BODY.at.attitude, 4),
    "target.rate_rad_per_s": (TARGET_AT + BODY.at.rate, 3),
}
FIXED = ("contact.0.tip_m", "contact.0.tip_radius_m", "contact.0.origin_m", "contact.0.axis")
MOST_KEPT = 200_000  # draws


def is_approach(vary: Vary) -> bool:
    return vary.keys[0].startswith(PREFIX)


def list_known_keys() -> list[str]:
    """What may vary."""
    single = [f"{PREFIX}{key}" for key in KEYS if key != "at"]
    return [*single, *(f"{PREFIX}{key}.{i}" for key, n in SIZES.items() for i in range(n))]


def make_place(key: str) -> Place:
    """Its range; it has no column of its own."""
    positive = key in (f"{PREFIX}distance_m", f"{PREFIX}speed_m_per_s")
    low = 0.0 if positive else -1e6
    parameter = Parameter(
        "approach", key, KEYS[key.split(".")[1]], low=low, high=1e6, open_low=positive
    )
    return Place(parameter, -1, 0)


def find_problems(spec: Spec, has_approach: bool) -> list[Problem]:
    """What is wrong with keys of an approach that vary."""
    used = [(i, v) for i, v in enumerate(spec.vary) if any(k.startswith(PREFIX) for k in v.written)]
    if not used:
        return []
    problems, known = [], list_known_keys()
    clash = [*WRITTEN, *FIXED]
    for i, vary in enumerate(spec.vary):
        where = spec.locate(f"vary.{i}.key")
        for key in vary.written:
            own = key.startswith(PREFIX)
            if own and not has_approach:
                allowed = "a key of this scenario, which has no table [approach]"
                problems.append(Problem(key, "in vary", allowed, where))
            elif own and key not in known:
                problems.append(
                    Problem(
                        key,
                        "in vary",
                        "one of " + ", ".join(known),
                        where,
                        suggestion=closest(key, known),
                    )
                )
            elif not own and any(f"{key}.".startswith(f"{one}.") for one in clash):
                allowed = "nothing that the varied [approach] writes or rests on"
                problems.append(Problem(key, "in vary", allowed, where))
            elif own and not is_approach(vary):
                problems.append(Problem(key, "in vary", "keys of [approach] together", where))
    return problems


@dataclass
class ApproachDraws:
    """The approach of a base, and which columns of a design change it."""

    source: Mapping[str, Any]  # tables before the approach was resolved
    columns: tuple[tuple[int, str], ...]  # column of the design, key behind `approach.`
    cache: dict[bytes, np.ndarray] = field(default_factory=dict, repr=False)

    @property
    def at(self) -> list[int]:
        """Columns of the vector that it sets."""
        return [first + j for first, n in WRITTEN.values() for j in range(n)]

    def fill(self, filled: np.ndarray, index: Mapping[int, int], values: np.ndarray) -> None:
        """Set those columns for every row of values."""
        places = [index[at] for at in self.at]
        for row, drawn in zip(filled, values, strict=True):
            row[places] = self.start(drawn)

    def start(self, drawn: np.ndarray) -> np.ndarray:
        """The numbers of WRITTEN for one row of a design."""
        mine = np.array([drawn[column] for column, _ in self.columns])
        key = mine.tobytes()
        if key not in self.cache:
            if len(self.cache) >= MOST_KEPT:
                self.cache.clear()
            self.cache[key] = self._resolve(mine)
        return self.cache[key]

    def _resolve(self, mine: np.ndarray) -> np.ndarray:
        given = copy.deepcopy(dict(self.source[PATH]))
        for (_, key), value in zip(self.columns, mine.tolist(), strict=True):
            name, _, component = key.partition(".")
            if component:
                whole = given.get(name, 0.0)
                parts = [*whole] if isinstance(whole, list) else [whole]
                parts += [0.0] * (SIZES[name] - len(parts))
                parts[int(component)] = value
                given[name] = parts
            else:
                given[name] = value
        tables = {PATH: given, "chaser": {}, "target": copy.deepcopy(self.source["target"])}
        tables["contact"] = self.source["contact"]
        problems: list[Problem] = []
        resolve_approach(
            tables, lambda key, value, allowed, *_: problems.append(Problem(key, value, allowed))
        )
        if problems:
            raise BadInput(problems)
        usual = {"attitude_wxyz": [1.0, 0.0, 0.0, 0.0]}
        made = []
        for path in WRITTEN:
            body, name = path.split(".")
            made += tables[body].get(name, usual.get(name, [0.0, 0.0, 0.0]))
        return np.array(made, dtype=float)


def make_approach_draws(spec: Spec, source: Mapping[str, Any] | None) -> ApproachDraws | None:
    """None: nothing of an approach varies."""
    places, column = [], 0
    for vary in spec.vary:
        for i, key in enumerate(vary.keys):
            if key.startswith(PREFIX):
                places.append((column + i, key.removeprefix(PREFIX)))
        if is_approach(vary):
            places += [(column, key.removeprefix(PREFIX)) for key in vary.also]
        column += len(vary.keys)
    return ApproachDraws(source, tuple(places)) if places and source is not None else None


NO_NUMBER = (
    "a number of the scenario; this one is a word, a table, a direction or an attitude (methods "
    "and integrators have keys of their own; turn_about)"
)


def find_places(spec: Spec, scenario: Scenario) -> list[tuple[Vary, list[Place]]]:
    """Where each key stands in the vector; everything that is no numeric key is refused."""
    known = list_sweepable(scenario)
    problems: list[Problem] = []
    found_places = []
    for i, vary in enumerate(spec.vary):
        if is_approach(vary):
            found_places.append((vary, [make_place(key) for key in vary.written]))
            continue
        for key in vary.written:
            place, where = known.get(key), spec.locate(f"vary.{i}.key")
            if key == "random.run":
                allowed = (
                    "another key: a campaign numbers its runs with this one, and each has noise "
                    "of its own already"
                )
                problems.append(Problem(key, "in vary", allowed, where))
            elif place is None and get_resolved(scenario.tables, key) is not None:
                problems.append(Problem(key, "in vary", NO_NUMBER, where))
            elif place is None:
                problems.append(
                    Problem(
                        key,
                        "in vary",
                        "a key of this scenario with a numeric value",
                        where,
                        suggestion=closest(key, known),
                    )
                )
            elif place.size > 1 and place.parameter.kind != "mass" and not vary.turn_about:
                hint = (
                    "one of its numbers: " + ", ".join(k for k in known if k.startswith(f"{key}."))
                    if f"{key}.0" in known
                    else "a key with a single number"
                )
                problems.append(Problem(key, "in vary", hint, where))
        if not problems:
            found_places.append((vary, [known[key] for key in vary.written]))
        if vary.keep_tip and not scenario.tables["contact"]:
            problems.append(
                Problem(
                    f"vary.{i}.keep_tip",
                    True,
                    "a scenario with a contact, whose tip it is",
                    spec.locate(f"vary.{i}"),
                )
            )
    if problems:
        raise BadInput(problems)
    return found_places


def find_varied_columns(
    places: list[tuple[Vary, list[Place]]], approach: ApproachDraws | None = None
) -> np.ndarray:
    """Columns that differ from run to run."""
    at = [RANDOM_AT + RANDOMS.run, *(approach.at if approach is not None else ())]
    for vary, columns in places:
        at += [place.at + j for place in columns for j in range(place.size)]
        if vary.keep_tip:
            at += [CHASER_AT + BODY.at.position + j for j in range(3)]
    return np.array(list(dict.fromkeys(at)), dtype=np.int64)
