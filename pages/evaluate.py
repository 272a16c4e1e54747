"""Evaluate: BLEU, chrF, loss, and every sentence."""

from __future__ import annotations

from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from core.corpora.catalogue import CORPORA, sample_pairs
from core.corpora.corpus import Corpus, Split
from core.durations import duration
from core.language import _, ngettext, number
from core.records.text import Pair
from core.server.corpora import available_corpora, read_split
from core.server.evaluation_job import EvaluationPlan, EvaluationResult
from core.server.settings import server_settings
from core.server.trained_model import TrainedModel, file_name
from core.server.workspace import Workspace
from pages.components.explaining.view import show_heading
from pages.components.frame.memory import OwnPairs, PageMemory
from pages.components.frame.visit import Visit
from pages.components.model.choice import all_models, current_model, label_of
from pages.components.model.progress import show_live_job, show_stop, try_to_start
from pages.components.model.sentence import decoding_settings
from pages.components.pairs.file import ask_pairs_file, forget_reading
from pages.components.widgets.download import csv_of_table, show_download
from pages.components.widgets.sentence_table import choose_page, show_sentences
from pages.components.widgets.state import choose, toggle
from pages.content.markdown import plain
from pages.content.reader import MEASURES, Measure

if TYPE_CHECKING:
    from core.evaluation import Evaluation

_OWN = "own"  # instead of a corpus's name
_SIZES = (20, 50, 100, 200, 500, 1000)  # pairs; the last choice is the server's limit
_DEFAULT_SIZE = 200
_FILE = "evaluation_pairs_file"  # key of the uploader


def _value_of(measure: Measure, metrics: Evaluation) -> float:
    return float(attrgetter(measure.value)(metrics))


def _margin_of(measure: Measure, metrics: Evaluation) -> float:
    """Return half the width of a score's confidence interval, 0 where it has none."""
    return float(attrgetter(measure.margin)(metrics)) if measure.margin else 0.0


def _in_words(measure: Measure, metrics: Evaluation) -> str:
    """Return a score as text, with its margin if it has one."""
    margin = _margin_of(measure, metrics)
    value = number(_value_of(measure, metrics), measure.form)
    return f"{value} ± {number(margin, measure.form)}" if margin else value


def _plan_evaluation(visit: Visit) -> EvaluationPlan | None:
    """Show the settings; return None while something is missing."""
    left, right = st.columns(2, gap="medium")
    with left:
        model = _choose_model(visit)
    if model is None:
        st.info(_("There is no model to evaluate. Train one first."), icon=":material/school:")
        return None
    with right:
        data = _choose_data(model)
    _suggest_corpus(model)
    if data == _OWN:
        pairs = _ask_own_pairs(visit.memory, model)
        decoding = decoding_settings(may_sample=False)
        if pairs is None:
            return None
        count = len(pairs.pairs)
        title = ngettext("{name}, {count} pair", "{name}, {count} pairs", count)
        data = title.format(name=pairs.name, count=number(count, ","))
        return EvaluationPlan(model, data, "", lambda: pairs.pairs, decoding)
    corpus = available_corpora()[data]
    split, size = _choose_sample(corpus)
    decoding = decoding_settings(may_sample=False)
    if _languages_differ(model, corpus):
        st.warning(
            _(
                "This model translates {source} to {target}; these pairs are in other languages ({corpus}). The scores "
                "will be close to 0."
            ).format(source=_(model.source_language), target=_(model.target_language), corpus=corpus.title),
            icon=":material/translate:",
        )
    title = _("{corpus}, {split}, up to {count} pairs")
    return EvaluationPlan(
        model,
        title.format(corpus=corpus.title, split=_(split), count=number(size, ",")),
        _note_on(corpus, split),
        lambda: sample_pairs(read_split(corpus.name, split), size),
        decoding,
    )


def _choose_model(visit: Visit) -> TrainedModel | None:
    models = all_models(visit)
    if not models:
        return None
    current = current_model(visit.workspace)
    name = choose(
        _("Model"),
        {model.id: label_of(visit, model) for model in models.values()},
        key="evaluated_model",
        default=current.id if current else None,
        look="menu",
    )
    return models[name]


