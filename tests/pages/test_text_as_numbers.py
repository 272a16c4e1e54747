import re

import pytest
from streamlit.testing.v1 import AppTest

from core.corpora.languages import language_name
from core.language import _
from core.records.text import Pair
from core.server.trained_model import TrainedModel
from core.tokens.normalization import SubwordSettings
from core.tokens.subword import SubwordTokenizer
from pages.content.pages import TEXT_AS_NUMBERS
from tests.conftest import subword_checkpoint
from tests.pages.conftest import OpenPage, change, numbers_said, open_page, texts

PAGE = TEXT_AS_NUMBERS.file
NOVEL = "it was the best of times and the worst of times " * 2000  # 20,000 words
STRANGE = ("", "   ", "😀🎉", "漢字", "ﷺ" * 50, "word " * 300, NOVEL, "x" * 5000)


def said(app: AppTest) -> str:
    """Return the page's texts without the backslashes that escape Markdown."""
    return texts(app).replace("\\", "")


def drawn(app: AppTest) -> str:
    """Return the page's HTML."""
    return "".join(element.proto.body for element in app.get("html"))


def chips(app: AppTest) -> list[list[tuple[str, int]]]:
    """Tokens and ids of each row of chips."""
    rows = re.findall(r'<div class="chips">(<div.*?</div>)</div></div>', drawn(app))
    found = [re.findall(r"<b>(\d+)</b><span>(.*?)</span>", row) for row in rows]
    return [[(token, int(number)) for number, token in row] for row in found]


def table(app: AppTest) -> list[list[int]]:
    """Return the ids of the first table, row by row."""
    body = drawn(app).split("<tbody>")[1].split("</tbody>")[0]
    return [[int(number) for number in re.findall(r"<b>(\d+)</b>", row)] for row in body.split("</tr>")[:-1]]


def test_first_view_has_words_and_pieces_side_by_side(with_shipped: None) -> None:
    """Ids by hand. In the fifteen English sentences "i" occurs nine times, "you" and "am" three times each (and
    "you" comes first), "want" and "like" twice, all others once in their order: hello, thank, a. Four special
    entries come before them: i 4, you 5, am 6, want 7, like 8, hello 9, thank 10, a 11, student 12, tired 13."""
    app = open_page(PAGE)
    words, pieces = chips(app)
    assert words == [("i", 4), ("am", 6), ("a", 11), ("triceratops", 1)]
    assert [token for token, _ in pieces] == ["i", "am", "a", "t", "##ric", "##era", "##to", "##ps"]


def test_an_example_fills_the_box(with_shipped: None) -> None:
    app = open_page(PAGE)
    app.pills(key="text_example").set_value("searchability")
    change(app)
    assert app.text_input(key="english").value == "searchability"
    assert chips(app)[1] == [("search", 3351), ("##ability", 2936)]


@pytest.mark.slow
def test_any_text_can_be_read(with_shipped: None) -> None:
    app = open_page(PAGE, row_length=12)
    for text in STRANGE:
        for view in ("subwords", "token"):
            change(app, numbers_view=view, english=text)
        change(app, numbers_view="batch", sentence_1=text, sentence_2=text)
        assert [len(row) for row in table(app)] == [12, 12, 12]


def test_an_embedding_may_be_shared() -> None:
    app = open_page(PAGE, own=TrainedModel("Mine", subword_checkpoint()), numbers_view="token")
    assert ["29", "8"] in numbers_said(app), "tokens, and the width of their vectors"
    assert "3 × 8 × 8 = **192**" in said(change(app, numbers_view="tensor"))


def test_texts_are_in_the_language_that_the_model_writes() -> None:
    tokenizer = subword_checkpoint().target_tokenizer
    french = subword_checkpoint(
        source_tokenizer=tokenizer,
        target_tokenizer=SubwordTokenizer(tokenizer.vocabulary, SubwordSettings(language="fr")),
        examples=(Pair("the house.", "la maison."), Pair("is big?", "est grande ?")),
    )
    app = open_page(PAGE, own=TrainedModel("Tiny", french), numbers_view="token")
    assert _(language_name("fr")) in app.text_input(key="target_text").label
    assert app.text_input(key="target_text").value == "la maison."
    change(app, numbers_view="tensor")
    sentences = [app.text_input(key=f"target_sentence_{number}").value for number in (1, 2, 3)]
    assert sentences == ["la maison.", "est grande ?", "la maison."]
    change(app, numbers_view="subwords")  # the classroom's words are English with any model
    assert _(language_name("en")) in app.text_input(key="english").label


def test_without_a_shipped_model_there_are_words_alone() -> None:
    app = open_page(PAGE)
    assert app.info and len(chips(app)) == 1
    assert table(change(app, numbers_view="batch"))[1] == [2, 4, 6, 11, 12, 3, 0, 0]


def test_a_batch_is_padded_and_cut(with_shipped: None) -> None:
    """By hand: can 23, you 5, help 24, "me" is in none of the fifteen pairs; want 7, water 18."""
    app = open_page(PAGE, numbers_view="batch")
    assert table(app) == [
        [2, 10, 5, 3, 0, 0, 0, 0],
        [2, 4, 6, 11, 12, 3, 0, 0],
        [2, 23, 5, 24, 1, 4, 7, 18],
    ]
    change(app, row_length=4)
    assert table(app) == [[2, 10, 5, 3], [2, 4, 6, 11], [2, 23, 5, 24]]
    assert "**student [END]**" in said(app), "what was cut off, the exercise's answer"
    change(app, row_length=8, sentence_2="!!")
    assert table(app)[1] == [0] * 8
    change(app, sentence_1="searchability", tokens="subwords")
    assert table(app)[0] == [2, 3351, 2936, 3, 0, 0, 0, 0]


def test_one_token_of_the_shipped_model(with_shipped: None) -> None:
    app = open_page(PAGE, numbers_view="token")
    assert chips(app)[0][:3] == [("[START]", 2), ("i", 48), ("am", 710)]
    assert "**0**" in said(app), "the difference of the row and of one-hot times the matrix"
    change(app, token=9, english="no")
    assert app.slider(key="token").value == 2  # the place is beyond the end now
    assert "**[END]**" in said(app) and "**3**" in said(app)


def test_stepping_through_the_tensor(open_trained: OpenPage) -> None:
    app = open_trained(PAGE, numbers_view="tensor")
    assert "(8, 64)" in said(app)
    assert "(3, 64)" in said(change(app, axis="position", slice_position=7))
    assert "**4**" in said(change(app, row_length=5)), "there is no position 7 any more"
    assert "(3, 5)" in said(change(app, axis="channel", slice_channel=63))


def test_teacher_forcing_by_hand() -> None:
    """French ids by hand: je occurs seven times, then suis, veux, j, aime twice each: je 2, suis 3, veux 4, j 5,
    aime 6; then bonjour 7, merci 8, étudiant 9, fatigué 10. English as above. The longest source has five words,
    the longest target four, so there are five steps."""
    app = open_page(PAGE, numbers_view="teacher")
    assert table(app) == [
        [2, 3, 10, 0, 0],  # je suis fatigué
        [2, 4, 6, 13, 3],  # [START] i am tired [END]
        [4, 6, 13, 3, 0],  # i am tired [END] [PAD]
    ]
    assert ["3", "4", "5"] in numbers_said(app), "the step, and how many of all the loss counts"
    assert table(change(app, pair=0))[1:] == [[2, 9, 3, 0, 0], [9, 3, 0, 0, 0]]  # [START] hello [END]
