"""The right answers to predictions, as the code computes them: for every example and two seeds, or for a named one.

Each function returns what only the right answer names, a number or words of a model; or which of the answers hold, in the
order of the page's file, where the right one stands first.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import pairwise

import numpy as np
import pytest

from core.arrays import Floats
from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.from_training import checkpoint_of
from core.checkpoints.shipped import FIRST, shipped_checkpoints
from core.config import DecodingConfig
from core.interpretability.heads import (
    alignment_scores,
    all_heads,
    clearest_head,
    run_without,
)
from core.interpretability.lens import depth_lens
from core.interpretability.padding import padding_comparison
from core.interpretability.sentence_run import follow
from core.interpretability.teacher_forcing import ForcedPair, Tracer, forced_attention
from core.interpretability.text_attention import source_block
from core.interpretability.writing import write
from core.language_model.model import LanguageModel, answer_of, prompt_of
from core.language_model.training import PreparedTexts, prepare_texts
from core.model.forward import causal_mask, rotate, sinusoidal_encoding
from core.model.numpy_ops import softmax
from core.presets import CLASSROOM, CLASSROOMS, Preset
from core.records.attention import TokenAttention
from core.records.question import ChoiceQuestion
from core.server.trained_model import TrainedModel
from core.theory.attention_steps import attention_steps
from core.theory.byte_pairs import after_merges
from core.theory.decoding_cost import KNOWN, DecoderSize, multiplications
from core.theory.fuzzy_dictionary import ENTRIES, fuzzy_look_up
from core.theory.model_size import BASE, parameters_by_kind
from core.theory.norms import measure_stack
from core.theory.positional_encoding import dot_products, wavelengths
from core.theory.schedule import Schedule
from core.theory.score_scale import NUM_KEYS, score_scale
from core.theory.untrained_head import EXAMPLE, run_untrained_head, untrained_scores
from core.tokens.merges import merges
from core.tokens.vocabulary import END_ID, PAD_ID, START, START_ID, UNKNOWN_ID
from core.training.pairs import encode_pairs, learn_tokenizers
from core.training.recipe import prepare_training
from core.weights import parameter_count, unflatten
from pages.attention_by_hand import _SENTENCE
from pages.components.model.choice import english_tokenizer
from pages.content.reader import PAGE_TEXTS
from pages.decoding import _EXAMPLES
from pages.masks import _SENTENCES, _USUAL_PADS
from pages.text_as_numbers import cut_and_pad
from tests.pages.test_predictions import ALL

_SEED = 1  # besides the classroom preset's own


Found = str | tuple[bool, ...]


@dataclass(frozen=True)
class Traced:
    """A model with its first example, which the pages show at first."""

    checkpoint: Checkpoint

    @cached_property
    def tracer(self) -> Tracer:
        return Tracer(TrainedModel("Model", self.checkpoint).translator)

    @cached_property
    def pair(self) -> ForcedPair:
        translation = self.tracer.translator.translate([self.checkpoint.examples[0].source], typed=True)[0]
        return ForcedPair.of_translation(self.tracer.translator, translation)

    @property
    def sentences(self) -> list[str]:
        return [pair.source for pair in self.checkpoint.examples]


@dataclass(frozen=True)
class Models:
    """The models that the lessons are about."""

    presets: tuple[Preset, ...]  # classrooms
    classrooms: tuple[Traced, ...]  # these presets after their training, by one seed or two
    shipped: tuple[Traced, ...]  # which come with the app, the first one first

    @property
    def first(self) -> Traced:
        return self.shipped[0]


@pytest.fixture(
    scope="module",
    params=[False, pytest.param(True, marks=pytest.mark.long)],
    ids=["classroom", "each classroom"],
)
def models(request: pytest.FixtureRequest, checkpoint: Checkpoint) -> Models:
    """Return the models: of the classroom preset alone, or of each language's by two seeds."""
    classrooms = [checkpoint]
    presets = tuple(CLASSROOMS.values()) if request.param else (CLASSROOM,)
    for preset in presets if request.param else ():
        for training in (preset.training, preset.training.replace(seed=_SEED)):
            if (preset, training) == (CLASSROOM, CLASSROOM.training):
                continue  # the checkpoint
            prepared = prepare_training(preset.pairs, preset.model, training)
            run = prepared.new_run()
            for _ in run.steps():
                pass
            classrooms.append(checkpoint_of(run.saved(), prepared))
    folders = shipped_checkpoints()
    names = sorted(folders, key=lambda name: name != FIRST)
    shipped = [Checkpoint.load(folders[name]) for name in names]
    return Models(presets, tuple(map(Traced, classrooms)), tuple(map(Traced, shipped)))


