from core.figures.masks import MaskInfo, answers_info, mask_info, padding_info
from core.theory.masks import causal_mask


def test_a_mask_is_written_out() -> None:
    allowed = mask_info("Causal", causal_mask(2), ["je", "je"], ["a", "b"])
    assert allowed == MaskInfo(
        title="Causal",
        allowed=((True, False), (True, True)),
        texts=(("True", "False"), ("True", "True")),
        short_texts=(("T", "F"), ("T", "T")),
        hover=(
            ("“je” may attend to “a”", "“je” may not attend to “b”"),
            ("“je” may attend to “a”", "“je” may attend to “b”"),
        ),
        row_labels=("je", "je"),
        column_labels=("a", "b"),
        row_title="query position",
        column_title="key position",
    )


def test_a_batch_and_its_padding_mask() -> None:
    batch, mask = padding_info([["i", "[PAD]"], ["thank", "you"]], [[4, 0], [10, 5]])
    assert batch.texts == (("i\n4", "[PAD]\n0"), ("thank\n10", "you\n5"))
    assert batch.short_texts == (("4", "0"), ("10", "5"))
    assert batch.hover[0] == ("“i” has the id 4", "“[PAD]” has the id 0")
    assert mask.texts == (("True", "False"), ("True", "True"))
    assert batch.allowed == mask.allowed == ((True, False), (True, True))
    assert batch.row_labels == mask.row_labels == ("sentence 1", "sentence 2")
    assert mask.column_labels == ("0", "1")


def test_an_empty_batch() -> None:
    batch, mask = padding_info([[], []], [[], []])
    assert batch.texts == mask.texts == ((), ())


def test_answers_stand_one_place_further_on() -> None:
    info = answers_info(["[START]", "i", "see"], causal_mask(3), "[END]")
    assert info.row_labels == ("i", "see", "[END]")  # what is to be predicted
    assert info.column_labels == ("[START]", "i", "see")
    assert info.texts == (("", "★ answer", ""), ("", "", "★ answer"), ("", "", ""))
    assert info.short_texts == (("", "★", ""), ("", "", "★"), ("", "", ""))
    assert info.allowed == ((True, False, False), (True, True, False), (True, True, True))
