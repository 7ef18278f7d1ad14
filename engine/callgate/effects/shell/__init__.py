"""Shell text to a small tree of commands with decoded words."""
