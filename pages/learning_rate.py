from collections.abc import Callable
from typing import Any

import streamlit as st

from core.figures.training import schedule_figure
from core.theory.schedule import Schedule, constant_rate, linear_rate, warmup_rate
from pages.components.app.content import PAGE_TEXTS
from pages.components.learning_rate.kept_curves import edit_curves
from pages.components.learning_rate.schedule_controls import choose_schedule
from pages.components.learning_rate.schedule_words import say_peak
from pages.components.lesson.explanation import show_lesson
from pages.components.widgets.drawing.figure import show_figure
from pages.components.widgets.page.heading import show_heading

_RATES: dict[str, Callable[..., Any]] = {
    "warmup": warmup_rate,
    "linear": linear_rate,
    "constant": constant_rate,
}

show_heading("learning_rate")
with st.container(key="view"):  # in which a phone shows the figure before what changes it
    schedule, total = choose_schedule()
    kept = edit_curves(schedule)
    say_peak(schedule, total)
    peak = schedule.peak_step(total)
    show_figure(
        schedule_figure((schedule, *kept), total),
        alt=f"Learning rate over {total} steps, highest at step {peak}: {schedule.rates(peak, total):.3g}",
        key="schedule_figure",
    )
show_lesson(PAGE_TEXTS["learning_rate"].views[schedule.kind], (_RATES[schedule.kind], Schedule.rates))
