"""The rules of the catalogue. Every module here may define some; see `callgate.lint.catalogue`."""

__all__: list[str] = []
