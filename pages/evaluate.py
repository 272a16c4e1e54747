"""Evaluate: BLEU, chrF, loss, and every sentence."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from core.corpora.catalogue import CORPORA, sample_pairs
from core.corpora.corpus import Corpus, Split
from core.durations import duration
from core.figures.html.number_tables import with_true_minus
from core.language import PerLanguage
from core.records.text import Pair
from core.server.corpora import available_corpora, read_split
from core.server.evaluation_job import EvaluationPlan, EvaluationResult
from core.server.settings import server_settings
from core.server.trained_model import TrainedModel, file_name
from core.server.workspace import Workspace
from pages.components.explaining.view import show_heading
from pages.components.frame.session import (
    OwnPairs,
    PageMemory,
)
from pages.components.frame.visit import Visit
from pages.components.model.choice import all_models, current_model, label_of
from pages.components.model.progress import show_live_job, show_stop, try_to_start
from pages.components.model.sentence import decoding_settings
from pages.components.pairs.file import ask_pairs_file, forget_reading
from pages.components.widgets.download import csv_of_table, show_download
from pages.components.widgets.markdown import plain
from pages.components.widgets.sentence_table import choose_page, show_sentences
from pages.components.widgets.state import choose, toggle
from pages.content.reader import read_entries

if TYPE_CHECKING:
    from core.evaluation import Evaluation

_OWN = "own"  # instead of a corpus's name
_SIZES = (20, 50, 100, 200, 500, 1000)  # pairs; the last choice is the server's limit
_DEFAULT_SIZE = 200
_FILE = "evaluation_pairs_file"  # key of the uploader


@dataclass(frozen=True)
class _Measure:
    """One score of an evaluation, as pages/content/measures.toml has it."""

    name: str
    value: str
    form: str
    meaning: str
    metric: str  # its name among a checkpoint's metrics
    margin: str = ""  # of half the width of its confidence interval

    def of(self, metrics: Evaluation) -> float:
        """Return its value."""
        return float(attrgetter(self.value)(metrics))

    def margin_of(self, metrics: Evaluation) -> float:
        """Return half the width of its confidence interval, 0 where it has none."""
        return float(attrgetter(self.margin)(metrics)) if self.margin else 0.0

    def text(self, metrics: Evaluation) -> str:
        """Return its value as text, with its margin if it has one."""
        margin = self.margin_of(metrics)
        value = format(self.of(metrics), self.form)
        return f"{value} ± {margin:{self.form}}" if margin else value


_MEASURES = PerLanguage(
    lambda: {each.metric: each for each in read_entries("measures.toml", "measure", _Measure)}
)


def _plan_evaluation(visit: Visit) -> EvaluationPlan | None:
    """Show the settings; return None while something is missing."""
    left, right = st.columns(2, gap="medium")
    with left:
        model = _choose_model(visit)
    if model is None:
        st.info("There is no model to evaluate. Train one first.", icon=":material/school:")
        return None
    with right:
        data = _choose_data(model)
    _suggest_corpus(model)
    if data == _OWN:
        pairs = _ask_own_pairs(visit.memory, model)
        decoding = decoding_settings(may_sample=False)
        if pairs is None:
            return None
        title = f"{pairs.name}, {len(pairs.pairs):,} pairs"
        return EvaluationPlan(model, title, "", lambda: pairs.pairs, decoding)
    corpus = available_corpora()[data]
    split, size = _choose_sample(corpus)
    decoding = decoding_settings(may_sample=False)
    if _languages_differ(model, corpus):
        st.warning(
            f"This model translates {model.source_language} to {model.target_language}; these pairs are in other "
            f"languages ({corpus.title}). The scores will be close to 0.",
            icon=":material/translate:",
        )
    title = f"{corpus.title}, {split}, up to {size:,} pairs"
    return EvaluationPlan(
        model,
        title,
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
        "Model",
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
        if not _languages_differ(model, corpus) and corpus.available_splits() != ("train",)
    ]
    return choose(
        "Sentence pairs",
        {**{name: corpus.title for name, corpus in corpora.items()}, _OWN: "Your own file"},
        key="evaluated_data",
        # Of models of whole words, only the classroom's has its languages.
        default=fitting[0] if fitting and model.is_subword else "toy" if model.source_language else _OWN,
        look="menu",
    )


def _choose_sample(corpus: Corpus) -> tuple[Split, int]:
    first, second = st.columns(2, vertical_alignment="bottom")
    most = server_settings().max_evaluated
    with first:
        split = choose(
            "Split",
            corpus.available_splits(),
            key="evaluated_split",
            default=corpus.evaluation_split,
            help="A model is trained on train, chosen on validation, and its final score is from test.",
        )
    with second:
        size = choose(
            "Max pairs",
            {number: f"{number:,}" for number in (*(size for size in _SIZES if size < most), most)},
            key="evaluated_pairs",
            default=_DEFAULT_SIZE,
            look="slider",
            help="A random sample. 200 pairs give a first impression within seconds; with fewer than 1,000, scores vary "
            "by a point or two from sample to sample.",
        )
    return split, size


def _languages_differ(model: TrainedModel, corpus: Corpus) -> bool:
    """Return whether corpus and model have different languages; some checkpoints do not name theirs."""
    languages = (model.source_language, model.target_language)
    return bool(model.source_language) and corpus.language_names != languages


def _note_on(corpus: Corpus, split: Split) -> str:
    """Return a warning about scores on this split; an empty text where there is none."""
    if split == "train":
        return "The model may have been trained on these sentences, so the scores say little about new ones."
    if corpus.name == "ted_pt_en" and split == "validation":
        return "20 of the 1,193 validation pairs are also in the training split, which raises the scores a little."
    if corpus.name.startswith("anki"):
        return (
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
                f"For more sentences, download {corpus.title} ({corpus.download}) on the server: "
                f"`python -m core data {corpus.name}`"
            )
            return


def _ask_own_pairs(memory: PageMemory, model: TrainedModel) -> OwnPairs | None:
    """Ask for a file or the model's own examples; return the pairs, or None while there are none."""
    most = server_settings().max_evaluated
    ask_pairs_file(
        f"Your pairs: CSV, TSV or tab-separated text with two columns, at most {most:,} rows",
        _FILE,
        partial(_keep_file, memory),
        most,
    )
    own = memory.own_pairs
    if own is not None:
        pairs = f"{len(own.pairs):,} pair{'s' if len(own.pairs) > 1 else ''}"
        st.caption(f"{plain(own.name)}: {pairs}, used in full.")
    examples = model.checkpoint.examples
    if examples and (own is None or own.pairs != examples):
        st.button(
            f"Use this model's examples ({len(examples)})",
            icon=":material/playlist_add:",
            on_click=_take_examples,
            args=(memory, model),
            help="Enough to see what is measured, too few for a reliable score.",
        )
    return own


