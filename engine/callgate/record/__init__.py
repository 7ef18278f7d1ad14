"""Decision records: what was decided, kept so that it can be trusted and decided again."""
