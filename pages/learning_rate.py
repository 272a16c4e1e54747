import streamlit as st

from core.figures.schedule import schedule_figure, schedule_info
from core.theory.schedule import Schedule, warmup_rate
from pages.components.learning_rate.kept_curves import edit_curves
from pages.components.learning_rate.schedule_controls import (
    choose_epoch,
    choose_schedule,
    position_of_current_model,
)
from pages.components.learning_rate.schedule_words import say_epochs, say_peak
from pages.components.lesson.explanation import Formula, Lesson, show_lesson, show_title
from pages.components.widgets.figure import show_figure

LESSON = Lesson(
    notice="At first the weights are random and so is the direction of each step, so steps should be small. The paper's "
    "learning rate grows linearly, peaks where the warm-up ends, and then falls as 1/√step. A wider model or a longer "
    "warm-up has a lower peak: four times either halves it. Later models often decay linearly to 0; a constant rate is "
    "the simplest, and is drawn for comparison.",
    formulas=(
        Formula(
            r"""\begin{aligned}
            rate &= d_{model}^{-0.5} \cdot \min(step^{-0.5}, \\
            &\qquad step \cdot warmup^{-1.5})
            \end{aligned}""",
            "Vaswani et al. 2017, section 5.3, equation 3",
        ),
        Formula(r"rate_{max} = (d_{model} \cdot warmup)^{-0.5}", "Equation 3 at step = warmup"),
    ),
    code=(warmup_rate, Schedule.rates),
    question="The paper's base model has d_model 512 and 4,000 warm-up steps. At which step is its rate half the peak?",
    answer="Twice: at step 2,000 on the way up, which is linear, and at step 16,000 on the way down, since "
    "four times the steps is half the rate.",
)

show_title(
    "Learning-rate schedule",
    "How large a step does training take? Small ones first, then larger, then smaller and smaller.",
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
show_lesson(LESSON)
