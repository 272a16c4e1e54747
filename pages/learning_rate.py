import streamlit as st

from core.figures.schedule import schedule_figure, schedule_info
from pages.components.learning_rate.kept_curves import edit_curves
from pages.components.learning_rate.lessons import LESSONS
from pages.components.learning_rate.schedule_controls import (
    choose_epoch,
    choose_schedule,
    position_of_current_model,
)
from pages.components.learning_rate.schedule_words import say_epochs, say_peak
from pages.components.lesson.explanation import show_lesson
from pages.components.widgets.drawing.figure import show_figure
from pages.components.widgets.page.heading import show_heading

show_heading(
    "Learning-rate schedule",
    "The learning rate sets the size of each training step. Most schedules warm it up to a peak, then let it decay.",
)
schedule, total, logarithmic = choose_schedule()
kept = edit_curves(schedule)
position = position_of_current_model()
say_peak(schedule, total)
figure = st.container()  # above the controls that count its epochs
epoch = choose_epoch()
info = schedule_info((schedule, *kept), total, epoch, logarithmic, position)
with figure:
    show_figure(
        schedule_figure(info),
        alt=f"Learning rate over {total} steps, highest at step {info.curves[0].peak_step}: "
        f"{info.curves[0].peak_rate:.3g}",
        key="schedule_figure",
    )
say_epochs(schedule, total, epoch, position)
show_lesson(LESSONS[schedule.kind])
