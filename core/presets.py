"""Starting points for training, named: what the app's menu and the command line's --preset offer."""

from __future__ import annotations

from dataclasses import dataclass

from core.config import ModelConfig, TrainingConfig

BATCH_TOKENS = 2048  # of the longer side, in trainings on large corpora


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
            description="Small enough to learn the fifteen pairs in seconds, large enough for several layers and heads.",
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
            description="The classroom model with warmup, label smoothing and more dropout, as in section 5.",
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

_SHARED = ModelConfig(
    source_vocab_size=8000, target_vocab_size=8000, max_source_length=256, max_target_length=256
)

LARGE_PRESETS: dict[str, Preset] = {
    preset.name: preset
    for preset in (
        Preset(
            name="shipped",
            title="The shipped models'",
            description="Width 256, three layers and one vocabulary for both languages: the best quality for a few hours "
            "on a laptop.",
            model=_SHARED.replace(
                num_layers=3,
                d_model=256,
                num_heads=4,
                d_ff=1024,
                dropout_rate=0.15,
                norm="pre",
                tie_embeddings=True,
                share_embeddings=True,
            ),
            training=TrainingConfig(
                epochs=20,
                batch_tokens=BATCH_TOKENS,
                schedule="linear",
                learning_rate=1.5e-3,
                warmup_steps=800,
                label_smoothing=0.1,
                clip_norm=1.0,
                seed=1,
            ),
        ),
        Preset(
            name="tutorial",
            title="The TensorFlow tutorial's",
            description="Four layers of width 128 with eight heads, a vocabulary for each language, the paper's "
            "schedule.",
            model=_SHARED.replace(num_layers=4, d_model=128, num_heads=8, d_ff=512, dropout_rate=0.1),
            training=TrainingConfig(
                epochs=20, batch_tokens=BATCH_TOKENS, schedule="warmup", warmup_steps=4000
            ),
        ),
    )
}
"""For corpora of many thousands of pairs, split into subwords. The vocabulary sizes are those asked for."""

CLASSROOM = PRESETS["classroom"]
