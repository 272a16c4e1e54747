from dataclasses import replace

from core.figures.curves import MAX_POINTS, training_curves_figure, training_curves_info
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


def test_long_runs_are_thinned() -> None:
    info = training_curves_info(reports(10_000, 10), epochs(10_000, 10))
    steps, means = ([report.step for report in found] for found in (info.steps, info.epochs))
    assert len(steps) == len(means) == MAX_POINTS
    assert (steps[0], steps[-1], means[0], means[-1]) == (1, 10_000, 10, 10_000)
    assert steps == sorted(set(steps))


def test_figure_has_three_panels_on_one_axis() -> None:
    info = training_curves_info(reports(40), epochs(40))
    figure = drawn(training_curves_figure(info))
    assert [trace.yaxis for trace in figure.data] == ["y", "y", "y2", "y2", "y3"]
    assert figure.data[0].y == tuple(report.loss for report in info.steps)
    assert figure.data[1].x == tuple(epoch.step for epoch in info.epochs)
    assert figure.data[2].y == tuple(report.accuracy for report in info.steps)
    assert figure.data[4].y == (0.001,) * 40
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


def test_a_live_redraw_keeps_zoom_and_hidden_lines() -> None:
    early, late = (drawn(training_curves_figure(training_curves_info(reports(n), epochs(n)))) for n in (2, 8))
    assert early.layout.uirevision == late.layout.uirevision is not None
    assert early.layout.height == late.layout.height
