from dataclasses import replace

import pytest

from core.figures.curves import TrainingCurvesInfo, training_curves_figure, training_curves_info
from core.records import EpochReport, StepReport
from tests.figures.drawn import drawn


def reports(count: int, steps_an_epoch: int = 2) -> list[StepReport]:
    return [
        StepReport(
            step=step,
            epoch=(step - 1) // steps_an_epoch + 1,
            loss=4.0 / step,
            accuracy=step / count,
            learning_rate=0.001,
            ends_epoch=step % steps_an_epoch == 0,
        )
        for step in range(1, count + 1)
    ]


def epochs(count: int, steps_an_epoch: int = 2) -> list[EpochReport]:
    """Those that so many steps finish."""
    return [
        EpochReport(
            number,
            number * steps_an_epoch,
            loss=8.0 / number,
            accuracy=number / 100,
            learning_rate=0.001,
            seconds=1.0,
        )
        for number in range(1, count // steps_an_epoch + 1)
    ]


def test_info_of_a_short_run() -> None:
    assert training_curves_info(reports(4), epochs(4)) == TrainingCurvesInfo(
        steps=(1, 2, 3, 4),
        epochs=(1, 1, 2, 2),
        losses=(4.0, 2.0, 4 / 3, 1.0),
        accuracies=(0.25, 0.5, 0.75, 1.0),
        learning_rates=(0.001,) * 4,
        epoch_numbers=(1, 2),
        epoch_steps=(2, 4),
        epoch_losses=(8.0, 4.0),
        epoch_accuracies=(0.01, 0.02),
    )


def test_info_of_no_steps() -> None:
    assert training_curves_info([], []) == TrainingCurvesInfo()


def test_a_running_epoch_has_no_mean_yet() -> None:
    info = training_curves_info(reports(4)[:3], epochs(3))
    assert info.steps == (1, 2, 3)
    assert info.epoch_numbers == (1,)


def test_long_runs_are_thinned() -> None:
    info = training_curves_info(reports(10_000, 100), epochs(10_000, 100), max_points=50)
    assert len(info.steps) == len(info.losses) == len(info.epoch_numbers) == 50
    assert (info.steps[0], info.steps[-1]) == (1, 10_000)
    assert (info.epoch_numbers[0], info.epoch_numbers[-1]) == (1, 100)
    assert list(info.steps) == sorted(set(info.steps))
    assert info.epoch_accuracies[0] == 0.01


def test_all_epoch_means_stay_while_they_are_few() -> None:
    assert len(training_curves_info(reports(1000), epochs(1000)).epoch_numbers) == 500


def test_too_few_points_are_refused() -> None:
    with pytest.raises(ValueError, match=r"max_points must be 2 or more\. Received: 1"):
        training_curves_info([], [], max_points=1)


def test_figure_has_three_panels_on_one_axis() -> None:
    info = training_curves_info(reports(40), epochs(40))
    figure = drawn(training_curves_figure(info))
    assert [trace.yaxis for trace in figure.data] == ["y", "y", "y2", "y2", "y3"]
    assert figure.data[0].y == info.losses
    assert figure.data[1].x == info.epoch_steps
    assert figure.data[2].y == info.accuracies
    assert figure.data[4].y == info.learning_rates
    assert figure.data[0].line.width < figure.data[1].line.width
    assert [axis.matches for axis in (figure.layout.xaxis, figure.layout.xaxis2)] == ["x3", "x3"]
    assert figure.layout.yaxis2.tickformat == ".0%"
    assert [trace.showlegend for trace in figure.data] == [None, None, False, False, False]
    assert [title.text.split(" (")[0] for title in figure.layout.annotations] == [
        "Loss",
        "Masked accuracy",
        "Learning rate",
    ]


def test_held_out_pairs_have_a_dashed_line_of_their_own() -> None:
    judged = [replace(epoch, validation_loss=2.0, validation_accuracy=0.25) for epoch in epochs(4)]
    figure = drawn(training_curves_figure(training_curves_info(reports(4), judged)))
    lines = [trace for trace in figure.data if trace.name == "held-out pairs"]
    assert [(trace.yaxis, trace.y, trace.x) for trace in lines] == [
        ("y", (2.0, 2.0), (2, 4)),
        ("y2", (0.25, 0.25), (2, 4)),
    ]
    assert all(trace.line.dash == "dash" for trace in lines)


def test_hover_names_the_epoch() -> None:
    trace = drawn(training_curves_figure(training_curves_info(reports(4), epochs(4)))).data[0]
    assert "epoch %{customdata}" in trace.hovertemplate
    assert trace.customdata == (1, 1, 2, 2)


def test_one_step_is_visible() -> None:
    figure = drawn(training_curves_figure(training_curves_info(reports(1), epochs(1))))
    assert figure.data[0].mode == "lines+markers"


def test_no_steps_yet() -> None:
    figure = drawn(training_curves_figure(training_curves_info([], [])))
    assert not figure.data
    assert [note.text for note in figure.layout.annotations] == ["No steps yet"]


def test_a_live_redraw_keeps_zoom_and_hidden_lines() -> None:
    early, late = (drawn(training_curves_figure(training_curves_info(reports(n), epochs(n)))) for n in (2, 8))
    assert early.layout.uirevision == late.layout.uirevision is not None
    assert early.layout.height == late.layout.height
    empty = drawn(training_curves_figure(training_curves_info([], [])))
    assert empty.layout.height == late.layout.height
