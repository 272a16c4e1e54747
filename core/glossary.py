"""The field's terms, each once: what it means, where it is from, and the page that shows it.

"Section 3.4" is one of Vaswani et al. 2017, "Attention Is All You Need"; other sources are named.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Term:
    """An entry of the glossary. Texts are Markdown."""

    name: str
    meaning: str  # a sentence or two
    source: str
    page: str  # address of the page that shows it
    also: tuple[str, ...] = ()  # of pages that need it too


GLOSSARY = (
    Term(
        "token, id",
        "A token is a word or a part of one, as the model reads it. Its id is its place in the vocabulary.",
        "section 3.4",
        "text_as_numbers",
    ),
    Term(
        "subword",
        "A frequent part of words. A rare word is split into several; `##` joins a subword to the one before.",
        "section 5.1; Wu et al. 2016, section 4.1",
        "text_as_numbers",
        also=("translate",),
    ),
    Term(
        "start and end token",
        "`[START]` is what the decoder reads first, `[END]` what it predicts last.",
        "figure 1: outputs shifted right",
        "text_as_numbers",
    ),
    Term(
        "padding token",
        "`[PAD]`, id 0: fills up the shorter sentences of a batch. It is masked, and the loss does not count it.",
        "not in the paper",
        "text_as_numbers",
    ),
    Term(
        "embedding",
        "A learned vector for each entry of the vocabulary. The paper multiplies it by √d_model.",
        "section 3.4",
        "text_as_numbers",
    ),
    Term(
        "teacher forcing",
        "In training, the decoder reads the reference, shifted right by one, instead of its own predictions.",
        "section 3.1; Williams and Zipser 1989",
        "text_as_numbers",
    ),
    Term(
        "length-bucketed batch",
        "A batch of sentences of similar length, which wastes few positions on padding.",
        "section 5.1",
        "text_as_numbers",
    ),
    Term(
        "positional encoding",
        "A vector for each position, added to the embeddings: sines and cosines, or learned like a weight.",
        "section 3.5",
        "positional_encoding",
    ),
    Term(
        "d_model",
        "The width of all vectors between the sublayers: 512 in the paper's base model.",
        "section 3.1",
        "positional_encoding",
    ),
    Term(
        "cosine similarity",
        "The dot product of two vectors divided by the product of their lengths: 1 in the same direction, 0 at right "
        "angles.",
        "not in the paper",
        "positional_encoding",
    ),
    Term(
        "query, key, value",
        "Three projections of the vectors. A position's query is compared with all keys, and the values are mixed by "
        "the result.",
        "sections 3.2 and 3.2.2",
        "attention_by_hand",
    ),
    Term(
        "attention weights",
        "The softmax of the scaled scores: how much a query position attends to each key position. A row sums to 1.",
        "section 3.2.1, equation 1",
        "attention_by_hand",
    ),
    Term(
        "head",
        "One of h attentions in parallel, each with projections of its own, d_model / h wide.",
        "section 3.2.2",
        "attention_by_hand",
    ),
    Term(
        "entropy",
        "How spread out a distribution is: 0 bits with everything on one token, log₂ n bits spread evenly over n tokens.",
        "Shannon 1948",
        "attention_by_hand",
    ),
    Term(
        "padding mask",
        "Keeps every position from attending to padding tokens.",
        "not in the paper",
        "masks",
    ),
    Term(
        "causal mask",
        "Keeps each position of the decoder from attending to later ones. Also called look-ahead mask.",
        "section 3.2.3",
        "masks",
    ),
    Term(
        "combined mask",
        "Padding and causal mask together, in the decoder's self-attention.",
        "section 3.2.3",
        "masks",
    ),
    Term(
        "learning-rate schedule, warmup",
        "The size of each training step: it rises during the warmup to its peak, then decays.",
        "section 5.3",
        "learning_rate",
    ),
    Term(
        "encoder, decoder",
        "The encoder turns the source sentence into vectors; the decoder predicts the translation from them, token by "
        "token.",
        "section 3.1",
        "architecture",
    ),
    Term(
        "self-attention, cross-attention",
        "Within one sentence; from the target, which has the queries, to the source, which has keys and values.",
        "section 3.2.3",
        "architecture",
    ),
    Term(
        "residual connection",
        "Adds the input of a sublayer to its output.",
        "section 3.1",
        "architecture",
    ),
    Term(
        "layer norm",
        "Gives a vector mean 0 and variance 1, then a learned scale and shift: after each residual sum (post-norm) or "
        "before each sublayer (pre-norm).",
        "section 3.1; Xiong et al. 2020",
        "architecture",
    ),
    Term(
        "logits, softmax",
        "A score for each entry of the vocabulary; the softmax turns scores into probabilities.",
        "section 3.4",
        "architecture",
    ),
    Term(
        "tied embeddings",
        "One matrix for the target embedding and the output, and for the source where both share a vocabulary.",
        "section 3.4",
        "architecture",
    ),
    Term(
        "greedy decoding, beam search",
        "Greedy decoding takes the most probable token at each step; beam search keeps the best few hypotheses.",
        "section 6.1",
        "decoding",
        also=("translate",),
    ),
    Term(
        "length penalty",
        "Divides log P, so that longer hypotheses are not at a disadvantage.",
        "section 6.1; Wu et al. 2016, section 7",
        "decoding",
        also=("translate",),
    ),
    Term(
        "log P, nat",
        "The logarithm of a probability, here the natural one, in nats. The log P of a sentence is the sum over its "
        "tokens.",
        "section 3, auto-regressive",
        "decoding",
        also=("translate",),
    ),
    Term(
        "attention rollout",
        "The attention maps of all layers multiplied, with the residual connections.",
        "Abnar & Zuidema 2020",
        "attention_maps",
    ),
    Term(
        "logit lens",
        "What an inner layer would predict if the model ended there.",
        "nostalgebraist 2020",
        "inside",
    ),
    Term(
        "label smoothing",
        "Training toward a target that gives a little probability to every token, not only to the label.",
        "section 5.4",
        "train",
    ),
    Term(
        "dropout",
        "Sets a random share of activations to 0 in training, so that the model does not rely on single ones.",
        "section 5.4",
        "train",
    ),
    Term(
        "step, epoch",
        "A step trains on one batch, an epoch on all pairs once.",
        "section 5.2: steps",
        "train",
    ),
    Term(
        "split",
        "Pairs to train on, to choose a model by (validation) and to report on (test).",
        "section 6.2: development set newstest2013",
        "data",
    ),
    Term(
        "perplexity",
        "e to the power of the loss: how many equally likely tokens would be as uncertain.",
        "section 6.2, table 3",
        "evaluate",
    ),
    Term(
        "BLEU, chrF",
        "N-grams of words, and of characters, that translations share with references.",
        "Papineni et al. 2002; Popović 2015",
        "evaluate",
    ),
)


def terms_of(page: str) -> str:
    """The entries that a page shows, as a Markdown list; empty where it shows none.

    Args:
        page: its address.
    """
    return _listed(term for term in GLOSSARY if term.page == page)


def terms_needed_on(page: str) -> str:
    """The entries that a page shows or needs, as a Markdown list; empty where there are none.

    Args:
        page: its address.
    """
    return _listed(term for term in GLOSSARY if page in (term.page, *term.also))


def _listed(terms: Iterable[Term]) -> str:
    return "\n".join(f"- **{term.name}**: {term.meaning} *({term.source})*" for term in terms)
