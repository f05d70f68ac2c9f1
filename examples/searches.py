"""
The searches compared
=====================

All six searches on the same simulated tables of 25 columns, as the paper does: structural Hamming
distance to the true class, and the score above that of the true class.
"""

import matplotlib.pyplot as plt
import numpy as np

from greedag import Moments, learn, metrics, score_graph, simulate

SEARCHES = ("ges", "fges", "ges-r", "ops", "xges0", "xges")
SEEDS = range(8)

# %%
# Below 0, the true class scores higher than the class found: the search has missed it. Above 0, the
# search did all it could, and the difference from the truth is chance in the rows.

shd, gap, seconds = [], [], []
for seed in SEEDS:
    drawn = simulate.linear_gaussian(d=25, rho=3, n=10_000, seed=seed)
    moments = Moments.from_data(drawn.data, names=drawn.names)
    truth = score_graph(moments, drawn.cpdag)
    results = [learn(moments, search=search) for search in SEARCHES]
    shd.append([metrics.shd(result.cpdag, drawn.cpdag) for result in results])
    gap.append([result.score - truth for result in results])
    seconds.append([result.timings["search"] for result in results])

figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.6), layout="constrained")
for ax, values, label in ((left, shd, "SHD"), (right, gap, "score above the truth's")):
    ax.boxplot(np.array(values), tick_labels=SEARCHES)
    ax.set_ylabel(label)
left.set_ylim(bottom=0)
right.axhline(0, linewidth=0.8, color="grey")

# %%
# And the time they take: the median over the tables, in milliseconds:

for search, middle in zip(SEARCHES, np.median(seconds, axis=0), strict=True):
    print(f"{search:6} {1000 * middle:6.1f}")
