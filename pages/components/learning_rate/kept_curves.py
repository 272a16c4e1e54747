"""The curves that the chosen one is compared with. They stand in the address."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import get_args

import streamlit as st

from core.figures.training import name_of
from core.theory.schedule import Schedule, ScheduleKind
from pages.components.widgets.memory import Memory, set_value

MAX_STEPS = 10_000_000
MAX_WIDTH = 65_536
MAX_CURVES = 4
_FIRST: tuple[Schedule, ...] = (Schedule("constant", rate=0.0005),)


def edit_curves(schedule: Schedule) -> tuple[Schedule, ...]:
    """The curves to compare with. One button adds the chosen curve, the others remove theirs."""
    kept = Memory("curves", _FIRST, curves_from, curves_text).load()
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Keep this curve",
            icon=":material/add:",
            on_click=set_value,
            args=("curves", (*kept, schedule)),
            disabled=schedule in kept or len(kept) >= MAX_CURVES,
            help=f"It stays while you change the settings. Up to {MAX_CURVES} curves: remove one to keep another.",
        )
        for number, each in enumerate(kept):
            st.button(
                name_of(each),
                icon=":material/close:",
                key=f"remove_{number}",
                on_click=set_value,
                args=("curves", (*kept[:number], *kept[number + 1 :])),
                help="Remove this curve",
            )
    return tuple(each for each in kept if each != schedule)


def curves_text(curves: tuple[Schedule, ...]) -> str:
    """Curves as they stand in an address: "warmup_512_4000_0.001;constant_…"."""
    return ";".join(
        f"{each.kind}_{each.d_model}_{each.warmup_steps}_{each.rate:g}" for each in map(_tidy, curves)
    )


def curves_from(text: str) -> tuple[Schedule, ...]:
    """The reverse of `curves_text`; curves that make no sense are left out."""
    found = (_curve_from(part) for part in text[:500].split(";"))
    return tuple(dict.fromkeys(each for each in found if each is not None))[:MAX_CURVES]


def _curve_from(text: str) -> Schedule | None:
    try:
        kind, width, warmup, rate = text.split("_")
        found = Schedule(kind, int(width), int(warmup), float(rate))  # type: ignore[arg-type]
    except ValueError:
        return None
    fits = (
        kind in get_args(ScheduleKind)
        and 1 <= found.d_model <= MAX_WIDTH
        and 0 <= found.warmup_steps <= MAX_STEPS
        and math.isfinite(found.rate)
        and 0 < found.rate <= 1
    )
    return _tidy(found) if fits else None


def _tidy(schedule: Schedule) -> Schedule:
    """With the defaults of the numbers that its kind does not use, so that equal curves are equal."""
    usual = Schedule(schedule.kind)
    if schedule.kind == "warmup":
        return replace(schedule, rate=usual.rate)
    if schedule.kind == "linear":
        return replace(schedule, d_model=usual.d_model)
    return replace(usual, rate=schedule.rate)
