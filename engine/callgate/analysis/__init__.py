"""What can be said about a graph and its decisions: explanations, why-not, drawings, tools."""

__all__: list[str] = []
