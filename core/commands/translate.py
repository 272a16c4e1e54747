"""The command `translate`: a text, or each line of a pipe or a file."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from io import BufferedReader
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, Never, cast

from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.shipped import find_checkpoint
from core.commands.flags import apply_flags, require_ray
from core.commands.terminal.pipe import InputLine, line_windows
from core.commands.terminal.quiet import print_stderr, progress_bar
from core.config import DecodingConfig
from core.errors import InputError
from core.inference.texts import TextRun, TextTranslation
from core.inference.translator import TranslationError, Translator
from core.records.text import ExplainedTranslation, Translation
from core.resumable_file import LINES_IN_PART, FileTask

if TYPE_CHECKING:
    from tqdm import tqdm


def translate(options: argparse.Namespace) -> int:
    """Translate a text, a pipe or a file; return the exit code, 1 if some lines could not be translated."""
    decoding = apply_flags(DecodingConfig(), options)
    if options.attention and not options.json:
        raise InputError("--attention needs --json.")
    if (options.cluster and options.out is None) or (options.address and not options.cluster):
        raise InputError("--cluster goes with --out FILE, and --address with --cluster.")
    path = find_checkpoint(options.checkpoint)
    checkpoint = Checkpoint.load(path)
    if options.out is not None:
        return _translate_file(path, checkpoint, decoding, options)
    lines = _Lines(checkpoint.translator(), decoding, options)
    return lines.translate_pipe() if options.text == "-" else lines.translate_text(options.text)


class _Lines:
    """Translates lines and prints one line for each, in the format of the options."""

    def __init__(self, translator: Translator, decoding: DecodingConfig, options: argparse.Namespace) -> None:
        self._translator = translator
        self._decoding = decoding
        self._options = options

    def translate_text(self, text: str) -> int:
        """Translate one text of any number of sentences."""
        _check_text(text)
        (translated,) = TextRun(self._translator, [text], self._decoding).finish()
        for sentence in translated.sentences:
            if unknown := ", ".join(compress(sentence.source_tokens, sentence.unknown)):
                print_stderr(f"translate: Unknown to the model: {unknown}")
        print(self._line(1, translated, problem=""), flush=True)
        return 0

    def translate_pipe(self) -> int:
        """Translate standard input to standard output; lines that cannot be translated are empty, and the exit code 1."""
        number = 1
        failed = 0
        for window in line_windows(cast(BufferedReader, sys.stdin.buffer)):
            printed, problems = self.printed(window, number)
            for problem in problems:
                print_stderr(problem)
            print(*printed, sep="\n", flush=True)
            number += len(window)
            failed += len(problems)
        return 1 if failed else 0

    def printed(self, window: Sequence[InputLine], first: int) -> tuple[list[str], list[str]]:
        """Translate some lines; `first` is the number of the first one.

        Returns:
            The lines to print, and the error messages.
        """
        texts = [line.text for line in window]
        found = TextRun(self._translator, texts, self._decoding, keep_problems=True).finish()
        printed = []
        problems = []
        for number, (line, translated) in enumerate(zip(window, found, strict=True), start=first):
            problem = line.problem or translated.problem
            printed.append(self._line(number, translated, problem))
            if problem:
                problems.append(f"translate: Line {number}: {' '.join(problem.split())}")
        return printed, problems

    def _line(self, number: int, translated: TextTranslation, problem: str) -> str:
        if not self._options.json:
            return translated.text
        sentences: Sequence[Translation | ExplainedTranslation] = translated.sentences
        if self._options.attention:
            sentences = [
                self._translator.explain(each.source, self._decoding, typed=True)
                for each in translated.sentences
            ]
        values = {
            "line": number,
            "text": translated.text,
            "sentences": [each.to_dict() for each in sentences],
        }
        return json.dumps(values | ({"error": problem} if problem else {}), ensure_ascii=False)


def _translate_file(
    path: Path, checkpoint: Checkpoint, decoding: DecodingConfig, options: argparse.Namespace
) -> int:
    """Translate the file TEXT to --out, continuing an earlier call; return the exit code."""
    if options.cluster:
        if options.json:
            raise InputError("--cluster writes lines of text. Leave out --json.")
        require_ray("--cluster")
    task = _begin_file(checkpoint, decoding, options)
    already = task.lines - sum(part.lines for part in task.missing())
    with progress_bar(task.lines, "line", already) as bar:
        try:
            if options.cluster:
                from core.cluster.file_translation import translate_missing

                for lines in translate_missing(path, task, decoding, options.address):
                    bar.update(lines)
            else:
                _translate_parts(task, _Lines(checkpoint.translator(), decoding, options), bar)
        except KeyboardInterrupt:
            bar.write("Interrupted. Run the same command again to continue.", file=sys.stderr)
            raise
    failed = task.finish()
    if failed:
        print_stderr(f"translate: {failed:,} of {task.lines:,} lines could not be translated and are empty.")
    return 1 if failed else 0


def _begin_file(checkpoint: Checkpoint, decoding: DecodingConfig, options: argparse.Namespace) -> FileTask:
    """Return the task of translating the file TEXT to --out."""
    if options.text == "-":
        raise InputError("--out goes with the name of a file, which can be read again. Received: -")
    settings = {
        "model": checkpoint.fingerprint(),
        "decoding": asdict(decoding),
        **{name: True for name in ("json", "attention") if getattr(options, name)},
    }
    return FileTask.begin(Path(options.text), options.out, settings)


def _translate_parts(task: FileTask, lines: _Lines, bar: tqdm[Never]) -> None:
    for part in task.missing():
        window = [InputLine(line) for line in task.read(part)]
        printed, problems = lines.printed(window, part.number * LINES_IN_PART + 1)
        for problem in problems:
            bar.write(problem, file=sys.stderr)
        task.write(part, printed, len(problems))
        bar.update(part.lines)


def _check_text(text: str) -> None:
    """Check a text from the command line, where Python turns bytes that are not UTF-8 into lone surrogates."""
    if not text.strip():
        raise TranslationError("There is no text to translate.")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError("The text is not UTF-8.") from error
    if os.path.isfile(text):  # noqa: PTH113 (Path.is_file raises an error for a text that is too long for a name)
        raise InputError(
            f"{text!r:.80} is a file. Add --out FILE to translate its lines; to translate its name, pipe it to -."
        )
