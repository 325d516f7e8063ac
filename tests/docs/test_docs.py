"""The docs stay true: each equation tag has its row, every row its code and test, every erratum its
entry, every link a page."""

from __future__ import annotations

import importlib
import math
import re
import statistics
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS, SOURCES = ROOT / "docs", ROOT / "src"
PAGES = sorted(DOCS.rglob("*.md"))
PAPERS = "De Stefano|Lange|Franken|Zebenay"
# `Zebenay eq. 114`, `Lange eqs. 3, 4`, `Lange eqs. 3 and 4`, `Zebenay eqs. 115 to 120`; a section:
# `Lange IV-F`
EQUATIONS = re.compile(rf"({PAPERS}) eqs?\. (\d+(?:(?:, | and | to )\d+)*)")
SECTION = re.compile(rf"({PAPERS}) ([IVX]+-[A-Z])\b")
# of which only the abstract could be read: no numbers of equations
ABSTRACT = re.compile(r"\b(Qi 2016a|Qi 2016b|Insam 2021|He 2022|De Stefano 2020|De Stefano 2021)\b")
# What the errata of the papers are about, as listed when the papers were worked through.
ERRATA = {
    "Zebenay": "(2)|(76)|(80)|(92)|(94)|(97)|(99)|4.5|(105)|(109)|(111)|Table 2|Fig. "
    "10|(114)|(115)|(116)|P|6.2|Table 1",
    "De Stefano": "(9)|(10)|(13)|(14)|(15)|(16)|(17)|Fig. 4|Fig. 5|Fig. 11",
    "Franken": "(1)|(3)|(4)|(7)|(8)|(25)|(26)|Fig. 5|S1",
    "Lange": "(8)|(11)|(16)|(29)|(30)|II-A|(5)|IV-F",
}


def name_page(path: Path) -> str:
    return str(path.relative_to(ROOT))


def find_tags(text: str) -> set[str]:
    """Every tag in a text, one equation each: `Lange eqs. 3, 4` is two; `15 to 17` is three.
    A tag may be wrapped."""
    text = re.sub(r"\s*\n\s*(# )?", " ", text)
    found = {f"{paper} {section}" for paper, section in SECTION.findall(text)}
    found |= set(ABSTRACT.findall(text))
    for paper, numbers in EQUATIONS.findall(text):
        last = 0
        for joint, digits in re.findall(r"(, | and | to |^)(\d+)", numbers):
            number = int(digits)
            found |= {
                f"{paper} eq. {n}"
                for n in (range(last + 1, number + 1) if joint == " to " else (number,))
            }
            last = number
    return found


