"""Networks that cannot be are refused, all problems at once, and branches that are too fast
are named."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from small_networks import SLS, one_junction

from softdock import BadInput
from softdock.cli.main import cli
from softdock.networks import (
    Network,
    Sampled,
    chain,
    generalised_maxwell,
    network_from,
    standard_linear_solid,
    warnings_of,
)
from softdock.networks.haptics import Setting, touch


@pytest.mark.parametrize(
    ("build", "named"),
    [
        (
            lambda: one_junction().mass("M", 1.0).connect("together", "M").equations,
            "net.M: given 'derivative causality'",
        ),
        (lambda: one_junction().spring("S", -1.0), "net.S.stiffness_N_per_m: given -1.0"),
        (lambda: one_junction().mass("M", 0.0), "net.M.mass_kg: given 0.0"),
        (lambda: one_junction().damper("B", -2.0), "net.B.damping_Ns_per_m: given -2.0"),
        (lambda: one_junction().damper("B"), "net.B.damping_Ns_per_m"),
        (lambda: one_junction().damper("B", per_force=1.0, of="S"), "net.B.of: given 'S'"),
        (
            lambda: (
                one_junction().spring("S", 1.0).one("lonely").connect("together", "S").equations
            ),
            "net.lonely.bonds: given 0",
        ),
        (
            lambda: (
                one_junction()
                .spring("S", 1.0)
                .spring("apart", 1.0)
                .connect("together", "S")
                .equations
            ),
            "net.apart",
        ),
        (lambda: Network("net").port("hand", "motion"), "net.hand.causality: given 'motion'"),
        (lambda: Network("net").port("hand", None), "net.hand.causality: missing"),
        (
            lambda: Network("net").spring("S", 1.0).one("a").connect("a", "S").equations,
            "net.ports: missing",
        ),
        (lambda: one_junction().polynomial_spring("S", 1.0, 1.0), "net.S.coefficients"),
        (lambda: one_junction().polynomial_spring("S", -1.0, 0.0, 1.0), "lowest point is at x = 0"),
        (
            lambda: one_junction().polynomial_spring("S", "soft"),
            "net.S.coefficients: given ('soft',)",
        ),
        (lambda: network_from({"model": ["chain"]}), "model: given ['chain']"),
        (lambda: network_from({"model": "chain", "arguments": 3}), "arguments: given 3"),
        (
            lambda: one_junction().potential_spring("S", lambda x: -x * x, (-1.0, 1.0)),
            "net.S.potential",
        ),
        (
            lambda: one_junction().potential_spring("S", lambda x: x * x, (1.0, -1.0)),
            "net.S.stretch_m",
        ),
        (lambda: one_junction().potential_spring("S", lambda x: x * x, 1.0), "net.S.stretch_m"),
        (
            lambda: one_junction().potential_spring("S", lambda x: 1.0 / 0.0, (-1.0, 1.0)),
            "net.S.potential",
        ),
        (lambda: one_junction().spring("S", 1.0).spring("S", 2.0), "net.S: given 'S'"),
        (lambda: one_junction().connect("together", "nobody"), "net.bonds: given 'nobody'"),
        (lambda: one_junction().transformer("t", 0.0), "net.t.ratio: given 0.0"),
        (lambda: Sampled(standard_linear_solid(1.0, 1.0, 1.0), 0.0), "T: given 0.0"),
        (
            lambda: Sampled(standard_linear_solid(1.0, 1.0, 1.0), 1e-3, tank_J=-1.0),
            "tank_J: given -1.0",
        ),
        (
            lambda: Sampled(standard_linear_solid(1.0, 1.0, 1.0), 1e-3).step([1.0, 2.0]),
            "a column per port: hand",
        ),
        (lambda: touch(Setting(times_limit=26.0), "euler"), "times_limit: given 26.0"),
        (lambda: touch(Setting(), "eular"), "did you mean 'euler'"),
    ],
)
def test_what_is_refused_is_named(build, named):
    """Each impossible network is refused before it runs, with the element, what was given and what
    is allowed."""
    with pytest.raises(BadInput) as error:
        build()
    assert named in str(error.value)


def test_two_masses_that_move_together_are_refused():
    """One of them would have to differentiate; the message names it."""
    net = (
        Network("net")
        .port("hand", "position")
        .spring("S", 1.0)
        .mass("M1", 1.0)
        .mass("M2", 1.0)
        .zero("force")
        .one("both")
    )
    net.connect("hand", "force").connect("force", "S", "both").connect("both", "M1", "M2")
    with pytest.raises(BadInput, match=r"net\.M2.*derivative causality"):
        net.equations  # noqa: B018


def test_all_problems_of_a_table_at_once():
    """A user mends a file in one go; near words are suggested."""
    table = SLS | {
        "springs": {"S1": {"stifness_N_per_m": 5.0}, "S2": {"stiffness_N_per_m": -1.0}},
        "junction": {},
    }
    with pytest.raises(BadInput) as error:
        network_from(table)
    text = str(error.value)
    assert "springs.S1.stifness_N_per_m" in text
    assert "did you mean 'stiffness_N_per_m'" in text
    assert "springs.S2.stiffness_N_per_m" in text
    assert "did you mean 'junctions'" in text


def test_a_branch_too_fast_is_warned_about():
    """tau < 2T: named; a slow one is not."""
    fast = generalised_maxwell(300.0, [(200.0, 1.5e-3), (100.0, 0.1)])
    assert [w.partition(":")[0] for w in warnings_of(fast, 1e-3)] == ["generalised maxwell.S1"]
    assert warnings_of(fast, 0.5e-3) == []
    bent = (
        Network("net")
        .port("hand", "position")
        .polynomial_spring("S", 100.0, 0.0, 1e6)
        .damper("B", 0.2)
        .zero("in_series")
    )
    bent.connect("hand", "in_series").connect("in_series", "S", "B")
    assert [w.partition(":")[0] for w in warnings_of(bent, 1e-3)] == [
        "net.S"
    ]  # a nonlinear network as it is at rest
    assert "oscillates" in warnings_of(chain(1, 1e-4, 2000.0, 1e-3, 200.0, 1e-3), 1e-3)[0]


@pytest.mark.parametrize("content", [None, "name = ", "bonds = 3", 'model = "voight"'])
def test_a_bad_network_file_ends_with_one_message(tmp_path: Path, content):
    """Missing, no TOML, wrong kinds, unknown model: exit code 2 and no traceback."""
    file = tmp_path / "bad.toml"
    if content is not None:
        file.write_text(content)
    result = CliRunner().invoke(cli, ["network", str(file)])
    assert result.exit_code == 2
    assert "allowed" in result.output


def test_a_potential_of_ones_own_that_relaxes_too_fast_is_named():
    """A spring of one's own that relaxes within a sample is warned of, with its time."""
    net = (
        Network("own")
        .port("hand", "position")
        .potential_spring("S", lambda x: 0.5e5 * x * x, (-0.01, 0.01))
        .damper("B", 1.0)
    )
    net.one("hand_moves").zero("force").connect("hand", "hand_moves").connect(
        "hand_moves", "force"
    ).connect("force", "S", "B")
    (warning,) = Sampled(net, 1e-3).warnings
    assert warning.startswith("own.S: relaxes in 0.01 ms")
