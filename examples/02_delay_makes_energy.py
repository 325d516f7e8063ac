"""Change the delay and see energy appear. You learn: how to change keys, and that a lossless spring
on delayed robots gives back exp(pi w h / 2) of the speed: h is the robots' delay and half a cycle
of the held force."""

import math

import softdock

w = math.sqrt(1000.0 / 63.0)  # rad/s: stiffness over mass of the preset

print("delay [ms]  restitution  exp(pi w h / 2)  energy added")
for delay_ms in (0.0, 8.0, 16.0, 32.0):
    changes = {"robots.chaser.delay_ms": delay_ms, "robots.target.delay_ms": delay_ms}
    metrics = softdock.simulate(softdock.load_scenario("epos_1d", changes)).metrics
    theory = math.exp(0.5 * math.pi * w * 1e-3 * (delay_ms + 2.0))
    share = metrics["energy_added_J"] / metrics["ledger"]["kinetic_start_J"]
    print(f"{delay_ms:10g}  {metrics['restitution']:11.4f}  {theory:15.4f}  {share:+14.1%}")
