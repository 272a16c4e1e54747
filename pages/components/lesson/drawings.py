"""The drawings of the printed handout, as SVG: to read, or to fill in with a pencil."""

import numpy as np

from core.figures.html.number_tables import numbered
from core.figures.svg.architecture import architecture_svg
from core.figures.svg.paper import SHADED, paper_axes, paper_grid
from core.language import _
from core.presets import CLASSROOM, Preset
from core.theory.positional_encoding import wave
from core.theory.schedule import warmup_rate
from core.theory.untrained_head import EXAMPLE, run_untrained_head

WAVE_POSITIONS = 16  # two and a half periods
_FOR_WORDS = 0.15  # the share of blue in cells for words


def whole_model(classroom: Preset) -> str:
    """Draw the classroom model, to trace a path through."""
    source, target = map(_, classroom.languages)
    return architecture_svg(classroom.model, (source, target))


def shuffled_words() -> str:
    """Draw attention without positions over a sentence with one repeated word."""
    words = EXAMPLE.split()  # as the page shows it at first
    _words, weights = run_untrained_head(words, range(len(words)), with_positions=False)
    return paper_grid(words, words, weights / weights.max(), SHADED)


def one_wave() -> str:
    """Draw the first channel of the positional encoding, with room for the second."""
    positions = np.linspace(0, 1, 101)
    values = wave(WAVE_POSITIONS * positions, 0, CLASSROOM.model.d_model)
    return paper_axes(_("position"), _("channel 0"), list(zip(positions, (values + 1) / 2, strict=True)))


def subword_table() -> str:
    """Draw an empty table: subwords above, ids below."""
    return paper_grid([_("subwords"), _("ids")], [""] * 8)


def score_table() -> str:
    """Draw an empty table for the attention weights of three words."""
    words = numbered("x", 3)
    return paper_grid(words, words)


def padding_mask(classroom: Preset) -> str:
    """Draw the mask of a classroom sentence with two padding tokens, which are blue."""
    words, pads = classroom.pairs[3].source.split(), 2  # short enough for a pencil
    hidden = np.zeros((len(words), len(words) + pads))
    hidden[:, len(words) :] = 1
    return paper_grid(words, [*words, *["[PAD]"] * pads], hidden)


OF_PAIRS = whole_model, padding_mask  # what is drawn of a classroom's pairs, and takes its preset


def rate_schedule() -> str:
    """Draw the learning rate over the steps, without numbers."""
    steps = np.arange(1, 101)
    rates = warmup_rate(steps, 512, 25)
    return paper_axes(_("step"), _("learning rate"), list(zip(steps / 100, rates / rates.max(), strict=True)))


def loss_curve() -> str:
    """Draw empty axes for a loss curve."""
    return paper_axes(_("step"), _("loss"))


def empty_attention() -> str:
    """Draw an empty attention map; the words of a sentence go into the pale cells."""
    for_words = np.zeros((7, 7))
    for_words[0] = _FOR_WORDS
    for_words[:, 0] = _FOR_WORDS
    for_words[0, 0] = 1
    return paper_grid([""] * 7, [""] * 7, for_words)


def decoding_steps() -> str:
    """Draw an empty table for the three most likely tokens of four steps."""
    steps = [_("step {step}").format(step=step) for step in range(1, 5)]
    return paper_grid(steps, [_("1st"), _("P"), _("2nd"), _("P"), _("3rd"), _("P")])


def layer_predictions() -> str:
    """Draw an empty table for what each layer would predict for five tokens."""
    tokens = [_("token {number}").format(number=number) for number in range(1, 6)]
    layers = [_("layer {layer}").format(layer=layer) for layer in (1, 2)]
    return paper_grid(tokens, [_("embedding"), *layers, _("output")])
