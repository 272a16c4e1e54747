"""Training one model with several processes on this machine, which share each batch.

`tf.distribute.MultiWorkerMirroredStrategy` sums the gradients, so that all processes have the same weights after each
step. It reads TF_CONFIG: the addresses of the processes, and the index of this one. This module does not use Ray.
"""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

import tensorflow as tf

from core.errors import InputError

_VARIABLE = "TF_CONFIG"


def is_helper() -> bool:
    """Return whether `local_workers` started this process."""
    return _VARIABLE in os.environ


def all_workers() -> tf.distribute.Strategy:
    """Wait for all workers, and return the strategy; call this before TensorFlow computes anything."""
    return tf.distribute.MultiWorkerMirroredStrategy()


@contextmanager
def local_workers(number: int, arguments: Sequence[str]) -> Iterator[None]:
    """Start the other workers with the same arguments, and end them with the context; this process is the first.

    Raises:
        InputError: a worker has ended within the context.
    """
    addresses = [f"127.0.0.1:{port}" for port in _free_ports(number)]
    configs = [
        json.dumps({"cluster": {"worker": addresses}, "task": {"type": "worker", "index": index}})
        for index in range(number)
    ]
    # In their own sessions, so that Ctrl-C reaches only the first process, which saves.
    helpers = [
        subprocess.Popen(
            [sys.executable, "-m", "core", *arguments],
            env={**os.environ, _VARIABLE: config},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        for config in configs[1:]
    ]
    os.environ[_VARIABLE] = configs[0]
    try:
        yield
    except tf.errors.OpError as error:
        raise InputError(
            f"A worker has ended or failed ({type(error).__name__}). Run the same command again to continue from the "
            "last saved step."
        ) from error
    finally:
        del os.environ[_VARIABLE]
        for helper in helpers:
            helper.kill()
            helper.wait()


def _free_ports(number: int) -> list[int]:
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(number)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
