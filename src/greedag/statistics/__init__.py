"""What scores need of a table, counted once: moments, levels, mixed rows."""
