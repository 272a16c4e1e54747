import hashlib
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import settings as settings_of
from hypothesis import strategies as st

from core.checkpoints.checkpoint import Checkpoint
from core.checkpoints.shipped import find_checkpoint
from core.corpora.catalogue import find_corpus
from core.errors import InputError
from core.tokens.normalization import SubwordSettings
from core.tokens.subword import SubwordTokenizer
from core.tokens.vocabulary import UNKNOWN_ID, Vocabulary

PIECES = [
    "search", "##ability", "the", "don", "t", "'", "i", "ve", "##s", "é", "e", "##e", "##é", "a", "##b", ".", ",",
    "[", "]", "unk", "café", "中",
]  # fmt: skip
VOCABULARY = Vocabulary.from_tokens(PIECES, start_and_end=True)
TOKENIZER = SubwordTokenizer(VOCABULARY)
PLAIN_VOCABULARY = Vocabulary.from_tokens((piece for piece in PIECES if "é" not in piece), start_and_end=True)
VARIANTS = [
    SubwordSettings(),
    SubwordSettings(strip_accents=True),
    SubwordSettings(lower_case=False, split_unknown=False),
    SubwordSettings(strip_accents=True, plain_apostrophes=False, split_unknown=False),
]
# Characters newer than Python's Unicode tables are left out: TensorFlow's are of another year.
ANY = st.text(st.characters(exclude_categories=["Cs", "Cn"]), max_size=30)
LIKELY = st.lists(st.sampled_from([*PIECES, "É", "Ж", "’", "x", " ", "\u00ad", "ﬁ"]), max_size=12).map(
    "".join
)
TEXTS = st.one_of(ANY, LIKELY)

# Of the sentences on which the shipped models were validated, as their vocabularies have always cut them:
# python -c "from tests.tokens.test_subword import tokens_digest; print(tokens_digest('ted_pt_en'))"
TOKENS_DIGESTS = {
    "ted_pt_en": "6e37977c7328a15095418cad843459bc1358d996634fd547aaf3038ae8ee1dcf",
    "anki_en_fr": "12d69936663c0d54c8e09586165229b030f648ba878ca2daedbe00ddb2e4d90d",
}


def tokens_digest(name: str) -> str:
    """Return the SHA-256 of all tokens of a shipped model's validation sentences, a sentence on each line."""
    model = Checkpoint.load(find_checkpoint(name))
    digest = hashlib.sha256()
    for pair in find_corpus(name).read("validation"):
        for text, tokenizer in (
            (pair.source, model.source_tokenizer),
            (pair.target, model.target_tokenizer),
        ):
            digest.update(f"{' '.join(tokenizer.tokens(text))}\n".encode())
    return digest.hexdigest()


@given(TEXTS)
def test_tokens_and_ids_are_as_many_and_none_is_special(text: str) -> None:
    tokens, ids = TOKENIZER.tokens(text), TOKENIZER.encode(text)
    assert [VOCABULARY.id_of(token) for token in tokens] == ids
    assert not any(VOCABULARY.is_special(token_id) for token_id in ids)
    if "#" not in text:
        assert " ".join(tokens).replace(" ##", "") == TOKENIZER.normalized(text)
    if UNKNOWN_ID not in ids:
        assert TOKENIZER.decode_words(ids) == TOKENIZER.normalized(text)


@given(TEXTS)
def test_normalizing_twice_or_another_way_to_write_a_letter_changes_nothing(text: str) -> None:
    once = TOKENIZER.normalized(text)
    assert TOKENIZER.normalized(once) == once
    assert TOKENIZER.encode(unicodedata.normalize("NFD", text)) == TOKENIZER.encode(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Searchability", ["search", "##ability"]),
        ("DON’T", ["don", "'", "t"]),
        ("cafés , Aéб.", ["café", "##s", ",", "a", "##é", "##б", "."]),
        ("中中", ["中", "中"]),
        ("sea\u00adrch", ["search"]),
        ("[UNK]", ["[", "unk", "]"]),
        ("x" * 101, ["x" * 101]),
    ],
)
def test_known_texts(text: str, expected: list[str]) -> None:
    assert TOKENIZER.tokens(text) == expected


