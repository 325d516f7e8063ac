"""A rig in real time. softdock is no safety function: the robots' own limits are the guard.

drivers/       bytes, sockets, and files of controllers and sensors; emulated peers
wire/          the compiled side of the drivers: telegrams, records, clocks, the loop
supervisor/    the compiled program of a run: states, checks, limits, stops, replies

the rig file   schema, model, file (read), checks (against itself), writing (a new one,
               changed values)
before a run   scenario (a scenario on a rig, its limits and plan as numbers), preflight (what
               would stop it, found in virtual time), emulated_rig (peers from the rig file),
               machine (what this computer can do; machine code ready)
a run          peers (lock, sockets), session (the loop, run after run), program (the
               supervisor's arrays), outcome (what it came to), runs (series, recordings,
               acceptance)
measuring      conversation (listening), measure (tool, bias, delays)
"""
