"""
Missing values: dropping rows or EM
===================================

As more values are missing, which method loses less? Values are missing completely at random here,
the case in which both are right.
"""

import matplotlib.pyplot as plt
import numpy as np

from greedag import learn, metrics, simulate

SHARES = (0.0, 0.05, 0.1, 0.2, 0.3)
SEEDS = range(15)

# %%
# With ten columns and a tenth of the values missing, two rows in three lack a value. Bars
# are standard errors over fifteen tables.

shd = {"drop": [], "em": []}
for share in SHARES:
    distance = {"drop": [], "em": []}
    for seed in SEEDS:
        drawn = simulate.linear_gaussian(d=10, rho=1.5, n=1_000, seed=seed)
        is_missing = np.random.default_rng(seed).random(drawn.data.shape) < share
        table = np.where(is_missing, np.nan, drawn.data)
        for missing in shd:
            cpdag = learn(table, missing=missing).cpdag
            distance[missing].append(metrics.shd(cpdag, drawn.cpdag))
    for missing, values in distance.items():
        shd[missing].append((np.mean(values), np.std(values, ddof=1) / np.sqrt(len(values))))

figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
for missing, marker in (("drop", "o"), ("em", "s")):
    mean, error = np.transpose(shd[missing])
    ax.errorbar(SHARES, mean, error, marker=marker, capsize=3, label=f'missing="{missing}"')
ax.set_xlabel("share of values missing")
ax.set_ylabel("SHD to the true class")
ax.set_ylim(bottom=0)
ax.legend(frameon=False)

for share in SHARES:
    rows = 1_000 * (1 - share) ** 10
    print(f"{100 * share:3.0f} % missing: about {rows:4.0f} of 1000 rows are complete")
