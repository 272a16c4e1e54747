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
        import tensorflow

        import core.decoding.translator
        import core.storage.snapshot
        import core.training.loop  # noqa: F401

        # Else it warns about many small compiled functions, which is what a search of many shapes is.
        tensorflow.get_logger().setLevel("ERROR")
        _done.set()