def _choose_data(model: TrainedModel) -> str:
    """Return the name of the chosen corpus, at first one in the model's languages, or `_OWN`."""
    corpora = available_corpora()
    fitting = [
        name
        for name, corpus in corpora.items()
        if not _languages_differ(model, corpus)
        and model.is_subword != (corpus.available_splits() == ("train",))
    ]
    return choose(
        _("Sentence pairs"),
        {**{name: corpus.title for name, corpus in corpora.items()}, _OWN: _("Your own file")},
        key="evaluated_data",
        # Of models of whole words, only the classroom's have languages.
        default=fitting[0] if fitting and model.source_language else _OWN,
        look="menu",
    )


def _choose_sample(corpus: Corpus) -> tuple[Split, int]:
    first, second = st.columns(2, vertical_alignment="bottom")
    most = server_settings().max_evaluated
    with first:
        split = choose(
            _("Split"),
            {split: _(split) for split in corpus.available_splits()},
            key="evaluated_split",
            default=corpus.evaluation_split,
            help=_("A model is trained on train, chosen on validation, and its final score is from test."),
        )
    with second:
        size = choose(
            _("Max pairs"),
            {size: number(size, ",") for size in (*(size for size in _SIZES if size < most), most)},
            key="evaluated_pairs",
            default=_DEFAULT_SIZE,
            look="slider",
            help=_(
                "A random sample. 200 pairs give a first impression within seconds; with fewer than 1,000, scores vary "
                "by a point or two from sample to sample."
            ),
        )
    return split, size


def _languages_differ(model: TrainedModel, corpus: Corpus) -> bool:
    """Return whether corpus and model have different languages; some checkpoints do not name theirs."""
    languages = (model.source_language, model.target_language)
    return bool(model.source_language) and corpus.language_names != languages


def _note_on(corpus: Corpus, split: Split) -> str:
    """Return a warning about scores on this split; an empty text where there is none."""
    if split == "train":
        return _(
            "The model may have been trained on these sentences, so the scores say little about new ones."
        )
    if corpus.name == "ted_pt_en" and split == "validation":
        return _(
            "20 of the 1,193 validation pairs are also in the training split, which raises the scores a little."
        )
    if corpus.name.startswith("anki"):
        return _(
            "This corpus repeats sentences, so it is split by English sentence: none of these is also in training, with "
            "any translation."
        )
    return ""


def _suggest_corpus(model: TrainedModel) -> None:
    """Name a large corpus that would fit the model but is not on this machine."""
    if not model.is_subword:
        return  # it knows only the words of its own pairs
    for corpus in CORPORA.values():
        if corpus.download and not corpus.is_available and not _languages_differ(model, corpus):
            st.caption(
                _("For more sentences, download {corpus} ({size}) on the server: `{command}`").format(
                    corpus=corpus.title,
                    size=corpus.download,
                    command=f"python -m core data {corpus.name}",
                )
            )
            return


def _ask_own_pairs(memory: PageMemory, model: TrainedModel) -> OwnPairs | None:
    """Ask for a file or the model's own examples; return the pairs, or None while there are none."""
    most = server_settings().max_evaluated
    ask_pairs_file(
        _("Your pairs: CSV, TSV or tab-separated text with two columns, at most {count} rows").format(
            count=number(most, ",")
        ),
        _FILE,
        partial(_keep_file, memory),
        most,
    )
    own = memory.own_pairs
    if own is not None:
        count = len(own.pairs)
        text = ngettext("{name}: {count} pair, used in full.", "{name}: {count} pairs, used in full.", count)
        st.caption(text.format(name=plain(own.name), count=number(count, ",")))
    examples = model.checkpoint.examples
    if examples and (own is None or own.pairs != examples):
        st.button(
            _("Use this model's examples ({count})").format(count=len(examples)),
            icon=":material/playlist_add:",
            key="take_examples",
            on_click=_take_examples,
            args=(memory, model),
            help=_("Enough to see what is measured, too few for a reliable score."),
        )
    return own


