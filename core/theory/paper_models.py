"""The two models of the paper, as sizes (Vaswani et al. 2017, table 3, and section 5.1 for the vocabulary)."""

from core.config import ModelConfig

VOCABULARY = 37_000  # "about 37000 tokens", one for both languages; section 3.4 shares one matrix three times

BASE = ModelConfig(
    source_vocab_size=VOCABULARY,
    target_vocab_size=VOCABULARY,
    num_layers=6,
    d_model=512,
    num_heads=8,
    d_ff=2048,
    dropout_rate=0.1,
    max_source_length=256,
    max_target_length=256,
    tie_embeddings=True,
    share_embeddings=True,
)
BIG = BASE.replace(d_model=1024, num_heads=16, d_ff=4096, dropout_rate=0.3)
