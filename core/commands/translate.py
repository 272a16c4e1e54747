"""The command line: python -m core translate."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

from core.commands.flags import add_flags, changed, require_ray
from core.commands.terminal.quiet import import_tensorflow_quietly
from core.commands.translated_lines import (
    Translators,
    begin_file,
    finish_file,
    sentence_values,
    translate_pipe,
    translate_to_file,
)
from core.config import SAMPLING, ConfigError, DecodingConfig


def add_translate(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command."""
    parser = commands.add_parser("translate", help="translate with a checkpoint")
    parser.set_defaults(command=_translate, name="translate")
    parser.add_argument("checkpoint", help='the name of a shipped one ("ted_pt_en"), a folder or a zip')
    parser.add_argument(
        "text",
        help='what to translate, any number of sentences; "-" reads standard input line by line; with --out a file\'s '
        "name. A sentence without "
        "final punctuation is read with a full stop where the model has only seen sentences that end in "
        "punctuation; its translation leaves it out",
    )
    add_flags(parser, DecodingConfig, without=SAMPLING)
    parser.add_argument(
        "--json",
        action="store_true",
        help='one JSON object per sentence; for standard input and files one per line, with "line" (from 1), "text", '
        '"sentences" and, where it could not be translated, "error"',
    )
    parser.add_argument("--attention", action="store_true", help="with --json: the attention of all heads")
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help="translate the file TEXT to this one: exactly one line for each of its lines. Run the same command again to "
        "continue where it stopped",
    )
    parser.add_argument(
        "--cluster",
        action="store_true",
        help="with --out: by all processors of a Ray cluster (requirements-cluster.txt)",
    )
    parser.add_argument(
        "--address", help='with --cluster: of a Ray cluster, or "auto" (default: this machine alone)'
    )


def _translate(options: argparse.Namespace) -> int:
    decoding = changed(DecodingConfig(), options)
    if options.attention and not options.json:
        raise ConfigError("--attention needs --json.")
    if (options.cluster and options.out is None) or (options.address and not options.cluster):
        raise ConfigError("--cluster goes with --out FILE, and --address with --cluster.")
    if options.cluster:
        return _translate_on_cluster(options, decoding)

    from core.checkpoints.checkpoint import Checkpoint
    from core.checkpoints.shipped import find_checkpoint

    checkpoint = Checkpoint.load(find_checkpoint(options.checkpoint))
    translators = Translators(checkpoint, decoding, options.attention)
    if options.out is not None:
        return translate_to_file(checkpoint, translators, options)
    if options.text == "-":
        return translate_pipe(translators, options)
    _translate_text(_checked(options.text), translators, options)
    return 0


def _translate_text(text: str, translators: Translators, options: argparse.Namespace) -> None:
    """One text of any number of sentences."""
    from core.decoding.text.long_text import translate_texts
    from core.decoding.text.translation_error import TranslationError

    if not text.strip():
        raise TranslationError("There is no text to translate.")
    translator, decoding = translators.for_texts([text]), translators.decoding
    (translated,) = translate_texts(translator, [text], decoding)
    if options.json:
        for sentence in translated.sentences:
            values = sentence_values(translator, sentence, options.attention)
            print(json.dumps(values, ensure_ascii=False), flush=True)
    else:
        print(translated.text, flush=True)


def _translate_on_cluster(options: argparse.Namespace, decoding: DecodingConfig) -> int:
    """Every line of a file, by a cluster."""
    if options.json:
        raise ConfigError("--cluster writes lines of text. Leave out --json.")
    require_ray("--cluster")
    from core.checkpoints.checkpoint import Checkpoint
    from core.checkpoints.shipped import find_checkpoint

    path = find_checkpoint(options.checkpoint)
    task = begin_file(Checkpoint.load(path), decoding, options)
    import_tensorflow_quietly()
    from tqdm import tqdm

    from core.cluster.file_translation import translate_missing

    with tqdm(total=task.lines, unit="line", disable=None, dynamic_ncols=True) as bar:
        for lines in translate_missing(path, task, decoding, options.address):
            bar.update(lines)
    return finish_file(task)


def _checked(text: str) -> str:
    """The text, if it is one; Python hides bytes that are no UTF-8 in lone surrogates.

    Raises:
        ConfigError: there are such bytes in it, or it is a file's name.
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ConfigError("The text is not UTF-8.") from error
    if os.path.isfile(text):  # noqa: PTH113 (Path.is_file raises an error where a text is too long for a name)
        raise ConfigError(
            f"{text!r:.80} is a file. Add --out FILE to translate its lines; to translate its name, pipe it to -."
        )
    return text
