"""The bundles that come with Callgate: data, no code."""
