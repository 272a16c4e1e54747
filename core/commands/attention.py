"""The command line: python -m core attention."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from core.commands.flags import add_flags, changed, sampled_if_asked
from core.commands.terminal.quiet import import_tensorflow_quietly
from core.config import ConfigError, DecodingConfig

if TYPE_CHECKING:
    from core.decoding.translator import Translator
    from core.interpretability.attention.reading import AttentionReading
    from core.model.weight_shapes import Weights
    from core.records import AttentionView, Translation

_ENDINGS = (".json", ".csv", ".html", ".svg")


def add_attention(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Register the command."""
    parser = commands.add_parser("attention", help="write the attention of a sentence to a file")
    parser.set_defaults(command=_attention, name="attention")
    parser.add_argument("checkpoint", help='the name of a shipped one ("ted_pt_en"), a folder or a zip')
    parser.add_argument("text", help="one sentence to translate")
    parser.add_argument(
        "--out",
        required=True,
        type=Path,
        metavar="FILE",
        help=f"what to write, by its ending: {', '.join(_ENDINGS)}; JSON and CSV hold all layers and heads",
    )
    parser.add_argument("--kind", choices=("encoder", "decoder", "cross", "joint"), default="cross")
    parser.add_argument(
        "--measure",
        choices=("weights", "norms", "rollout"),
        default="weights",
        help="what to show: the weights, the weights times the norms of the vectors they scale, or rollout",
    )
    parser.add_argument(
        "--step",
        choices=("writes", "reads"),
        default="writes",
        help="for cross-attention: read it at the step that writes a token, or at the next one, which reads the token",
    )
    parser.add_argument("--words", action="store_true", help="merge subwords into words")
    parser.add_argument("--hide-specials", action="store_true", help="hide the start and end tokens")
    parser.add_argument("--hide-punctuation", action="store_true")
    parser.add_argument("--renormalize", action="store_true", help="scale rows to sum to 1")
    parser.add_argument(
        "--layer", type=int, metavar="N", help="in a picture, from 1; the last one if left out"
    )
    parser.add_argument("--head", type=int, metavar="N", help="in a picture, from 1; their mean if left out")
    add_flags(parser, DecodingConfig)


def _attention(options: argparse.Namespace) -> int:
    decoding = sampled_if_asked(changed(DecodingConfig(), options), options)
    ending = options.out.suffix.lower()
    if ending not in _ENDINGS:
        raise ConfigError(f"--out must end in one of {', '.join(_ENDINGS)}. Received: {options.out.name!r}")

    from core.decoding.text.source_ids import check_has_words
    from core.storage.checkpoint import Checkpoint
    from core.storage.shipped import find_checkpoint

    checkpoint = Checkpoint.load(find_checkpoint(options.checkpoint))
    check_has_words(checkpoint.source_tokenizer, options.text)

    import_tensorflow_quietly()
    from core.interpretability.attention.reading import AttentionReading

    translator = checkpoint.translator()
    reading = AttentionReading(
        kind=options.kind,
        measure=options.measure,
        step=options.step,
        by_word=options.words,
        specials=not options.hide_specials,
        punctuation=not options.hide_punctuation,
        renormalized=options.renormalize,
    )
    translation = translator.explain(translator.translate_typed([options.text], decoding)[0])
    view = _view(translator, checkpoint.weights, translation, reading)
    options.out.write_text(_written(ending, view, translation, options), encoding="utf-8")
    print(f"{translation.text}\n{view.name}: {options.out}")
    return 0


def _view(
    translator: Translator, weights: Weights, translation: Translation, reading: AttentionReading
) -> AttentionView:
    from core.interpretability.attention.value_norms import value_norms
    from core.interpretability.attention.view import read_attention

    assert translation.attention is not None
    norms = value_norms(translator, weights, translation) if reading.measure == "norms" else None
    return read_attention(translation.attention, reading, norms)


def _written(ending: str, view: AttentionView, translation: Translation, options: argparse.Namespace) -> str:
    from core.figures.attention import attention_info
    from core.figures.attention_page import attention_page
    from core.figures.heatmap_svg import heatmap_svg
    from core.figures.linked_tokens import lines_info
    from core.interpretability.attention.table import attention_csv, attention_json

    if ending == ".json":
        return attention_json(view, translation)
    if ending == ".csv":
        return attention_csv(view)
    layers, heads = view.weights.shape[:2]
    layer = _number("--layer", options.layer, layers)
    head = _number("--head", options.head, heads)
    layer = layers - 1 if layer is None else layer
    info = attention_info(view, layer, head)
    notes = " ".join(view.notes)
    if ending == ".svg":
        return heatmap_svg(info.heatmap, info.title, notes)
    return attention_page(info, lines_info(view, layer, head), translation.source, translation.text, notes)


def _number(flag: str, number: int | None, most: int) -> int | None:
    """From 0, of one that people count from 1."""
    if number is not None and not 1 <= number <= most:
        raise ConfigError(f"{flag} must be from 1 to {most} here. Received: {number}")
    return None if number is None else number - 1
