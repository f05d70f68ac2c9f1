"""
What undetermined directions do to an effect
============================================

A class stands for all of its DAGs, and an effect may differ between them. Going through the members
shows which effects the data determine, and between what bounds the others lie.
"""

import numpy as np

from greedag import learn, simulate

drawn = simulate.linear_gaussian(d=8, rho=1.0, n=5_000, seed=9)
result = learn(drawn.data)
result.plot()

# %%
# The members, counted exactly:

names = result.cpdag.names
print(result.cpdag.size(), "DAGs fit equally well")

# %%
# The total effect of one column on another in a linear model is the sum over directed paths of
# products of coefficients: entry [i, j] of the inverse of I - B.


def total_effects(dag):
    """Return the matrix of total effects of one member."""
    weights = np.zeros_like(dag, dtype=float)
    for edge in result.coefficients(dag):
        weights[names.index(edge.parent), names.index(edge.child)] = edge.value
    return np.linalg.inv(np.eye(len(dag)) - weights)


effects = np.array([total_effects(dag) for dag in result.cpdag.dags()])
low, high = effects.min(axis=0), effects.max(axis=0)

# %%
# Effects that are the same in all members, and effects that depend on a direction which the data
# do not determine:

for i, cause in enumerate(names):
    for j, effect in enumerate(names):
        if i != j and max(-low[i, j], high[i, j]) > 0.2:
            is_same = high[i, j] - low[i, j] < 1e-9
            size = f"{low[i, j]:.2f}" if is_same else f"{low[i, j]:.2f} to {high[i, j]:.2f}"
            print(f"{cause} on {effect}: {size}")
