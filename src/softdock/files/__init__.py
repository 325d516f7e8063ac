"""Files and folders as such: read within bounds, written whole or not at all, refused where
something stands; TOML text with the line of each key, and tables of values strictly read."""
