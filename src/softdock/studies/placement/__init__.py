"""Does this docking fit these robots, and where should they stand?

`check_run` sends a whole run through the arms of a facility; `search` tries places for one robot.
"""

from softdock.studies.placement.check import Check, check_run
from softdock.studies.placement.motion import Motion, motion_of
from softdock.studies.placement.search import Found, search

__all__ = ["Check", "Found", "Motion", "check_run", "motion_of", "search"]
