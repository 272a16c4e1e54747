from pages.components.architecture.every_layer import EVERY_LAYER
from pages.components.architecture.flow import FLOW
from pages.components.architecture.how_large import HOW_LARGE
from pages.components.architecture.norms import NORMS
from pages.components.architecture.picture import PICTURE
from pages.components.lesson.view import show_views
from pages.components.widgets.page.heading import show_heading

show_heading("architecture")
show_views(
    "architecture",
    {"picture": PICTURE, "size": HOW_LARGE, "layers": EVERY_LAYER, "norms": NORMS, "flow": FLOW},
    "picture",
)
