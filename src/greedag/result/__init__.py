"""What a search found, and what can be asked of it."""
