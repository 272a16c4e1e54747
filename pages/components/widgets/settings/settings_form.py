"""Settings as a form of widgets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.config import EXPLANATIONS
from pages.components.widgets.numbers import number_input
from pages.components.widgets.remembered import choose, toggle


class SettingsForm:
    """Widgets for settings, four in a row; `values` holds what they show, by field.

    Args:
        usual: what they show at first, by field.
        prefix: of the widgets' keys, before the field.
    """

    def __init__(self, usual: Mapping[str, Any], prefix: str) -> None:
        self._usual = usual
        self._prefix = prefix
        self._columns = st.columns(4)
        self._count = 0
        self.values: dict[str, Any] = {}

    def number(
        self,
        label: str,
        field: str,
        low: float,
        high: float,
        *,
        step: float | None = None,
        format: str | None = None,
        disabled: bool = False,
        help: str = "",
    ) -> None:
        """A number; `help` is for a field that no config explains."""
        with self._next_column():
            self.values[field] = number_input(
                label,
                low,
                high,
                self._usual[field],
                key=self._prefix + field,
                step=step,
                format=format,
                help=help or EXPLANATIONS[field],
                disabled=disabled,
                address=field,
            )

    def choice(self, label: str, field: str, options: tuple[str, ...]) -> None:
        """One of several options."""
        with self._next_column():
            self.values[field] = choose(
                label,
                options,
                key=self._prefix + field,
                default=self._usual[field],
                look="menu",
                help=EXPLANATIONS[field],
                address=field,
            )

    def switch(self, label: str, field: str) -> None:
        """On or off."""
        with self._next_column():
            self.values[field] = toggle(
                label, self._usual[field], key=self._prefix + field, help=EXPLANATIONS[field], address=field
            )

    def _next_column(self) -> DeltaGenerator:
        column = self._columns[self._count % len(self._columns)]
        self._count += 1
        return column
