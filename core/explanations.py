"""What each setting does, in a sentence for people: shown beside the app's controls and by --help."""

EXPLANATIONS: dict[str, str] = {
    "num_layers": "N: layers in the encoder and in the decoder.",
    "num_heads": "h: attention heads in each attention sublayer. It must divide d_model.",
    "d_model": "The width of every vector. It must be divisible by the number of heads: each head is d_model / h wide.",
    "d_ff": "The inner width of the feed-forward layers.",
    "dropout_rate": "The share of activations set to 0 in training, so that the model does not rely on single ones "
    "(section 5.4).",
    "max_source_length": "The most tokens a source sentence may have.",
    "max_target_length": "The most tokens a translation may have, the end token included.",
    "positional_encoding": "How the model gets the order of the words: the paper's sines and cosines (section 3.5), or "
    "a learned table.",
    "activation": "The activation function in the feed-forward layers.",
    "norm": "After each residual sum (post-norm), as in the paper, or before each sublayer (pre-norm), which trains "
    "more stably.",
    "tie_embeddings": "Use the target embedding matrix for the output projection too (section 3.4): fewer parameters.",
    "share_embeddings": "One embedding for both languages (section 3.4): only where they share one vocabulary.",
    "epochs": "How many times the model is trained on every pair.",
    "batch_size": "Pairs in one training step.",
    "batch_tokens": "Instead of the batch size: tokens of the longer side in a step, in length-bucketed batches.",
    "schedule": "A constant rate; the paper's warmup and decay as 1/√step (section 5.3); or linear warmup and decay "
    "to 0.",
    "learning_rate": "The rate of every step with constant, the peak with linear. Not used with warmup.",
    "warmup_steps": "Steps over which the rate grows linearly. Not used with a constant rate.",
    "beta_1": "Adam: decay rate of the running mean of the gradients.",
    "beta_2": "Adam: decay rate of the running mean of their squares.",
    "epsilon": "Adam: a small number that prevents a division by 0.",
    "label_smoothing": "The share of the target probability spread over all tokens; 0.1 in the paper (section 5.4). "
    "The loss stays above 0.",
    "ema_decay": "How much of a running average of the weights each step keeps, such as 0.999: the average is "
    "evaluated and saved instead of the last weights; 0 averages nothing.",
    "clip_norm": "The largest gradient norm; longer gradients are scaled down to it. 0 clips nothing.",
    "patience": "Epochs without a better validation loss after which training ends early; 0 never does.",
    "seed": "The same seed gives the same result: in training weights, dropout and the order of the pairs; in sampling "
    "the same text.",
    "beam_size": "Hypotheses kept at each step of beam search; 1 is greedy decoding. The paper uses 4 (section 6.1).",
    "length_penalty": "Alpha of Wu et al. 2016: 0 favors short translations, higher values longer ones. The paper "
    "uses 0.6 (section 6.1).",
    "samples": "Translations drawn at random from the model's probabilities; 0 searches for the likeliest instead.",
    "temperature": "Below 1, likely tokens are drawn more often than their probability says; above 1, less often. 0 is "
    "greedy.",
    "top_k": "Draw from the k likeliest tokens only (Fan et al. 2018); 0 allows all.",
    "top_p": "Draw from the fewest tokens whose probabilities add up to this (Holtzman et al. 2020); 1 allows all.",
}
