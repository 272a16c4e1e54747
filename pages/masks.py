from pages.components.lesson.explanation import show_title
from pages.components.lesson.view import show_views
from pages.components.masks.both import BOTH
from pages.components.masks.cheating import CHEATING
from pages.components.masks.look_ahead import LOOK_AHEAD
from pages.components.masks.padding import PADDING
from pages.components.masks.softmax import SOFTMAX
from pages.components.masks.without_padding import WITHOUT_PADDING

show_title(
    "Masks",
    "Some places hold nothing, and some hold what is not written yet: a mask says where attention may look.",
)
show_views(
    {
        "padding": PADDING,
        "ahead": LOOK_AHEAD,
        "both": BOTH,
        "softmax": SOFTMAX,
        "without": WITHOUT_PADDING,
        "cheating": CHEATING,
    },
    "padding",
    key="masks",
)