def shape_of_loss(models: Models) -> Found:
    """Return which hold: fast at first, along a straight line, all at once after a long time."""
    halves = []
    for model in models.classrooms:
        losses = np.array([epoch.loss for epoch in model.checkpoint.epochs])
        assert len(losses) == 200
        halves.append(np.argmax(losses < losses[0] / 2) + 1)
    assert 7 <= min(halves) <= max(halves) <= 11  # "some nine epochs"
    fastest, slowest = int(min(halves)), int(max(halves))
    return slowest < 50, 80 < fastest <= slowest < 120, fastest > 150


def certainty(models: Models) -> Found:
    """Return which hold of the least certain word: almost certain, a coin toss, a few percent."""
    least = []
    for model in models.classrooms:
        for written in model.tracer.translator.translate(model.sentences):
            pair = ForcedPair.of_translation(model.tracer.translator, written)
            least.append(np.exp(model.tracer.log_probabilities(pair, 1)).min())
    return min(least) >= 0.9, 0.4 < min(least) < 0.6, min(least) < 0.1


_MAX_WRITTEN = 24  # without the mask, some translations never end


def attention_to_padding(models: Models) -> Found:
    """Return which hold of its share: a good one, none, next to none."""
    shares = []
    for model in (*models.classrooms, *models.shipped):
        changed = {}
        for sentence in model.sentences:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr("core.interpretability.padding._MAX_WRITTEN_TOKENS", _MAX_WRITTEN)
                found = padding_comparison(model.tracer, sentence, _USUAL_PADS)
            assert found.masked.translation == found.alone.translation
            shares += [found.unmasked.encoder_share.mean(), found.unmasked.cross_share.mean()]
            changed[sentence] = found.unmasked.translation != found.alone.translation
        # The page begins with a sentence that shows it.
        is_shipped = any(model is each for each in models.shipped)
        assert all(changed.values()) if is_shipped else changed[min(model.sentences, key=len)]
    assert max(shares) < 0.9
    return min(shares) > 0.15, max(shares) == 0, 0 < max(shares) < 0.05


def where_masked_attention_goes(_: Models) -> Found:
    """Return which hold: to the open positions in proportion, to the last word, in equal parts, nowhere."""
    holds = []
    for sentence in _SENTENCES:
        scores = untrained_scores((START, *sentence.split()))
        for position, masked in enumerate(softmax(scores, causal_mask(len(scores)))[1:], start=1):
            is_open = slice(position + 1)
            row, without = masked[is_open], softmax(scores)[position, is_open]
            gained = row - without
            holds.append(
                (
                    np.ptp(row / without) < 1e-5,
                    gained[:-1].max() < 1e-5,
                    np.ptp(gained) < 1e-5,
                    masked.sum() < 0.999,
                )
            )
    return tuple(map(all, zip(*holds, strict=True)))


def what_the_encoder_returns(models: Models) -> Found:
    """Return whether its vectors are as many as the words, as the layers, or one."""
    counts = []
    for model in models.classrooms:
        for source in model.sentences:
            (translation,) = model.tracer.translator.translate([source], typed=True)
            pair = ForcedPair.of_translation(model.tracer.translator, translation)
            returned = len(follow(model.tracer, pair).levels["encoder"][-1])
            counts.append((returned, len(source.split()), model.checkpoint.config.num_layers, 1))
    return tuple(all(returned == other[place] for returned, *other in counts) for place in range(3))


