from pages.components.widgets.text_box import label_of_example


def test_an_example_of_an_opened_checkpoint_is_no_markdown() -> None:
    label = label_of_example("![x](https://example.org/x.png) **a**")
    assert label.startswith("\\!\\[x\\]\\(")
    assert "**" not in label
