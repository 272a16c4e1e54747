import os
import subprocess
import sys
import unicodedata
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import settings as settings_of
from hypothesis import strategies as st

from core.records import Pair
from core.tokens.normalization import SubwordSettings
from core.tokens.subword import SubwordTokenizer
from core.tokens.vocabulary import Vocabulary, VocabularyError

DATA = Path(os.environ.get("TRANSFORMER_CLASSROOM_DATA", Path(__file__).parents[3] / "shared" / "data"))

OFFICIAL_ZIP = DATA / "ted_hrlr_translate_pt_en_converter.zip"

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
TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cn"]), max_size=30)
LIKELY_TEXTS = [
    "searchability",
    "don't",
    "i've the É",
    "cafés , Aéб.",
    "[unk]",
    "x" * 101,
    "",
    "sea\u00adrch ﬁ",
]
LIKELY = st.lists(st.sampled_from([*PIECES, "É", "Ж", "’", "x", " ", "\u00ad", "ﬁ"]), max_size=12).map(
    "".join
)


@pytest.mark.slow
@given(st.one_of(TEXTS, LIKELY))
def test_tokens_and_ids_are_as_many_and_fit(text: str) -> None:
    tokens, ids = TOKENIZER.tokens(text), TOKENIZER.encode(text)
    assert [VOCABULARY.id_of(token) for token in tokens] == ids


@given(st.one_of(TEXTS, LIKELY))
def test_no_text_becomes_a_special_token(text: str) -> None:
    assert not any(VOCABULARY.is_special(token_id) for token_id in TOKENIZER.encode(text))


@given(st.one_of(TEXTS, LIKELY))
def test_pieces_put_together_are_the_words(text: str) -> None:
    joined = " ".join(TOKENIZER.tokens(text)).replace(" ##", "")
    if not any("#" in word for word in TOKENIZER.words(text)):
        assert joined == TOKENIZER.normalized(text)


@given(st.one_of(TEXTS, LIKELY))
def test_normalised_text_stays_as_it_is(text: str) -> None:
    once = TOKENIZER.normalized(text)
    assert TOKENIZER.normalized(once) == once


@given(LIKELY)
def test_known_words_come_back(text: str) -> None:
    ids = TOKENIZER.encode(text)
    if VOCABULARY.unknown_id not in ids:
        assert TOKENIZER.decode_words(ids) == TOKENIZER.normalized(text)


@given(LIKELY)
def test_both_ways_to_write_a_letter_are_one(text: str) -> None:
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
        ("", []),
    ],
)
def test_known_texts(text: str, expected: list[str]) -> None:
    assert TOKENIZER.tokens(text) == expected


def test_an_unknown_character_takes_its_word_with_it_only_where_so_set() -> None:
    whole = SubwordTokenizer(VOCABULARY, SubwordSettings(split_unknown=False))
    assert TOKENIZER.tokens("aжb the") == ["a", "##ж", "##b", "the"]
    assert TOKENIZER.decode_words(TOKENIZER.encode("aжb the")) == "a [UNK]b the"
    assert whole.tokens("aжb the") == ["aжb", "the"]
    assert whole.decode_words(whole.encode("aжb the")) == "[UNK] the"


def test_accents_and_case_as_set() -> None:
    assert SubwordTokenizer(PLAIN_VOCABULARY, SubwordSettings(strip_accents=True)).tokens("É") == ["e"]
    assert TOKENIZER.tokens("É") == ["é"]
    assert SubwordTokenizer(VOCABULARY, SubwordSettings(lower_case=False)).tokens("É the") == ["É", "the"]


def test_decoding_gives_natural_text_and_no_special_token() -> None:
    ids = TOKENIZER.encode("i ' ve the search , don ' t .")
    assert TOKENIZER.decode([2, *ids, 3, 0]) == "I've the search, don't."
    assert TOKENIZER.decode_words([2, *ids, 3, 0]) == "i ' ve the search , don ' t ."
    assert TOKENIZER.decode_words([VOCABULARY.id_of("##s")]) == "s"


def test_settings_survive_the_round_trip() -> None:
    for settings in VARIANTS:
        assert SubwordSettings.from_dict(settings.to_dict()) == settings
    assert SubwordSettings.from_dict({}) == SubwordSettings()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"lower_case": 1}, "lower_case must be true or false. Received: 1"),
        ({"language": "../x"}, "language must be a code like \"en\". Received: '../x'"),
        ({"pickle": True}, "must not have other fields. Received: 'pickle'"),
    ],
)
def test_wrong_settings_are_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SubwordSettings.from_dict(values)


@pytest.mark.slow
@pytest.mark.parametrize("settings", VARIANTS)
def test_the_graph_gives_the_same_ids(settings: SubwordSettings) -> None:
    tf = pytest.importorskip("tensorflow")
    pytest.importorskip("tensorflow_text")
    tokenizer = SubwordTokenizer(PLAIN_VOCABULARY if settings.strip_accents else VOCABULARY, settings)
    from core.checkpoints.export import TokenizerInGraph

    module = TokenizerInGraph(tokenizer)

    @example(LIKELY_TEXTS)
    @settings_of(max_examples=25)
    @given(st.lists(st.one_of(TEXTS, LIKELY), min_size=1, max_size=16))
    def check(texts: list[str]) -> None:
        ids = [tokenizer.encode(text) for text in texts]
        assert module.ids(module.tokens(tf.constant(texts))).to_list() == ids

    check()


