"""Starting points for training, named: what the app's menu and the command line's --preset offer."""

from __future__ import annotations

from dataclasses import dataclass

from core.config import ModelConfig, TrainingConfig


@dataclass(frozen=True)
class Preset:
    """A model and a training that go together. The vocabulary sizes are those of the fifteen pairs."""

    name: str
    title: str
    description: str  # one sentence for people
    model: ModelConfig
    training: TrainingConfig


_FIFTEEN = ModelConfig(source_vocab_size=38, target_vocab_size=35)

PRESETS: dict[str, Preset] = {
    preset.name: preset
    for preset in (
        Preset(
            name="classroom",
            title="Classroom",
            description="Small enough to learn the fifteen pairs in seconds, large enough to have layers and heads.",
            model=_FIFTEEN,
            training=TrainingConfig(),
        ),
        Preset(
            name="smallest",
            title="Smallest",
            description="One layer with one head: the easiest attention maps to read.",
            model=_FIFTEEN.replace(num_layers=1, num_heads=1, d_model=32, d_ff=64, dropout_rate=0.0),
            training=TrainingConfig(epochs=250, learning_rate=3e-3),
        ),
        Preset(
            name="paper",
            title="The paper's recipe",
            description="The classroom model with warm-up, label smoothing and more dropout, as in section 5.",
            model=_FIFTEEN.replace(dropout_rate=0.2),
            training=TrainingConfig(epochs=300, schedule="warmup", warmup_steps=300, label_smoothing=0.1),
        ),
        Preset(
            name="modern",
            title="Since the paper",
            description="Pre-norm, learned positions, GELU and tied embeddings: what later models changed.",
            model=_FIFTEEN.replace(
                norm="pre", positional_encoding="learned", activation="gelu", tie_embeddings=True
            ),
            training=TrainingConfig(clip_norm=1.0),
        ),
    )
}

CLASSROOM = PRESETS["classroom"]
