"""The seam between controller and facility as one datagram each way, for any rig that can send and
receive UDP: Simulink, TwinCAT, LabVIEW, C. docs/udp.md describes it.

    packet              the bytes, with version, sequence, stamps and checksum
    facility            softdock's end: a `Facility` for `softdock.drive`
    server              the other end in Python, for a `Facility` on another computer
    softdock_seam.h     the other end in C: one header
    peer.c, peer.py     reference peers that need no softdock: copy one and put your rig in
"""
