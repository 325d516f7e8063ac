"""Measured plus virtual contact (Zebenay)."""
