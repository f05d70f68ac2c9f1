"""A Dask cluster on this machine, whose workers are processes of their own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import dask
import distributed


@contextmanager
def two_workers() -> Iterator[Any]:
    """Run a scheduler and two worker processes."""
    with (
        dask.config.set({"distributed.worker.daemon": True}),
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            memory_limit="512MiB",
        ) as cluster,
    ):
        yield cluster
