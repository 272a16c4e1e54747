from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.classroom.models import TrainedModel
from core.corpora.toy import PAIRS
from core.records import Pair
from core.tokens.normalization import SubwordSettings
from core.tokens.subword import SubwordTokenizer
from core.tokens.word import WordTokenizer
from pages.components.app.menu import TEXT_AS_NUMBERS
from pages.components.lesson.three_sentences import MAX_CHARACTERS
from pages.components.text_as_numbers import readers
from pages.components.text_as_numbers.first_texts import ENGLISH, first_texts_of
from pages.components.text_as_numbers.readers import word_reader
from pages.components.text_as_numbers.sentence_batch import cut_and_pad, sentence_batch
from pages.components.text_as_numbers.teacher_forcing import places_of, training_row
from tests.conftest import subword_checkpoint
from tests.pages.conftest import ROOT, OpenPage, texts, workspace_of
from tests.pages.explaining import open_address

if TYPE_CHECKING:
    from core.checkpoints.checkpoint import Checkpoint

PAGE = TEXT_AS_NUMBERS.file
NOVEL = "it was the best of times and the worst of times " * 2000  # 20,000 words
STRANGE = ("", "   ", "<b>bold</b> **x** `y` $z$", "😀🎉", "漢字", "ﷺ" * 50, "word " * 300, NOVEL, "x" * 5000)


def look_at(app: AppTest, view: str) -> AppTest:
    app.segmented_control(key="numbers").set_value(view).run()
    assert not app.exception
    return app


def said(app: AppTest) -> str:
    """What the page says, without the backslashes that keep Markdown away."""
    return texts(app).replace("\\", "")


def drawn(app: AppTest) -> str:
    """Its HTML."""
    return "".join(element.proto.body for element in app.get("html"))


def chips(app: AppTest) -> list[list[tuple[str, int]]]:
    """Tokens and ids of each row of chips."""
    rows = re.findall(r'<div class="chips">(<div.*?</div>)</div></div>', drawn(app))
    found = [re.findall(r"<b>(\d+)</b><span>(.*?)</span>", row) for row in rows]
    return [[(token, int(number)) for number, token in row] for row in found]


def table(app: AppTest) -> list[list[int]]:
    """The ids of the first table, row by row."""
    body = drawn(app).split("<tbody>")[1].split("</tbody>")[0]
    return [[int(number) for number in re.findall(r"<b>(\d+)</b>", row)] for row in body.split("</tr>")[:-1]]


def longest_match_first(word: str, vocabulary: list[str]) -> list[tuple[str, int]]:
    """WordPiece in six lines, independent of the app's."""
    pieces, start = [], 0
    while start < len(word):
        ends = [end for end in range(start + 1, len(word) + 1)
                if ("##" if start else "") + word[start:end] in vocabulary]  # fmt: skip
        piece = ("##" if start else "") + word[start : max(ends)]
        pieces.append((piece, vocabulary.index(piece)))
        start = max(ends)
    return pieces


def test_first_view_has_words_and_pieces_side_by_side(open_page: OpenPage, with_shipped: None) -> None:
    """Ids by hand. In the fifteen English sentences "i" stands nine times, "you" and "am" three times each (and
    "you" comes first), "want" and "like" twice, all others once in their order: hello, thank, a. Four special
    entries come before them: i 4, you 5, am 6, want 7, like 8, hello 9, thank 10, a 11, student 12, tired 13."""
    app = open_page(PAGE)
    assert app.title[0].value == "Text as numbers"
    words, pieces = chips(app)
    assert words == [("i", 4), ("am", 6), ("a", 11), ("triceratops", 1)]
    assert [token for token, _ in pieces] == ["i", "am", "a", "t", "##ric", "##era", "##to", "##ps"]
    assert "4 tokens, 1 unknown." in said(app)
    assert "8 tokens, none unknown." in said(app)
    assert "fifteen classroom pairs, 35 entries" in said(app)
    assert [each.value for each in app.subheader] == ["What to notice", "The formula", "The code"]
    assert "self.vocabulary.id_of(token)" in app.code[0].value


