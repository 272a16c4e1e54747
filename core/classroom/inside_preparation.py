"""What looking inside a model needs traced, while somebody looks at the first page that needs much."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from core.classroom.memory import has_room_for_programs
from core.classroom.trained_model import TrainedModel
from core.config import DecodingConfig

_BEAMS = 4  # that the page offers first
_PAUSE_SECONDS = 1.0  # between two graphs, each of which keeps Python busy for seconds

_log = logging.getLogger(__name__)


def prepare_inside_in_background(model: TrainedModel) -> threading.Thread:
    """Trace one graph after another; whoever is faster waits for the one he needs."""
    thread = threading.Thread(
        target=_prepare, args=(model, _PAUSE_SECONDS), daemon=True, name=f"prepare inside {model.id}"
    )
    thread.start()
    return thread


def _prepare(model: TrainedModel, pause: float) -> None:
    try:
        for trace in _traces(model):
            if not has_room_for_programs():
                return
            trace()
            time.sleep(pause)
    except Exception:  # whoever opens a page sees the reason
        _log.exception("Preparing to look inside %s failed", model.id)


def _traces(model: TrainedModel) -> tuple[Callable[[], object], ...]:
    """What to call so that every page's graphs are traced, in the order of the pages."""
    translator = model.translator  # before the imports: it loads TensorFlow in the one place for that
    from core.interpretability.heads.gated_translation import translate_without
    from core.interpretability.heads.gates import without_heads
    from core.interpretability.teacher_forcing import ForcedPair, log_probabilities_of
    from core.interpretability.tracer import Tracer
    from core.interpretability.writing import Writer

    source = translator.source_tokenizer.vocabulary.unknown_id
    target = translator.target_tokenizer.vocabulary
    pair = ForcedPair.of_ids(translator, [source], [target.unknown_id, target.end_id])
    ids = (pair.source[None], pair.decoder_input[None], pair.predicted[None])
    tracer, writer = Tracer(translator), Writer(translator)
    unchanged = without_heads(translator.config, [()])
    return (
        lambda: tracer.trace(*ids[:2]),
        lambda: writer.write([source], DecodingConfig(), [target.unknown_id]),
        lambda: log_probabilities_of(tracer, *ids, unchanged),
        lambda: translate_without(translator, [source], ()),
        lambda: writer.write([source], DecodingConfig(beam_size=_BEAMS)),
    )
