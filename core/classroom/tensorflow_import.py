import os
import threading

_importing = threading.Lock()
_done = threading.Event()


def load_tensorflow() -> None:
    """Import TensorFlow and what needs it; called before any such import in a thread of a server.

    Two threads that import TensorFlow at once see each other's half-made modules and fail, so the first
    one imports and the others wait.
    """
    with _importing:
        if _done.is_set():
            return
        # A matrix product on one core. Those of the classroom's sizes are over before a second core has begun: shared,
        # a step of a translation takes 2.7 ms instead of 1.8 and twice the CPU time, a training half as long again.
        # Other cores work on other products, and for other visitors.
        os.environ.setdefault("TF_NUM_INTRAOP_THREADS", "1")
        import tensorflow

        import core.checkpoints.snapshot
        import core.inference.translator
        import core.training.loop  # noqa: F401

        # Else it warns about many small compiled functions, which is what a search of many shapes is.
        tensorflow.get_logger().setLevel("ERROR")
        _done.set()
