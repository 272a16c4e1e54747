"""What the tests of this room share."""

from __future__ import annotations

import pytest

from core.inference.translator import Translator
from core.interpretability.teacher_forcing import ForcedPair, Tracer


@pytest.fixture(scope="session")
def tracer(translator: Translator) -> Tracer:
    return Tracer(translator)


@pytest.fixture(scope="session")
def pair(translator: Translator) -> ForcedPair:
    return ForcedPair.of_translation(translator, translator.translate(["ils regardent un film"])[0])
