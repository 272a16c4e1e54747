"""A service without Ray around it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from core.classroom.settings import Settings

if TYPE_CHECKING:
    from core.cluster.translation_service import Sentence, TranslationService
    from core.decoding.translator import Translator

LIMITS = Settings()


def service_of(
    translator: Translator, settings: Settings = LIMITS, name: str = "classroom"
) -> TranslationService:
    from core.cluster.translation_service import TranslationService, translate_together

    translators = {name: translator}

    async def gather(sentence: Sentence) -> Any:
        return translate_together(translators, [sentence])[0]

    return TranslationService(translators, settings, gather)
