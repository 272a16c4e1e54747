"""Masks: which positions attention may not see, and why."""

from functools import partial
from typing import NamedTuple

import numpy as np
import streamlit as st

from core.arrays import Bools, Ids, Reals
from core.figures.html.number_tables import number_table, number_tables_html
from core.figures.plotly.masks import answers_figures, mask_figures, masked_attention_figures, padding_figures
from core.figures.plotly.model_inside import padding_shares_figures
from core.interpretability.padding import padding_comparison
from core.interpretability.teacher_forcing import Tracer
from core.language import _, ngettext, number
from core.model.forward import causal_mask, decoder_mask, padding_mask
from core.model.numpy_ops import additive, softmax
from core.records.analysis import PaddingComparison, PaddingOutcome
from core.records.text import Translation
from core.server.trained_model import TrainedModel
from core.server.workspace import why_no_training
from core.theory.masks import count_visible_labels
from core.theory.untrained_head import untrained_scores
from core.tokens.base import pad
from core.tokens.vocabulary import END, PAD, PAD_ID, START
from pages.components.explaining.figure import panel_width, show_figures
from pages.components.explaining.view import View, above_figure, show_heading, show_views
from pages.components.frame.menu import go_to
from pages.components.frame.visit import Visit
from pages.components.model.analysis import analyze
from pages.components.model.choice import choose_model, english_tokenizer, start_classroom_training
from pages.components.widgets.numbers import edit_sentences
from pages.components.widgets.state import choose, set_value, slider, text_input, toggle
from pages.components.widgets.telling import show_problem
from pages.content.markdown import plain
from pages.content.pages import TRAIN, is_shown

_MAX_WORDS = 10  # per sentence
_SENTENCES = ("i like tensorflow", "where is the station", "thank you")


def _edit_batch(start: bool) -> tuple[list[list[str]], Ids]:
    """Ask for three sentences; return words and ids (B, S), padded to the longest sentence.

    Each sentence may begin with the start token, as in the decoder's input.
    """
    vocabulary = english_tokenizer().vocabulary
    sentences = [english_tokenizer().tokens(text) for text in edit_sentences(_SENTENCES, "batch_sentence")]
    if any(len(words) > _MAX_WORDS for words in sentences):
        st.caption(_("Only the first {count} words of a sentence are read.").format(count=_MAX_WORDS))
    rows = [[START] * start + words[:_MAX_WORDS] for words in sentences]
    longest = max(map(len, rows))
    ids = pad([[vocabulary.id_of(word) for word in row] for row in rows], longest)
    return [row + [PAD] * (longest - len(row)) for row in rows], ids


def _choose_padded() -> tuple[list[list[str]], Ids] | None:
    words, ids = _edit_batch(start=False)
    if not ids.size:
        st.info(_("All three sentences are empty. Type a word."), icon=":material/edit:")
        return None
    return words, ids


def _show_padding(batch: tuple[list[list[str]], Ids]) -> None:
    words, ids = batch
    pads = int((ids == PAD_ID).sum())
    with above_figure():
        st.markdown(
            ngettext(
                "**{count} of {total} positions is padding.** The longest sentence sets the width.",
                "**{count} of {total} positions are padding.** The longest sentence sets the width.",
                pads,
            ).format(count=pads, total=ids.size)
        )
    show_figures(
        padding_figures(words, ids.tolist(), padding_mask(ids)[:, 0, 0], panel_width(1)),
        alt=_("The batch of ids, and below it its padding mask of the same shape"),
        key="mask",
        across=1,
    )
    rows, columns = ids.shape
    st.caption(
        _(
            "The mask's shape is ({rows}, 1, 1, {columns}): every head and every query position share a sentence's row."
        ).format(rows=rows, columns=columns)
    )


_MAX_LENGTH = 16


def _choose_length() -> int:
    return slider(_("Length"), 1, _MAX_LENGTH, 7, "triangle")


def _show_causal(length: int) -> None:
    mask = causal_mask(length)
    blocked = int((~mask).sum())
    with above_figure():
        st.markdown(
            _("**{count} of {total} positions are blocked:** all those in the future.").format(
                count=blocked, total=mask.size
            )
        )
    positions = [str(position) for position in range(length)]
    show_figures(
        mask_figures({"": mask}, positions, panel_width(1)),
        alt=_("The {length} by {length} causal mask, a triangle").format(length=length),
        key="mask",
        across=1,
    )


