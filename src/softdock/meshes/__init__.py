"""Triangle meshes as contact geometry: files read and checked, distances, and a grid of distances
that compiled code interpolates."""
