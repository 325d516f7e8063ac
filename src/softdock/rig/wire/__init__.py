"""Bytes to numbers and back, clocks of peers, and the logic of emulated peers, compiled; no socket.

Every function takes plain numbers and arrays that the caller owns, so the same code serves a
compiled socket loop, Python sockets and virtual time.

    bytes            numbers, telegram (RSI), rdt (Net F/T), kuka_frame
    what was heard   sequences, clocks, links
    emulated peers   emulated_robot, emulated_sensor, faults
    what joins them  program (the interface), serve and system_calls (over sockets),
                     virtual_queue (virtual time), entry_points (from Python)
"""