@pytest.mark.parametrize("word", ["searchability", "serendipity", "triceratops", "internationalise"])
def test_pieces_are_the_longest_that_fit(open_page: OpenPage, with_shipped: None, word: str) -> None:
    file = ROOT / "core" / "pretrained" / "ted_pt_en" / "target_vocabulary.txt"
    vocabulary = file.read_text(encoding="utf-8").split("\n")
    app = open_page(PAGE)
    app.text_input(key="english").set_value(word).run()
    words, pieces = chips(app)
    assert words == [(word, 1)]
    expected = longest_match_first(word, vocabulary)
    assert pieces == expected
    assert "".join(piece.removeprefix("##") for piece, _ in expected) == word


def test_an_example_fills_the_box(open_page: OpenPage, with_shipped: None) -> None:
    app = open_page(PAGE)
    app.pills(key="text_example").set_value("searchability").run()
    assert app.text_input(key="english").value == "searchability"
    assert chips(app)[1] == [("search", 3351), ("##ability", 2936)]
    app.pills(key="text_example").set_value("i like 🍕").run()
    assert "2 tokens, none unknown." in said(app)  # to words, an emoji is nothing
    assert chips(app)[1][-1] == ("🍕", 1)


@pytest.mark.parametrize("text", STRANGE)
def test_any_text_can_be_read(open_page: OpenPage, with_shipped: None, text: str) -> None:
    for view in ("subwords", "token"):
        open_address(open_page, PAGE, {"numbers": view, "english": text})
    app = open_address(
        open_page, PAGE, {"numbers": "batch", "sentence_1": text, "sentence_2": text, "row_length": "12"}
    )
    assert [len(row) for row in table(app)] == [12, 12, 12]


def test_marks_of_html_are_text(open_page: OpenPage, with_shipped: None) -> None:
    """The shipped pieces have "&" and ">" as entries; "<" is unknown to them, but shown as the text has it."""
    for address in (
        {"numbers": "subwords", "english": "& <b>"},
        {"numbers": "token", "english": "& <b>", "token": "1"},
        {"numbers": "batch", "tokens": "subwords", "sentence_1": "& <b>"},
    ):
        app = open_address(open_page, PAGE, address)
        for escaped in ("&amp;", "&lt;", "&gt;"):
            assert f"<span>{escaped}</span>" in drawn(app)
        for raw in "&<>":
            assert f"<span>{raw}</span>" not in drawn(app)
    app = open_address(open_page, PAGE, {"numbers": "token", "english": "& <b>", "token": "1"})
    assert '<th scope="row">8 &amp;</th>' in drawn(app)
    assert '<th scope="row">8 &</th>' not in drawn(app)


def test_a_models_name_is_text(open_page: OpenPage) -> None:
    app = open_page("pages/home.py")
    workspace_of(app).open_model(TrainedModel("<b>*x*</b>", subword_checkpoint()))
    look_at(app.switch_page(PAGE).run(), "token")
    assert r"The vectors that **\<b\>\*x\*\</b\>** has learned" in texts(app)


def test_texts_are_in_the_language_that_the_model_writes(open_page: OpenPage) -> None:
    tokenizer = subword_checkpoint().target_tokenizer
    french = subword_checkpoint(
        source_tokenizer=tokenizer,
        target_tokenizer=SubwordTokenizer(tokenizer.vocabulary, SubwordSettings(language="fr")),
        examples=(Pair("the house.", "la maison."), Pair("is big?", "est grande ?")),
    )
    app = open_page("pages/home.py")
    workspace_of(app).open_model(TrainedModel("Tiny", french))
    look_at(app.switch_page(PAGE).run(), "token")
    assert app.text_input(key="target_text").label == "A word or a sentence in French"
    assert app.text_input(key="target_text").value == "la maison."
    look_at(app, "tensor")
    sentences = [app.text_input(key=f"target_sentence_{number}").value for number in (1, 2, 3)]
    assert sentences == ["la maison.", "est grande ?", "la maison."]
    look_at(app, "subwords")  # the classroom's words are English whatever the model writes
    assert app.text_input(key="english").label == "A word or a sentence in English"


