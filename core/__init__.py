"""A translation Transformer, its training and its decoding. Importing this package imports nothing else."""
