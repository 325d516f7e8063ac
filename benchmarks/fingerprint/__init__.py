"""The fingerprint of what softdock computes: by case and channel, compared to the bit.

    python -m benchmarks.fingerprint take OUT.json          of the sources that Python imports
    python -m benchmarks.fingerprint compare A.json B.json  exit code 1 if anything differs
    python -m benchmarks.fingerprint against REV            another commit here, then compare

A change that means to move no number proves it so. Two fingerprints are comparable on one machine
with one set of packages: another CPU may round differently. Only names that users have are imported
(places.py), so that one program takes the fingerprint of commits whose inside differs.

OUT.json has one JSON object a line: the first says of what it is, each other one is a case. Lines
are added as cases end; after an interruption the same command goes on.
"""
