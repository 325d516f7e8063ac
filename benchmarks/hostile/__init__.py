"""Hostile users, kept: random scenarios, mutated files, damaged folders, killed campaigns.

Parts of `make prove`; a fresh seed each time unless one is given, counts returned, and every
failure kept as a file that can become a test.
"""
