"""The command line: python -m core translate."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from core.commands.flags import add_flags, changed, require_ray, sampled_if_asked
from core.commands.quiet import import_tensorflow_quietly
from core.config import ConfigError, DecodingConfig

if TYPE_CHECKING:
    from core.decoding.text.long_text import TextTranslation
    from core.decoding.translator import Translator

_LINES_AT_ONCE = 64


def add_translate(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command."""
    parser = commands.add_parser("translate", help="translate with a checkpoint")
    parser.set_defaults(command=_translate, name="translate")
    parser.add_argument("checkpoint", help='the name of a shipped one ("ted_pt_en"), a folder or a zip')
    parser.add_argument(
        "text",
        help='what to translate, any number of sentences; "-" reads standard input line by line; with --cluster a '
        "file's name. A sentence without "
        "final punctuation is read with a full stop where the model has only seen sentences that end in "
        "punctuation; its translation leaves it out",
    )
    add_flags(parser, DecodingConfig)
    parser.add_argument("--json", action="store_true", help="one JSON object a line and a sentence")
    parser.add_argument("--attention", action="store_true", help="with --json: the attention of all heads")
    parser.add_argument(
        "--cluster",
        action="store_true",
        help="translate the file TEXT with all processors of a Ray cluster (requirements-cluster.txt): exactly one "
        "line for each of its lines. The same command goes on where it was stopped",
    )
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="with --cluster: where the lines are written"
    )
    parser.add_argument(
        "--address", help='with --cluster: of a Ray cluster, or "auto" (default: this machine alone)'
    )


def _translate(options: argparse.Namespace) -> int:
    decoding = sampled_if_asked(changed(DecodingConfig(), options), options)
    if options.attention and not options.json:
        raise ConfigError("--attention needs --json.")

    if options.cluster != (options.out is not None) or (options.address and not options.cluster):
        raise ConfigError("--cluster, which needs --out FILE, goes with --out and --address alone.")
    if options.cluster:
        return _translate_file(options, decoding)

    from core.storage.checkpoint import Checkpoint
    from core.storage.shipped import find_checkpoint

    checkpoint = Checkpoint.load(find_checkpoint(options.checkpoint))

    import_tensorflow_quietly()
    from core.decoding.translator import TranslationError

    translator = checkpoint.translator()
    line = 1
    for texts in _texts(options.text):
        try:
            _print_translations(translator, texts, decoding, options)
        except TranslationError as error:
            if options.text != "-":
                raise
            if error.row:  # what came before it is as good as ever
                _print_translations(translator, texts[: error.row], decoding, options)
            raise TranslationError(f"Line {line + error.row}: {error}") from error
        line += len(texts)
    return 0


def _translate_file(options: argparse.Namespace, decoding: DecodingConfig) -> int:
    """Every line of a file, by a cluster."""
    if options.json:
        raise ConfigError("--cluster writes lines of text. Leave out --json.")
    if decoding.samples > 1:
        raise ConfigError("--cluster writes one translation a line. Leave out --samples.")
    require_ray("--cluster")
    from core.storage.shipped import find_checkpoint

    checkpoint, source = find_checkpoint(options.checkpoint), Path(options.text)
    import_tensorflow_quietly()
    from tqdm import tqdm

    from core.cluster.file_translation import translate_file

    done = translate_file(checkpoint, source, options.out, decoding, options.address)
    with tqdm(unit="line", disable=None, dynamic_ncols=True) as bar:
        for lines in done:
            bar.update(lines)
    return 0


def _texts(argument: str) -> Iterator[list[str]]:
    """The text, or the lines of standard input: one by one for a person, else many at once."""
    if argument != "-":
        yield [_checked(argument, "The text")]
        return
    together: list[str] = []
    limit = 1 if sys.stdin.isatty() else _LINES_AT_ONCE
    for number, line in enumerate(_input(), start=1):
        together.append(_checked(line, f"Line {number} of standard input"))
        if len(together) == limit:
            yield together
            together = []
    if together:
        yield together


def _input() -> Iterator[str]:
    """The lines of standard input, without their ends."""
    try:
        for number, line in enumerate(sys.stdin):
            line = line.rstrip("\r\n")
            yield line if number else line.removeprefix("\ufeff")  # some programs begin every file with it
    except UnicodeDecodeError as error:
        raise ConfigError("Standard input is not UTF-8 text.") from error


def _checked(text: str, name: str) -> str:
    """The text; Python hides bytes that are no UTF-8 in lone surrogates.

    Raises:
        ConfigError: there are such bytes in it.
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ConfigError(f"{name} is not UTF-8 text.") from error
    return text


def _print_translations(
    translator: Translator, texts: list[str], decoding: DecodingConfig, options: argparse.Namespace
) -> None:
    from core.decoding.text.long_text import translate_texts
    from core.decoding.translator import TranslationError

    if options.text != "-" and not options.text.strip():
        raise TranslationError("There is no text to translate.")
    for translated in translate_texts(translator, texts, decoding):
        if options.json:
            _print_json(translator, translated, options.attention, decoding)
        else:
            print(*translated.samples(max(1, decoding.samples)), sep="\n", flush=True)


def _print_json(
    translator: Translator, translated: TextTranslation, attention: bool, decoding: DecodingConfig
) -> None:
    for sentence in translated.sentences:
        explained = translator.explain(sentence) if attention else sentence
        values = explained.to_dict()
        if decoding.samples > 1:
            values["samples"] = [
                {"text": each.text, "log_probability": each.log_probability, "finished": each.finished}
                for each in sentence.hypotheses
            ]
        print(json.dumps(values, ensure_ascii=False), flush=True)