def _keep_file(memory: PageMemory, name: str, pairs: tuple[Pair, ...]) -> None:
    memory.own_pairs = OwnPairs(name, pairs) if pairs else None


def _take_examples(memory: PageMemory, model: TrainedModel) -> None:
    forget_reading(_FILE)
    name = _("Examples of {model}").format(model=model.name)
    memory.own_pairs = OwnPairs(name, model.checkpoint.examples)


def _show_evaluation_buttons(workspace: Workspace, plan: EvaluationPlan | None) -> None:
    """Show Evaluate, or Stop while an evaluation runs."""
    job = workspace.jobs.evaluation
    if job is not None and job.active:
        show_stop(job, "evaluation", help=_("Scores the pairs done so far."))
        return
    st.button(
        _("Evaluate"),
        type="primary",
        icon=":material/play_arrow:",
        key="evaluate",
        disabled=plan is None,
        on_click=try_to_start,
        args=(workspace.jobs.start_evaluation, plan),
        help=_("It runs in the background, so you can open other pages."),
    )


def _show_score_before(model: TrainedModel) -> None:
    """Show the scores that a shipped model has brought along, so that the page does not open empty."""
    metrics = model.checkpoint.metrics
    measures = [measure for measure in MEASURES.values() if measure.metric in metrics]
    if len(measures) < len(MEASURES):
        return
    st.markdown(
        _(
            "**{model}**, scored beforehand on validation sentences, with beam search. **Evaluate** scores it here, on "
            "the sentences that you choose."
        ).format(model=plain(model.name))
    )
    with st.container(horizontal=True):
        for measure in measures:
            st.metric(
                measure.name,
                number(metrics[measure.metric], measure.form),
                help=measure.meaning,
                border=True,
                width="content",
            )


def _show_result(result: EvaluationResult) -> None:
    """Show the scores and the sentences of one evaluation."""
    metrics = result.metrics
    plan = result.plan
    st.subheader(plain(plan.title), divider="blue")
    evaluated = (
        _("**{count}** pairs evaluated (of {total}: stopped)")
        if metrics.pairs < result.total
        else _("**{count}** pairs evaluated")
    )
    facts = [
        plain(plan.data),
        evaluated.format(count=number(metrics.pairs, ","), total=number(result.total, ",")),
    ]
    if metrics.left_out:
        left_out = _("{count} left out: empty or too long for the model")
        facts.append(left_out.format(count=number(metrics.left_out, ",")))
    st.caption(" · ".join((*facts, duration(metrics.seconds))))
    if plan.note:
        st.info(plan.note, icon=":material/info:")
    widths = [1.4 if _margin_of(measure, metrics) else 1.0 for measure in MEASURES.values()]
    for column, measure in zip(st.columns(widths), MEASURES.values(), strict=True):
        with column.container(border=True, height="stretch"):
            st.metric(measure.name, _in_words(measure, metrics))
            st.caption(measure.meaning)
    _show_sentences(result)


def _show_sentences(result: EvaluationResult) -> None:
    """Show source, reference and translation side by side, the worst first unless the visitor wants their order."""
    left, middle, right = st.columns([5, 3, 2], vertical_alignment="bottom")
    left.markdown(_("**Every sentence**, with its own BLEU"))
    with middle:
        worst = toggle(_("Worst first"), True, key="worst")
    sentences = sorted(result.sentences, key=lambda each: each.bleu) if worst else result.sentences
    with right:
        shown = choose_page(sentences, "evaluated_page", (result.plan.title, result.plan.data, worst))
    show_sentences(
        {
            _("Pair"): [number(each.number + 1, ",") for each in shown],
            "BLEU": [number(each.bleu, ".1f") for each in shown],
            _("Source"): [each.source for each in shown],
            _("Reference"): [each.reference for each in shown],
            _("Translation"): [each.translation for each in shown],
        },
        _("Each sentence with its reference, its translation and its BLEU"),
    )
    st.caption(_("A good translation that is worded differently from the reference has a low sentence BLEU."))
    name = file_name(f"{result.plan.title} {result.plan.data}")
    show_download(_("Table as CSV"), partial(_csv_of, result), f"{name}.csv")


