"""Two sentences that differ in one word: where the difference lives."""

from __future__ import annotations

from functools import partial

import numpy as np
import streamlit as st

from core.corpora.minimal_pairs import MINIMAL_PAIRS, MinimalPair
from core.figures.model_inside import patching_figures
from core.interpretability.patching import PatchingMap, patching_map
from core.interpretability.teacher_forcing import ForcedPair
from core.tokens.subword import SubwordTokenizer
from pages.components.app.navigation import end_page
from pages.components.inside.opened_sentence import OpenedSentence, found_or_said
from pages.components.lesson.view import View
from pages.components.widgets.drawing.figure import show_figures
from pages.components.widgets.remembered import choose
from pages.components.widgets.words import plain


def patching_view(opened: OpenedSentence) -> View:
    """Swap states between two runs."""
    return View(partial(_show, opened), (patching_map,))


def _show(opened: OpenedSentence) -> None:
    first, second = _choose_sentences(opened)
    found: PatchingMap = found_or_said(
        opened.model, "patching", partial(_map_of, opened, first, second), first, second
    )
    figures = patching_figures(
        found.encoder, found.decoder, found.source_tokens, found.other_tokens, found.prefix_tokens
    )
    show_figures(
        figures,
        alt=f"How much of the difference between {found.word} and {found.other_word} each state brings over",
        key="patching_figure",
        across=2,
    )
    place = np.unravel_index(int(found.encoder[-1].argmax()), found.encoder[-1].shape)[0]
    st.caption(
        f"{_beginning(found)} **{plain(found.word)}** for the first sentence, **{plain(found.other_word)}** for the "
        "second. Each cell: the first sentence is run, "
        "with that one state taken from the second run; the number is how much of the change from one word to the "
        "other comes with it, in percent. In the encoder's output, most of the difference is at "
        f"“{plain(found.source_tokens[place])}”. A cell shows that a state is sufficient to bring the difference over, "
        "not that it is necessary."
    )


def _beginning(found: PatchingMap) -> str:
    said = plain(" ".join(found.prefix_tokens[1:]))
    return f"After “{said}”, the model writes" if said else "The model's first token is"


def _choose_sentences(opened: OpenedSentence) -> tuple[str, str]:
    """A ready-made pair in the model's language; the page's run ends here where there is none."""
    tokenizer = opened.model.checkpoint.source_tokenizer
    language = tokenizer.settings.language if isinstance(tokenizer, SubwordTokenizer) else ""
    pairs = MINIMAL_PAIRS.get(language, ())
    if not pairs:
        st.info("There is no pair of sentences in the language of this model.")
        end_page()
    titles = {str(number): _title(pair) for number, pair in enumerate(pairs, start=1)}
    chosen = pairs[int(choose("Two sentences", titles, key="two", look="menu")) - 1]
    return chosen.first, chosen.second


def _title(pair: MinimalPair) -> str:
    return f"{pair.difference}: {pair.first} / {pair.second}"


def _map_of(opened: OpenedSentence, first: str, second: str) -> PatchingMap:
    translator = opened.model.translator
    translations = translator.translate_typed([first, second])
    return patching_map(
        opened.tracer, *(ForcedPair.of_translation(translator, each) for each in translations)
    )