class _Sentence(NamedTuple):
    """A sentence of a batch, as the decoder reads it."""

    place: int  # in the batch, from 1
    words: list[str]
    ids: Ids  # (1, S)
    written: int = 0  # of its tokens


def _choose_sentence(batch: list[list[str]], ids: Ids) -> _Sentence:
    place = choose(_("Sentence"), (1, 2, 3), "masked_sentence")
    return _Sentence(place, batch[place - 1], ids[place - 1 : place])


def _choose_combined() -> _Sentence:
    return _choose_sentence(*_edit_batch(start=True))


def _show_combined(sentence: _Sentence) -> None:
    place, words, ids = sentence[:3]
    length = len(words)
    combined = decoder_mask(ids)[0, 0]
    num_open = int(combined.sum())
    with above_figure():
        st.markdown(
            _("**{count} of {total} positions are open** in sentence {sentence}.").format(
                count=num_open, total=combined.size, sentence=place
            )
        )
    masks = {
        _("Padding"): np.broadcast_to(padding_mask(ids)[0, 0], (length, length)),
        _("Causal"): causal_mask(length),
        _("Combined"): combined,
    }
    show_figures(
        mask_figures(masks, words, panel_width(3)),
        alt=_("The padding mask, the causal mask, and both combined"),
        key="mask",
        across=3,
    )


def _choose_written() -> _Sentence:
    batch = _edit_batch(start=True)
    left, right = st.columns([2, 3], vertical_alignment="bottom")
    with left:
        sentence = _choose_sentence(*batch)
    with right, st.container(horizontal=True, vertical_alignment="bottom"):
        real = int((sentence.ids != PAD_ID).sum())
        written = slider(_("Tokens written so far"), 1, real, 3, "written")
        st.button(
            _("Write the next token"),
            icon=":material/chevron_right:",
            key="write_next",
            on_click=set_value,
            args=("written", written + 1),
            disabled=written >= real,
        )
    return sentence._replace(written=written)


def _show_softmax(sentence: _Sentence) -> None:
    words, ids, written = sentence[1:]
    scores = untrained_scores(words)
    mask = decoder_mask(ids)[0, 0]
    now = written - 1
    without, weights = softmax(scores), softmax(scores, mask)
    with above_figure():
        st.markdown(f"#### {plain(' '.join(words[:written]))} …")
        st.markdown(_describe(mask[now], without[now]))
    table = number_table(
        _("“{word}” attends to …").format(word=words[now]),
        np.stack([scores[now], additive(mask)[now], without[now], weights[now]], axis=1),
        words,
        (_("score"), _("mask adds"), _("softmax, no mask"), _("softmax, mask")),
        {(row, 1): "read" for row in np.flatnonzero(~mask[now]).tolist()},
        weights=(2, 3),
        by_column=True,
    )
    st.html(number_tables_html([[table]]))
    show_figures(
        masked_attention_figures(without, weights, words, written, panel_width(2)),
        alt=_(
            "Attention weights of the first {count} tokens, without the mask and with it: a triangle"
        ).format(count=written),
        key="softmax",
        across=2,
    )


def _describe(allowed: Bools, without: Reals) -> str:
    """Say what a row of the mask blocks, and how much attention that would get without the mask."""
    count = len(allowed)
    blocked = int((~allowed).sum())
    if not blocked:
        if count == 1:
            return _("There is only one position, [START], and it is open.")
        return _("All {count} positions are open: none is in the future, and none is padding.").format(
            count=count
        )
    return ngettext(
        "Of {total} positions, {count} is blocked. Without the mask, **{share}** of the attention would go there.",
        "Of {total} positions, {count} are blocked. Without the mask, **{share}** of the attention would go there.",
        blocked,
    ).format(total=count, count=blocked, share=number(without[~allowed].sum(), ".0%"))


