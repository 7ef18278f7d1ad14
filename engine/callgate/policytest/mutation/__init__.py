"""Mutation of a policy: it is changed in one small way at a time, and its own tests should notice.

`mutants` makes the changes, `rebuild` the typed policy of one, `recorded` what the tests see of the
policy as it is, `trial` says whether a test notices, `telling` looks for a call that tells two
policies apart, `run` does it all, in several processes.
"""

__all__: list[str] = []
