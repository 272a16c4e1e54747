from pages.components.lesson.view import show_views
from pages.components.positional_encoding.dot_products import DOT_PRODUCTS
from pages.components.positional_encoding.heatmap import HEATMAP
from pages.components.positional_encoding.learned import LEARNED
from pages.components.positional_encoding.shuffle import SHUFFLE
from pages.components.positional_encoding.waves import WAVES
from pages.components.widgets.page.heading import show_heading

show_heading(
    "Positional encoding",
    "Attention alone sees a bag of words. To encode each word's position, sines and cosines are added to the "
    "embeddings.",
)
show_views(
    {"heatmap": HEATMAP, "waves": WAVES, "dots": DOT_PRODUCTS, "shuffle": SHUFFLE, "learned": LEARNED},
    "heatmap",
    key="positions",
)