def _show_without_padding(asked: tuple[TrainedModel, str, int]) -> None:
    model, sentence, num_pads = asked
    try:
        found = analyze(model, padding_comparison, sentence, num_pads)
    except ValueError as error:
        show_problem(error)
        return
    with st.container(key="outcomes"):
        outcome = _show_outcomes(found)
        st.markdown(_("**Attention to padding in percent, by head.**"))
    show_figures(
        padding_shares_figures(outcome),
        alt=_(
            "Attention to padding by layer and head; mean {encoder} in the encoder, {cross} in cross-attention"
        ).format(
            encoder=number(outcome.encoder_share.mean(), ".0%"),
            cross=number(outcome.cross_share.mean(), ".0%"),
        ),
        key="shares",
        across=2,
    )
    st.caption(_("**{model}**, greedy decoding.").format(model=plain(model.name)))


def _mask_switch(label: str, key: str) -> bool:
    """Show a large switch of a mask, which is on at first; return whether it is on."""
    with st.container(key=f"switch_{key}"):
        return toggle(label, True, key)


_MAX_WORDS_READ = 20
_MAX_PADS = 16
# Enough to change what the shipped models write for all their examples, and the classroom model for its shortest one.
_USUAL_PADS = 4
_SHORT = {"Portuguese": "quero água.", "English": "What time does the museum open?"}  # by source language


def _ask_sentence(visit: Visit) -> tuple[TrainedModel, str, int] | None:
    """Ask for a model, a sentence in its language, and how many padding tokens follow it; None without a model."""
    left, middle, right = st.columns([4, 4, 3])
    model = choose_model(visit, left)
    if model is None:
        return None
    # The shortest sentence is the first to break: the classroom model turns it into another one.
    example = min((pair.source for pair in model.checkpoint.examples), key=len, default="")
    with middle:
        in_language = _("A sentence in {language}").format(language=_(model.source_language))
        label = in_language if model.source_language else _("A sentence")
        key = f"padded_text_{model.source_language}" if model.source_language else "padded_text"
        if model.source_language in _SHORT:
            if model.is_subword:
                example = _SHORT[model.source_language]
            else:
                key += "_words"
        text = text_input(label, example, key, max_chars=200)
    with right:
        num_pads = slider(_("Padding tokens"), 1, _MAX_PADS, _USUAL_PADS, "padding_tokens")
    words = text.split()
    if len(words) > _MAX_WORDS_READ:
        st.caption(_("Only the first {count} words are read.").format(count=_MAX_WORDS_READ))
    return model, " ".join(words[:_MAX_WORDS_READ]), num_pads


def _show_outcomes(found: PaddingComparison) -> PaddingOutcome:
    """Show the switch beside the padded and the plain translation; return the padded outcome."""
    switch, padded, alone = st.columns(3, border=True)
    with switch:
        masked = _mask_switch(_("Padding mask"), "padding_mask")
        outcome = found.masked if masked else found.unmasked
        same = outcome.translation == found.alone.translation
        if masked:
            st.markdown(
                _("The translation **stays the same**. Now switch the mask off.")
                if same
                else _("The translation **changes**, by rounding alone.")
            )
        elif same:
            st.markdown(_("The translation happens to **stay the same**. Add more padding."))
        else:
            st.markdown(_("The translation **changes**: the model attends to padding as if it were words."))
    pads = found.num_pads
    title = (
        ngettext("{count} padding token, mask on", "{count} padding tokens, mask on", pads)
        if masked
        else ngettext("{count} padding token, mask off", "{count} padding tokens, mask off", pads)
    )
    with padded:
        _show_outcome(title.format(count=pads), outcome)
        st.markdown(
            _(
                "Encoder output changes by **{change}**  \n"
                "Attention to padding: encoder **{encoder}**, cross-attention **{cross}**"
            ).format(
                change=_moved(outcome.change),
                encoder=number(outcome.encoder_share.mean(), ".0%"),
                cross=number(outcome.cross_share.mean(), ".0%"),
            )
        )
    with alone:
        _show_outcome(_("Without padding"), found.alone)
        st.markdown(_("The same in any batch."))
    return outcome


def _show_outcome(title: str, outcome: PaddingOutcome) -> None:
    st.markdown(f"**{title}**")
    st.markdown(f"#### {plain(outcome.translation) or _('(nothing)')}{'' if outcome.finished else ' …'}")


_ROUNDING = 1e-4  # smaller differences come from the order in which numbers are added


