from dataclasses import fields

from core.config import DecodingConfig, ModelConfig, TrainingConfig
from core.explanations import EXPLANATIONS


def test_every_setting_that_is_not_learned_is_explained_and_nothing_else() -> None:
    names = {
        field.name for config in (ModelConfig, TrainingConfig, DecodingConfig) for field in fields(config)
    }
    assert EXPLANATIONS.keys() == names - {"source_vocab_size", "target_vocab_size"}