def test_accents_case_and_unknown_characters_as_set() -> None:
    assert SubwordTokenizer(PLAIN_VOCABULARY, SubwordSettings(strip_accents=True)).tokens("É") == ["e"]
    assert SubwordTokenizer(VOCABULARY, SubwordSettings(lower_case=False)).tokens("É the") == ["É", "the"]
    whole = SubwordTokenizer(VOCABULARY, SubwordSettings(split_unknown=False))
    assert TOKENIZER.tokens("aжb the") == ["a", "##ж", "##b", "the"]
    assert TOKENIZER.decode_words(TOKENIZER.encode("aжb the")) == "a [UNK]b the"
    assert whole.tokens("aжb the") == ["aжb", "the"]
    assert whole.decode_words(whole.encode("aжb the")) == "[UNK] the"


def test_decoding_gives_natural_text_and_no_special_token() -> None:
    ids = TOKENIZER.encode("i ' ve the search , don ' t .")
    assert TOKENIZER.decode([2, *ids, 3, 0]) == "I've the search, don't."
    assert TOKENIZER.decode_words([VOCABULARY.id_of("##s")]) == "s"


@pytest.mark.long
@pytest.mark.parametrize("settings", VARIANTS)
def test_the_graph_gives_the_same_ids(settings: SubwordSettings) -> None:
    tf = pytest.importorskip("tensorflow")
    pytest.importorskip("tensorflow_text")
    tokenizer = SubwordTokenizer(PLAIN_VOCABULARY if settings.strip_accents else VOCABULARY, settings)
    from core.checkpoints.export import TokenizerInGraph

    module = TokenizerInGraph(tokenizer)

    @example(["searchability", "don't", "cafés , Aéб.", "x" * 101, "", "sea\u00adrch ﬁ"])
    @settings_of(max_examples=25)
    @given(st.lists(TEXTS, min_size=1, max_size=16))
    def check(texts: list[str]) -> None:
        ids = [tokenizer.encode(text) for text in texts]
        assert module.ids(module.tokens(tf.constant(texts))).to_list() == ids

    check()


@pytest.mark.long
@pytest.mark.parametrize("name", TOKENS_DIGESTS)
def test_shipped_models_read_the_tokens_that_they_were_trained_on(name: str) -> None:
    if not find_corpus(name).is_available:
        pytest.skip(f"needs {name}; set TRANSFORMER_CLASSROOM_DATA")
    assert tokens_digest(name) == TOKENS_DIGESTS[name]


@pytest.mark.parametrize(
    ("tokens", "settings", "message"),
    [
        ("a ##b", SubwordSettings(), r"\[START\].*\[END\].*2.*3"),
        ("[START] [END] hello world", SubwordSettings(), "##"),
        ("[START] [END] The ##s", SubwordSettings(), "lower_case=True.*'The'"),
        ("[START] [END] é ##s", SubwordSettings(strip_accents=True), "strip_accents=True"),
    ],
)
def test_wrong_vocabularies_are_refused(tokens: str, settings: SubwordSettings, message: str) -> None:
    with pytest.raises(InputError, match=message):
        SubwordTokenizer(Vocabulary(["[PAD]", "[UNK]", *tokens.split()]), settings)


def test_a_learned_vocabulary_has_the_size_asked_for_and_spells_every_word() -> None:
    firsts = ("Walking", "walked", "walks", "é")
    texts = [f"{word} {other} !" for word in firsts for other in ("talking", "talked", "É")]
    tokenizer = SubwordTokenizer.learn(texts, 28)
    assert len(tokenizer.vocabulary) == 28
    assert tokenizer.vocabulary.tokens[:4] == ("[PAD]", "[UNK]", "[START]", "[END]")
    for text in texts:
        assert tokenizer.decode_words(tokenizer.encode(text)) == text.lower()
    stripped = SubwordTokenizer.learn(texts, 30, SubwordSettings(strip_accents=True)).vocabulary
    assert "é" not in stripped and "e" in stripped
    assert len(SubwordTokenizer.learn(["ab ab ab"], 100).vocabulary) < 100
    with pytest.raises(InputError):
        SubwordTokenizer.learn(["", " \n"], 100)
    with pytest.raises(InputError, match=r"vocab_size.*\d+.*8"):
        SubwordTokenizer.learn(texts, 8)
