"""What each setting does, in a sentence for people: shown beside the app's controls and by --help."""

EXPLANATIONS: dict[str, str] = {
    "num_layers": "N: layers in the encoder and in the decoder.",
    "num_heads": "h: how many ways each layer can look at once. It must divide d_model.",
    "d_model": "The width of every vector. It must be divisible by the heads: each head is d_model / h wide.",
    "d_ff": "The inner width of the feed-forward layers.",
    "dropout_rate": "The part of the numbers set to 0 in training, so that the model does not rely on single ones.",
    "max_source_length": "The most tokens of a sentence the model reads.",
    "max_target_length": "The most tokens of a translation, its end included.",
    "positional_encoding": "How the model knows the order of the words: the paper's sines and cosines, or learned.",
    "activation": "Inside the feed-forward layers.",
    "norm": "After each residual sum, as in the paper, or before each sublayer, which trains more calmly.",
    "tie_embeddings": "Use the target embedding as the output projection too (section 3.4): fewer parameters.",
    "share_embeddings": "One embedding for both languages (section 3.4): only where they share one vocabulary.",
    "epochs": "How many times the model sees every pair.",
    "batch_size": "Pairs in one training step.",
    "batch_tokens": "Instead of the batch size: tokens of the longer side in a step, sentences of like length together.",
    "schedule": "A constant rate; the paper's warm-up and slow fall (section 5.3); or up and straight down to 0.",
    "learning_rate": "How far each step goes: throughout, or at the peak of linear. Not used with warmup.",
    "warmup_steps": "Steps over which the rate grows. Not used with a constant rate.",
    "beta_1": "Adam: how long the average of the gradients remembers.",
    "beta_2": "Adam: how long the average of their squares remembers.",
    "epsilon": "Adam: keeps it from dividing by 0.",
    "label_smoothing": "How much of the target is spread over all tokens; 0.1 in the paper. The loss stays above 0.",
    "subword_dropout": "How often a subword is passed over for shorter ones in training, so that rare words are "
    "learned from parts. For corpora cut into subwords.",
    "careless_typing": "The share of pairs that each epoch sees without their final punctuation; fewer lose their "
    "accents or get a slip, an emoji or a second sentence. For corpora cut into subwords.",
    "ema_decay": "How much of a running average of the weights each step keeps, 0.999 say: the average is judged and "
    "saved instead of the last weights; 0 averages nothing.",
    "clip_norm": "The longest gradient a step may follow; 0 clips nothing.",
    "patience": "Epochs without a better loss after which training ends early; 0 never does.",
    "seed": "The same seed gives the same result: in training weights, dropout and the order of the pairs; in sampling "
    "the same text.",
    "beam_size": "Beginnings kept alive in beam search; 1 is greedy. The paper uses 4.",
    "length_penalty": "Alpha of Wu et al. 2016: 0 prefers short sentences, more prefers longer ones. The paper uses 0.6.",
    "samples": "Translations drawn at random from the model's probabilities; 0 searches for the likeliest instead.",
    "temperature": "Below 1, likely tokens are drawn more often than the model says; above 1, less often. 0 is greedy.",
    "top_k": "Draw from the k likeliest tokens alone (Fan et al. 2018); 0 takes all.",
    "top_p": "Draw from the fewest tokens that have this probability together (Holtzman et al. 2020); 1 takes all.",
}
