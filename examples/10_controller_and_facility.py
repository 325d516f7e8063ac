"""Controller and facility as two programs. You learn: how a rig of your own is attached. Replace
`exchange` by your robots and sensors; the controller sees reports alone, and what you do not know
you leave out."""

import softdock
from softdock.loop.seam import PRESENT_BITS, REPORT


class MyRig:
    """Here a simulation behind a wall, whose robots report poses and no velocities."""

    def __init__(self, scenario):
        self.inside = softdock.SimulatedFacility(scenario)

    def start(self, command, report):
        self.inside.start(command, report)
        return self.hide(report)

    def exchange(self, k, command, report):
        self.inside.exchange(k, command, report)  # send set-points, wait for poses and forces
        return self.hide(report)

    def hide(self, report):
        twists = PRESENT_BITS["chaser_twist"] | PRESENT_BITS["target_twist"]
        report[REPORT.at.present] = int(report[REPORT.at.present]) & ~twists
        return int(report[REPORT.at.status])

    def stop(self, why):
        print(f"the rig stops: {why}")


scenario = softdock.load_scenario("epos_1d")
run = softdock.drive(scenario, MyRig(scenario))
contact = run.contacts[0]
print(f"restitution {run.restitution:.4f}, {contact['peak_force_measured_N']:.3f} N measured")
print(f"observed energy {1e3 * run.ledger['observed']:+.3f} mJ")
print(f"the true force is known: {'true.chaser.force.x' in run.series}")
