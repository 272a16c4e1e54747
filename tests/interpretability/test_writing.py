"""Translations from any prefix, their steps, and beam search as a tree."""

import math

import numpy as np
import pytest

from core.config import DecodingConfig
from core.inference.search import SearchResult, Step, beam_search, run
from core.inference.translator import TranslationError, Translator, target_limit
from core.interpretability.teacher_forcing import ForcedPair, Tracer
from core.interpretability.writing import NUM_LIKELIEST, beam_tree, parting_step, write
from core.records.analysis import BeamStatus, BeamTree, DecodingStep, NextToken
from core.tokens.vocabulary import END_ID, Vocabulary
from tests.inference.test_search import (
    BEAM_WINS,
    END,
    LENGTH_DECIDES,
    A,
    B,
    Scripted,
    Table,
    beams,
    random_table,
    words,
)

GREEDY = DecodingConfig()
VOCABULARY = Vocabulary.from_tokens(["a", "b"], start_and_end=True)


def source_of(translator: Translator, text: str) -> list[int]:
    return translator.source_tokenizer.encode(text)


@pytest.fixture(params=["trained", "untrained"])
def any_translator(
    request: pytest.FixtureRequest, translator: Translator, untrained: Translator
) -> Translator:
    return translator if request.param == "trained" else untrained


def recorded(table: Table, beam_size: int, alpha: float) -> tuple[SearchResult, BeamTree]:
    steps: list[Step] = []
    found = run(beam_search(Scripted(table), [5], beams(beam_size, alpha)), steps.append)
    return found, beam_tree(steps, (), 0.0, alpha, VOCABULARY)


@pytest.mark.slow
@pytest.mark.parametrize(("beam_size", "alpha"), [(2, 0.6), (3, 2.0), (5, 0.0)])
def test_the_tree_replays_to_the_search_s_own_result(beam_size: int, alpha: float) -> None:
    random = np.random.default_rng(beam_size)
    for table in (BEAM_WINS, LENGTH_DECIDES, *(random_table(random, 1.0, 5) for _ in range(3))):
        found, tree = recorded(table, beam_size, alpha)
        for number, end in enumerate(tree.best):
            assert list(end.ids) == words(found.ids[0, number])
            assert end.log_probability == pytest.approx(found.log_probability[0, number], abs=1e-5)
            assert end.score == pytest.approx(found.score[0, number], abs=1e-5)
            assert end.score == end.log_probability / end.penalty
            assert end.finished == found.finished[0, number]
        assert (found.log_probability[0, len(tree.best) :] < -1e8).all()


def test_a_tree_by_hand() -> None:
    _, tree = recorded(BEAM_WINS, 2, 0.0)
    first, second = tree.steps  # no third: 0.165 can no longer reach 0.22
    assert [(child.token, child.status) for child in first[:2]] == [
        ("a", BeamStatus.LIVE),
        ("b", BeamStatus.LIVE),
    ]
    # B END 0.405 and A END 0.22 end; A A and A B, 0.165 each, are less likely but live on.
    assert [child.ids for child in second] == [(B, END), (A, END), (A, A), (A, B)]
    assert [child.status for child in second] == [
        BeamStatus.FINISHED,
        BeamStatus.FINISHED,
        BeamStatus.LIVE,
        BeamStatus.LIVE,
    ]
    assert [child.parent for child in second] == [1, 0, 0, 0]
    assert [(end.step, end.number) for end in tree.best] == [(1, 0), (1, 1)]
    assert math.exp(tree.best[0].log_probability) == pytest.approx(0.405)


@pytest.mark.slow
@pytest.mark.parametrize("decoding", [GREEDY, DecodingConfig(beam_size=3), DecodingConfig(samples=3)])
def test_a_forced_prefix_equals_teacher_forcing(any_translator: Translator, decoding: DecodingConfig) -> None:
    """The prefix is kept, and log P of what is written is that of reading it at once."""
    tracer = Tracer(any_translator)
    source = source_of(any_translator, "ils regardent un film")
    for prefix in ([7], [9, 5], [4, 4, 4]):
        written = write(Tracer(any_translator), source, decoding, prefix)
        if written.tree is not None:
            assert [end.ids for end in written.tree.best] == [each.ids for each in written.hypotheses]
        for each in written.hypotheses:
            assert list(each.ids[: len(prefix)]) == prefix
            read = ForcedPair.of_ids(any_translator, source, each.ids)
            logp = tracer.log_probabilities(read, 1).sum()
            assert each.log_probability == pytest.approx(logp, abs=2e-4)


@pytest.mark.slow
@pytest.mark.parametrize("decoding", [GREEDY, DecodingConfig(beam_size=4), DecodingConfig(samples=2)])
def test_a_prefix_that_ends_or_fills_the_limit_is_the_whole_translation(
    translator: Translator, decoding: DecodingConfig
) -> None:
    source = source_of(translator, "merci")
    written = write(Tracer(translator), source, decoding, [5, END_ID])
    assert {each.ids for each in written.hypotheses} == {(5, END_ID)}
    assert written.tree is None
    full = [5] * target_limit(len(source), translator.config)
    best = write(Tracer(translator), source, decoding, full).hypotheses[0]
    assert (best.ids, best.finished) == (tuple(full), False)
    with pytest.raises(TranslationError, match="Shorten it"):
        write(Tracer(translator), source, decoding, [*full, 5])


def test_steps_of_a_greedy_translation(any_translator: Translator) -> None:
    text = "ils regardent un film"
    explained = any_translator.explain(text)
    steps = write(Tracer(any_translator), source_of(any_translator, text), GREEDY).steps
    assert len(steps) == len(explained.translation.best.ids)
    for number, step in enumerate(steps):
        assert len(step.likeliest) == NUM_LIKELIEST
        assert step.chosen == step.likeliest[0]
        assert [token.rank for token in step.likeliest] == list(range(1, NUM_LIKELIEST + 1))
        assert (np.diff([token.log_probability for token in step.likeliest]) <= 0).all()
        assert np.allclose(step.cross, explained.attention.cross[:, :, number], atol=1e-5)
    total = sum(step.chosen.log_probability for step in steps)
    assert total == pytest.approx(explained.translation.best.log_probability, abs=1e-4)
    (forced, *_) = write(Tracer(any_translator), source_of(any_translator, text), GREEDY, [9, 3]).steps
    assert forced.chosen.id == 9
    assert forced.chosen in forced.likeliest or forced.chosen.rank > NUM_LIKELIEST


def test_two_good_choices_part_at_the_first_step_with_two_likely_words() -> None:
    def step(*choices: tuple[str, float]) -> DecodingStep:
        tokens = tuple(NextToken(n, name, math.log(p), n) for n, (name, p) in enumerate(choices, start=1))
        return DecodingStep(tokens, tokens[0], np.zeros((1, 1, 1), np.float32))

    sure, marks = step(("a", 0.9), ("b", 0.1)), step((".", 0.5), ("[END]", 0.4))
    assert parting_step([sure, marks, step(("a", 0.5), ("b", 0.3)), step(("a", 0.5), ("b", 0.5))]) == 3
    assert parting_step([sure, marks]) == 1
