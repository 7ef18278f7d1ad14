"""The pages of codes, one for each: data, no code."""
