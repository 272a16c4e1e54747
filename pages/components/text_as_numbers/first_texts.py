"""What text boxes hold before anybody types, in the language of the vocabulary."""

from __future__ import annotations

from dataclasses import dataclass

from core.classroom.models import TrainedModel
from pages.components.lesson.classroom_words import english_words

_BOXES = 3  # for the sentences of a batch


@dataclass(frozen=True)
class FirstTexts:
    """Texts of one language. English has keys of its own, so that no box shows another language's text."""

    language: str  # as people read it
    text: str  # for one box
    sentences: tuple[str, ...]  # for three
    text_key: str = "target_text"
    sentence_key: str = "target_sentence"


ENGLISH = FirstTexts(
    "English",
    "i am a triceratops",
    ("thank you", "i am a student", "can you help me i want water"),
    "english",
    "sentence",
)


def first_texts_of(model: TrainedModel) -> FirstTexts:
    """Texts of the language that a model writes: of its examples, unless it is English."""
    if _writes_english(model):
        return ENGLISH
    examples = [pair.target for pair in model.checkpoint.examples] or [""]
    return FirstTexts(
        model.target_language or "the language that the model writes",
        examples[0],
        tuple(examples[number % len(examples)] for number in range(_BOXES)),
    )


def _writes_english(model: TrainedModel) -> bool:
    """Whether its checkpoint says so, or has the classroom's vocabulary."""
    tokens = model.checkpoint.target_tokenizer.vocabulary.tokens
    return model.target_language == ENGLISH.language or tokens == english_words().vocabulary.tokens
