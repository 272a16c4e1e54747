"""Whose vectors the page shows: the current model's, or those of an untrained one."""

from __future__ import annotations

from dataclasses import dataclass

from core.classroom.models import TrainedModel
from core.presets import CLASSROOM
from core.theory.embedding import Floats
from core.theory.model_parts import token_embedding_name
from core.tokens.base import Tokenizer
from core.weights import initial_weights
from pages.components.app.session import current_workspace
from pages.components.lesson.classroom_words import english_words
from pages.components.text_as_numbers.first_texts import ENGLISH, FirstTexts, first_texts_of
from pages.components.widgets.model.current_model import current_model
from pages.components.widgets.words import plain


@dataclass(frozen=True, eq=False)
class TokenVectors:
    """A vector for each token of a vocabulary."""

    description: str  # whose they are, in Markdown
    tokenizer: Tokenizer
    matrix: Floats  # (V, D)
    first: FirstTexts  # in its language


def token_vectors() -> TokenVectors:
    """The target side of the current model; where there is none, of the classroom model before training."""
    model = current_model(current_workspace())
    return _untrained() if model is None else _of_model(model)


def _of_model(model: TrainedModel) -> TokenVectors:
    checkpoint = model.checkpoint
    shared = checkpoint.config.share_embeddings
    matrix = checkpoint.weights[token_embedding_name(checkpoint.config, "decoder")]
    languages = [language for language in (model.source_language, model.target_language) if language]
    learnt_for = (
        " and ".join(languages) if shared and languages else model.target_language or "its target language"
    )
    return TokenVectors(
        f"The vectors that **{plain(model.name)}** has learned for {learnt_for}: {len(matrix):,} tokens, "
        f"{matrix.shape[1]} numbers each.",
        checkpoint.target_tokenizer,
        matrix,
        first_texts_of(model),
    )


def _untrained() -> TokenVectors:
    weights = initial_weights(CLASSROOM.model, CLASSROOM.training.seed)
    matrix = weights[token_embedding_name(CLASSROOM.model, "decoder")]
    return TokenVectors(
        f"There is no model yet. These are the vectors of the classroom model **before training**, random: "
        f"{len(matrix)} tokens, {matrix.shape[1]} numbers each.",
        english_words(),
        matrix,
        ENGLISH,
    )
