"""Robots and sensors that speak their own protocols: files, emulators, virtual time.

Host side; what is compiled stands in softdock.core.wire. Nothing binds beyond 127.0.0.1 unless an
address is stated, and datagrams are taken from the stated address only.
"""
