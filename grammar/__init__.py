"""The grammars and JSON Schemas of the policy files: data, no code."""