def _moved(change: float) -> str:
    if change < _ROUNDING:
        return _("0, up to rounding") if change else "0"
    return number(change, ".2f")


_MAX_WRONG = 3  # wrong translations shown
_EXAMPLE = (START, "i", "like", "tensorflow")  # the decoder's input for one classroom pair


def _choose_cheating(visit: Visit) -> bool:
    """Show the switch of the causal mask, and the button that trains without it; return whether it is on."""
    workspace = visit.workspace
    with st.container(horizontal=True, vertical_alignment="center"):
        masked = _mask_switch(_("Causal mask"), "with_causal_mask")
        clicked = st.button(
            _("Train it without the causal mask"),
            icon=":material/play_arrow:",
            key="train_without_mask",
            disabled=workspace.jobs.is_training or bool(why_no_training()) or not is_shown(TRAIN),
            help=_("The classroom model with four layers; with the mask it learns all fifteen pairs."),
        )
    if clicked:
        start_classroom_training(workspace, visit.classroom, is_cheating=True)
        go_to(TRAIN)
    return masked


def _show_cheating(visit: Visit, masked: bool) -> None:
    cheats = [model for model in visit.workspace.models.kept if not model.checkpoint.config.causal_mask]
    with above_figure():
        if cheats and cheats[-1].checkpoint.epochs:
            try:
                st.markdown(_describe_translations(cheats[-1]))
            except ValueError as error:  # an opened checkpoint may have invalid examples
                show_problem(error)
    mask = causal_mask(len(_EXAMPLE)) | (not masked)
    seen = count_visible_labels(mask)
    sees = (
        _("**It can see {count} of its {total} labels.**")
        if seen
        else _("**It can see none of its {total} labels.**")
    )
    with above_figure():
        st.markdown(
            _("In training, the decoder's input contains the labels (★), one position further on.")
            + f" {sees.format(count=seen, total=len(_EXAMPLE))}"
        )
    show_figures(
        answers_figures(_EXAMPLE, mask, END, panel_width(1)),
        alt=_("What the decoder may attend to for each word it predicts; a star marks the label"),
        key="mask",
        across=1,
    )
    if masked:
        st.success(_("Nothing to copy: it has to learn to translate."), icon=":material/school:")
    else:
        st.warning(
            _("This is cheating: the model can copy the next word."),
            icon=":material/content_copy:",
        )


def _describe_translations(model: TrainedModel) -> str:
    """Say how a model without the causal mask did in training, and how it translates by itself."""
    pairs = model.checkpoint.examples
    tokenizer = model.checkpoint.target_tokenizer
    written = analyze(model, _translations_of, tuple(pair.source for pair in pairs))
    wrong = [
        f"*{plain(each.source)}* → **{plain(each.text) or _('(nothing)')}**"
        for pair, each in zip(pairs, written, strict=True)
        if tokenizer.tokens(pair.target) != list(each.best.tokens)
    ]
    last = model.checkpoint.epochs[-1]
    return _(
        "**{model}**: when it could see the labels, it got {accuracy} of the words right (loss {loss}). On its own it "
        "gets **{right} of {total}** sentences right. {wrong}"
    ).format(
        model=plain(model.name),
        accuracy=number(last.accuracy, ".0%"),
        loss=number(last.loss, ".2f"),
        right=len(pairs) - len(wrong),
        total=len(pairs),
        wrong="; ".join(wrong[:_MAX_WRONG]),
    )


def _translations_of(tracer: Tracer, sentences: tuple[str, ...]) -> list[Translation]:
    return tracer.translator.translate(sentences)


def main(visit: Visit) -> None:
    show_heading(visit)
    show_views(
        visit,
        {
            "padding": View(_choose_padded, _show_padding, (padding_mask,)),
            "causal": View(_choose_length, _show_causal, (causal_mask,)),
            "combined": View(_choose_combined, _show_combined, (decoder_mask,)),
            "softmax": View(_choose_written, _show_softmax, (additive, softmax)),
            "without": View(
                partial(_ask_sentence, visit),
                _show_without_padding,
                (padding_comparison,),
                is_long=True,
            ),
            "cheating": View(
                partial(_choose_cheating, visit),
                partial(_show_cheating, visit),
                (causal_mask, count_visible_labels),
            ),
        },
        "padding",
    )
