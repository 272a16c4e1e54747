import dataclasses

import pytest

from core.checkpoints.checkpoint import Checkpoint
from core.server.trained_model import TrainedModel, tidy_name
from core.server.workspace import MAX_MODELS, Workspace
from core.tokens.vocabulary import Vocabulary
from core.tokens.word import WordTokenizer
from core.weights import parameter_count
from pages.checkpoints import card_of, size_of
from pages.components.model.facts import training_of
from tests.conftest import numbers
from tests.pages.conftest import change, error_of, keys_of, open_page, press, upload, workspace_of
from tests.pages.markdown import addresses_in

PAGE = "pages/checkpoints.py"
FILE = "checkpoint_file"


def test_upload_use_and_delete(checkpoint: Checkpoint, with_shipped: None) -> None:
    app = open_page(PAGE)
    assert app.button(key="use_ted_pt_en").disabled  # in use already
    assert not any(key.startswith("delete_") for key in keys_of(app))  # of what ships
    upload(app, FILE, "my model.safetensors", checkpoint.to_bytes())
    mine = workspace_of(app)
    assert [model.name for model in mine.models.kept] == ["my model"]
    first = mine.models.kept[0].id
    assert app.button(key=f"use_{first}").disabled  # opening it chose it
    press(app, "use_ted_pt_en")
    assert mine.models.selected is not None and mine.models.selected.id == "ted_pt_en"
    press(app, f"delete_{first}")
    assert not mine.models.kept
    assert mine.models.selected.id == "ted_pt_en"


def test_two_sessions_do_not_see_each_other(checkpoint: Checkpoint) -> None:
    mine, theirs = open_page(PAGE), open_page(PAGE)
    upload(mine, FILE, "mine.safetensors", checkpoint.to_bytes())
    change(theirs)
    assert workspace_of(mine) is not workspace_of(theirs)
    assert workspace_of(mine).models.selected is not None
    assert workspace_of(theirs).models.selected is None


def test_a_downloaded_file_bears_the_name(checkpoint: Checkpoint) -> None:
    model = TrainedModel("before", checkpoint).renamed("after")
    assert Checkpoint.from_bytes(model.to_bytes()).name == "after"


def test_files_that_are_not_opened(checkpoint: Checkpoint) -> None:
    tokens = [*checkpoint.source_tokenizer.vocabulary.tokens[:-1], "w" * 101]
    long = dataclasses.replace(checkpoint, source_tokenizer=WordTokenizer(Vocabulary(tokens)))
    app = open_page(PAGE)
    for name, data, says in (
        ("holiday.zip", b"PK\x03\x04" + bytes(100), "python -m core convert"),
        ("config.json", b'{"format_version": 1}', "python -m core convert"),
        ("m.safetensors", long.to_bytes(), "100"),
    ):
        assert says in error_of(upload(app, FILE, name, data))
    assert not workspace_of(app).models.kept


@pytest.mark.slow
def test_a_full_server_opens_and_starts_no_more(
    checkpoint: Checkpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.server.memory.used_megabytes", lambda: 1e6)
    app = upload(open_page(PAGE), FILE, "my model.safetensors", checkpoint.to_bytes())
    assert app.error
    app = press(open_page("pages/train.py"), "leads_on")
    assert app.toast
    assert not workspace_of(app).models.kept and workspace_of(app).jobs.training is None


def test_the_oldest_model_goes(checkpoint: Checkpoint) -> None:
    mine = Workspace()
    models = [TrainedModel(f"{number}", checkpoint) for number in range(MAX_MODELS + 1)]
    for model in models:
        mine.models.open(model)
    assert mine.models.kept == models[1:]
    assert mine.models.selected is models[-1]


def test_names_are_tidied() -> None:
    assert tidy_name("  a\nname \u202e " + "x" * 100) == "a name " + "x" * 73
    assert tidy_name("\n\t") == ""


def test_cards_fetch_nothing_and_have_small_headings(checkpoint: Checkpoint) -> None:
    card = "# Title\n\n![spy](https://example.org/x.png) *text*\n\n## More"
    shown = card_of(TrainedModel("x", dataclasses.replace(checkpoint, card=card)))
    assert addresses_in(shown) == []
    assert shown.startswith("##### Title\n\n") and shown.endswith(" *text*\n\n##### More")
    card = "From [TED](https://www.ted.com)."  # of what ships it stays as it is
    assert card_of(TrainedModel("x", dataclasses.replace(checkpoint, card=card), shipped_as="x")) == card


def test_a_strangers_file_may_lack_any_figure(checkpoint: Checkpoint) -> None:
    model = TrainedModel("x", dataclasses.replace(checkpoint, metrics={"best_epoch_loss": 0.1}))
    assert numbers(training_of(model)) == ["0.001", "0.1"]
    assert numbers(size_of(model)) == [f"{4 * parameter_count(checkpoint.config) / 2**10:.0f}"]
