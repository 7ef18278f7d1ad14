"""Proposals: test cases for what the tests of a policy do not reach."""

__all__: list[str] = []
