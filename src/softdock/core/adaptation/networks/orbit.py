"""How orbit has a listed network: not at all (a virtual contact, which is part of the rig), hanging
on a satellite, or as the satellite itself."""

NOT_IN_ORBIT, APPENDAGE, SATELLITE = 0, 1, 2
