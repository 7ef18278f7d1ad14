"""Policy tests: calls with the decisions that a bundle's authors expect."""

__all__: list[str] = []
