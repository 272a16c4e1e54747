"""A translation Transformer, its training and its decoding. Importing this package imports nothing else."""

__version__ = "0.3.0.dev0"