def _csv_of(result: EvaluationResult) -> bytes:
    """Return all sentences of an evaluation as CSV, in their order."""
    rows = [
        (each.number + 1, each.bleu, each.source, each.reference, each.translation)
        for each in result.sentences
    ]
    columns = [_("pair number"), "BLEU", _("source"), _("reference"), _("translation")]
    return csv_of_table(pd.DataFrame(rows, columns=columns))


def _show_comparison(before: EvaluationResult, after: EvaluationResult) -> None:
    """Show the scores of both with their differences, and the translations that differ."""
    st.subheader(_("Side by side"), divider="blue")
    for letter, result in (("A", before), ("B", after)):
        about = _("{model} on {data}").format(model=plain(result.plan.title), data=plain(result.plan.data))
        st.markdown(f"**{letter}:** {about}")
    if _pairs_of(before) != _pairs_of(after):
        st.warning(_("They were evaluated on different pairs, so their scores cannot be compared fairly."))
    rows = {}
    for measure in MEASURES.values():
        difference = _value_of(measure, after.metrics) - _value_of(measure, before.metrics)
        rows[measure.name] = {
            "A": _in_words(measure, before.metrics),
            "B": _in_words(measure, after.metrics),
            "B − A": number(difference, f"+{measure.form}"),
        }
    st.table(pd.DataFrame(rows).T)
    _show_differences(before, after)


def _pairs_of(result: EvaluationResult) -> list[tuple[str, str]]:
    """Return the sentences of an evaluation with their references."""
    return [(each.source, each.reference) for each in result.sentences]


def _show_differences(before: EvaluationResult, after: EvaluationResult) -> None:
    """Show the common sentences whose translations differ, the largest difference in BLEU first."""
    seen = {(each.number, each.source): each for each in before.sentences}
    both = [(seen[key], each) for each in after.sentences if (key := (each.number, each.source)) in seen]
    if not both:
        st.caption(_("They have no sentence in common."))
        return
    different = [(a, b) for a, b in both if a.translation != b.translation]
    different.sort(key=lambda pair: -abs(pair[1].bleu - pair[0].bleu))
    st.markdown(
        _("**{count} of {total} sentences in common are translated differently**").format(
            count=number(len(different), ","), total=number(len(both), ",")
        )
    )
    if not different:
        return
    shown = choose_page(different, "differences_page", (before.plan.title, after.plan.title, after.plan.data))
    show_sentences(
        {
            _("BLEU of A"): [number(a.bleu, ".1f") for a, b in shown],
            _("BLEU of B"): [number(b.bleu, ".1f") for a, b in shown],
            "A": [a.translation for a, b in shown],
            "B": [b.translation for a, b in shown],
            _("Reference"): [a.reference for a, b in shown],
            _("Source"): [a.source for a, b in shown],
        },
        _("Sentences that the two translate differently, with both translations"),
    )


def main(visit: Visit) -> None:
    workspace = visit.workspace
    show_heading(visit)
    before = st.container()
    settings, button = st.columns([6, 1], vertical_alignment="bottom")
    with settings:
        plan = _plan_evaluation(visit)
    job = workspace.jobs.evaluation
    state = job.state() if job is not None else None
    with button:
        _show_evaluation_buttons(workspace, plan)
    if job is not None and state is not None:
        show_live_job(
            job,
            state,
            "evaluation",
            lambda state: _("{count} of {total} pairs").format(
                count=number(state.progress.done, ","), total=number(state.progress.total, ",")
            ),
        )
    results = workspace.jobs.results[::-1]  # the newest first; read once, since a job may add one at any time
    shown = "newest"
    if len(results) > 1:
        titles = {"newest": _("The newest"), "both": _("Side by side")}
        shown = choose(_("Show"), titles, key="shown_evaluation")
    if shown == "both":
        _show_comparison(results[1], results[0])
    elif results:
        _show_result(results[0])
    elif plan is not None:
        with before:
            _show_score_before(plan.model)
