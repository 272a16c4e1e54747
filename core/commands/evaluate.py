"""The command `evaluate`: measure a checkpoint on a corpus."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.shipped import find_checkpoint
from core.commands.flags import apply_flags, check_minimum
from core.commands.pairs import read_corpus, read_file
from core.commands.terminal.quiet import print_stderr, progress_bar
from core.config import SAMPLING, DecodingConfig
from core.corpora.catalogue import CORPORA, named_corpus, sample_pairs
from core.corpora.corpus import Corpus
from core.corpora.languages import UNKNOWN_LANGUAGE
from core.errors import InputError
from core.records.text import Pair
from core.tokens.subword import SubwordTokenizer

if TYPE_CHECKING:
    from core.evaluation import Evaluation, EvaluationRun

_FILES = {  # the field written to each file, by what is added to the file's name
    "": "translation",
    ".references": "reference",
    ".normalized": "normalized_translation",
    ".normalized_references": "normalized_reference",
}


def evaluate(options: argparse.Namespace) -> int:
    """Print a checkpoint's metrics on a corpus, and write its translations if asked to; return the exit code."""
    decoding = apply_flags(DecodingConfig(), options, without=SAMPLING)
    check_minimum(options, sample=1)
    if options.hypotheses is not None:
        # Fails before the evaluation if the file cannot be written.
        options.hypotheses.open("a").close()
    checkpoint = Checkpoint.load(find_checkpoint(options.checkpoint))
    if options.corpus is None:
        corpus = _own_corpus(checkpoint)
        options.corpus = corpus.name
        print_stderr(f"On {corpus.title}.")
    pairs = _read(options, checkpoint)

    from core.evaluation import EvaluationRun

    run = EvaluationRun(checkpoint.translator(), sample_pairs(pairs, options.sample, options.seed), decoding)
    with progress_bar(run.total, "pair") as bar:
        for done in run.steps():
            bar.update(done - bar.n)
    result = run.result()
    if options.json:
        which = {name: getattr(options, name) for name in ("checkpoint", "corpus", "split")}
        print(json.dumps(which | asdict(result), ensure_ascii=False))
    else:
        print(_table(result))
    if options.hypotheses is not None:
        _write_files(run, options.hypotheses)
    return 0


def _own_corpus(checkpoint: Checkpoint) -> Corpus:
    """Return the small corpus of this project in the model's languages."""
    languages = _languages_of(checkpoint)
    for corpus in CORPORA.values():
        if corpus.splits == ("test",) and corpus.languages == languages:
            return corpus
    raise InputError("Name the pairs to evaluate on with --corpus: a file, or a corpus that data lists.")


def _read(options: argparse.Namespace, checkpoint: Checkpoint) -> Iterable[Pair]:
    """Return the pairs of the corpus or file, after a warning if a corpus is in other languages than the model."""
    corpus = named_corpus(options.corpus)
    if corpus is None:
        return read_file(options)[0]
    _warn_of_other_languages(checkpoint, corpus)
    options.split = options.split or corpus.evaluation_split
    return read_corpus(corpus, options.split)


def _languages_of(checkpoint: Checkpoint) -> tuple[str, ...]:
    """Return the codes of a model's languages; empty for whole words, which name none."""
    tokenizers = (checkpoint.source_tokenizer, checkpoint.target_tokenizer)
    return tuple(each.settings.language for each in tokenizers if isinstance(each, SubwordTokenizer))


def _warn_of_other_languages(checkpoint: Checkpoint, corpus: Corpus) -> None:
    """Warn if the languages of the corpus are not the model's, since its name is easily mistyped."""
    known = _languages_of(checkpoint)
    if known and UNKNOWN_LANGUAGE not in known and known != corpus.languages:
        model = " → ".join(known)
        given = " → ".join(corpus.languages)
        print_stderr(f"evaluate: This model translates {model}, but the corpus {corpus.name} is {given}.")


def _table(result: Evaluation) -> str:
    left_out = f" ({result.left_out} left out: empty or too long)" if result.left_out else ""
    detokenized = result.detokenized
    rows = (
        ("pairs", f"{result.pairs:,}{left_out}"),
        ("loss", f"{result.loss:.4f} nats per token"),
        ("perplexity", f"{result.perplexity:.3f}"),
        ("masked accuracy", f"{result.accuracy:.4f}"),
        *(
            (f"BLEU, {name}", f"{each.bleu:.2f} ± {each.bleu_margin:.2f}   {each.bleu_signature}")
            for name, each in (("detokenized", detokenized), ("normalized", result.normalized))
        ),
        ("chrF, detokenized", f"{detokenized.chrf:.2f}   {detokenized.chrf_signature}"),
        ("length ratio", f"{result.length_ratio:.3f}"),
        ("tokens per second", f"{result.tokens_per_second:,.0f}"),
    )
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:<{width}}  {value}" for name, value in rows)


def _write_files(run: EvaluationRun, path: Path) -> None:
    """Write files for sacrebleu: one sentence per line, translations and references in the same order."""
    results = [run.sentences[number] for number in sorted(run.sentences)]
    for kind, field in _FILES.items():
        lines = (" ".join(getattr(each, field).split()) for each in results)
        text = "".join(f"{line}\n" for line in lines)
        path.with_suffix(f"{kind}{path.suffix}").write_text(text, encoding="utf-8")