def _keep_file(memory: PageMemory, name: str, pairs: tuple[Pair, ...]) -> None:
    memory.own_pairs = OwnPairs(name, pairs) if pairs else None


def _take_examples(memory: PageMemory, model: TrainedModel) -> None:
    forget_reading(_FILE)
    memory.own_pairs = OwnPairs(f"Examples of {model.name}", model.checkpoint.examples)


def _show_evaluation_buttons(workspace: Workspace, plan: EvaluationPlan | None) -> None:
    """Show Evaluate, or Stop while an evaluation runs."""
    job = workspace.jobs.evaluation
    if job is not None and job.active:
        show_stop(job, "evaluation", help="Scores the pairs done so far.")
        return
    st.button(
        "Evaluate",
        type="primary",
        icon=":material/play_arrow:",
        disabled=plan is None,
        on_click=try_to_start,
        args=(workspace.jobs.start_evaluation, plan),
        help="It runs in the background, so you can open other pages.",
    )


def _show_score_before(model: TrainedModel) -> None:
    """Show the scores that a shipped model has brought along, so that the page does not open empty."""
    metrics = model.checkpoint.metrics
    measures = [measure for measure in _MEASURES.values() if measure.metric in metrics]
    if len(measures) < len(_MEASURES):
        return
    st.markdown(
        f"**{plain(model.name)}**, scored beforehand on validation sentences, with beam search. "
        "**Evaluate** scores it here, on the sentences that you choose."
    )
    with st.container(horizontal=True):
        for measure in measures:
            st.metric(
                measure.name,
                format(metrics[measure.metric], measure.form),
                help=measure.meaning,
                border=True,
                width="content",
            )


def _show_result(result: EvaluationResult) -> None:
    """Show the scores and the sentences of one evaluation."""
    metrics = result.metrics
    plan = result.plan
    st.subheader(plain(plan.title), divider="blue")
    stopped = f" (of {result.total:,}: stopped)" if metrics.pairs < result.total else ""
    left_out = (
        f" · {metrics.left_out:,} left out: empty or too long for the model" if metrics.left_out else ""
    )
    st.caption(
        f"{plain(plan.data)} · **{metrics.pairs:,}** pairs evaluated{stopped}{left_out} · {duration(metrics.seconds)}"
    )
    if plan.note:
        st.info(plan.note, icon=":material/info:")
    widths = [1.4 if measure.margin_of(metrics) else 1.0 for measure in _MEASURES.values()]
    for column, measure in zip(st.columns(widths), _MEASURES.values(), strict=True):
        with column.container(border=True, height="stretch"):
            st.metric(measure.name, measure.text(metrics))
            st.caption(measure.meaning)
    _show_sentences(result)


