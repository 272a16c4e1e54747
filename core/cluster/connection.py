"""Connecting to a Ray cluster, or starting one on this machine."""

from __future__ import annotations

from typing import Any

import ray

_OBJECT_STORE_BYTES = 128 * 1024**2  # messages are small, and nothing stays in the store


def start_cluster(address: str | None) -> None:
    """Join the Ray cluster at an address ("auto", or its head's), or start one on this machine if it is None."""
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
    """Return the environment of a worker that translates on `cpus` cores, with its own sentences on each."""
    return {"env_vars": {"OMP_NUM_THREADS": str(cpus), "OPENBLAS_NUM_THREADS": "1"}}
