"""The command line: python -m core evaluate."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.shipped import find_checkpoint
from core.commands.flags import add_flags, changed, check_least
from core.commands.terminal.quiet import progress_bar, say
from core.config import SAMPLING, ConfigError, DecodingConfig
from core.corpora.catalogue import named_corpus, read_file, sample_pairs
from core.corpora.corpus import Corpus
from core.tokens.subword import SubwordTokenizer

if TYPE_CHECKING:
    from core.evaluation import Evaluation, EvaluationRun
    from core.metrics.bleu import Scores


def add_evaluate(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command."""
    parser = commands.add_parser("evaluate", help="measure a checkpoint: loss, accuracy, BLEU, chrF, speed")
    parser.set_defaults(command=_evaluate, name="evaluate")
    parser.add_argument("checkpoint", help='the name of a shipped one ("ted_pt_en"), a folder or a zip')
    parser.add_argument("--corpus", required=True, help='"ted_pt_en", "anki_en_fr", …, or a file of pairs')
    parser.add_argument(
        "--split",
        default="validation",
        help="train, validation or test of a named corpus (default: validation)",
    )
    parser.add_argument("--sample", type=int, metavar="N", help="only N pairs, drawn by --seed")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the sample (default: 0)")
    add_flags(parser, DecodingConfig, without=SAMPLING)
    parser.add_argument("--json", action="store_true", help="all figures as one JSON object")
    parser.add_argument(
        "--hypotheses",
        type=Path,
        metavar="FILE",
        help="write the translations, one per line, and beside FILE the references and both normalized, for sacrebleu",
    )


def _evaluate(options: argparse.Namespace) -> int:
    decoding = changed(DecodingConfig(), options, without=SAMPLING)
    check_least(options, "sample", 1)
    if options.hypotheses is not None:
        _check_file(options.hypotheses)
    checkpoint = Checkpoint.load(find_checkpoint(options.checkpoint))
    corpus = named_corpus(options.corpus)
    if corpus is not None:
        _warn_of_other_languages(checkpoint, corpus)
    pairs = corpus.read(options.split) if corpus else read_file(options.corpus)

    from core.evaluation import EvaluationRun

    run = EvaluationRun(checkpoint, sample_pairs(pairs, options.sample, options.seed), decoding)
    with progress_bar(run.total, "pair") as bar:
        for done in run.steps():
            bar.update(done - bar.n)
    result = run.result()
    if options.json:
        which = {name: getattr(options, name) for name in ("checkpoint", "corpus", "split")}
        print(json.dumps(which | result.to_dict(), ensure_ascii=False))
    else:
        print(_table(result))
    if options.hypotheses is not None:
        _write_files(run, options.hypotheses)
    return 0


def _check_file(path: Path) -> None:
    """Check that a file can be written there, before anything is measured.

    Raises:
        ConfigError: it cannot.
    """
    folder = path.resolve().parent
    if not folder.is_dir():
        raise ConfigError(f"There is no folder {folder} to write into.")
    if path.is_dir():
        raise ConfigError(f"--hypotheses must be a file. {path} is a folder.")


def _warn_of_other_languages(checkpoint: Checkpoint, corpus: Corpus) -> None:
    """Say so if the corpus is in other languages than the model's: its name is easily mistyped."""
    tokenizers = (checkpoint.source_tokenizer, checkpoint.target_tokenizer)
    known = tuple(each.settings.language for each in tokenizers if isinstance(each, SubwordTokenizer))
    if known and "und" not in known and known != corpus.languages:
        model, given = (" → ".join(languages) for languages in (known, corpus.languages))
        say(f"evaluate: This model translates {model}, but the corpus {corpus.name} is {given}.")


def _table(result: Evaluation) -> str:
    left_out = f" ({result.left_out} left out: empty or too long)" if result.left_out else ""
    detokenized, normalized = result.detokenized, result.normalized
    rows = (
        ("pairs", f"{result.pairs:,}{left_out}"),
        ("loss", f"{result.loss:.4f} nats per token"),
        ("perplexity", f"{result.perplexity:.3f}"),
        ("masked accuracy", f"{result.accuracy:.4f}"),
        ("BLEU, detokenized", f"{_bleu(detokenized)}   {detokenized.bleu_signature}"),
        ("BLEU, normalized", f"{_bleu(normalized)}   {normalized.bleu_signature}"),
        ("chrF, detokenized", f"{detokenized.chrf:.2f}   {detokenized.chrf_signature}"),
        ("length ratio", f"{result.length_ratio:.3f}"),
        ("tokens per second", f"{result.tokens_per_second:,.0f}"),
    )
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:<{width}}  {value}" for name, value in rows)


def _bleu(scores: Scores) -> str:
    """Return BLEU with half the width of its 95 % confidence interval."""
    return f"{scores.bleu:.2f} ± {scores.bleu_margin:.2f}"


def _write_files(run: EvaluationRun, path: Path) -> None:
    """Write what sacrebleu takes: one sentence a line, translations and references in the same order."""
    results = [run.sentences[number] for number in sorted(run.sentences)]
    columns = {
        path: [each.translation for each in results],
        path.with_suffix(f".references{path.suffix}"): [each.reference for each in results],
        path.with_suffix(f".normalized{path.suffix}"): [each.normalized_translation for each in results],
        path.with_suffix(f".normalized_references{path.suffix}"): [
            each.normalized_reference for each in results
        ],
    }
    for name, lines in columns.items():
        name.write_text("".join(f"{' '.join(line.split())}\n" for line in lines), encoding="utf-8")
