"""Where the keys that vary stand in the parameter vector, and which of its columns differ from run
to run."""

from __future__ import annotations

import numpy as np

from softdock.errors import BadInput, Problem, closest
from softdock.loop.spatial.rigid_body import BODY
from softdock.loop.vector import CHASER_AT, RANDOM_AT, RANDOMS
from softdock.scenario.build import Scenario
from softdock.studies.campaign.approach_draws import ApproachDraws, is_approach, make_place
from softdock.studies.campaign.columns import Place, list_sweepable
from softdock.studies.campaign.memory_layout import get_resolved
from softdock.studies.campaign.spec import Spec
from softdock.studies.campaign.varied_key import Vary

NO_NUMBER = (
    "a number of the scenario; this one is a word, a table, a direction or an attitude (methods "
    "and integrators have keys of their own; turn_about)"
)


def find_places(spec: Spec, scenario: Scenario) -> list[tuple[Vary, list[Place]]]:
    """Where each key stands in the vector; everything that is no numeric key is refused."""
    known = list_sweepable(scenario)
    problems: list[Problem] = []
    found = []
    for i, vary in enumerate(spec.vary):
        if is_approach(vary):
            found.append((vary, [make_place(key) for key in vary.written]))
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
            found.append((vary, [known[key] for key in vary.written]))
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
    return found


def find_varied_columns(
    places: list[tuple[Vary, list[Place]]], approach: ApproachDraws | None = None
) -> np.ndarray:
    """Columns that differ from run to run."""
    at = [RANDOM_AT + RANDOMS.run, *(approach.at if approach is not None else ())]
    for vary, found in places:
        at += [place.at + j for place in found for j in range(place.size)]
        if vary.keep_tip:
            at += [CHASER_AT + BODY.at.position + j for j in range(3)]
    return np.array(list(dict.fromkeys(at)), dtype=np.int64)
