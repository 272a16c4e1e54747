"""What the page says about each step of training and translating."""

from __future__ import annotations

from core.theory.flows import FlowStep
from core.tokens.vocabulary import PAD

_TITLES = {
    "batch": "A batch of pairs",
    "embed": "Ids become vectors",
    "encode": "The encoder reads the source",
    "decode": "The decoder reads the target",
    "cross": "The decoder asks the encoder",
    "guess": "A guess at every position",
    "loss": "The loss",
    "backward": "Backward",
    "update": "Adam moves the weights",
    "sentence": "The sentence",
    "sentence_embed": "Ids become vectors",
    "encode_once": "The encoder reads, once",
    "keys_values": "Keys and values, once",
    "read": "The decoder reads “{word}”",
    "say": "It says “{word}”",
    "end": "It says “{word}”",
}
_TEXTS = {
    "batch": "The decoder gets the right translation, moved on by one place: at each position it should say the word "
    "that comes next. That is teacher forcing. Shorter sentences are padded.",
    "embed": "Every id gets its vector, and every place its position.",
    "encode": "All words at once, through {layers}. Padding is masked.",
    "decode": "All {positions} positions at once: the look-ahead mask keeps each from seeing the words that it should "
    "say. That is why training is fast.",
    "cross": "Cross-attention, then feed-forward. This and the step before are repeated in {layers}.",
    "guess": "Linear and softmax give each entry of the vocabulary a probability, at all positions at once.",
    "loss": "How surprised the model was by each of the {real} real labels: −log of the probability that it gave "
    "them. Their mean is one number, the loss. Padding does not count.",
    "backward": "From the loss back through every part: for each weight, in which direction it would make the loss "
    "smaller. About twice the work of the way forward.",
    "update": "Every weight takes a small step. The next batch meets a model that is a little better.",
    "sentence": "One sentence, so the batch is 1 and nothing is padded. There is no right translation to read.",
    "sentence_embed": "As in training.",
    "encode_once": "What it makes of the sentence stays the same for every word that is written.",
    "keys_values": "The cross-attention of each decoder layer makes its keys and values of the source now, and keeps "
    "them.",
    "read": "Only the newest word passes the layers. Keys and values of {kept} are kept from earlier rounds.",
    "say": "The most probable entry of the vocabulary. It is what the decoder reads next.",
    "end": "The end sign: the translation is finished.",
}
_FIRST_READ = "So far there is only the start sign. It looks at itself, and at all of the encoder's output."


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
        kept="the start sign" if read == 1 else f"the {read} before it",
    )
