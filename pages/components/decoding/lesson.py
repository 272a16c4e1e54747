"""What the page says below its figures."""

from __future__ import annotations

from core.config import DecodingConfig
from core.inference.search import beam_search, greedy_search, kept_probabilities
from pages.components.lesson.exercises import decoding as exercises
from pages.components.lesson.explanation import Formula, Lesson


def lesson_for(decoding: DecodingConfig) -> Lesson:
    """Of the search that is shown."""
    if decoding.samples:
        return Lesson(*_SAMPLING, code=(kept_probabilities,), exercise=exercises.SAMPLING)
    if decoding.beam_size > 1:
        return Lesson(*_BEAM, code=(beam_search,), exercise=exercises.BEAM)
    return Lesson(*_GREEDY, code=(greedy_search,), exercise=exercises.GREEDY)


_CHAIN = Formula(
    r"\log P(y \mid x) = \sum_{t=1}^{T} \log P(y_t \mid y_{<t},\, x)",
    "What the steps add up to: Vaswani et al. 2017, section 3, auto-regressive",
)

_GREEDY = (
    "Greedy decoding never revisits a choice: every later step is conditioned on the tokens already written. Choose "
    "another token where two are nearly as likely, and see how much of the rest changes.",
    (
        _CHAIN,
        Formula(
            r"y_t = \operatorname{argmax}_{v}\; P(v \mid y_{<t},\, x)", "Greedy decoding, one token at a time"
        ),
    ),
)
_BEAM = (
    "Beam search keeps the best few hypotheses at each step. Follow the thick line back: where the winner did not take "
    "the likeliest next token, greedy decoding would have lost it. Gray crosses are pruned for good.",
    (
        Formula(
            r"s(y) = \frac{\log P(y \mid x)}{lp(y)}, \quad lp(y) = \left(\frac{5 + |y|}{6}\right)^{\alpha}",
            "Wu et al. 2016, section 7, equation (14), without its coverage penalty",
        ),
        _CHAIN,
    ),
)
_SAMPLING = (
    "Samples differ where the model is uncertain, and agree where it is sure. A low temperature keeps them close to "
    "the greedy translation; a high one soon adds things that are not in the source. A translation has to be right, so "
    "it is usually searched for; stories are sampled.",
    (
        Formula(
            r"p_v = \frac{e^{z_v / \tau}}{\sum_{w} e^{z_w / \tau}}",
            "Temperature τ over the logits z, among the tokens that top-k (Fan et al. 2018) and top-p "
            "(Holtzman et al. 2020) keep",
        ),
    ),
)
