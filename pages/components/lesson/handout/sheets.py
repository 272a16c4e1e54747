"""What a lesson's handout says about each page: of what is seen there, what stays true on paper."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pages.components.app.menu import (
    ARCHITECTURE,
    ATTENTION_BY_HAND,
    ATTENTION_MAPS,
    DATA,
    DECODING,
    EVALUATE,
    INSIDE,
    LEARNING_RATE,
    MASKS,
    TEXT_AS_NUMBERS,
    TRAIN,
    TRANSLATE,
    PageEntry,
)
from pages.components.lesson.exercise import Exercise
from pages.components.lesson.exercises import (
    architecture,
    attention_by_hand,
    attention_maps,
    decoding,
    inside,
    learning_rate,
    masks,
    models,
    positional_encoding,
    text_as_numbers,
)
from pages.components.lesson.handout import drawings
from pages.components.lesson.plan import Parameter, Stop


@dataclass(frozen=True)
class Sheet:
    """The part of a handout that belongs to one page."""

    notice: str  # a sentence or two; Markdown with emphasis and code alone
    formula: str = ""  # HTML: letters, <i>, <sub>, <sup> and <br>
    source: str = ""  # of the formula
    draw: Callable[[], str] | None = None  # an SVG
    task: str = ""  # what to see in the figure, or to draw into it; Markdown likewise
    wide: bool = False  # whether the figure takes the whole width of the paper
    asks: Exercise | None = None  # what the screen asks too


SHEETS: dict[PageEntry, Sheet] = {
    ARCHITECTURE: Sheet(
        "The encoder reads the whole sentence at once. The decoder writes one token after another: it reads what it has "
        "written, and the encoder's output through cross-attention.",
        "output = LayerNorm(<i>x</i> + Sublayer(<i>x</i>))",
        "Vaswani et al. 2017, section 3.1",
        drawings.whole_model,
        "Trace the path from one source word to one word of the translation.",
        asks=architecture.PICTURE,
    ),
    TEXT_AS_NUMBERS: Sheet(
        "A model reads ids, not words. A word that is not in the vocabulary is split into subwords that are; each id "
        "then picks one row of the embedding matrix.",
        "<i>x</i> = √<i>d</i><sub>model</sub> · <i>E</i>[id]",
        "Vaswani et al. 2017, section 3.4",
        drawings.subword_table,
        "Write down how the word that you typed is split, and the ids.",
        wide=True,
        asks=text_as_numbers.SUBWORDS,
    ),
    ATTENTION_BY_HAND: Sheet(
        "A query is compared with every key. The softmax turns the scores into weights that sum to 1, and the output is "
        "the mean of the values with these weights.",
        "Attention(<i>Q</i>, <i>K</i>, <i>V</i>) = softmax(<i>QK</i><sup>T</sup> / √<i>d</i><sub>k</sub>) <i>V</i>",
        "Vaswani et al. 2017, section 3.2.1",
        drawings.score_table,
        "Write the attention weights of one row, and check that they sum to 1.",
        asks=attention_by_hand.NUMBERS,
    ),
    MASKS: Sheet(
        "A hidden position gets the score −∞, so its attention weight is exactly 0. The padding mask hides padding "
        "tokens; the causal mask hides what is not written yet.",
        "softmax(<i>QK</i><sup>T</sup> / √<i>d</i><sub>k</sub> + <i>M</i>), where <i>M</i> is 0 or −∞",
        "Vaswani et al. 2017, section 3.2.3",
        drawings.padding_mask,
        "Dark is hidden. Write the weights into each row as if all scores were equal, then those without the mask.",
        asks=masks.WITHOUT_PADDING,
    ),
    LEARNING_RATE: Sheet(
        "The rate grows linearly through the warmup, then falls as 1/√step. A wider model gets a lower peak learning "
        "rate.",
        "rate = <i>d</i><sub>model</sub><sup>−0.5</sup> · min(step<sup>−0.5</sup>, step · warmup<sup>−1.5</sup>)",
        "Vaswani et al. 2017, section 5.3",
        drawings.rate_schedule,
        "Mark the end of the warmup, and draw the curve for twice as many warmup steps.",
        asks=learning_rate.WARMUP,
    ),
    DATA: Sheet(
        "Most sentences of a corpus are short. What the model never reads it cannot learn.",
        asks=models.DATA_PADDING,
    ),
    TRAIN: Sheet(
        "The loss says how surprised the model is by the right next token. A model can learn its sentences by heart; "
        "only other sentences show whether it has learned more.",
        "loss = −(1/<i>N</i>) Σ log <i>P</i>(<i>y</i><sub>t</sub> | <i>y</i><sub>&lt;t</sub>, <i>x</i>)",
        "cross-entropy over the target tokens, in nats",
        drawings.loss_curve,
        "Before you press Start, draw the curve that you expect. Afterwards, draw the one that you saw.",
        asks=models.TRAIN_STEPS,
    ),
    TRANSLATE: Sheet(
        "At each step the model gives a probability to every token of its vocabulary. Greedy decoding takes the most "
        "probable one, reads it, and goes on until the end token.",
        "log <i>P</i>(<i>y</i> | <i>x</i>) = Σ log <i>P</i>(<i>y</i><sub>t</sub> | <i>y</i><sub>&lt;t</sub>, <i>x</i>)",
        "the log probability of a whole translation",
        asks=models.TRANSLATE_END,
    ),
    ATTENTION_MAPS: Sheet(
        "Each row shows how one position divides its attention, so it sums to 1. In cross-attention, rows are the words "
        "of the translation and columns those of the source.",
        "Σ<sub>s</sub> <i>a</i><sub>t,s</sub> = 1 for every row t",
        "a row is the output of a softmax",
        drawings.empty_attention,
        "Write the first words of the translation into the left column and those of the source into the top row. Shade "
        "the cells where you expect much attention, then compare them with a head.",
        asks=attention_maps.HEADS,
    ),
    DECODING: Sheet(
        "One different token can change all that follows. Beam search keeps several hypotheses and can find "
        "a translation that is more probable as a whole.",
        "score = log <i>P</i>(<i>y</i> | <i>x</i>) / ((5 + |<i>y</i>|) / 6)<sup>α</sup>",
        "Wu et al. 2016, section 7",
        drawings.decoding_steps,
        "Write the three likeliest tokens of each step with their probabilities, and mark where the best two are close.",
        wide=True,
        asks=decoding.GREEDY,
    ),
    INSIDE: Sheet(
        "The output layer can read the state between any two layers: the logit lens. What the model will write becomes "
        "likely layer by layer, often only in the last ones.",
        "softmax(LayerNorm(<i>h</i><sub>layer</sub>) <i>E</i><sup>T</sup>)",
        "the logit lens (nostalgebraist 2020)",
        drawings.layer_predictions,
        "Write what each layer would predict for the first five tokens.",
        wide=True,
        asks=inside.LENS,
    ),
    EVALUATE: Sheet(
        "BLEU counts the words and word sequences that a translation shares with a reference, from one to four words "
        "long. A correct translation in other words scores low.",
        "BLEU = BP · exp(¼ Σ log <i>p</i><sub>n</sub>), n = 1 to 4",
        "Papineni et al. 2002",
    ),
}
"""Pages that are not here have a task and room to write, nothing more."""

_OF_VIEWS: dict[Parameter, Sheet] = {
    ("positions", "waves"): Sheet(
        "Each channel is one wave, and each pair of channels is slower than the one before by the same factor. A single "
        "wave repeats, but all of them together do not.",
        "<i>PE</i>(<i>pos</i>, 2<i>i</i>) = sin(<i>pos</i> / 10000<sup>2<i>i</i>/<i>d</i><sub>model</sub></sup>)<br>"
        "<i>PE</i>(<i>pos</i>, 2<i>i</i> + 1) = cos(<i>pos</i> / 10000<sup>2<i>i</i>/<i>d</i><sub>model</sub></sup>)",
        "Vaswani et al. 2017, section 3.5",
        drawings.one_wave,
        f"Channel 0, a sine from −1 to 1, over {drawings.WAVE_POSITIONS} positions. Draw channel 1, its cosine, into "
        "the picture.",
        asks=positional_encoding.WAVES,
    ),
    ("positions", "shuffle"): Sheet(
        "Without positions, shuffled words get the same outputs, in the shuffled order: attention cannot tell who bites "
        "whom. With positions added to the words, word order matters.",
        "Attention(<i>PX</i>) = <i>P</i> Attention(<i>X</i>)",
        "self-attention without positions, for every matrix P that reorders the words",
        drawings.shuffled_words,
        "Attention without positions; dark is much. Which two rows are alike, and why?",
        asks=positional_encoding.SHUFFLE,
    ),
}
"""Instead of their page's, for steps that open these views."""


def sheet_of(stop: Stop) -> Sheet:
    """What a handout says about a step."""
    of_page = SHEETS.get(stop.page, Sheet(""))
    return of_page if stop.choice is None else _OF_VIEWS.get(stop.choice, of_page)
