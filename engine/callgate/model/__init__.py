"""Frozen data without I/O: what the stages hand to each other."""
