"""The command line: python -m core distill."""

from __future__ import annotations

import argparse
from pathlib import Path

from core.commands.flags import add_flags, changed, check_least
from core.commands.terminal.interrupts import Interrupts
from core.commands.terminal.quiet import import_tensorflow_quietly
from core.config import SAMPLING, ConfigError, DecodingConfig
from core.corpora.by_name import read_corpus_split
from core.corpora.delimited import write_pairs
from core.records import Pair

_SEARCH = DecodingConfig(beam_size=4, length_penalty=1.0)


def add_distill(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "distill",
        help="translate a corpus, and words and short word sequences from it, for a model to learn from with train "
        "--more-pairs",
    )
    parser.set_defaults(command=_distill, name="distill")
    parser.add_argument("checkpoint", help='the name of a shipped one ("ted_pt_en"), a folder or a zip')
    parser.add_argument("--corpus", required=True, help='"ted_pt_en", "anki_en_fr", …, or a file of pairs')
    parser.add_argument("--split", default="train", help="of a named corpus (default: train)")
    parser.add_argument("--sample", type=int, metavar="N", help="only N pairs, drawn by --seed")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of all that is drawn (default: 0)")
    parser.add_argument(
        "--out", type=Path, required=True, metavar="FILE", help="a new CSV file for the pairs"
    )
    described = parser.add_argument_group(
        "search", f"by default with {_SEARCH.beam_size} beams and length penalty {_SEARCH.length_penalty:g}"
    )
    add_flags(described, DecodingConfig, without=SAMPLING)


def _distill(options: argparse.Namespace) -> int:
    decoding = changed(_SEARCH, options, without=SAMPLING)
    check_least(options, "sample", 1)
    if options.out.exists() or not options.out.resolve().parent.is_dir():
        raise ConfigError(f"--out must be a new file in a folder that exists. Received: {options.out}")
    from core.corpora.catalogue import sample_pairs
    from core.storage.checkpoint import Checkpoint
    from core.storage.shipped import find_checkpoint

    checkpoint = Checkpoint.load(find_checkpoint(options.checkpoint))
    import_tensorflow_quietly(for_batches=True)
    pairs = sample_pairs(read_corpus_split(options.corpus, options.split), options.sample, options.seed)

    from tqdm import tqdm

    from core.distillation import Distillation

    run, done, code = Distillation(checkpoint, pairs, decoding, options.seed), 0, 0
    with (
        Interrupts() as interrupts,
        tqdm(total=run.total, unit="text", disable=None, dynamic_ncols=True) as bar,
    ):
        try:
            for done in run.steps():
                bar.update(done - bar.n)
        except KeyboardInterrupt:
            if not run.pairs:
                raise
            code = 130
        interrupts.ignore()
        _save(run.pairs, options.out)
    print(f"{len(run.pairs):,} pairs from {done:,} of {run.total:,} texts saved to {options.out}.")
    return code


def _save(pairs: list[Pair], path: Path) -> None:
    """The whole file or none.

    Raises:
        DistillationError: there are no pairs.
    """
    from core.distillation import DistillationError

    if not pairs:
        raise DistillationError("No text was translated to its end, so there is nothing to save.")
    fresh = path.with_name(f".{path.name}.fresh")
    fresh.write_text(write_pairs(pairs), encoding="utf-8")
    fresh.replace(path)
