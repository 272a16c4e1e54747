"""Lines in, lines out: exactly one for each, from a pipe or a file."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from io import BufferedReader
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from core.commands.terminal.pipe import InputLine, line_windows
from core.commands.terminal.quiet import import_tensorflow_quietly, say
from core.config import ConfigError, DecodingConfig
from core.records import Translation

if TYPE_CHECKING:
    from core.checkpoints.checkpoint import Checkpoint
    from core.decoding.text.line_parts import FileTask, LinePart
    from core.decoding.text.lines import LineTranslation
    from core.decoding.text.text_translator import TextTranslator

FEW_CHARACTERS = 2000  # are translated in NumPy before TensorFlow would be there


class Translators:
    """A checkpoint's translator: in NumPy for little text, until there is much; then with TensorFlow.

    Args:
        checkpoint: the model.
        decoding: how to search.
        attention: whether it is asked for, which needs TensorFlow.
    """

    def __init__(self, checkpoint: Checkpoint, decoding: DecodingConfig, attention: bool) -> None:
        from core.decoding.text.first_search import is_plain_greedy

        self.decoding = decoding
        self._checkpoint = checkpoint
        self._first = checkpoint.first_translator() if is_plain_greedy(decoding) and not attention else None
        self._full: TextTranslator | None = None
        self._characters = 0  # asked for so far: a slow pipe asks line by line

    def for_texts(self, texts: Sequence[str]) -> TextTranslator:
        """What translates these soonest."""
        if self._full is None:
            self._characters += sum(map(len, set(texts)))
            if self._first is not None and self._characters <= FEW_CHARACTERS:
                return self._first
            import_tensorflow_quietly(for_batches=True)
            self._full = self._checkpoint.translator()
        return self._full


def translate_pipe(translators: Translators, options: argparse.Namespace) -> int:
    """Standard input to standard output; 1 where lines could not be translated, which are empty."""
    number, failed = 1, 0
    for window in line_windows(cast(BufferedReader, sys.stdin.buffer)):
        printed, problems = _printed(window, number, translators, options)
        for at, problem in problems.items():
            say(_told(at, problem))
        print(*printed, sep="\n", flush=True)
        number, failed = number + len(window), failed + len(problems)
    return 1 if failed else 0


def translate_to_file(checkpoint: Checkpoint, translators: Translators, options: argparse.Namespace) -> int:
    """The file TEXT to --out, part by part, going on where an earlier call ended; 1 as `translate_pipe`."""
    task = begin_file(checkpoint, translators.decoding, options)
    missing = task.missing()
    from tqdm import tqdm

    already = task.lines - sum(part.lines for part in missing)
    with tqdm(total=task.lines, initial=already, unit="line", disable=None, dynamic_ncols=True) as bar:
        try:
            for part in missing:
                _translate_part(task, part, translators, options)
                bar.update(part.lines)
        except KeyboardInterrupt:
            tqdm.write("Interrupted. Run the same command again to continue.", file=sys.stderr)
            raise
    return finish_file(task)


def begin_file(checkpoint: Checkpoint, decoding: DecodingConfig, options: argparse.Namespace) -> FileTask:
    """The file TEXT on its way to --out, whoever translates it.

    Raises:
        ConfigError: it is no file.
        PartsError: as `FileTask.begin`.
    """
    from core.decoding.text.line_parts import FileTask

    if options.text == "-":
        raise ConfigError("--out goes with the name of a file, which can be read again. Received: -")
    settings = {
        "model": checkpoint.fingerprint(),
        "decoding": asdict(decoding),
        **{name: True for name in ("json", "attention") if getattr(options, name)},
    }
    return FileTask.begin(Path(options.text), options.out, settings)


def finish_file(task: FileTask) -> int:
    """Write --out; 1 where lines could not be translated, which are empty."""
    failed = task.finish()
    if failed:
        say(f"translate: {failed:,} of {task.lines:,} lines could not be translated and are empty.")
    return 1 if failed else 0


def _translate_part(
    task: FileTask, part: LinePart, translators: Translators, options: argparse.Namespace
) -> None:
    from tqdm import tqdm

    from core.decoding.text.line_parts import LINES_IN_PART, read_part

    lines = [InputLine(line) for line in read_part(task.file.path, part)]
    printed, problems = _printed(lines, part.number * LINES_IN_PART + 1, translators, options)
    for at, problem in problems.items():
        tqdm.write(_told(at, problem), file=sys.stderr)
    task.folder.write(part, printed, len(problems))


def _told(number: int, problem: str) -> str:
    return f"translate: Line {number}: {' '.join(problem.split())}"


def sentence_values(translator: TextTranslator, sentence: Translation, attention: bool) -> dict[str, Any]:
    """What is told of a sentence as JSON."""
    return (translator.explain(sentence) if attention else sentence).to_dict()


def _printed(
    window: Sequence[InputLine], first: int, translators: Translators, options: argparse.Namespace
) -> tuple[list[str], dict[int, str]]:
    """What to print for each of some lines, and the problems by their lines' numbers, the first being `first`."""
    from core.decoding.text.lines import translate_lines

    texts = [line.text for line in window]
    translator, decoding = translators.for_texts(texts), translators.decoding
    printed: list[str] = []
    problems: dict[int, str] = {}
    for number, (line, found) in enumerate(
        zip(window, translate_lines(translator, texts, decoding), strict=True), start=first
    ):
        if problem := line.problem or found.problem:
            problems[number] = problem
        if options.json:
            sentences = [sentence_values(translator, each, options.attention) for each in found.sentences]
            printed.append(_json_line(number, found, sentences, problem))
        else:
            printed.append(found.text)
    return printed, problems


def _json_line(number: int, found: LineTranslation, sentences: list[dict[str, Any]], problem: str) -> str:
    values = {"line": number, "text": found.text, "sentences": sentences}
    return json.dumps(values | ({"error": problem} if problem else {}), ensure_ascii=False)