def _show_sentences(result: EvaluationResult) -> None:
    """Show source, reference and translation side by side, the worst first unless the visitor wants their order."""
    left, middle, right = st.columns([5, 3, 2], vertical_alignment="bottom")
    left.markdown("**Every sentence**, with its own BLEU")
    with middle:
        worst = toggle("Worst first", True, key="worst")
    sentences = sorted(result.sentences, key=lambda each: each.bleu) if worst else result.sentences
    with right:
        shown = choose_page(sentences, "evaluated_page", (result.plan.title, result.plan.data, worst))
    show_sentences(
        {
            "Pair": [f"{each.number + 1:,}" for each in shown],
            "BLEU": [f"{each.bleu:.1f}" for each in shown],
            "Source": [each.source for each in shown],
            "Reference": [each.reference for each in shown],
            "Translation": [each.translation for each in shown],
        },
        "Each sentence with its reference, its translation and its BLEU",
    )
    st.caption("A good translation that is worded differently from the reference has a low sentence BLEU.")
    name = file_name(f"{result.plan.title} {result.plan.data}")
    show_download("Table as CSV", partial(_csv_of, result), f"{name}.csv")


def _csv_of(result: EvaluationResult) -> bytes:
    """Return all sentences of an evaluation as CSV, in their order."""
    rows = [
        (each.number + 1, each.bleu, each.source, each.reference, each.translation)
        for each in result.sentences
    ]
    columns = ["number", "BLEU", "source", "reference", "translation"]
    return csv_of_table(pd.DataFrame(rows, columns=columns))


def _show_comparison(before: EvaluationResult, after: EvaluationResult) -> None:
    """Show the scores of both with their differences, and the translations that differ."""
    st.subheader("Side by side", divider="blue")
    st.markdown(f"**A:** {plain(before.plan.title)} on {plain(before.plan.data)}")
    st.markdown(f"**B:** {plain(after.plan.title)} on {plain(after.plan.data)}")
    if before.plan.data != after.plan.data or before.metrics.pairs != after.metrics.pairs:
        st.warning("They were evaluated on different pairs, so their scores cannot be compared fairly.")
    rows = {}
    for measure in _MEASURES.values():
        difference = measure.of(after.metrics) - measure.of(before.metrics)
        rows[measure.name] = {
            "A": measure.text(before.metrics),
            "B": measure.text(after.metrics),
            "B − A": with_true_minus(format(difference, f"+{measure.form}")),
        }
    st.table(pd.DataFrame(rows).T)
    _show_differences(before, after)


def _show_differences(before: EvaluationResult, after: EvaluationResult) -> None:
    """Show the common sentences whose translations differ, the largest difference in BLEU first."""
    seen = {(each.number, each.source): each for each in before.sentences}
    both = [(seen[key], each) for each in after.sentences if (key := (each.number, each.source)) in seen]
    if not both:
        st.caption("They have no sentence in common.")
        return
    different = [(a, b) for a, b in both if a.translation != b.translation]
    different.sort(key=lambda pair: -abs(pair[1].bleu - pair[0].bleu))
    st.markdown(f"**{len(different):,} of {len(both):,} sentences in common are translated differently**")
    if not different:
        return
    shown = choose_page(different, "differences_page", (before.plan.title, after.plan.title, after.plan.data))
    show_sentences(
        {
            "BLEU of A": [f"{a.bleu:.1f}" for a, _ in shown],
            "BLEU of B": [f"{b.bleu:.1f}" for _, b in shown],
            "A": [a.translation for a, _ in shown],
            "B": [b.translation for _, b in shown],
            "Reference": [a.reference for a, _ in shown],
            "Source": [a.source for a, _ in shown],
        },
        "Sentences that the two translate differently, with both translations",
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
            lambda state: f"{state.progress.done:,} of {state.progress.total:,} pairs",
        )
    results = workspace.jobs.results[::-1]  # the newest first; read once, since a job may add one at any time
    shown = "newest"
    if len(results) > 1:
        shown = choose("Show", {"newest": "The newest", "both": "Side by side"}, key="shown_evaluation")
    if shown == "both":
        _show_comparison(results[1], results[0])
    elif results:
        _show_result(results[0])
    elif plan is not None:
        with before:
            _show_score_before(plan.model)
