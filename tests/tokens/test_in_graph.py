"""What the tokenizers do in a graph is what they do in Python."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.corpora.toy import PAIRS
from core.records import Pair
from core.storage.checkpoint import Checkpoint
from core.storage.shipped import shipped_checkpoints
from core.tokens.detokenizer import detokenize
from core.tokens.subword import SubwordTokenizer
from core.tokens.vocabulary import Vocabulary
from core.tokens.word import WordTokenizer
from tests.tokens.test_detokenizer import GLUED, LANGUAGES, SPACED

tf = pytest.importorskip("tensorflow")
pytest.importorskip("tensorflow_text")

from core.tokens.in_graph import DetokenizerInGraph, in_graph  # noqa: E402

BATCHES = st.lists(st.one_of(SPACED, GLUED, st.text()), min_size=1, max_size=30)
REAL = (  # sentences as people write them: accents, numbers, quotation marks, other alphabets, emoji
    Pair("Olá! Não sei o que é isto, mas custa 3,50 €.", "Hi! I don't know what this is, but it's €3.50."),
    Pair("E ela disse: “Vamos a 1 de maio?”", "And she said: ‘Let’s go on 1st May, shall we?’"),
    Pair("L'été dernier, on a vu 12 000 étoiles…", "Last summer — we saw 12,000 stars (at least)."),
    Pair(
        "Aujourd’hui, j’ai mangé du bœuf à Ōsaka 大阪.",
        "The naïve café's Wi-Fi: 100 % free 🙂, e-mail me@home.org",
    ),
    Pair("Straße, ΟΔΥΣΣΕΥΣ, Привет, İstanbul, ﬁn", "A\u0301 e\u0301 \u00a0 soft\u00adhyphen zero\u200bwidth"),
)
GREEK = st.text(alphabet="ΑΣΣ'.1 bİI\u0301-", max_size=12)
WORDS = WordTokenizer(Vocabulary.from_tokens(("the", "é", "ς", "σας", "i", "i̇"), start_and_end=True))
PIECES = SubwordTokenizer(
    Vocabulary.from_tokens((*"abcdet'.", *(f"##{letter}" for letter in "abcdets"), "the"), start_and_end=True)
)


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_natural_text(language: str) -> None:
    module = DetokenizerInGraph(language)
    function = tf.function(module, input_signature=[tf.TensorSpec((None,), tf.string)], autograph=False)

    @settings(max_examples=50)
    @given(BATCHES)
    def check(texts: list[str]) -> None:
        found = function(tf.constant(texts)).numpy()
        assert [text.decode() for text in found] == [detokenize(text, language) for text in texts]

    check()
    assert function(tf.constant([], tf.string)).shape == (0,)
    # Also where rules stop because they have been repeated often enough, each text in a batch of its own.
    for part in ("( a ) ", "a ) ", "[", "'", "`'", "n ' t ", "a . ", "1 , ", "- "):
        text = part * 60
        assert function(tf.constant([text])).numpy()[0].decode() == detokenize(text, language)


@pytest.mark.slow
@pytest.mark.parametrize("tokenizer", [WORDS, PIECES], ids=["words", "pieces"])
def test_tokens_ids_and_texts(tokenizer: WordTokenizer | SubwordTokenizer) -> None:
    module = in_graph(tokenizer)

    @settings(max_examples=50)
    @given(st.lists(st.one_of(SPACED, GREEK, st.text()), min_size=1, max_size=10))
    def check(texts: list[str]) -> None:
        batch = tf.constant(texts)
        tokens = [[token.decode() for token in row] for row in module.tokens(batch).to_list()]
        assert tokens == [tokenizer.tokens(text) for text in texts]
        ids = module.encode(batch)
        assert ids.to_list() == [tokenizer.encode(text) for text in texts]
        for function, expected in (
            (module.decode_words, tokenizer.decode_words),
            (module.decode, tokenizer.decode),
        ):
            found = [text.decode() for text in function(ids).numpy()]
            assert found == [expected(row) for row in ids.to_list()]

    check()


@pytest.mark.parametrize("tokenizer", [WORDS, PIECES], ids=["words", "pieces"])
def test_pad_start_and_end_leave_no_trace(tokenizer: WordTokenizer | SubwordTokenizer) -> None:
    module = in_graph(tokenizer)
    the = tokenizer.vocabulary.id_of("the")
    ids = tf.ragged.constant([[2, the, 1, 3, 0], [3], []], dtype=tf.int32, ragged_rank=1)
    assert [text.decode() for text in module.decode(ids).numpy()] == [tokenizer.decode([the, 1]), "", ""]


def test_a_word_of_signs_alone_stays() -> None:
    vocabulary = Vocabulary.from_tokens(("a", "##s", "##", "#"), start_and_end=True)
    ids = [vocabulary.id_of(token) for token in ("##", "a", "##s")]
    assert SubwordTokenizer(vocabulary).decode_words(ids) == "## as"
    found = in_graph(SubwordTokenizer(vocabulary)).decode_words(tf.ragged.constant([ids], dtype=tf.int32))
    assert found.numpy().tolist() == [b"## as"]


def test_other_tokenizers_have_no_graph() -> None:

    class Strange:
        kind = "strange"

    with pytest.raises(ValueError, match=r"must be of words or subwords\. Received: 'strange'"):
        in_graph(Strange())  # type: ignore[arg-type]


@pytest.mark.parametrize("name", shipped_checkpoints())
def test_shipped_vocabularies_give_the_same_ids_for_real_sentences(name: str) -> None:
    """What Python reads where there is no tensorflow-text is what the model was trained to read."""
    checkpoint = Checkpoint.load(shipped_checkpoints()[name])
    texts = [text for pair in (*checkpoint.examples, *PAIRS, *REAL) for text in (pair.source, pair.target)]
    for tokenizer in (checkpoint.source_tokenizer, checkpoint.target_tokenizer):
        assert in_graph(tokenizer).encode(tf.constant(texts)).to_list() == [*map(tokenizer.encode, texts)]
