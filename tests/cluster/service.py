"""A service without Ray around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.classroom.settings import Settings

if TYPE_CHECKING:
    from core.cluster.translation_service import TranslationService
    from core.decoding.translator import Translator

LIMITS = Settings()


def service_of(
    translator: Translator, settings: Settings = LIMITS, name: str = "classroom"
) -> TranslationService:
    from core.cluster.translation_service import TranslationService

    return TranslationService({name: translator}, settings, max_calls=1, max_requests=16)