def largest_part(_: Models) -> Found:
    counts = parameters_by_kind(BASE)
    assert BASE.target_vocab_size == 37_000
    attention = counts["self-attention"] + counts["cross-attention"]
    sizes = counts["feed-forward"], attention, counts["embedding"]
    return tuple(size == max(sizes) for size in sizes)


def growth_with_pre_norm(_: Models) -> Found:
    size = measure_stack("pre", 12).size
    return f"{size[-1] / size[0]:.0f}"


def unknown_tokens(models: Models) -> Found:
    """Return which hold of words and subwords: one and none, one each, one and several."""
    subwords = models.first.checkpoint.target_tokenizer
    found = [each.encode("i am a triceratops").count(UNKNOWN_ID) for each in (english_tokenizer(), subwords)]
    return found == [1, 0], found == [1, 1], found[0] == 1 < found[1]


def first_merge(preset: Preset) -> Found:
    """Return which hold of the neighbours that the first merge joins: a and n, t and h, o and u."""
    words = Counter(word for pair in preset.pairs for word in pair.target.split())
    first = next(merges(words))
    counts = after_merges(words, 0).counts
    assert (first.count, counts["##o", "##u"]) == (5, 3)
    assert {"want", "thank"} <= words.keys()
    return first.piece.removeprefix("##") == "an", first.piece == "th", first.piece.removeprefix("##") == "ou"


def padding_after_thank_you(_: Models) -> Found:
    ids = english_tokenizer().encode("thank you")
    return str(int((cut_and_pad([[START_ID, *ids, END_ID]], 8) == PAD_ID).sum()))


def read_in_training(preset: Preset) -> Found:
    words = learn_tokenizers(preset.pairs, preset.model, preset.training)
    row = [pair.target for pair in preset.pairs].index("i am tired")
    batch = encode_pairs(preset.pairs, *words).batch(np.array([row]), 1)
    tokens = words[1].vocabulary.tokens
    assert tokens[batch.labels[0, 1]] == "am"
    return " ".join(tokens[each] for each in batch.decoder_input[0, 1:3])


def highest_attention_of_first_word(_: Models) -> Found:
    weights = attention_steps([[1.0], [2.0], [3.0]], [[0.5]], [[1.0]], [[10.0]]).weights
    return _SENTENCE[weights[0].argmax()]


def legs_of_a_kitten(_: Models) -> Found:
    """Return which hold: a little less than four, four, nothing."""
    weights, legs = fuzzy_look_up(72, 10)
    assert ENTRIES[weights.argmax()].name == "cat"
    return 3.5 < legs < 3.95, legs >= 3.95, legs == 0


def unscaled_attention(_: Models) -> Found:
    """Return which hold of its entropy, in bits: of one or two keys, of all, between the two."""
    found, most = float(score_scale(64).raw.entropy), float(np.log2(NUM_KEYS))
    return found < 1, found > 0.9 * most, 1 <= found <= 0.9 * most


def peak_of_longer_warmup(_: Models) -> Found:
    """Return which hold of the later peak: lower, higher, just as high."""
    usual, longer = (Schedule("warmup", warmup_steps=steps) for steps in (4_000, 8_000))
    assert longer.peak_step(20_000) > usual.peak_step(20_000)
    ratio = longer.rates(8_000, 20_000) / usual.rates(4_000, 20_000)
    return bool(ratio < 0.9), bool(ratio > 1.1), bool(0.9 <= ratio <= 1.1)


def more_similar_position(_: Models) -> Found:
    """Return which is more similar: neither, the later one, the one before."""
    products = dot_products(sinusoidal_encoding(2_048, 512), 1_000)
    difference = products[1_010] - products[990]
    return abs(difference) < 1e-3, difference > 1e-3, difference < -1e-3


def rows_of_a_repeated_word(_: Models) -> Found:
    """Return which hold: they differ in every cell, in none, only where each word meets itself."""
    words = EXAMPLE.split()
    assert EXAMPLE == "the dog bites the man"
    weights = run_untrained_head(words, range(len(words)), with_positions=True)[1]
    differs = np.abs(weights[0] - weights[3]) > 0.01
    return differs.all(), not differs.any(), [*np.flatnonzero(differs)] == [0, 3]


