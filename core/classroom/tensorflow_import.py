import gc
import threading

_importing = threading.Lock()
_done = threading.Event()


def load_tensorflow() -> None:
    """Import TensorFlow and what needs it; called before any such import in a thread of the app.

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

        # Else it warns of many small compiled functions, which is what a search of many shapes is.
        tensorflow.get_logger().setLevel("ERROR")
        _keep_keras_session()
        # Streamlit collects garbage after each script run. Without this, each time would walk the
        # million objects of TensorFlow, which never go: a tenth of a second in which nobody trains.
        gc.collect()
        gc.freeze()
        _done.set()


def _keep_keras_session() -> None:
    """Make Streamlit leave Keras alone.

    After every script run, of anybody's, Streamlit calls `keras.backend.clear_session()` (1.67,
    script_runner._clean_problem_modules). That wipes the name scopes of a model which another thread is
    building, and the compiled kernels of every training that runs: models come out broken, and a step
    takes a hundred times as long. This app keeps no Keras session that would need clearing.
    """
    import keras

    keras.backend.clear_session = lambda free_memory=True: None
