"""How a class looks: SVG and a table in a notebook, text in a terminal, axes of matplotlib."""
