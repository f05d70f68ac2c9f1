"""
A hidden common cause
=====================

Ten columns that share nothing but one cause, which is not in the table. The stronger it is, the
more edges are found; none of them is true.
"""

import matplotlib.pyplot as plt
import numpy as np

from greedag import learn

COLUMNS, ROWS = 10, 5_000
rng = np.random.default_rng(0)
hidden = rng.standard_normal((ROWS, 1))
noise = rng.standard_normal((ROWS, COLUMNS))

# %%
# How many edges are found, with the hidden column left out and with it in the table.

strengths = np.linspace(0.0, 1.0, 11)
without, along = [], []
for strength in strengths:
    table = noise + strength * hidden
    without.append(len(learn(table).strengths()))
    along.append(len(learn(np.hstack([table, hidden])).strengths()))

figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
ax.plot(strengths, without, marker="o", label="cause left out")
ax.plot(strengths, along, marker="s", label="cause in the table")
ax.axhline(COLUMNS * (COLUMNS - 1) / 2, linewidth=0.8, linestyle="--", color="grey")
ax.text(0.0, COLUMNS * (COLUMNS - 1) / 2 - 2.5, "all pairs adjacent", color="grey")
ax.set_xlabel("effect of the hidden cause on each column (noise 1)")
ax.set_ylabel("edges found")
ax.legend(frameon=False, loc="center right")

# %%
# With the cause in the table, the ten true edges are found, and no others. What a notebook shows:

learn(np.hstack([noise + 0.5 * hidden, hidden])).view()
