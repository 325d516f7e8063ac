"""Does this docking fit these robots, and where should they stand?

`check_run` sends a whole run through the arms of a facility; `search` tries places for one robot.
"""

from softdock.studies.placement.check import Check, check_run
from softdock.studies.placement.motion import Motion, load_motion
from softdock.studies.placement.search import SearchResult, search

__all__ = ["Check", "Motion", "SearchResult", "check_run", "load_motion", "search"]
