"""A rig in real time: the session around the compiled loop, its lock, its recording, series of
runs. softdock is no safety function: the robots' own limits are the guard."""