def aligned_with_we(models: Models) -> Found:
    cross, weights = clearest_cross_head(models.first)
    row = weights[cross.rows.index("we")]
    assert row.max() > 0.5
    return cross.columns[row.argmax()]


def where_the_map_is_blue(models: Models) -> Found:
    """Return which hold: along the diagonal, all over, in one column."""
    _, weights = clearest_cross_head(models.first)
    highest = weights.argmax(axis=1)
    is_clear = weights.max(axis=1).min() > 0.5
    distance = np.abs(highest - np.arange(len(weights))).max()
    return is_clear and distance <= 2, not is_clear, is_clear and np.ptp(highest) == 0


def clearest_cross_head(model: Traced) -> tuple[TokenAttention, Floats]:
    """Return the cross-attention of the first example, and the weights (T, S) of the head that the page selects."""
    examples = [
        each.of_kind("cross") for each in forced_attention(model.tracer, model.checkpoint.examples[:6])
    ]
    layer, head = clearest_head([*examples, *[examples[0]] * 6])
    return examples[0], examples[0].weights[layer, head]


GREEDY = DecodingConfig()
BEAM = DecodingConfig(beam_size=4, length_penalty=0.6)


def written_by(model: Traced, decoding: DecodingConfig, prefix: str = "") -> list[str]:
    """Return what a search writes for the sentence with which the page opens."""
    tokenizer = model.checkpoint.target_tokenizer
    [read] = model.tracer.translator.translate([_EXAMPLES["Portuguese"]], typed=True)
    found = write(model.tracer, read.source_ids, decoding, tokenizer.encode(prefix))
    return [tokenizer.decode(each.ids) for each in found.hypotheses]


def goes_on_from_had(models: Models) -> Found:
    return written_by(models.first, GREEDY, "i had")[0]


def found_by_beam_search(models: Models) -> Found:
    """Return which hold: another sentence, which is likelier; the same one; a longer one."""
    [greedy], beam = (written_by(models.first, decoding) for decoding in (GREEDY, BEAM))
    return greedy in beam[1:], beam[0] == greedy, len(words_of(beam[0])) > len(words_of(greedy))


def hot_samples(models: Models) -> Found:
    """Return which hold: words without sense, good translations in other words, one sentence each time."""
    known = words_of(" ".join(written_by(models.first, GREEDY) + written_by(models.first, BEAM)[:1]))
    cool, hot = (
        written_by(models.first, DecodingConfig(samples=4, temperature=temperature))
        for temperature in (0.7, 2.0)
    )
    familiar, strange = (
        [len(words_of(text) & known) / len(words_of(text)) for text in texts] for texts in (cool, hot)
    )
    assert min(familiar) > 0.5
    return max(strange) < 0.1, min(strange) > 0.3, len({*hot}) == 1


def words_of(text: str) -> set[str]:
    return set(text.lower().replace(".", "").split())


def layer_of_the_final_word(models: Models) -> Found:
    """Return whether most tokens are final from the second layer on, from the first, from the third."""
    lens = depth_lens(models.first.tracer, models.first.pair, "decoder")
    assert len(lens.tokens) == 1 + 3
    settled = [since or 1 for since in lens.known_since if since is not None]
    first, second, third = (settled.count(layer) for layer in (1, 2, 3))
    assert third == 0 and len(settled) == 11  # "the third changes none of the 11"
    return tuple(2 * count > len(lens.known_since) for count in (second, first, third))


def heads_that_change_the_translation(models: Models) -> Found:
    """Return which hold of their number: hardly any, about half, nearly all."""
    tracer, pair = models.first.tracer, models.first.pair
    whole = run_without(tracer, pair, ()).translation
    heads = all_heads(models.first.checkpoint.config)
    assert len(heads) == 36
    missed = sum(run_without(tracer, pair, (head,)).translation != whole for head in heads)
    return missed <= 2, 12 < missed < 24, missed > 30


def in_each_classroom(models: Models, find: Callable[[Preset], Found]) -> Found:
    """Return what holds with the pairs of every classroom preset."""
    (found,) = set(map(find, models.presets))
    return found


