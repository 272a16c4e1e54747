from core.classroom.jobs import duration
from pages.components.widgets.text_box import label_of_example
from pages.components.widgets.words import badges, plain
from tests.pages.markdown import addresses_in


def test_durations() -> None:
    said = [duration(seconds) for seconds in (0.2, 8.4, 60, 80, 7500)]
    assert said == [
        "1 s",
        "8 s",
        "1 min",
        "1 min 20 s",
        "2 h 5 min",
    ]


def test_markdown_in_text_is_shown_as_it_is() -> None:
    assert plain("**a** [b](c) $d$ :red[e]") == r"\*\*a\*\* \[b\]\(c\) \$d\$ \:red\[e\]"


def test_unknown_tokens_stand_out() -> None:
    assert badges(["je", "x"], [2, 1], [False, True]) == ":blue-badge[je · 2] :orange-badge[x · 1 · unknown]"


def test_no_address_becomes_a_link() -> None:
    for address in (
        "http://e.org/x?a=b",
        "HTTPS://e.org",
        "www.e.org",
        "WWW.e.org",
        "wwww.e.org",
        "me@e.org",
        "mailto:me@e.org",
    ):
        assert addresses_in(address), "the test knows what Streamlit makes a link of"
        for shown in (plain(address), badges([address], [1], [True]), label_of_example(f"go to {address}")):
            assert addresses_in(shown) == []
        assert plain(address).replace("\u2060", "").replace("\\", "") == address, "nothing to see has changed"
