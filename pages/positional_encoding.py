from pages.components.lesson.view import show_views
from pages.components.positional_encoding.dot_products import DOT_PRODUCTS
from pages.components.positional_encoding.heatmap import HEATMAP
from pages.components.positional_encoding.learned import LEARNED
from pages.components.positional_encoding.shuffle import SHUFFLE
from pages.components.positional_encoding.waves import WAVES
from pages.components.widgets.page.heading import show_heading

show_heading("positional_encoding")
show_views(
    "positional_encoding",
    {"heatmap": HEATMAP, "waves": WAVES, "dots": DOT_PRODUCTS, "shuffle": SHUFFLE, "learned": LEARNED},
    "heatmap",
)
