from pages.components.lesson.view import show_views
from pages.components.masks.causal import CAUSAL
from pages.components.masks.cheating import CHEATING
from pages.components.masks.combined import COMBINED
from pages.components.masks.padding import PADDING
from pages.components.masks.softmax import SOFTMAX
from pages.components.masks.without_padding import WITHOUT_PADDING
from pages.components.widgets.page.heading import show_heading

show_heading("masks")
show_views(
    "masks",
    {
        "padding": PADDING,
        "causal": CAUSAL,
        "combined": COMBINED,
        "softmax": SOFTMAX,
        "without": WITHOUT_PADDING,
        "cheating": CHEATING,
    },
    "padding",
)
