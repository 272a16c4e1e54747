from pages.components.attention_by_hand.dictionary import DICTIONARY
from pages.components.attention_by_hand.heads import HEADS
from pages.components.attention_by_hand.numbers import NUMBERS
from pages.components.attention_by_hand.scale import SCALE
from pages.components.attention_by_hand.vectors import VECTORS
from pages.components.lesson.view import show_views
from pages.components.widgets.page.heading import show_heading

show_heading(
    "Attention by hand",
    "Each word's query is compared with every word's key; the output is a weighted mean of the values.",
)
show_views(
    {"dictionary": DICTIONARY, "numbers": NUMBERS, "vectors": VECTORS, "heads": HEADS, "scale": SCALE},
    "numbers",
    key="by_hand",
)
