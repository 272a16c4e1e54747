"""The logit lens: predictions from each layer, as if it were the last. Axis letters: see `core.config`."""

import numpy as np

from core.inference.model import state_names
from core.inference.search import log_softmax
from core.interpretability.teacher_forcing import ForcedPair, Tracer
from core.records.analysis import Lens, LensKind


def depth_lens(tracer: Tracer, pair: ForcedPair, kind: LensKind) -> Lens:
    """Return the predictions from each layer of a stack, as if it were the last.

    For the decoder, this is the logit lens (nostalgebraist 2020); for the encoder, the decoder reads the output of an
    earlier layer (DecoderLens, Langedijk et al. 2023). The output of layer l replaces that of the last layer. The rest
    of the pass is unchanged: the final norm of a pre-norm stack and all that follows it.
    """
    states = state_names(kind, tracer.config)
    found = tracer.results(pair, states)
    vocabulary = tracer.translator.target_tokenizer.vocabulary.tokens
    tokens = []
    highest = []
    of_written = []
    ranks = []
    for state in states:
        changes = {states[-1]: lambda value, earlier=found[state]: earlier}
        logits = tracer.results(pair, ["output"], changes)["output"]
        log_probability = log_softmax(logits[0])  # (T, V)
        written = np.take_along_axis(log_probability, pair.predicted[:, None], axis=-1)
        tokens.append(tuple(vocabulary[i] for i in log_probability.argmax(axis=-1)))
        highest.append(log_probability.max(axis=-1))
        of_written.append(written[:, 0])
        ranks.append(1 + (log_probability > written).sum(axis=-1))
    return Lens(
        kind=kind,
        predicted_tokens=pair.predicted_tokens,
        tokens=tuple(tokens),
        probability=np.exp(highest),
        final_probability=np.exp(of_written),
        final_rank=np.array(ranks),
    )
