from pages.components.lesson.view import show_views
from pages.components.text_as_numbers.batch import BATCH
from pages.components.text_as_numbers.one_token import ONE_TOKEN
from pages.components.text_as_numbers.subwords import SUBWORDS
from pages.components.text_as_numbers.teacher_forcing import TEACHER_FORCING
from pages.components.text_as_numbers.tensor import TENSOR
from pages.components.widgets.page.heading import show_heading

show_heading("text_as_numbers")
show_views(
    "text_as_numbers",
    {
        "subwords": SUBWORDS,
        "batch": BATCH,
        "token": ONE_TOKEN,
        "tensor": TENSOR,
        "teacher": TEACHER_FORCING,
    },
    "subwords",
)
