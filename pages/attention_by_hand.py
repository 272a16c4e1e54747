from pages.components.attention_by_hand.dictionary import DICTIONARY
from pages.components.attention_by_hand.heads import HEADS
from pages.components.attention_by_hand.numbers import NUMBERS
from pages.components.attention_by_hand.scale import SCALE
from pages.components.attention_by_hand.vectors import VECTORS
from pages.components.lesson.view import show_views
from pages.components.widgets.page.heading import show_heading

show_heading("attention_by_hand")
show_views(
    "attention_by_hand",
    {"dictionary": DICTIONARY, "numbers": NUMBERS, "vectors": VECTORS, "heads": HEADS, "scale": SCALE},
    "numbers",
)
