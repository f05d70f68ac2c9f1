"""From a table to a result."""
