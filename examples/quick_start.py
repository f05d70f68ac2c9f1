"""
From a table to a graph
=======================

The shortest path: a table, a class, a drawing, a reason for each edge.
"""

from greedag import learn, metrics, simulate

# %%
# Any table would do; this one brings its true class along.

drawn = simulate.linear_gaussian(d=12, rho=1.5, n=5_000, seed=8)
result = learn(drawn.data)
print(result)

# %%
# Undirected edges are dashed: the data fit both directions. Wider strokes are stronger edges.

result.view()

# %%
# The same with matplotlib:

result.plot()

# %%
# Why is the weakest edge there?

weakest = result.strengths()[-1]
print(result.explain(weakest.a, weakest.b))

# %%
# And how far is it all from the truth?

print("SHD:", metrics.shd(result.cpdag, drawn.cpdag))
print(metrics.precision_recall_f1(result.cpdag, drawn.cpdag))
