"""What the page says about each step of training and translating."""

from __future__ import annotations

from core.tokens.vocabulary import PAD
from pages.components.architecture.flows import FlowStep

_TITLES = {
    "batch": "A batch of pairs",
    "embed": "Ids become vectors",
    "encode": "The encoder reads the source",
    "decode": "The decoder reads the target",
    "cross": "The decoder attends to the encoder",
    "guess": "A prediction at every position",
    "loss": "The loss",
    "backward": "Backward",
    "update": "Adam updates the weights",
    "sentence": "The sentence",
    "sentence_embed": "Ids become vectors",
    "encode_once": "The encoder reads, once",
    "keys_values": "Keys and values, once",
    "read": "The decoder reads “{word}”",
    "say": "It writes “{word}”",
    "end": "It writes “{word}”",
}
_TEXTS = {
    "batch": "The decoder gets the reference translation, shifted right by one: at each position it should predict the "
    "word that comes next. That is teacher forcing. Shorter sentences are padded.",
    "embed": "Every id becomes a vector, and its position is added.",
    "encode": "All words at once, through {layers}. Padding is masked.",
    "decode": "All {positions} positions at once: the causal mask keeps each from seeing the words that it should "
    "predict. That is why training is fast.",
    "cross": "Cross-attention, then feed-forward. This and the step before are repeated in {layers}.",
    "guess": "A linear layer and a softmax give each entry of the vocabulary a probability, at all positions at once.",
    "loss": "For each of the {real} real labels, −log of the probability that the model gave it. Their mean is one "
    "number, the loss. Padding does not count.",
    "backward": "Backpropagation: from the loss back through every part, the gradient of the loss for each weight. It "
    "takes about twice the work of the forward pass.",
    "update": "Every weight takes a small step against its gradient. The next batch meets a slightly better model.",
    "sentence": "One sentence, so the batch is 1 and nothing is padded. There is no reference translation to read.",
    "sentence_embed": "As in training.",
    "encode_once": "Its output stays the same for every word that is written.",
    "keys_values": "The cross-attention of each decoder layer computes its keys and values of the source now, and keeps "
    "them.",
    "read": "Only the newest word passes through the layers. Keys and values of {kept} are kept from earlier steps.",
    "say": "The most probable entry of the vocabulary. It is what the decoder reads next.",
    "end": "The end token: the translation is finished.",
}
_FIRST_READ = (
    "So far there is only the start token. It attends to itself, and to all of the encoder's output."
)


def title_of(step: FlowStep) -> str:
    """The step's title, with the word that it reads or writes."""
    new = [row.words[row.new] for row in step.rows if row.new is not None]
    return _TITLES[step.key].format(word="".join(new))


def text_of(step: FlowStep) -> str:
    """What happens in the step."""
    read = max((row.new or 0 for row in step.rows), default=0)  # words before the newest
    if step.key == "read" and not read:
        return _FIRST_READ
    layers = step.sizes["L"]
    return _TEXTS[step.key].format(
        layers=f"{layers} layer{'s' if layers > 1 else ''}",
        positions=step.sizes["T"],
        real=sum(word != PAD for row in step.rows for word in row.words),
        kept="the start token" if read == 1 else f"the {read} before it",
    )
