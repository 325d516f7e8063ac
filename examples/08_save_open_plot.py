"""Save, open, plot. You learn: what a run leaves on disk, and how it comes back as arrays, as a
figure and as a table of pandas."""

import tempfile
from pathlib import Path

import softdock

run = softdock.simulate(softdock.load_scenario("epos_3d"))

with tempfile.TemporaryDirectory() as folder:
    saved = run.save(
        Path(folder) / "my_run"
    )  # report.html in it opens in any browser, without a network
    print("written:", ", ".join(sorted(file.name for file in saved.iterdir())))
    again = softdock.open_run(saved)

assert again.metrics == run.metrics  # to the last digit
force = again.series.channel("true.chaser.force.x")
print(f"{force.name} [{force.unit}], {force.frame}: {force.meaning}")

figure = again.plot()  # plotly: shows itself in a notebook; figure.write_html("run.html") keeps it
print("lines:", ", ".join(line.name for line in figure.data))

frame = again.to_dataframe()  # needs the extra: pip install 'softdock[dataframe]'
print(
    frame[["contact.depth", "energy.robot", "energy.sensor"]]
    .describe()
    .loc[["mean", "max"]]
    .to_string(float_format="{:.3g}".format)
)
