"""Lange, Grunwald, Albu-Schaeffer: robotic simulation of on-orbit servicing including hard impacts."""
