"""The command `serve`: translations over HTTP."""

import argparse
import threading
from pathlib import Path

from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.model_file import SUFFIX
from core.checkpoints.shipped import find_checkpoint, shipped_checkpoints
from core.commands.flags import check_minimum, require_ray
from core.commands.terminal.interrupts import Interrupts
from core.errors import InputError


def serve(options: argparse.Namespace) -> int:
    """Answer requests until Ctrl-C; return the exit code."""
    check_minimum(options, port=1, replicas=1, max_replicas=1, cpus=1)
    most = options.max_replicas or options.replicas
    if most < options.replicas:
        raise InputError(f"--max-replicas must be at least --replicas ({options.replicas}). Received: {most}")
    require_ray("serve")
    checkpoints = _checked(options.checkpoints)
    from core.cluster.connection import start_cluster
    from core.cluster.serving import ServingPlan, start_serving, stop_serving
    from core.server.settings import server_settings

    plan = ServingPlan(
        checkpoints, server_settings(), options.host, options.port, options.replicas, most, options.cpus
    )
    start_cluster(options.address)  # before `Interrupts`: Ray sets a signal handler
    with Interrupts():
        try:
            start_serving(plan)
            where = f"http://{options.host}:{options.port}"
            print(f"Serving {', '.join(checkpoints)} at {where}. Ctrl-C ends it.", flush=True)
            threading.Event().wait()
        except KeyboardInterrupt:
            return 0
        finally:
            stop_serving(joined=options.address is not None)
    return 0


def _checked(names: list[str]) -> dict[str, str]:
    """Return the paths of checkpoints by their names in requests, after opening each once to find errors early."""
    found: dict[str, str] = {}
    for name in names or shipped_checkpoints():
        path = find_checkpoint(name)
        Checkpoint.load(path)
        short = Path(name).name.removesuffix(SUFFIX)
        if short in found:
            raise InputError(f"Two checkpoints are called {short!r}. Rename one.")
        found[short] = str(path.resolve())
    return found
