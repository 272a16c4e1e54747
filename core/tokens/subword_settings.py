"""How subword tokenizers normalize text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Self


@dataclass(frozen=True)
class SubwordSettings:
    """How text is normalized before it is split, and how tokens become text again.

    Raises:
        ValueError: a switch is not a bool, or the language not a code.
    """

    lower_case: bool = True  # case folding (NFKC_Casefold); False only normalizes (NFKC)
    strip_accents: bool = False  # "é" becomes "e"
    plain_apostrophes: bool = True  # ’ as typed on a telephone becomes '
    split_unknown: bool = True  # only the unknown character of a word is unknown; False: the whole word is
    language: str = "en"  # whose rules decode() writes by, see detokenize

    def __post_init__(self) -> None:
        for field in fields(self)[:4]:
            if not isinstance(getattr(self, field.name), bool):
                raise ValueError(
                    f"{field.name} must be true or false. Received: {getattr(self, field.name)!r:.80}"
                )
        if not isinstance(self.language, str) or not re.fullmatch("[a-z]{2,4}", self.language):
            raise ValueError(f'language must be a code like "en". Received: {self.language!r:.80}')

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """The reverse of `to_dict`; what is not there has its default.

        Raises:
            ValueError: a name is none of the fields, or its value is wrong.
        """
        if unknown := sorted(set(values) - {field.name for field in fields(cls)}):
            raise ValueError(f"Subword settings must not have other fields. Received: {unknown[0]!r:.80}")
        return cls(**values)