def prepared_texts(name: str = CLASSROOM.name) -> PreparedTexts:
    """Return the training of a classroom's decoder alone, which learns to write sources, too."""
    preset = CLASSROOMS[name]
    return prepare_texts(preset.pairs, preset.model, preset.training, learns_source=True)


@cache
def decoder_alone(name: str) -> LanguageModel:
    """Return a classroom's decoder alone after its training."""
    prepared = prepared_texts(name)
    run = prepared.new_run()
    for _step in run.steps():
        pass
    return prepared.language_model(unflatten(run.saved().model_parameters, prepared.model))


def alignment_of_a_decoder_alone(models: Models, preset: Preset) -> Found:
    """Return which hold of its best head beside the best of cross-attention: less clear, as clear, not at all."""
    model = decoder_alone(preset.name)
    pairs = [pair for pair in preset.pairs if len(pair.target.split()) >= 3]
    texts = [
        (*prompt_of(pair.source, model.tokenizer), *answer_of(pair, model.tokenizer)[:-1]) for pair in pairs
    ]
    own = np.mean([alignment_scores(source_block(model, ids)).max() for ids in texts])
    best = min(
        np.mean(
            [
                alignment_scores(record.of_kind("cross")).max()
                for record in forced_attention(each.tracer, pairs)
            ]
        )
        for each in models.classrooms
        if each.checkpoint.examples == preset.pairs
    )
    return bool(own < 0.85 * best), bool(own >= 0.95 * best), bool(own < 0.1 * best)


def what_a_hot_decoder_writes(preset: Preset) -> Found:
    """Return which hold: sentences that nobody wrote, only learned pairs, words in no order."""
    model = decoder_alone(preset.name)
    known = [
        (START_ID, *prompt_of(p.source, model.tokenizer)[1:], *answer_of(p, model.tokenizer))
        for p in preset.pairs
    ]
    neighbors = {pair for ids in known for pair in pairwise(ids)}
    recited, fitting = {}, {}
    for temperature in (0.3, 1.5):
        drawn = [
            (START_ID, *(token for token, _log in written))
            for seed in range(4)
            for written in model.write([(START_ID,)] * 10, DecodingConfig(temperature=temperature, seed=seed))
        ]
        recited[temperature] = np.mean([model.pair_of(ids) is not None for ids in drawn])
        fitting[temperature] = np.mean([pair in neighbors for ids in drawn for pair in pairwise(ids)])
    assert recited[0.3] > 0.9  # "at a low temperature it recites"
    return bool(recited[1.5] < 0.9), bool(recited[1.5] == 1.0), bool(fitting[1.5] < 0.5)


def times_without_a_cache(models: Models) -> Found:
    """Return which hold of how many times as many multiplications it is: ten, two, a hundred."""
    size = DecoderSize.of(prepared_texts().model)
    anew, cached = (
        sum(multiplications(size, length, with_cache=each) for length in range(7, 14))
        for each in (False, True)
    )
    times = anew / cached
    return 8 < times < 12, 1.5 < times < 3, 50 < times < 200


def score_ten_places_on(models: Models) -> Found:
    """Return which hold of a score of rotary positions: the same, smaller, larger."""
    generator = np.random.default_rng(0)
    vectors = generator.normal(size=(2, 16)).astype(np.float32)
    turned = [rotate(np.repeat(each[None], 20, axis=0), sinusoidal_encoding(20, 16)) for each in vectors]
    now, later = (float(turned[0][at + 2] @ turned[1][at]) for at in (1, 11))
    return bool(np.isclose(now, later, atol=1e-4)), later < now - 1e-4, later > now + 1e-4


def times_as_many_parameters(models: Models) -> Found:
    """Return which hold of GPT-3's beside the class's decoder alone: a million, a thousand, a billion times."""
    gpt = next(each for each in KNOWN if each.name == "GPT-3")
    times = gpt.parameters / parameter_count(prepared_texts().model)
    return 5e5 < times < 2e6, times < 1e4, times > 1e8


