"""The run folder: what is written can be read and says the same; what is cut, changed or newer is
refused; a crash leaves no half file."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import numpy as np
import pytest
from scenarios import cone_docking, epos_wall

import softdock
from softdock.compile.sources import source_hash
from softdock.errors import BadInput, BadRunFolder
from softdock.files.atomic import write_whole
from softdock.output.folders import run_folder as folders
from softdock.studies.campaign.plan import make_plan
from softdock.studies.campaign.shards import begin_folder, check_resumable, describe_own_core
from softdock.studies.campaign.spec import load_spec

FILES = {"scenario.toml", "series.parquet", "metrics.json", "report.html", "run.json"}


@pytest.fixture(scope="module")
def run():
    return softdock.simulate(cone_docking(delay_ms=8.0) | {"name": "a probe <in> a cone / \u00e4"})


@pytest.fixture
def saved(run, tmp_path):
    return run.save(tmp_path / "runs" / "first")


def test_a_run_comes_back_as_it_was(run, saved):
    """Series to the bit, metrics equal, contacts, ledger and orbit the same."""
    assert set(os.listdir(saved)) == FILES
    again = softdock.open_run(saved)
    assert again.metrics == run.metrics == json.loads((saved / "metrics.json").read_text())
    assert list(again.series) == list(run.series)
    assert again.series.rows.tobytes() == run.series.rows.tobytes()
    assert again.series["chaser.position"].shape == (run.cycles + 1, 3)
    assert again.contacts == run.contacts
    assert (again.status, again.cycles, again.contact_count, again.ledger) == (
        run.status,
        run.cycles,
        run.contact_count,
        run.ledger,
    )
    assert again.simulate_reference().restitution == run.reference.restitution
    assert again.series.channel("chaser.rate.x") == run.series.channel("chaser.rate.x")


def test_the_saved_scenario_gives_the_same_run(run, saved):
    """Protects a folder as proof: the scenario in it gives the same series to the bit."""
    again = softdock.simulate(softdock.load_scenario(saved / "scenario.toml"))
    assert again.series.rows.tobytes() == run.series.rows.tobytes()


def test_the_parquet_schema_says_units_and_frames(run, saved):
    """Any reader of Parquet finds unit, frame and meaning with each column."""
    import pyarrow.parquet as pq

    file = pq.ParquetFile(saved / "series.parquet")
    field = file.schema_arrow.field("chaser.rate.y")
    assert str(field.type) == "double"
    assert field.metadata == {
        b"unit": b"rad/s",
        b"frame": b"body",
        b"meaning": b"angular velocity of the chaser satellite",
    }
    assert file.metadata.row_group(0).column(0).compression == "ZSTD"
    assert file.schema_arrow.names == list(run.series)


def test_an_open_contact_comes_back(tmp_path):
    """A restitution that is not there is null in JSON and NaN in the contact."""
    tables = epos_wall()
    tables["time"]["duration_s"] = 0.9
    run = softdock.simulate(tables)
    again = softdock.open_run(run.save(tmp_path / "open"))
    assert np.isnan(again.restitution)
    assert again.metrics == run.metrics


def test_a_folder_with_something_in_it_is_refused_unless_forced(run, saved):
    """A folder with files in it is refused; forced, the run's files are written and others stay."""
    (saved / "notes.txt").write_text("mine")
    with pytest.raises(BadInput, match="holds something"):
        run.save(saved)
    run.save(saved, force=True)
    assert set(os.listdir(saved)) == FILES | {"notes.txt"}
    assert (saved / "notes.txt").read_text() == "mine"


def test_a_file_or_a_place_that_cannot_be_written_is_refused(run, tmp_path):
    """A path that is a file, lies in one, or is no path is refused, and nothing is touched."""
    file = tmp_path / "file"
    file.write_text("x")
    with pytest.raises(BadInput, match="this is a file"):
        run.save(file)
    with pytest.raises(BadInput, match="can be written"):
        run.save(file / "inside")
    with pytest.raises(BadInput, match=r"folder: given .* zero byte"):
        run.save("a\0b")
    assert file.read_text() == "x"


@pytest.mark.parametrize("at", range(5))
def test_a_crash_leaves_no_half_file_and_no_run(run, saved, monkeypatch, at):
    """Whichever file the crash hits: every file there is whole, nothing temporary stays, and the
    folder is not taken for a run."""
    count = iter(range(9))

    def failing(path, data):
        if next(count) == at:
            monkeypatch.setattr(
                os,
                "replace",
                lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")),
            )
        write_whole(path, data)

    monkeypatch.setattr(folders, "write_whole", failing)
    with pytest.raises(OSError, match="No space"):
        run.save(saved, force=True)
    monkeypatch.undo()
    assert set(os.listdir(saved)) == FILES - {"run.json"}
    assert json.loads((saved / "metrics.json").read_text()) == run.metrics
    with pytest.raises(BadRunFolder, match=r"no run\.json"):
        softdock.open_run(saved)


