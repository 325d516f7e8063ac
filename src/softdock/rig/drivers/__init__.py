"""Drivers: both ends of the wire as Python holds them. A driver knows bytes, sockets and files of a
controller or a sensor; it knows no rig file, no scenario and no run.

    robots     rsi_config (Ethernet file to telegram tables), rsi_templates (files for a controller)
    sensors    net_ft_page (the Net F/T's own page)
    transport  sockets (Python, one datagram at a time), links (what was heard of each peer),
               compiled_loop (the loop that answers robots)
    emulated   emulated_robot, emulated_sensor, emulation (what is emulated, faults, virtual time),
               emulators (processes on loopback)
"""
