"""The command line: python -m core tune."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from core.commands.flags import check_least
from core.commands.terminal.interrupts import Interrupts
from core.commands.terminal.quiet import import_tensorflow_quietly
from core.corpora.by_name import read_corpus_split

if TYPE_CHECKING:
    from core.risk_training import RiskTraining

_SAMPLE = 24_000


def add_tune(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command."""
    parser = commands.add_parser(
        "tune",
        help="teach a checkpoint to prefer those of its own translations that score best (minimum risk training)",
    )
    parser.set_defaults(command=_tune, name="tune")
    parser.add_argument("checkpoint", help='the name of a shipped one ("ted_pt_en"), a folder or a zip')
    parser.add_argument("--corpus", required=True, help='"ted_pt_en", "anki_en_fr", …, or a file of pairs')
    parser.add_argument("--split", default="train", help="of a named corpus (default: train)")
    parser.add_argument(
        "--sample",
        type=int,
        default=_SAMPLE,
        metavar="N",
        help="N pairs, drawn by --seed (default: %(default)s)",
    )
    parser.add_argument(
        "--learning-rate",
        type=float,
        metavar="N",
        help="the peak; it rises and falls linearly (default: 0.0001)",
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of all that is drawn (default: 0)")
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="the new checkpoint")


def _tune(options: argparse.Namespace) -> int:
    from core.storage.checkpoint import Checkpoint
    from core.storage.output_folder import check_is_new, check_writable
    from core.storage.shipped import find_checkpoint

    check_least(options, "sample", 1)
    path = find_checkpoint(options.checkpoint)
    check_is_new(options.out, [path])
    check_writable(options.out)
    checkpoint = Checkpoint.load(path)
    import_tensorflow_quietly()  # each product shared by the cores: twice as long is trained as searched
    from core.corpora.catalogue import sample_pairs
    from core.risk_training import TRAINING, RiskTraining

    training = TRAINING.replace(seed=options.seed)
    if options.learning_rate is not None:
        training = training.replace(learning_rate=options.learning_rate)
    pairs = sample_pairs(read_corpus_split(options.corpus, options.split), options.sample, options.seed)
    return _run(RiskTraining(checkpoint, pairs, training), options.out)


def _run(run: RiskTraining, out: Path) -> int:
    """Search, train and save; what was learned before Ctrl-C is saved, too."""
    from tqdm import tqdm

    code = done = 0
    with Interrupts() as interrupts:
        try:
            with tqdm(total=run.sources, unit="text", disable=None, dynamic_ncols=True) as bar:
                for translated in run.search():
                    bar.update(translated - bar.n)
            with tqdm(total=run.total_steps, unit="step", disable=None, dynamic_ncols=True) as bar:
                for report in run.steps():
                    done = report.step
                    bar.set_postfix(cost=f"{report.risk:.3f}", loss=f"{report.loss:.3f}", refresh=False)
                    bar.update()
        except KeyboardInterrupt:
            code = 130
        interrupts.ignore()
        if done:
            run.tuned().save(out)
    saved = f"Saved to {out}." if done else "Nothing was written."
    print(f"{done:,} of {run.total_steps:,} steps. {saved}")
    return code
