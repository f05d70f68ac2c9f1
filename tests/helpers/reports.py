"""Results to report on, and how to look into a report; the tests of the report share them."""

from __future__ import annotations

import json
import re
from datetime import datetime, timezone

from greedag import Moments, Result, learn, simulate
from greedag.report import page

WHEN = datetime(2024, 5, 17, 12, 0, tzinfo=timezone.utc)


def learned(d: int, names: tuple[str, ...] | None = None, *, rho: float = 1.5) -> Result:
    data = simulate.linear_gaussian(d, rho, 3000, seed=3).data
    return learn(Moments.from_data(data, names=names))


def text_of(result: Result) -> str:
    return page.render(result, title="", when=WHEN)


def data_of(text: str) -> dict[str, list[str]]:
    (block,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
    return dict(json.loads(block))
