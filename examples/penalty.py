"""
Which penalty
=============

How far the class found is from the true one, for weights of the penalty from 1/4 to 16. Means over
ten simulated tables, with the standard error of the mean.
"""

import matplotlib.pyplot as plt
import numpy as np

from greedag import Moments, learn, metrics, simulate

ALPHAS = (0.25, 0.5, 1, 2, 4, 8, 16)
SEEDS = range(10)

# %%
# A search needs moments only, so each table is counted once.


def distances(n):
    """Return SHD by table and alpha."""
    found = []
    for seed in SEEDS:
        drawn = simulate.linear_gaussian(d=15, rho=1.5, n=n, seed=seed)
        moments = Moments.from_data(drawn.data)
        classes = [learn(moments, alpha=alpha).cpdag for alpha in ALPHAS]
        found.append([metrics.shd(cpdag, drawn.cpdag) for cpdag in classes])
    return np.array(found)


# %%
# The best weights lie between 1 and 4, whatever the number of rows; 2 is the default.

figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
for n in (300, 1_000, 10_000):
    shd = distances(n)
    error = shd.std(axis=0, ddof=1) / np.sqrt(len(shd))
    ax.errorbar(ALPHAS, shd.mean(axis=0), error, marker="o", capsize=3, label=f"{n:,} rows")
ax.set_xscale("log", base=2)
ax.set_xticks(ALPHAS, [f"{alpha:g}" for alpha in ALPHAS])
ax.set_ylim(bottom=0)
ax.set_xlabel("alpha")
ax.set_ylabel("SHD to the true class")
ax.legend(frameon=False)
