import gc
import os
import threading
from importlib.util import find_spec

_importing = threading.Lock()
_done = threading.Event()


def has_tensorflow() -> bool:
    """Return whether TensorFlow is installed; in the app it trains models and does nothing else."""
    return find_spec("tensorflow") is not None


def load_tensorflow() -> None:
    """Import TensorFlow and what trains with it; called before any such import in a thread of a server.

    Two threads that import TensorFlow at once see each other's half-made modules and fail, so the first
    one imports and the others wait.
    """
    with _importing:
        if _done.is_set():
            return
        # A matrix product on one core. Those of the classroom's sizes are over before a second core has begun: shared,
        # a training takes half as long again. Other cores work on other products, and for other visitors.
        os.environ.setdefault("TF_NUM_INTRAOP_THREADS", "1")
        import tensorflow

        import core.checkpoints.snapshot
        import core.training.loop  # noqa: F401

        # Else it warns about many small compiled functions.
        tensorflow.get_logger().setLevel("ERROR")
        # Its million objects never go: Python would walk them again and again, a tenth of a second each time.
        gc.collect()
        gc.freeze()
        _done.set()
