"""The learning-rate schedule."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import streamlit as st

from core.figures.plotly.training import name_of, schedule_figure
from core.language import N_, _, number
from core.theory.schedule import Schedule, ScheduleKind, constant_rate, linear_rate, peak_rate, warmup_rate
from pages.components.explaining.figure import show_figure
from pages.components.explaining.view import View, above_figure, show_heading, show_views
from pages.components.frame.visit import Visit
from pages.components.widgets.state import Linked, number_input

_RATES: dict[ScheduleKind, Callable[..., Any]] = {
    "warmup": warmup_rate,
    "linear": linear_rate,
    "constant": constant_rate,
}
_MAX_STEPS, _MAX_WIDTH, _MAX_RATE = 10_000_000, 65_536, 1.0


class _Choice(NamedTuple):
    """What the figure shows."""

    schedule: Schedule
    total: int  # steps
    kept: list[Schedule]  # to compare with


def _choose_schedule(kind: ScheduleKind) -> _Choice:
    """Return the chosen schedule of a kind, with the curves that were kept."""
    first, second, third = st.columns(3)
    numbers: dict[str, Any] = {}
    with first:
        if kind == "warmup":
            numbers["d_model"] = number_input(_("Width, d_model"), 1, _MAX_WIDTH, 512, "width_of_model")
        else:
            label = _("Learning rate") if kind == "constant" else _("Peak learning rate")
            numbers["rate"] = number_input(
                label, 0.00001, _MAX_RATE, 0.001, "rate", step=0.0005, format="%.5f"
            )
    with second:
        if kind != "constant":
            numbers["warmup_steps"] = number_input(_("Warmup steps"), 0, _MAX_STEPS, 4000, "warmup", step=500)
    with third:
        total = number_input(_("Steps in total"), 1, _MAX_STEPS, 20_000, "total", step=1000)
    schedule = Schedule(kind, **numbers)
    return _Choice(schedule, total, _edit_curves(schedule))


_FIRST: tuple[Schedule, ...] = (Schedule("constant", rate=0.0005),)
_MAX_CURVES = 4


def write_curves(curves: tuple[Schedule, ...]) -> str:
    """Return curves as written in an address: "warmup_512_4000_0.001;constant_…"."""
    return ";".join(f"{each.kind}_{each.d_model}_{each.warmup_steps}_{each.rate:g}" for each in curves)


def read_curves(text: str) -> tuple[Schedule, ...]:
    """Return the curves that `write_curves` wrote.

    Raises:
        ValueError: The text is no list of curves.
    """
    if not text:
        return ()
    parts = text.split(";")
    if len(parts) > _MAX_CURVES:
        raise ValueError(
            _("It has {count} curves; at most {most} are kept.").format(
                count=number(len(parts), ","), most=_MAX_CURVES
            )
        )
    return tuple(dict.fromkeys(map(_read_curve, parts)))


def _read_curve(text: str) -> Schedule:
    try:
        kind, width, warmup, rate = text.split("_")
        found = Schedule(kind, int(width), int(warmup), float(rate))  # type: ignore[arg-type]
    except ValueError:
        raise ValueError(_("It has a curve that cannot be read.")) from None
    fits = 1 <= found.d_model <= _MAX_WIDTH and 0 <= found.warmup_steps <= _MAX_STEPS
    if found.kind not in _RATES or not fits or not 0 < found.rate <= _MAX_RATE:
        raise ValueError(_("It has a curve whose numbers are out of range."))
    # Numbers that a kind does not use get their defaults, so that equal curves compare equal.
    usual = Schedule(found.kind)
    if found.kind == "warmup":
        return replace(found, rate=usual.rate)
    if found.kind == "linear":
        return replace(found, d_model=usual.d_model)
    return replace(usual, rate=found.rate)


_CURVES = Linked("curves", _FIRST, N_("list of curves"), write_curves, read_curves)


def _edit_curves(schedule: Schedule) -> list[Schedule]:
    """Return the curves to compare with; one button keeps the chosen curve, the others remove theirs."""
    kept = _CURVES.get()
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            _("Keep this curve"),
            icon=":material/add:",
            key="keep_curve",
            on_click=_CURVES.set,
            args=((*kept, schedule),),
            disabled=schedule in kept or len(kept) >= _MAX_CURVES,
            help=_(
                "It stays while you change the settings. Up to {count} curves: remove one to keep another."
            ).format(count=_MAX_CURVES),
        )
        for place, each in enumerate(kept):
            st.button(
                name_of(each),
                icon=":material/close:",
                key=f"remove_{place}",
                on_click=_CURVES.set,
                args=((*kept[:place], *kept[place + 1 :]),),
                help=_("Remove this curve"),
            )
    return [each for each in kept if each != schedule]


def _describe_peak(schedule: Schedule, total: int) -> None:
    """Say where the rate is highest, and warn about a warmup that is too long or 0."""
    step = schedule.peak_step(total)
    rate = number(float(schedule.rates(step, total)), ".3g")
    paper = schedule.kind == "warmup"
    if schedule.kind == "constant":
        st.markdown(_("The rate is **{rate}** at every step.").format(rate=rate))
    elif schedule.warmup_steps > total:
        peak = peak_rate(schedule.d_model, schedule.warmup_steps) if paper else schedule.rate
        st.warning(
            _(
                "Training ends during the warmup. At step {total} the rate has only grown to **{rate}**; the peak, "
                "{peak}, would come at step {step}."
            ).format(
                total=number(total, ","),
                rate=rate,
                peak=number(peak, ".3g"),
                step=number(schedule.warmup_steps, ","),
            ),
            icon=":material/warning:",
        )
    elif schedule.warmup_steps == 0:
        largest = _(
            "Without warmup the first step is the largest: **{rate}**, while the weights are still random."
        ).format(rate=rate)
        left_out = _("(The formula itself would divide by 0; its second part is left out.)")
        st.warning(f"{largest} {left_out}" if paper else largest, icon=":material/warning:")
    else:
        text = _("The rate is highest at step **{step}**: **{rate}**.")
        st.markdown(text.format(step=number(step, ","), rate=rate))


def _show_curves(choice: _Choice) -> None:
    schedule, total, kept = choice
    with above_figure():
        _describe_peak(schedule, total)
    peak = schedule.peak_step(total)
    show_figure(
        schedule_figure((schedule, *kept), total),
        alt=_("Learning rate over {total} steps, highest at step {step}: {rate}").format(
            total=total, step=peak, rate=number(float(schedule.rates(peak, total)), ".3g")
        ),
        key="schedule_figure",
    )


def main(visit: Visit) -> None:
    show_heading(visit)
    views: dict[str, View[_Choice]] = {
        kind: View(partial(_choose_schedule, kind), _show_curves, (rate, Schedule.rates))
        for kind, rate in _RATES.items()
    }
    show_views(visit, views, "warmup")
