"""
What comes first: tiers on a real table
=======================================

1,629 smokers, seen in 1971 and in 1982, and followed until 1992 (NHEFS, public domain). Without
knowledge, some arrows of the best class point back in time, and to sex and age. One line on what
comes before what excludes that. :doc:`/tiers` tells the whole story, doubts included. The script
reads the table from ``docs/data``, and is run in the folder ``examples``.
"""

import pandas as pd

from greedag import Knowledge, learn

smokers = pd.read_csv("../docs/data/smokers.csv")
options = {"missing": "drop", "kinds": {"exercise71": "continuous"}}
before = learn(smokers, **options)
before.graph.plot()

# %%
# Before: arrows into sex and age, and from death (by 1992) to blood pressure (in 1982).

print("into sex:", *before.graph.parents("sex"))
print("into age:", *before.graph.parents("age"))
print("from died:", *before.graph.children("died"))

# %%
# What is known: no column is a cause, direct or indirect, of one to the left of a ``<``.

known = Knowledge(
    tiers="sex, age < height, school < income, cigarettes, exercise71, weight71"
    " < quit < weight82, pressure82 < died"
)
after = learn(smokers, **options, knowledge=known)
after.graph.plot()

# %%
# What changed:

changed = after.compare(before)
for pair in changed.turned + changed.extra + changed.missing:
    print(f"{pair.a}, {pair.b}:  {pair.here or 'no edge'}  was  {pair.there or 'no edge'}")

# %%
# Which directions rest on the tiers alone, and what all of it costs. The other arrows follow from
# v-structures of a class that was itself chosen among those that the tiers admit.

for (tail, head), reason in after.graph.reasons().items():
    if reason.rule == "knowledge":
        print(tail, "→", head)
print(f"score lost: {before.score - after.score:.1f}")