def list_rows(text: str, columns: int) -> list[list[str]]:
    """Cells of all table rows with that many columns, headings and rules left out."""
    rows = []
    for block in re.split(r"\n(?!\|)", text):
        lines = [line for line in block.splitlines() if line.startswith("|")]
        cells = [
            [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines[2:]
        ]
        rows += [row for row in cells if len(row) == columns]
    return rows


def list_links(path: Path) -> set[Path]:
    """Files that a page links to; what stands in code is no link."""
    text = re.sub(r"```.*?```|`[^`\n]*`", "", path.read_text(encoding="utf-8"), flags=re.S)
    targets = re.findall(r"\]\(([^)\s]+)\)", text)
    return {
        (path.parent / t.partition("#")[0]).resolve()
        for t in targets
        if not re.match(r"[a-z]+:|#", t)
    }


def list_equation_rows() -> list[list[str]]:
    return [
        row for row in list_rows((DOCS / "equations.md").read_text(encoding="utf-8"), 4) if row[0]
    ]


def list_errata(paper: str) -> list[list[str]]:
    text = (DOCS / "errata.md").read_text(encoding="utf-8")
    section = re.search(rf"^## {paper}\n(.*?)(?=^## |\Z)", text, re.S | re.M)
    assert section, f"errata.md has no section '{paper}'"
    return list_rows(section.group(1), 4)


def import_named(reference: str) -> object:
    """The object that `softdock/file.py:name` names."""
    file, _, name = reference.strip("`").partition(":")
    assert (SOURCES / file).is_file(), f"no file {file}"
    module = importlib.import_module(
        file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    )
    return getattr(module, name.strip())


def test_tags_are_understood():
    """The pattern reads every form of a tag that the sources use."""
    assert find_tags("# Zebenay eq. 114, with") == {"Zebenay eq. 114"}
    assert (
        find_tags("(Lange eqs. 3, 4)")
        == find_tags("Lange eqs. 3 and 4 have")
        == {"Lange eq. 3", "Lange eq. 4"}
    )
    assert find_tags("De Stefano eqs. 16 to 18") == {f"De Stefano eq. {n}" for n in (16, 17, 18)}
    assert find_tags("# Lange IV-F") == {"Lange IV-F"}
    assert find_tags("(Qi 2016a, after the abstract)") == {"Qi 2016a"}
    assert find_tags("# as Lange\n    # eq. 20 has it") == {"Lange eq. 20"}


def test_every_tag_in_the_sources_is_in_the_map():
    """Whoever implements an equation says where, and what tests it."""
    listed = {row[0] for row in list_equation_rows()}
    missing = {}
    for path in sorted([*SOURCES.rglob("*.py"), *SOURCES.rglob("*.toml")]):
        for tag in find_tags(path.read_text(encoding="utf-8")) - listed:
            missing.setdefault(tag, []).append(name_page(path))
    assert not missing, f"no row in docs/equations.md for {missing}"


def test_every_tag_in_the_map_is_in_the_sources():
    """A row whose code has gone must go."""
    used = set().union(
        *(find_tags(path.read_text(encoding="utf-8")) for path in SOURCES.rglob("*.py"))
    )
    assert {row[0] for row in list_equation_rows()} <= used


@pytest.mark.parametrize(
    "row", list_equation_rows(), ids=lambda row: f"{row[0]} {row[1].strip('`')}"
)
def test_a_row_of_the_map_names_code_and_a_test(row):
    """The function can be imported from the file named, and the test exists, by its own name: a
    file of tests says nothing of an equation."""
    tag, code, test, deviation = row
    assert find_tags(tag) == {tag}
    assert import_named(code) is not None
    file, _, name = test.strip("`").partition("::")
    assert name.startswith("test_"), test
    assert f"\ndef {name}(" in (ROOT / file).read_text(encoding="utf-8"), test
    assert deviation


@pytest.mark.parametrize("paper", ERRATA)
def test_every_erratum_has_an_entry(paper):
    """The whole list, paper by paper: what is printed, what is right, where it is used."""
    rows = list_errata(paper)
    assert [row[0] for row in rows if not all(row)] == []
    expected = ERRATA[paper].split("|")
    assert set(expected) <= {row[0] for row in rows}
    assert len(rows) >= len(expected)


@pytest.mark.parametrize("paper", ERRATA)
def test_code_that_uses_an_erratum_exists(paper):
    """An entry says 'not used yet', or names code that is there."""
    for where, _, _, used in list_errata(paper):
        named = re.findall(r"`(softdock/[\w/]+\.py)(?:: (\w+))?`", used)
        assert named or used.startswith(("not used yet", "as above")), (paper, where, used)
        for file, name in named:
            assert (SOURCES / file).is_file(), file
            if name:
                assert import_named(f"{file}:{name}") is not None


def test_blocks_of_the_diagrams_are_there():
    """Every file and function that docs/equations.md names for a block of a paper exists, and
    no block is said to be missing."""
    page = (DOCS / "equations.md").read_text(encoding="utf-8")
    text = page.partition("\n## Block diagrams\n")[2]
    assert "not built" not in text.lower()
    named = re.findall(r"`([\w/]+\.py)(?:: (\w+))?`((?:, `\w+`)*)", text)
    for file, first, others in named:
        found = SOURCES / "softdock" / file
        assert found.is_file(), file
        for name in [first, *re.findall(r"\w+", others)] if first else []:
            assert re.search(rf"(def|class) {name}\b", found.read_text()), (file, name)
    assert len(named) >= 25


def compute_critical_delay(mass: float, damping: float, stiffness: float) -> float:
    """Zebenay (108), (110) [s]."""
    ratio = damping / mass
    w = math.sqrt(0.5 * ratio**2 + math.sqrt(0.25 * ratio**4 + (stiffness / mass) ** 2))
    return math.atan2(w * damping, stiffness) / w


def test_numbers_of_the_errata():
    """What errata.md says of Zebenay's Table 2 and Fig. 10 follows from the seven published
    stiffnesses and 63 kg."""
    stiffnesses = [977.0, 1020.0, 975.0, 1050.0, 1030.0, 1040.0, 822.0]  # N/m, Zebenay Table 2
    mean = statistics.mean(stiffnesses)
    delays = [1e3 * compute_critical_delay(63.0, b, mean) for b in (30.0, 40.0)]
    text = (DOCS / "errata.md").read_text(encoding="utf-8")
    assert f"{mean:.1f} +- {statistics.stdev(stiffnesses):.1f} N/m" in text
    assert f"{delays[0]:.1f} and {delays[1]:.1f} ms" in text
    assert 1e3 * compute_critical_delay(60.0, 50.0, 1000.0) == pytest.approx(
        49.3085, abs=1e-4
    )  # the same by an independent program


@pytest.mark.parametrize("path", PAGES, ids=name_page)
def test_links_resolve(path):
    """No link inside the docs leads nowhere."""
    assert [target for target in list_links(path) if not target.exists()] == []


def test_references_to_decisions_lead_somewhere():
    """Code, tests and pages that give a decision as their reason name a page that is there."""
    files = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "Makefile")]
    for folder in ("src", "tests", "benchmarks", "docs"):
        files += [*(ROOT / folder).rglob("*.py"), *(ROOT / folder).rglob("*.md")]
    found: dict[str, list[str]] = {}
    for file in files:
        for name in re.findall(r"decisions/([\w-]+\.md)", file.read_text(encoding="utf-8")):
            found.setdefault(name, []).append(name_page(file))
    assert len(found) > 5  # the pattern finds what there is
    decisions = DOCS / "decisions"
    assert {name: by for name, by in found.items() if not (decisions / name).is_file()} == {}


