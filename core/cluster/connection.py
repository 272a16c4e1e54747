"""The Ray cluster: one that is there, or one on this machine alone."""

from __future__ import annotations

from typing import Any

import ray

_OBJECT_STORE_BYTES = 128 * 1024**2  # what travels is small, and nothing is kept there


def start_cluster(address: str | None) -> None:
    """Join the Ray cluster at an address ("auto", or its head's), or begin one on this machine where it is None."""
    if address is not None:
        ray.init(address=address, log_to_driver=False)
    else:
        ray.init(
            address="local",
            include_dashboard=False,
            log_to_driver=False,
            object_store_memory=_OBJECT_STORE_BYTES,
            _node_ip_address="127.0.0.1",
        )


def worker_environment(cpus: int) -> dict[str, Any]:
    """Return the environment of a process that translates on so many cores, sentences on each."""
    return {"env_vars": {"OMP_NUM_THREADS": str(cpus), "OPENBLAS_NUM_THREADS": "1"}}
