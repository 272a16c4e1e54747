from pages.components.lesson import show_title
from pages.components.positions.dot_products import DOT_PRODUCTS
from pages.components.positions.heatmap import HEATMAP
from pages.components.positions.learned import LEARNED
from pages.components.positions.shuffle import SHUFFLE
from pages.components.positions.waves import WAVES
from pages.components.view import show_views

show_title(
    "Positional encoding",
    "Attention sees a bag of words. To tell it where each word stands, we add waves to the words.",
)
show_views(
    {"heatmap": HEATMAP, "waves": WAVES, "dots": DOT_PRODUCTS, "shuffle": SHUFFLE, "learned": LEARNED},
    "heatmap",
    key="positions",
)
