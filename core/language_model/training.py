"""Training a decoder alone on sentence pairs, in the loop that trains translators."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.config import DecoderConfig, ModelConfig, TrainingConfig
from core.language_model.model import SEPARATOR, LanguageModel, answer_of, prompt_of
from core.records.text import Pair
from core.tokens.base import pad
from core.tokens.vocabulary import END, PAD, START, UNKNOWN, Vocabulary
from core.training.batches import EncodedTexts
from core.training.pairs import with_token_kinds
from core.training.recipe import PreparedTraining, prepare_training
from core.weights import Weights

# An encoder layer and a decoder layer have five sublayers, a layer of a decoder alone has two.
_LAYERS = 5 / 2


@dataclass(frozen=True)
class PreparedTexts(PreparedTraining):
    """Everything that the training of a decoder alone needs; both tokenizers are the one for both languages."""

    learns_source: bool = False

    def language_model(self, weights: Weights) -> LanguageModel:
        """Return the model with weights of this training."""
        assert isinstance(self.model, DecoderConfig)
        return LanguageModel(self.model, weights, self.source_tokenizer, self.pairs, self.learns_source)


def prepare_texts(
    pairs: Sequence[Pair],
    model: ModelConfig,
    training: TrainingConfig,
    learns_source: bool = False,
    held_out: Sequence[Pair] = (),
) -> PreparedTexts:
    """Prepare the training of a decoder alone on pairs, beside the translator that has the settings `model`.

    Its width is the translator's. It has about as many parameters: for two layers on each side, five. Both languages have
    one kind of tokens: characters, if those of one side are.

    Args:
        pairs: pairs to train on, and those in `held_out`.
        model: the translator's settings.
        training: how to train; `batch_tokens` is not used.
        learns_source: whether the loss is that of all tokens; else of the target's and the end.
        held_out: validation pairs, which are not trained on.

    Raises:
        InputError: there are no pairs, or all are held out, or none of them fits.
    """
    kinds = with_token_kinds(training, pairs)
    kind = "character" if kinds.target_tokens == "character" else kinds.source_tokens
    of_one_kind = training.replace(source_tokens=kind, target_tokens=kind)
    translator = prepare_training(pairs, model, of_one_kind, held_out=held_out)
    source, target = translator.source_tokenizer, translator.target_tokenizer
    special = (PAD, UNKNOWN, START, END, SEPARATOR)
    every = (*source.vocabulary.tokens, *target.vocabulary.tokens)
    known = dict.fromkeys(token for token in every if token not in special)
    tokenizer = type(source)(Vocabulary((*special, *known)))

    def encoded(pairs: Sequence[Pair]) -> EncodedTexts:
        prompts = [prompt_of(pair.source, tokenizer) for pair in pairs]
        texts = [(*prompt, *answer_of(pair, tokenizer)) for prompt, pair in zip(prompts, pairs, strict=True)]
        unlearned = [0 if learns_source else len(prompt) - 1 for prompt in prompts]
        return EncodedTexts(np.zeros((len(pairs), 0), np.int32), pad(texts), np.array(unlearned))

    return PreparedTexts(
        model=decoder_beside(translator.model, len(tokenizer.vocabulary)),
        training=training,
        pairs=translator.pairs,
        source_tokenizer=tokenizer,
        target_tokenizer=tokenizer,
        encoded=encoded(translator.pairs),
        held_out=translator.held_out,
        validation=encoded(translator.held_out) if translator.held_out else None,
        left_out=translator.left_out,
        learns_source=learns_source,
    )


def decoder_beside(model: ModelConfig, vocab_size: int) -> DecoderConfig:
    """Return a decoder alone of about the size of a translator, for a vocabulary of both languages."""
    changes = {
        "source_vocab_size": vocab_size,
        "target_vocab_size": vocab_size,
        "num_layers": min(24, round(_LAYERS * model.num_layers)),
        "max_target_length": min(4096, model.max_source_length + 1 + model.max_target_length),
        "share_embeddings": False,
        "causal_mask": True,
    }
    return DecoderConfig(**{**model.to_dict(), **changes})