def validation_pairs() -> list[Pair]:
    from core.corpora.ted import BUILDER, read_ted

    if not (DATA / "tfds" / BUILDER / "pt_to_en").is_dir():
        pytest.skip(f"needs prepared data in {DATA / 'tfds'}; set TRANSFORMER_CLASSROOM_DATA")
    pytest.importorskip("tensorflow_text")
    return list(read_ted("validation", data_dir=DATA / "tfds"))


@pytest.mark.slow
@pytest.mark.parametrize(("language", "size"), [("pt", 7765), ("en", 7010)])
def test_the_tutorial_s_vocabularies_give_its_own_ids(language: str, size: int, tmp_path: Path) -> None:
    """TensorFlow's own WordPiece, as the translation tutorial packs it, is the oracle."""
    tf = pytest.importorskip("tensorflow")
    pairs = validation_pairs()
    if not OFFICIAL_ZIP.is_file():
        pytest.skip(f"needs {OFFICIAL_ZIP}; set TRANSFORMER_CLASSROOM_DATA")
    with zipfile.ZipFile(OFFICIAL_ZIP) as archive:
        archive.extractall(tmp_path)  # a file we know
    folder = tmp_path / OFFICIAL_ZIP.stem
    text = (folder / "assets" / f"{language}_vocab.txt").read_text(encoding="utf-8")
    vocabulary = Vocabulary.from_text(text)
    tokenizer = SubwordTokenizer(vocabulary, VARIANTS[-1])
    assert len(vocabulary) == size
    texts = [pair.source if language == "pt" else pair.target for pair in pairs]
    official = getattr(tf.saved_model.load(str(folder)), language)
    wrapped = [[2, *tokenizer.encode(text), 3] for text in texts]
    assert official.tokenize(tf.constant(texts)).to_list() == wrapped


@pytest.mark.parametrize(
    ("tokens", "settings", "message"),
    [
        ("[PAD] [UNK] a ##b", SubwordSettings(), r"must have \[START\] and \[END\] as ids 2 and 3"),
        (
            "[PAD] [UNK] [START] [END] hello world",
            SubwordSettings(),
            "must have subwords that continue a word",
        ),
        (
            "[PAD] [UNK] [START] [END] The ##s",
            SubwordSettings(),
            "must fit lower_case=True .* among them: 'The'",
        ),
        (
            "[PAD] [UNK] [START] [END] é ##s",
            SubwordSettings(strip_accents=True),
            "must fit .* strip_accents=True",
        ),
    ],
)
def test_wrong_vocabularies_are_refused(tokens: str, settings: SubwordSettings, message: str) -> None:
    with pytest.raises(VocabularyError, match=message):
        SubwordTokenizer(Vocabulary(tokens.split()), settings)


class TestLearning:
    TEXTS = tuple(
        f"{word} {other} !"
        for word in ("Walking", "walked", "walks", "é")
        for other in ("talking", "talked", "É")
    )

    def test_has_exactly_the_size_asked_for_and_spells_every_word(self) -> None:
        pytest.importorskip("tensorflow_text")
        tokenizer = SubwordTokenizer.learn(self.TEXTS, 30)
        assert len(tokenizer.vocabulary) == 30
        assert tokenizer.vocabulary.tokens[:4] == ("[PAD]", "[UNK]", "[START]", "[END]")
        for text in self.TEXTS:
            assert tokenizer.decode_words(tokenizer.encode(text)) == text.lower()

    def test_accents_are_kept_unless_stripped(self) -> None:
        pytest.importorskip("tensorflow_text")
        assert "é" in SubwordTokenizer.learn(self.TEXTS, 30).vocabulary
        stripped = SubwordTokenizer.learn(self.TEXTS, 30, SubwordSettings(strip_accents=True))
        assert "é" not in stripped.vocabulary
        assert "e" in stripped.vocabulary

    def test_a_small_corpus_gives_fewer(self) -> None:
        pytest.importorskip("tensorflow_text")
        assert len(SubwordTokenizer.learn(["ab ab ab"], 100).vocabulary) < 100

    def test_what_cannot_be_learned_from_is_refused(self) -> None:
        pytest.importorskip("tensorflow_text")
        for texts in ([], ["", " \n"]):
            with pytest.raises(VocabularyError, match=r"must be text with words .* Received: none"):
                SubwordTokenizer.learn(texts, 100)
        with pytest.raises(VocabularyError, match=r"vocab_size must be at least \d+ to spell .* Received: 8"):
            SubwordTokenizer.learn(self.TEXTS, 8)


def test_importing_loads_no_tensorflow() -> None:
    modules = (
        "core.tokens.subword, core.tokens.detokenizer, core.corpora.ted, core.corpora.anki, core.metrics.bleu"
    )
    code = f"import sys, {modules}; sys.exit(any(m.startswith('tensorflow') for m in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
