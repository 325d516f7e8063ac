"""Recordings: a ring in shared memory, a process that follows it into an MCAP file with ROS 2
messages, recovery of what was cut, and reading back. See docs/recording.md."""
