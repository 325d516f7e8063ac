"""Files and folders as such: written whole or not at all, refused where something stands."""
