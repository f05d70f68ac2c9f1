"""How sure a graph is: its stability under resampling, its posterior, its path along penalties."""
