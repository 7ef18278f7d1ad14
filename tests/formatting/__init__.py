"""Tests of the formatter: what it makes of rule files, and that they still mean the same."""
