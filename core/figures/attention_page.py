"""One head of a sentence as an HTML file that needs nothing else: the heatmap, and the lines to point at."""

from __future__ import annotations

import json
from html import escape

from core.figures.attention import AttentionHeadInfo
from core.figures.heatmap_svg import heatmap_svg
from core.figures.linked_tokens import SCRIPT, STYLE, LinkedTokens

CAVEAT = (
    "Attention shows where information could flow, not why the model chose a word: very different weights can give "
    "the same translation."
)

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy"
content="default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>{title}</title>
<style>
body {{ font-family: sans-serif; color: #1f1e1c; background: #fff;
max-width: 900px; margin: 2rem auto; padding: 0 1rem; }}
.heatmap {{ overflow-x: auto; }}
{style}</style></head>
<body><h1>{title}</h1>
<p>{source} → <b>{target}</b></p>
<div class="heatmap">{heatmap}</div>
<h2>Lines</h2><p>Point at a token, or press it.</p>
<div class="linked-tokens"></div>
<p>{caption}</p>
<script type="application/json" id="links">{data}</script>
<script>{script}
drawLinkedTokens(document.querySelector(".linked-tokens"), JSON.parse(document.getElementById("links").textContent));
</script></body></html>
"""


def attention_page(
    info: AttentionHeadInfo,
    lines: LinkedTokens,
    source: str,
    target: str,
    notes: str = "",
) -> str:
    """The file's text.

    Args:
        info: the heatmap.
        lines: the same head as lines.
        source: the sentence.
        target: its translation.
        notes: sentences on what was put together or left out.
    """
    data = json.dumps(lines.to_data(), ensure_ascii=False, separators=(",", ":"))
    return _PAGE.format(
        title=escape(info.title),
        style=STYLE,
        source=escape(source),
        target=escape(target),
        heatmap=heatmap_svg(info.heatmap, info.title),
        caption=escape(f"{notes} {CAVEAT}".strip()),
        data=data.replace("<", "\\u003c"),  # so that no token ends the script
        script=SCRIPT,
    )