def test_texts_for_other_models(checkpoint: Checkpoint) -> None:
    assert first_texts_of(TrainedModel("Classroom", checkpoint)) == ENGLISH
    assert first_texts_of(TrainedModel("Tiny", subword_checkpoint())) == ENGLISH
    german = WordTokenizer.fit(["guten tag"], start_and_end=True)
    own = first_texts_of(
        TrainedModel("Own", dataclasses.replace(checkpoint, target_tokenizer=german, examples=()))
    )
    assert own.language == "the language that the model writes"
    assert (own.text, own.sentences) == ("", ("", "", ""))


@pytest.mark.parametrize(
    ("languages", "found"), [(("pt", "en"), True), (("en", "fr"), True), (("pt", "fr"), False)]
)
def test_pieces_are_english(monkeypatch: pytest.MonkeyPatch, languages: tuple[str, str], found: bool) -> None:
    tiny = subword_checkpoint()
    source, target = (
        SubwordTokenizer(tiny.target_tokenizer.vocabulary, SubwordSettings(language=language))
        for language in languages
    )
    model = TrainedModel("Tiny", dataclasses.replace(tiny, source_tokenizer=source, target_tokenizer=target))
    monkeypatch.setattr(readers, "shipped_models", lambda: [model])
    reader = readers.subword_reader()
    assert (reader is not None) == found
    if reader is not None:
        assert reader.tokenizer is (target if languages[1] == "en" else source)


def test_what_is_too_long_is_cut_off(open_page: OpenPage) -> None:
    """By Streamlit, from an address too, so that no page has to."""
    app = open_address(open_page, PAGE, {"english": NOVEL, "numbers": "subwords"})
    assert app.text_input(key="english").value == NOVEL[:MAX_CHARACTERS]
    app.text_input(key="english").set_value(NOVEL).run()
    assert chips(app)
    app = open_address(open_page, PAGE, {"sentence_1": NOVEL, "numbers": "batch"})
    assert app.text_input(key="sentence_1").value == NOVEL[:MAX_CHARACTERS]


def test_what_is_not_shown_is_said(open_page: OpenPage, with_shipped: None) -> None:
    app = open_page(PAGE)
    app.text_input(key="english").set_value("i " * 300).run()
    assert "300 tokens, none unknown. Shown: the first 40." in said(app)
    assert [len(row) for row in chips(app)] == [40, 40]
    app.text_input(key="english").set_value("").run()
    assert said(app).count("There is nothing to read") == 2


def test_without_a_shipped_model_there_are_words_alone(open_page: OpenPage) -> None:
    app = open_page(PAGE)
    assert "without an English subword vocabulary" in app.info[0].value
    look_at(app, "batch")
    assert "without an English subword vocabulary" in said(app)
    assert table(app)[1] == [2, 4, 6, 11, 12, 3, 0, 0]


def test_a_batch_is_padded_and_cut(open_page: OpenPage, with_shipped: None) -> None:
    """By hand: can 23, you 5, help 24, "me" is in none of the fifteen pairs; want 7, water 18."""
    app = look_at(open_page(PAGE), "batch")
    assert table(app) == [
        [2, 10, 5, 3, 0, 0, 0, 0],
        [2, 4, 6, 11, 12, 3, 0, 0],
        [2, 23, 5, 24, 1, 4, 7, 18],
    ]
    assert "Sentence 3 is too long: **[END]** was cut off. **6 of 24** positions are padding tokens." in said(
        app
    )
    app.slider(key="row_length").set_value(4).run()
    assert table(app) == [[2, 10, 5, 3], [2, 4, 6, 11], [2, 23, 5, 24]]
    assert "Sentence 2 is too long: **student [END]** was cut off." in said(app)  # the exercise's answer
    assert "Sentence 3 is too long: **me i want water [END]** was cut off. **0 of 12**" in said(app)
    app.slider(key="row_length").set_value(8).run()
    app.text_input(key="sentence_2").set_value("!!").run()
    assert table(app)[1] == [0] * 8
    assert "Sentence 2 has no words. Training would refuse it." in said(app)


def test_a_batch_of_pieces(open_page: OpenPage, with_shipped: None) -> None:
    app = look_at(open_page(PAGE), "batch")
    app.text_input(key="sentence_1").set_value("searchability").run()
    app.segmented_control(key="tokens").set_value("subwords").run()
    assert table(app)[0] == [2, 3351, 2936, 3, 0, 0, 0, 0]