NAMED_TEST = re.compile(r"\b(?:(tests/\w+)/)?(test_\w+\.py)(?:(?:: |::)(test_\w+))?")
TESTS = {path.name: path for path in (ROOT / "tests").rglob("test_*.py")}


def list_missing_tests(text: str) -> list[str]:
    """Tests that a text names and that are not there, by folder, by file or by name."""
    missing = []
    for found in NAMED_TEST.finditer(text):
        folder, file, name = found.groups()
        path = TESTS.get(file)
        there = path is not None and folder in (None, f"tests/{path.parent.name}")
        if path and name:
            there &= f"\ndef {name}(" in path.read_text(encoding="utf-8")
        if not there:
            missing.append(found[0])
    return missing


def test_named_tests_exist():
    """A test that a page or a program gives as its evidence is there, by file and by name."""
    kinds = ("README.md", "CONTRIBUTING.md", "docs/**/*.md", "src/**/*.py", "benchmarks/**/*.py")
    for path in (path for kind in kinds for path in sorted(ROOT.glob(kind))):
        assert list_missing_tests(path.read_text(encoding="utf-8")) == [], name_page(path)


def test_a_named_test_that_is_gone_is_found():
    """The test above can fail: by folder, by file and by name, in each way of writing."""
    here, name = "tests/docs/test_docs.py", "test_named_tests_exist"
    assert list_missing_tests(f"`{here}: {name}`, `{here}::{name}`, {here}, pytest {here}") == []
    gone = ["tests/unit/test_docs.py", "test_none.py", f"{here}: test_no", f"{here}::test_no"]
    assert list_missing_tests(" ".join(f"`{one}`" for one in gone)) == gone


@pytest.mark.parametrize("path", PAGES, ids=name_page)
def test_no_paths_of_a_machine(path):
    """Docs hold for every machine: no absolute path, no home folder, no address of a private
    host."""
    text = path.read_text(encoding="utf-8")
    found = re.findall(
        r"(?<![\w.])/(?:home|root|work|tmp|usr|opt|mnt|var|Users)/\S*|[A-Z]:\\\S+|~/\S+|file://\S+",
        text,
    )
    assert not found
    hosts = set(re.findall(r"https?://([^/\s)]+)", text))
    assert hosts <= {"arxiv.org", "doi.org", "github.com"}, hosts


@pytest.mark.parametrize("path", [*PAGES, *sorted(DOCS.rglob("*.svg"))], ids=name_page)
def test_every_page_is_in_the_index(path):
    """A page that nobody can find does not exist: each is linked from the index, or from the
    index of its folder (a figure: from some page)."""
    if path.name == "index.md":
        return
    linking = [DOCS / "index.md", path.parent / "README.md"] if path.suffix == ".md" else PAGES
    linking = [page for page in linking if page.is_file() and page != path]
    assert any(path.resolve() in list_links(page) for page in linking)