COMPUTED: dict[str, Callable[[Models], Found]] = {
    "predict_gpt_left": lambda models: in_each_classroom(
        models, partial(alignment_of_a_decoder_alone, models)
    ),
    "predict_gpt_continue": lambda models: in_each_classroom(models, what_a_hot_decoder_writes),
    "predict_gpt_kept": times_without_a_cache,
    "predict_gpt_since": score_ten_places_on,
    "predict_gpt_bigger": times_as_many_parameters,
    "predict_train_train": shape_of_loss,
    "predict_translate_text": certainty,
    "predict_masks_softmax": where_masked_attention_goes,
    "predict_masks_without": attention_to_padding,
    "predict_architecture_run": what_the_encoder_returns,
    "predict_architecture_size": largest_part,
    "predict_architecture_norms": growth_with_pre_norm,
    "predict_text_as_numbers_subwords": unknown_tokens,
    "predict_text_as_numbers_merges": lambda models: in_each_classroom(models, first_merge),
    "predict_text_as_numbers_batch": padding_after_thank_you,
    "predict_text_as_numbers_teacher": lambda models: in_each_classroom(models, read_in_training),
    "predict_positional_encoding_waves": lambda _: f"{wavelengths(512)[128]:.0f}",
    "predict_positional_encoding_dots": more_similar_position,
    "predict_positional_encoding_shuffle": rows_of_a_repeated_word,
    "predict_attention_by_hand_dictionary": legs_of_a_kitten,
    "predict_attention_by_hand_numbers": highest_attention_of_first_word,
    "predict_attention_by_hand_scale": unscaled_attention,
    "predict_learning_rate_warmup": peak_of_longer_warmup,
    "predict_attention_maps_heat": where_the_map_is_blue,
    "predict_attention_maps_words": aligned_with_we,
    "predict_decoding_greedy": goes_on_from_had,
    "predict_decoding_beam": found_by_beam_search,
    "predict_decoding_sample": hot_samples,
    "predict_inside_lens": layer_of_the_final_word,
    "predict_inside_heads": heads_that_change_the_translation,
}
"""The right answers, by the predictions' keys, from what the figures are drawn from."""


def test_each_answer_is_computed() -> None:
    assert {prediction.key for prediction in ALL} == COMPUTED.keys(), "write down how the code computes it"


OF_DECODERS = {"predict_gpt_left", "predict_gpt_continue"}  # which have to be trained first
OF_ONE_SENTENCE = {
    "predict_attention_maps_heat",
    "predict_attention_maps_words",
    "predict_decoding_greedy",
    "predict_decoding_beam",
    "predict_decoding_sample",
    "predict_inside_lens",
    "predict_inside_heads",
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "prediction",
    [pytest.param(each, marks=pytest.mark.long if each.key in OF_DECODERS else ()) for each in ALL],
    ids=[each.key for each in ALL],
)
def test_the_answer_is_what_the_code_computes(models: Models, prediction: ChoiceQuestion) -> None:
    options, found = (prediction.answer, *prediction.wrong), COMPUTED[prediction.key](models)
    holds = tuple(found in option for option in options) if isinstance(found, str) else found
    assert holds == (True, *[False] * len(prediction.wrong))
    assert 2 <= len(set(prediction.options)) == 1 + len(prediction.wrong) <= 5


def test_what_holds_for_one_sentence_names_it(models: Models) -> None:
    first = models.first.checkpoint.examples[0]
    opened_with = (first.source, first.target, _EXAMPLES["Portuguese"], *written_by(models.first, GREEDY))
    for prediction in ALL:
        asked = prediction.question.replace("**", "").lower()
        names_it = any(text.lower().rstrip(".") in asked for text in opened_with)
        assert names_it == (prediction.key in OF_ONE_SENTENCE), prediction.key


def test_the_order_of_the_answers_gives_nothing_away() -> None:
    exercises = (each for page in PAGE_TEXTS.values() for each in page.exercises)
    choices = [each for each in exercises if isinstance(each, ChoiceQuestion)]
    for questions in (ALL, choices):
        places = [each.options.index(each.answer) for each in questions]
        assert all(places.count(place) >= len(places) / 5 for place in (0, 1, 2))
