"""
Files larger than memory
========================

Moments are counted from files in one pass, and then a search takes as long as for any other table.
Here three small files stand for large ones.
"""

import tempfile
from pathlib import Path

import pandas as pd

from greedag import Moments, learn, simulate

drawn = simulate.linear_gaussian(d=12, rho=1.5, n=60_000, seed=6)
folder = Path(tempfile.mkdtemp())
for k in range(3):
    part = pd.DataFrame(drawn.data[k::3], columns=drawn.names)
    part.to_parquet(folder / f"part-{k}.parquet")

# %%
# Files are read chunk by chunk: a callback can follow, and ``progress=True`` shows a line.

read = []
moments = Moments.from_file(folder / "part-*.parquet", progress=read.append)
print(moments)
print(f"{read[-1].rows:,} rows in {len(read)} chunks")

# %%
# The moments take a few kilobytes, whatever the number of rows. They can be kept, sent, and merged
# with those of rows that come later.

moments.save(folder / "all.moments")
print((folder / "all.moments").stat().st_size, "bytes")
later = Moments.from_data(pd.DataFrame(drawn.data[:1_000], columns=drawn.names))
print((moments + later).n, "rows together")

# %%
# And the search:

result = learn(moments)
print("the same class as from all rows at once:", result.cpdag == learn(drawn.data).cpdag)
result.plot()
