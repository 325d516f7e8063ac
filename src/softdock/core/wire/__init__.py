"""Bytes to numbers and back, peers' clocks, and the logic of emulated peers; no socket.

Every function takes plain numbers and arrays that the caller owns, so the same code serves a
compiled socket loop, Python sockets and virtual time.
"""