def test_many_lost_tokens_are_counted(open_page: OpenPage) -> None:
    app = look_at(open_page(PAGE), "batch")
    app.text_input(key="sentence_1").set_value("you " * 300).run()
    assert "**you you you you you you** and 288 more was cut off" in said(app)  # 7 of 300 fit after [START]


def test_cells_are_the_ids() -> None:
    tokenizer = word_reader().tokenizer
    batch = sentence_batch(["I am TIRED!", "", "hello xyzzy"], tokenizer, 4, wrapped=True)
    assert batch.ids.tolist() == [[2, 4, 6, 13], [0, 0, 0, 0], [2, 9, 1, 3]]
    assert [[cell.id for cell in row] for row in batch.cells] == batch.ids.tolist()
    assert [cell.kind for cell in batch.cells[2]] == ["start", "word", "unknown", "end"]
    assert batch.cells[2][2].token == "xyzzy"
    assert [[cell.token for cell in row] for row in batch.lost] == [["[END]"], [], []]
    assert (batch.empty, batch.pads) == ((1,), 4)


def test_cut_and_pad() -> None:
    assert cut_and_pad([[5, 6, 7], [], [8]], 2).tolist() == [[5, 6], [0, 0], [8, 0]]


def test_one_token_of_the_shipped_model(open_page: OpenPage, with_shipped: None) -> None:
    app = look_at(open_page(PAGE), "token")
    assert "The vectors that **TED talks, Portuguese to English** has learned" in said(app)
    assert "8,000 tokens, 256 numbers each" in said(app)
    assert chips(app)[0][:3] == [("[START]", 2), ("i", 48), ("am", 710)]
    assert "**i** has the id **48**. One-hot, that is 8,000 numbers" in said(app)
    assert "over all 256 channels, the product and the row differ by **0**" in said(app)
    app.slider(key="token").set_value(9).run()
    assert "**[END]** has the id **3**" in said(app)
    app.text_input(key="english").set_value("no").run()
    assert app.slider(key="token").value == 2  # the place is beyond the end now
    assert "**[END]** has the id **3**" in said(app)


def test_one_token_of_ones_own_model(open_page_with_model: OpenPage, checkpoint: Checkpoint) -> None:
    app = look_at(open_page_with_model(PAGE), "token")
    assert "The vectors that **Classroom** has learned for English: 35 tokens, 64 numbers" in said(app)
    row = checkpoint.weights["target_embedding/tokens/embeddings"][4]  # "i"
    first = f"{row[0]:.3f}".rstrip("0").rstrip(".").replace("-", "−")
    assert f'<th scope="row">4 i</th><td class=now>{first}</td>' in drawn(app)
    assert "× √64 = 8" in drawn(app)
    assert checkpoint.target_tokenizer.vocabulary.tokens[4] == "i"


def test_vectors_before_any_training(open_page: OpenPage) -> None:
    app = look_at(open_page(PAGE), "token")
    assert "the classroom model **before training**, random: 35 tokens, 64 numbers each" in said(app)


def test_a_shared_embedding(open_page: OpenPage) -> None:
    app = open_page("pages/home.py")
    workspace_of(app).open_model(TrainedModel("Tiny", subword_checkpoint()))
    app.switch_page(PAGE).run()
    look_at(app, "token")
    assert "**Tiny** has learned for Portuguese and English: 29 tokens, 8 numbers each" in said(app)
    look_at(app, "tensor")
    assert "3 × 8 × 8 = **192** numbers" in said(app)


