"""New bundles from templates, and new entries in bundles that are there.

templates   what a bundle can begin as
entries     a new rule, tool or program as data
layout      an entry as text
adding      data into a bundle's files, and new files into its manifest
"""

__all__: list[str] = []
