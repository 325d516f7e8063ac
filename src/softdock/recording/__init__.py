"""Recordings: a ring in shared memory, a process that follows it into an MCAP file with ROS 2
messages, recovery of what was cut, and reading back. See docs/recording.md.

    what a loop writes   ring_layout (rows, slots), ring_file (rings in memory), rings (of others)
    what is recorded     streams, event_text, messages (ROS 2), mcap_file
    processes            recorder (to a file), live (to Foxglove)
    reading back         read, recover, recording, contacts, recorded_run (its verdict)
    of a simulation      simulated
    of other programs    logs/
"""