def test_stepping_through_the_tensor(open_page_with_model: OpenPage) -> None:
    app = look_at(open_page_with_model(PAGE), "tensor")
    assert "Sentence **1** fixed, what is left is (length, width) = (8, 64)." in said(app)
    assert "3 × 8 × 64 = **1,536** numbers; one-hot it would have 840." in said(app)  # 3 × 8 × 35
    app.slider(key="slice_sentence").set_value(3).run()
    assert "Sentence **3** fixed" in said(app)
    app.segmented_control(key="axis").set_value("position").run()
    assert "Position **0** fixed, what is left is (batch, width) = (3, 64)." in said(app)
    app.slider(key="slice_position").set_value(7).run()
    app.slider(key="row_length").set_value(5).run()
    assert "Position **4** fixed" in said(app)  # there is no position 7 any more
    app.segmented_control(key="axis").set_value("channel").run()
    app.slider(key="slice_channel").set_value(63).run()
    assert "Channel **63** fixed, what is left is (batch, length) = (3, 5)." in said(app)
    app.slider(key="row_length").set_value(1).run()
    app.segmented_control(key="axis").set_value("position").run()
    assert "(batch, width) = (3, 64)" in said(app)


def test_teacher_forcing_by_hand(open_page: OpenPage) -> None:
    """French ids by hand: je stands seven times, then suis, veux, j, aime twice each: je 2, suis 3, veux 4, j 5,
    aime 6; then bonjour 7, merci 8, étudiant 9, fatigué 10. English as above. The longest source has five words,
    the longest target four, so there are five steps."""
    app = look_at(open_page(PAGE), "teacher")
    assert table(app) == [
        [2, 3, 10, 0, 0],  # je suis fatigué
        [2, 4, 6, 13, 3],  # [START] i am tired [END]
        [4, 6, 13, 3, 0],  # i am tired [END] [PAD]
    ]
    assert "Step 3: the decoder has read **[START] i am** and must predict **tired**." in said(app)
    assert "The loss counts **4 of 5** steps" in said(app)
    app.slider(key="teacher_step").set_value(1).run()
    assert "has read **[START]** and must predict **i**" in said(app)
    app.slider(key="teacher_step").set_value(5).run()
    assert "Step 5: the label is a padding token, so nothing is predicted here." in said(app)
    app.selectbox(key="pair").set_value(0).run()
    assert table(app)[1:] == [[2, 9, 3, 0, 0], [9, 3, 0, 0, 0]]  # [START] hello [END]
    assert "The loss counts **2 of 5** steps" in said(app)


def test_every_row_is_what_training_gets(open_page: OpenPage) -> None:
    for row, pair in enumerate(PAIRS):
        batch, source, target = training_row(row)
        source_words = [source.tokens[token] for token in batch.source[0] if token]
        labels = [target.tokens[token] for token in batch.labels[0] if token]
        assert (" ".join(source_words), labels) == (pair.source, [*pair.target.split(), "[END]"])
        assert batch.decoder_input[0, 0] == target.start_id
        np.testing.assert_array_equal(batch.decoder_input[0, 1:], batch.labels[0, :-1])


def test_marks_of_a_step() -> None:
    now, later = places_of(2, 5)
    assert now == {(1, 1), (2, 1)}
    assert later == {(1, 2), (1, 3), (1, 4), (2, 0), (2, 2), (2, 3), (2, 4)}


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ({"english": "hello"}, "1 token, none unknown."),
        (
            {"numbers": "batch", "row_length": "4", "sentence_2": "hello"},
            "Sentence 3 is too long: **me i want",
        ),
        ({"numbers": "token", "english": "thank you", "token": "2"}, "**you** has the id **5**"),
        ({"numbers": "tensor", "axis": "channel", "slice_channel": "7"}, "Channel **7** fixed"),
        (
            {"numbers": "teacher", "pair": "9", "teacher_step": "2"},
            "has read **[START] good** and must predict **night**",
        ),
        # What makes no sense is the default; a number outside its range goes to the range's end.
        ({"numbers": "nonsense", "english": "hello", "token": "-4"}, "1 token, none unknown."),
        ({"numbers": "batch", "row_length": "1e9", "tokens": "x"}, "**6 of 24** positions"),
        ({"numbers": "token", "token": "99999"}, "**[END]** has the id **3**"),
        ({"numbers": "tensor", "axis": "x", "slice_sentence": "0"}, "Sentence **1** fixed"),
        ({"numbers": "teacher", "pair": "99", "teacher_step": "x"}, "and must predict **tired**"),
    ],
)
def test_an_address_opens_its_view(open_page: OpenPage, address: dict[str, str], expected: str) -> None:
    assert expected in said(open_address(open_page, PAGE, address))
