"""
Numbers and categories together
===============================

A small hospital: ward and treatment are categories, age, pressure and stay are numbers. The score
is chosen by the kinds of the columns, and the result says which.
"""

import numpy as np
import pandas as pd

from greedag import learn, scores

rng = np.random.default_rng(2)
rows = 3_000
age = rng.normal(55, 15, rows)
ward = rng.choice(["north", "south", "west"], rows)
pressure = 90 + 0.6 * age + rng.normal(0, 10, rows)
treated = rng.random(rows) < 1 / (1 + np.exp(-(pressure - 123) / 8))
stay = 4 + 1.5 * (ward == "south") + 0.05 * age - 1.0 * treated + rng.normal(0, 1, rows)
hospital = pd.DataFrame(
    {
        "age": age,
        "ward": ward,
        "pressure": pressure,
        "treatment": np.where(treated, "drug", "none"),
        "stay": stay,
    }
)
result = learn(hospital)
print(result)

# %%
# age → pressure → treatment → stay, age → stay and ward → stay are what went in.

result.plot()

# %%
# The other score for both kinds, and all numbers cut into bins:

for score in (scores.ConditionalGaussian(), "bdeu"):
    table = hospital
    if score == "bdeu":
        numbers = hospital.select_dtypes("number")
        table = hospital.assign(**numbers.apply(lambda s: pd.qcut(s, 3, labels=False).astype(str)))
    print(score)
    print(learn(table, score=score).compare(result))
