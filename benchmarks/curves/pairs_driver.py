"""Methods of other programs on cause-effect pairs, run by pairs.py in their own environment.

``python pairs_driver.py METHOD PAIRS.json`` reads the pairs, and prints, as JSON, a number for
each: above 0 if the first column is found to be the cause, below 0 if the second, 0 if none; and
CPU seconds in all.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np


def of_cdt(name: str) -> Callable[[Any, Any], float]:
    """Return a pairwise method of cdt."""

    def decide(a: Any, b: Any) -> float:
        from cdt.causality import pairwise

        found = getattr(pairwise, name)().predict_proba((a.reshape(-1, 1), b.reshape(-1, 1)))
        return float(np.ravel(found)[0])

    return decide


def resit(a: Any, b: Any) -> float:
    """RESIT of lingam with the regressor of its own example: the order that it finds."""
    import lingam
    from sklearn.ensemble import RandomForestRegressor

    regressor = RandomForestRegressor(max_depth=4, random_state=0)
    found = lingam.RESIT(regressor=regressor, random_state=0).fit(np.column_stack([a, b]))
    return 1.0 if found.causal_order_[0] == 0 else -1.0


METHODS: dict[str, Callable[[Any, Any], float]] = {
    "cdt-anm": of_cdt("ANM"),
    "cdt-igci": of_cdt("IGCI"),
    "cdt-reci": of_cdt("RECI"),
    "cdt-cds": of_cdt("CDS"),
    "lingam-resit": resit,
}


def main(method: str, path: str) -> None:
    """Decide all pairs, and tell."""
    warnings.simplefilter("ignore")
    pairs = json.loads(Path(path).read_text(encoding="utf-8"))
    decide, found = METHODS[method], []
    decide(*np.random.default_rng(0).standard_normal((2, 50)))
    start = time.process_time()
    for a, b in pairs:
        try:
            found.append(decide(np.array(a), np.array(b)))
        except Exception:
            found.append(0.0)
    print("\n" + json.dumps({"found": found, "cpu": time.process_time() - start}))


if __name__ == "__main__":
    main(*sys.argv[1:])
