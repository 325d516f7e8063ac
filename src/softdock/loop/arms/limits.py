"""Limits of an arm in words: what each is called, what of the arm's numbers it rests on, and what
helps against it."""

from __future__ import annotations

LIMIT_WORDS = {
    "range": "joint range",
    "speed": "joint speed",
    "acceleration": "joint acceleration",
    "torque": "joint torque",
    "singularity": "distance from singularity",
    "reach": "reach",
}
LIMIT_HELPS = {
    "range": "another place, another tool angle, or another configuration (joints_deg)",
    "speed": "a slower approach, or a place farther from singularities",
    "acceleration": "a softer contact, a place farther from singularities, or a stronger arm",
    "torque": "a lighter mock-up, a place nearer to the base, or a stronger arm",
    "singularity": "tilting the tool mount, or another height of the base",
    "reach": "a place nearer to the motion",
}
LIMIT_NEEDS = {  # what a use rests on: keys of the arm's `published`
    "range": ("offsets", "range"),
    "speed": ("offsets", "speed"),
    "acceleration": ("acceleration",),
    "torque": ("torque", "mass", "centre", "inertia"),
    "singularity": ("offsets",),
    "reach": ("offsets",),
}
