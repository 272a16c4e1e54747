"""Translations over HTTP with Ray Serve, by as many replicas as the requests need."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ray
from ray import serve
from ray.serve.config import AutoscalingConfig, HTTPOptions
from starlette.requests import Request
from starlette.responses import JSONResponse

from core.checkpoints.checkpoint import Checkpoint
from core.cluster.connection import worker_environment
from core.cluster.translation_service import FAILED, TOO_LARGE, TranslationService, max_request_bytes
from core.server.settings import Settings

_log = logging.getLogger("ray.serve")

_APPLICATION = "translation"
_BUSY_REQUESTS = 16  # average requests per replica from which another replica starts
_MAX_ONGOING = 64  # requests per replica at a time
_MAX_WAITING = 1000  # requests that wait for a replica; further ones get a 503


@dataclass(frozen=True)
class ServingPlan:
    """The checkpoints to serve, and the resources."""

    checkpoints: dict[str, str]  # paths on every machine, by the models' names in requests
    settings: Settings
    host: str = "127.0.0.1"
    port: int = 8000
    min_replicas: int = 1
    max_replicas: int = 1
    cpus: int = 1  # per replica


def start_serving(plan: ServingPlan) -> None:
    """Start serving, or update a running application, and return when the replicas are ready."""
    seconds = plan.settings.max_translation_seconds
    serve.start(http_options=HTTPOptions(host=plan.host, port=plan.port, request_timeout_s=seconds))
    deployment: Any = serve.deployment(
        _Replica,
        ray_actor_options={"num_cpus": plan.cpus, "runtime_env": worker_environment(plan.cpus)},
        max_ongoing_requests=_MAX_ONGOING,
        max_queued_requests=_MAX_WAITING,
        autoscaling_config=AutoscalingConfig(
            min_replicas=plan.min_replicas,
            max_replicas=plan.max_replicas,
            target_ongoing_requests=_BUSY_REQUESTS,
        ),
    )
    # The arguments of a replica do not include the number of replicas, so changing it keeps the running ones.
    serve.run(
        deployment.bind(plan.checkpoints, plan.settings, plan.cpus), name=_APPLICATION, route_prefix="/"
    )


def stop_serving(joined: bool) -> None:
    """Stop the replicas, and also the cluster unless this process has `joined` an existing one."""
    if joined:
        serve.delete(_APPLICATION)
    ray.shutdown()


class _Replica:
    """A replica: one process with all models."""

    def __init__(self, checkpoints: dict[str, str], settings: Settings, cpus: int) -> None:
        translators = {name: Checkpoint.load(Path(path)).translator() for name, path in checkpoints.items()}
        self._max_bytes = max_request_bytes(settings)
        self._service = TranslationService(translators, settings, cpus)

    async def __call__(self, request: Request) -> JSONResponse:
        body = bytearray()
        async for chunk in request.stream():
            body += chunk
            if len(body) > self._max_bytes:
                message = f"A request has at most {self._max_bytes:,} bytes. Shorten the text."
                return JSONResponse({"error": message}, TOO_LARGE)
        try:
            status, values = await self._service.answer(request.method, request.url.path, bytes(body))
        except Exception:
            _log.exception("A request failed")
            return JSONResponse({"error": "The translation failed on the server. Try another text."}, FAILED)
        return JSONResponse(values, status)
