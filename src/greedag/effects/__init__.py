"""From the graph to an answer: what happens to one column if another is changed."""
