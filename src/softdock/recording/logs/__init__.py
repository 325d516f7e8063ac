"""Logs of other programs read as recordings: tables, a map that says what their columns are, and
the recording that comes of both.

    tables    table_files, mcap_tables, tables (csv form, columns)
    the map   mapping, map_parts, units (units, attitudes), guess, guess_parts, guess_text
    reading   clocks, readings (motions, wrenches), importing
"""