@pytest.mark.parametrize("name", ["scenario.toml", "series.parquet", "metrics.json"])
def test_cut_changed_and_missing_files_are_named(saved, name):
    """A stored run with a cut, changed or missing file is refused by that file's name."""
    whole = (saved / name).read_bytes()
    (saved / name).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(BadRunFolder, match=f"{name} has .* cut or changed"):
        softdock.open_run(saved)
    (saved / name).write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    with pytest.raises(BadRunFolder, match=f"{name} is not what was written"):
        softdock.open_run(saved)
    (saved / name).unlink()
    with pytest.raises(BadRunFolder, match=f"{name} cannot be read"):
        softdock.open_run(saved)


def test_a_newer_run_is_refused_with_its_version(saved):
    """A run of a newer format is refused with the version that wrote it."""
    manifest = json.loads((saved / "run.json").read_text())
    (saved / "run.json").write_text(json.dumps(manifest | {"schema": 2, "softdock": "9.1.0"}))
    with pytest.raises(BadRunFolder, match=r"version 2 of the format, by softdock 9\.1\.0"):
        softdock.open_run(saved)


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "{}", '{"format": "another"}', '{"format": "softdock run", "schema": "1"}'],
)
def test_a_broken_manifest_is_refused(saved, text):
    """A manifest that is not JSON, or not a run's, is refused by name and not with a traceback."""
    (saved / "run.json").write_text(text)
    with pytest.raises(BadRunFolder, match=r"run\.json"):
        softdock.open_run(saved)


def test_no_folder_is_refused(tmp_path):
    """A folder that is not there is said to be none."""
    with pytest.raises(BadRunFolder, match="no such folder"):
        softdock.open_run(tmp_path / "nowhere")


def test_frames_of_other_libraries(saved):
    """pandas and xarray get every channel, with its unit."""
    run = softdock.open_run(saved)
    frame, dataset = run.to_dataframe(), run.to_xarray()
    assert (frame["chaser.velocity.x"].to_numpy() == run.series["chaser.velocity.x"]).all()
    assert frame.index.name == "time"
    assert frame.attrs["channels"]["chaser.velocity.x"]["unit"] == "m/s"
    assert (dataset["chaser.attitude"].sel(wxyz="w") == run.series["chaser.attitude.w"]).all()
    assert dataset["contact.depth"].attrs["units"] == "m"
    assert dataset["target.position"].dims == ("time", "xyz")


@pytest.mark.parametrize(
    ("method", "library"), [("to_dataframe", "pandas"), ("to_xarray", "xarray")]
)
def test_a_library_that_is_missing_is_named_with_its_extra(run, monkeypatch, method, library):
    """Without pandas or xarray the error names the library and the extra that brings it."""
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ImportError, match=rf"needs {library}.*softdock\[dataframe\]"):
        getattr(run, method)()


def test_the_figure_shows_gap_forces_and_energy(saved):
    """Three charts over one time axis, units on each; the total is the invented energy."""
    run = softdock.open_run(saved)
    figure = run.plot()
    axes = [figure.layout[name].title.text for name in ("yaxis", "yaxis2", "yaxis3")]
    assert axes == ["gap [mm]", "force [N]", "energy [J]"]
    total = next(t for t in figure.data if t.name == "energy added")
    assert total.y[-1] == pytest.approx(run.energy_added_J, abs=1e-12)
    assert json.loads(figure.to_json())["layout"]["xaxis3"]["title"]["text"] == "time [s]"


STORED = Path(__file__).parents[1] / "stored_run"  # EPOS 1-D for 0.1 s; without its page


def test_a_stored_run_is_read_and_its_scenario_still_gives_its_series(tmp_path):
    """Protects what users keep: the folder is opened and saved again with a page, and the scenario
    in it gives the series that it gave then."""
    then = softdock.open_run(STORED)
    assert then.metrics == json.loads((STORED / "metrics.json").read_text())
    again = softdock.open_run(then.save(tmp_path / "again"))
    assert again.metrics == then.metrics
    assert again.series.rows.tobytes() == then.series.rows.tobytes()
    now = softdock.run_loop(softdock.load_scenario(STORED / "scenario.toml"))
    for name in then.series:
        size = max(float(np.nanmax(np.abs(then.series[name]))), 1e-12)
        assert now.series[name] == pytest.approx(then.series[name], abs=1e-12 * size, nan_ok=True)


def test_a_campaign_of_other_sources_is_not_resumed(tmp_path):
    """Runs of two cores are not mixed, and that is the reason which is given."""
    plan = make_plan(load_spec("epos_monte_carlo"))
    begin_folder(plan, tmp_path / "it", shard_runs=100)
    check_resumable(plan, tmp_path / "it")
    manifest = tmp_path / "it" / "campaign.json"
    other = {"softdock": "0.2.9", "core": "0123456789abcdef"}
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | other))
    with pytest.raises(BadInput, match="runs of one core") as refused:
        check_resumable(plan, tmp_path / "it")
    message = str(refused.value)
    assert "written by softdock 0.2.9 (core 0123456789abcdef)" in message
    assert f"this is softdock {softdock.__version__} (core {source_hash()}): begin" in message


def test_two_cores_of_one_version_are_told_apart_by_their_hashes():
    """A refusal that named only versions would say that one differs from itself."""
    told = describe_own_core(softdock.__version__, "0123456789abcdef")
    assert source_hash() in told
    assert "the same version with other sources of the core" in told
