"""Tests of decision records."""
