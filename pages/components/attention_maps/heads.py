from core.figures.attention import (
    MOST_COLUMNS,
    AttentionKind,
    attention_figure,
    attention_heads_figure,
    attention_info,
)
from core.figures.heatmap import MAX_TICKS
from core.records import AttentionRecord
from pages.components.widgets.figure import show_figure
from pages.components.widgets.responsive import wide_and_narrow

_FEW_TOKENS = 6  # that fit into half of a phone's width
_MANY_TOKENS = 32  # that a quarter of a screen cannot show
_NARROW_TICKS = 10  # labels that fit side by side on a phone


def show_heads(record: AttentionRecord, kind: AttentionKind, layer: int, fixed_scale: bool) -> None:
    """All heads of a layer side by side: four in a row on a screen, two of a long sentence; fewer on a phone."""
    longest = max(len(record.source_tokens), len(record.decoder_input_tokens))
    on_a_phone = 2 if longest <= _FEW_TOKENS else 1
    on_a_screen = MOST_COLUMNS if longest <= _MANY_TOKENS else 2

    def draw(narrow: bool) -> None:
        columns = on_a_phone if narrow else on_a_screen
        show_figure(
            attention_heads_figure(record, kind, layer, fixed_scale, columns),
            alt=f"All heads of {kind} attention, layer {layer + 1}",
            key=f"heads_figure_{narrow}",
        )

    wide_and_narrow("heads", draw)


def show_head(
    record: AttentionRecord, kind: AttentionKind, layer: int, head: int | None, fixed_scale: bool
) -> None:
    """One head large, or the mean of all where `head` is None; a long sentence has fewer labels on a phone."""
    info = attention_info(record, kind, layer, head)

    def draw(narrow: bool) -> None:
        most = _NARROW_TICKS if narrow else MAX_TICKS
        show_figure(attention_figure(info, fixed_scale, most), alt=info.title, key=f"head_figure_{narrow}")

    if len(info.heatmap.column_labels) <= _NARROW_TICKS:
        draw(narrow=False)
    else:
        wide_and_narrow("head", draw)
