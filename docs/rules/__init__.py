"""The pages of lint rules, one for each: data, no code."""
