# %% [markdown]
# # 6. Your own log
#
# A rig's software leaves a table. Here a simulated run plays that part: its columns are written as
# CSV in millimetres and milliseconds, with names of another laboratory.

# %%
import csv
import tempfile
from pathlib import Path

import softdock
from softdock.studies.identify import identify

wall = {"damping_Ns_per_m": 20.0, "stiffness_N_per_m": 1000.0}
changes = {f"contact.0.real.{key}": value for key, value in wall.items()}
changes |= {"sensor.noise_N": 0.1, "sensor.period_ms": 1.0, "sensor.handover": "mean"}
series = softdock.run_loop(softdock.load_scenario("epos_1d", changes)).series
folder = Path(tempfile.mkdtemp())
names = ["t_ms", "soll_x_mm", "ist_x_mm", "Fx", "age_ms"]
columns = [
    1e3 * series["time"],
    1e3 * series["command.chaser.position.x"],
    1e3 * series["seen.chaser.position.x"],
    series["measured.chaser.force.x"],
    1e3 * series["force_age"],
]
with (folder / "log.csv").open("w", newline="") as file:
    writer = csv.writer(file)
    writer.writerow(names)
    writer.writerows(zip(*(column.tolist() for column in columns), strict=True))

# %% [markdown]
# A map says what the columns are. A number stands for all rows: this rig moves along x alone.

# %%
still = "attitude = [1.0, 0.0, 0.0, 0.0]"
(folder / "map.toml").write_text(f"""
schema = 1
[clock.log]
column = "t_ms"
unit = "ms"
[chaser.command]
position = ["soll_x_mm", 0.0, 0.0]
position_unit = "mm"
{still}
[chaser.measured]
position = ["ist_x_mm", 0.0, 0.0]
position_unit = "mm"
{still}
[chaser.wrench]
force = ["Fx", 0.0, 0.0]
age = "age_ms"
age_unit = "ms"
[target.command]
position = [0.0, 0.0, 0.0]
{still}
""")
recording = softdock.import_log(folder / "log.csv", folder / "map.toml")
print(recording.sentence)
found = identify(recording)
print(f"stiffness {found.stiffness.value:.0f} +- {found.stiffness.uncertainty:.0f} N/m")
print(f"damping {found.damping.value:.0f} +- {found.damping.uncertainty:.0f} Ns/m")
print(f"robot {1e3 * found.robot_delay['chaser'].value:.1f} ms of delay")
for what, why in found.cannot_tell.items():
    print(f"cannot tell {what}: {why}")

# %% [markdown]
# ## Exercise
#
# Give the set-points the unit `m` in place of `mm`. What does softdock say, and why can it know?

# %% tags=["solution"]
text = (folder / "map.toml").read_text().replace('position_unit = "mm"', 'position_unit = "m"', 1)
(folder / "wrong.toml").write_text(text)
wrong = softdock.import_log(folder / "log.csv", folder / "wrong.toml")
print(next(event["text"] for event in wrong.events))
