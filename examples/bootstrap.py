"""
How often an edge comes back
============================

The bootstrap draws as many rows as there are, with replacement, and learns again. A weight of 2 is
a row drawn twice, so that the table need not be copied.
"""

from collections import Counter

import matplotlib.pyplot as plt
import numpy as np

from greedag import learn, simulate

DRAWS = 100
drawn = simulate.linear_gaussian(d=10, rho=1.5, n=500, seed=3)
result = learn(drawn.data)
rng = np.random.default_rng(0)

# %%
# Count the edge of each pair of columns in each draw.

counts = Counter()
n = len(drawn.data)
for _ in range(DRAWS):
    weights = rng.multinomial(n, np.full(n, 1 / n))
    cpdag = learn(drawn.data, sample_weight=weights).cpdag
    counts.update(frozenset(pair) for pair in (*cpdag.directed, *cpdag.undirected))
    counts.update(cpdag.directed)

# %%
# For each edge of the class: in how many draws the two are adjacent at all, and in how many by an
# arrow that points the same way. False edges are marked.

edges = result.strengths()
labels, adjacent, same = [], [], []
for edge in edges:
    is_true = drawn.cpdag.edge(edge.a, edge.b) != ""
    labels.append(f"{edge.a} {edge.edge} {edge.b}{'' if is_true else '  (false)'}")
    adjacent.append(counts[frozenset((edge.a, edge.b))] / DRAWS)
    same.append(counts[edge.a, edge.b] / DRAWS if edge.edge == "→" else 0)

figure, ax = plt.subplots(figsize=(6.5, 4.5), layout="constrained")
place = np.arange(len(edges))
ax.barh(place, adjacent, color="lightgrey", label="adjacent")
ax.barh(place, same, height=0.4, label="same arrow")
ax.set_yticks(place, labels)
ax.invert_yaxis()
ax.set_xlim(0, 1)
ax.set_xlabel("share of draws")
ax.set_title("strongest edge first", fontsize="medium")
figure.legend(loc="outside lower center", ncols=2, frameon=False)

# %%
# True edges that the class lacks, and how often they are drawn:

for a, b in (*drawn.cpdag.directed, *drawn.cpdag.undirected):
    if result.cpdag.edge(a, b) == "":
        print(f"{a} and {b}: in {counts[frozenset((a, b))]} of {DRAWS} draws")

# %%
# The share says how much an edge depends on a few of these rows. It is not the probability that the
# edge is true. Whatever misleads every draw alike, a hidden cause above all, comes back every time.
