"""Files that only their owner may write: how the gate's state and the records are kept."""
