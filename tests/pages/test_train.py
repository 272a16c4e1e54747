from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest
from streamlit.testing.v1 import AppTest

from core.records import Pair
from core.training.recipe import PreparedTraining, prepare_word_training
from tests.pages.conftest import (
    PATIENCE,
    ROOT,
    OpenPage,
    error_of,
    press,
    texts,
    wait_for_training,
    workspace_of,
)

if TYPE_CHECKING:
    from core.checkpoints.checkpoint import Checkpoint

PAGE = "pages/train.py"


def start_button(app: AppTest) -> object:
    return next(button for button in app.button if button.label in ("Start", "Retrain from scratch"))


def set_setting(app: AppTest, name: str, value: float) -> AppTest:
    return next(x for x in app.number_input if x.key == f"setting_{name}").set_value(value).run()


def upload(app: AppTest, key: str, name: str, data: bytes) -> AppTest:
    uploader = next(uploader for uploader in app.file_uploader if uploader.key == key)
    return uploader.set_value((name, data, "application/octet-stream")).run()


def test_what_a_training_takes_is_said_before_it_starts(open_page: OpenPage) -> None:
    app = open_page(PAGE)
    assert (
        "**174,371** parameters · **15** pairs · vocabularies of **38** and **35** · **400** steps"
        in texts(app)
    )
    set_setting(app, "num_layers", 1)
    # (38 + 35) * 64 embeddings, 64 * 35 + 35 output, and half of the two layers' 167,424.
    assert "**90,659** parameters" in texts(app)


def test_pairs_are_prepared_once_for_all_runs_of_the_page(
    open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepared = []

    def prepare(*arguments: Any, **named: Any) -> PreparedTraining:
        prepared.append(arguments)
        return prepare_word_training(*arguments, **named)

    monkeypatch.setattr("pages.components.train.run_plan.prepare_word_training", prepare)
    app = set_setting(open_page(PAGE), "d_model", 44)  # which no other test has
    assert len(prepared) == 1
    app.run()
    assert len(prepared) == 1
    set_setting(app, "d_model", 52)
    assert len(prepared) == 2


def test_a_preset_sets_the_form_and_can_be_had_back(open_page: OpenPage) -> None:
    app = open_page(PAGE)
    app.segmented_control(key="setting_preset").set_value("smallest").run()
    assert next(x for x in app.number_input if x.key == "setting_d_model").value == 32
    set_setting(app, "d_model", 16)
    press(app, "Back to the preset")
    assert next(x for x in app.number_input if x.key == "setting_d_model").value == 32


def test_settings_survive_another_page(open_page: OpenPage) -> None:
    app = open_page(PAGE)
    set_setting(app, "d_model", 48)
    app.switch_page("pages/home.py").run()
    app.switch_page(PAGE).run()
    assert next(x for x in app.number_input if x.key == "setting_d_model").value == 48


def test_a_width_that_the_heads_do_not_divide(open_page: OpenPage) -> None:
    app = set_setting(open_page(PAGE), "d_model", 65)
    assert "d_model must be divisible by num_heads" in error_of(app)
    assert "Received: d_model=65, num_heads=4" in error_of(app)
    assert start_button(app).disabled  # type: ignore[attr-defined]


def test_a_learning_rate_of_zero(open_page: OpenPage) -> None:
    app = set_setting(open_page(PAGE), "learning_rate", 0.0)
    assert "learning_rate must be a number of more than 0" in error_of(app)


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ((), "There are no pairs to train on"),
        ((Pair("bonjour", "hello"), Pair("🙂", "smile")), "Pair 2: the source has no words"),
        ((Pair("bonjour", ""),), "Pair 1: the target has no words"),
        ((Pair("mot " * 40, "word"),), "Pair 1: the source has 40 tokens; this model takes at most 32"),
        (tuple(Pair(f"mot {i}", f"word {i}") for i in range(201)), "at most 200 pairs. Received: 201"),
    ],
)
def test_pairs_that_cannot_be_trained_on(open_page: OpenPage, pairs: tuple[Pair, ...], message: str) -> None:
    app = open_page("pages/home.py")
    workspace_of(app).pairs = pairs
    app.switch_page(PAGE).run()
    assert not app.exception
    assert message in error_of(app)
    assert start_button(app).disabled  # type: ignore[attr-defined]


def test_your_own_pairs(open_page: OpenPage) -> None:
    app = upload(open_page(PAGE), "pairs_file", "mine.csv", b"le chat,the cat\nle chien,the dog\n")
    assert workspace_of(app).pairs == (Pair("le chat", "the cat"), Pair("le chien", "the dog"))
    assert "**2** pairs" in texts(app)
    press(app, "Back to the fifteen pairs")
    assert "**15** pairs" in texts(app)


def test_what_was_read_of_a_file_is_said_and_its_columns_are_chosen(open_page: OpenPage) -> None:
    rows = "".join(f"{number},the cat {number},le chat {number}\n" for number in range(40))
    app = upload(open_page(PAGE), "pairs_file", "mine.csv", f"no_,English,French\n{rows}".encode())
    assert not app.exception
    assert (
        app.success[0].value == "**40** pairs read from mine\\.csv, header skipped, from English to French."
    )
    assert workspace_of(app).pairs[0] == Pair("the cat 0", "le chat 0")
    assert app.selectbox(key="pairs_source_column").options == ["no_", "English", "French"]
    app.selectbox(key="pairs_source_column").set_value(2).run()
    app.selectbox(key="pairs_target_column").set_value(1).run()
    assert app.success[0].value.endswith("from French to English.")
    assert workspace_of(app).pairs[0] == Pair("le chat 0", "the cat 0")
    assert "**40** pairs" in texts(app)
    upload(app, "pairs_file", "mine.csv", b"le chat,the cat\nle chien,the dog\n")
    assert app.success[0].value == "**2** pairs read from mine\\.csv."
    assert not [box for box in app.selectbox if box.key == "pairs_source_column"]


@pytest.mark.slow
def test_a_part_is_held_out_and_the_sentence_reads_it(open_page: OpenPage) -> None:
    app = open_page(PAGE)
    assert "held out" not in texts(app)
    app.segmented_control(key="held_out").set_value(20).run()
    assert "**12** pairs, **3** held out" in texts(app)
    assert app.query_params["held_out"] in ("20", ["20"])
    press(set_setting(app, "epochs", 40), "Start")
    app = wait_for_training(app)
    assert not app.exception
    job = workspace_of(app).job
    assert job is not None
    progress = job.view().progress
    assert len(progress.held_out_results) == 3
    assert {epoch.validation_loss is not None for epoch in progress.epochs} == {True}
    best = min(progress.epochs, key=lambda epoch: epoch.validation_loss or 0)
    assert best.epoch == progress.weights_epoch < 40
    assert f"Overfitting: the validation loss was {best.validation_loss:.2f}" in texts(app)
    which = f"with the weights of epoch {best.epoch}, which had the lowest held-out loss"
    assert texts(app).count(which) == 2  # of the sample translations, and of the table
    tables = [each.value for each in app.dataframe if "Model" in each.value]
    samples = next(each for each in tables if "Expected" not in each)
    table = next(each for each in tables if "Expected" in each)
    assert list(samples["Model"]) == list(table["Model"][:5])
    press(app, "One head")
    second = workspace_of(app).job
    assert second is not None and second is not job
    wait_for_training(app)
    assert len(second.view().progress.held_out_results) == 3


@pytest.mark.slow
def test_a_new_model_is_not_asked_the_old_ones_sentence(open_page_with_model: OpenPage) -> None:
    app = open_page_with_model("pages/translate.py")
    app.text_input(key="sentence").set_value("bonne nuit")
    press(app, "Translate")
    upload(app.switch_page(PAGE).run(), "pairs_file", "mine.csv", b"eins zwei,one two\ndrei,three\n")
    press(set_setting(app, "epochs", 1), "Start")
    wait_for_training(app)
    app.query_params.clear()  # as a link on a page does
    app.switch_page("pages/translate.py").run()
    assert app.text_input(key="sentence").value == "drei"
    app.text_input(key="sentence").set_value("eins zwei")
    press(app, "Translate")
    app.switch_page("pages/home.py").run()
    app.switch_page("pages/translate.py").run()
    assert app.text_input(key="sentence").value == "eins zwei"  # which was asked of this one


def test_a_file_with_one_column(open_page: OpenPage) -> None:
    app = upload(open_page(PAGE), "pairs_file", "mine.csv", b"bonjour\nmerci\n")
    assert not app.exception
    assert "each row needs two: source, target" in error_of(app)
    assert "**15** pairs" in texts(app)  # the table is as it was


@pytest.mark.slow
def test_a_training_from_start_to_outcome(open_page: OpenPage) -> None:
    app = press(open_page(PAGE), "Start")
    assert [button.label for button in app.button if button.label in ("Start", "Stop")] == ["Stop"]
    app = wait_for_training(app)
    assert not app.exception
    assert app.subheader[0].value == "15 of 15 pairs translated exactly"
    job = workspace_of(app).job
    assert job is not None
    view = job.view()
    assert view.done == view.total == 400
    assert view.progress.reports[-1].loss < 0.05
    assert len(view.progress.previews) >= 20
    assert (
        view.progress.previews[0].texts != view.progress.previews[-1].texts
    )  # the sentences changed as the model learnt
    assert workspace_of(app).model is not None
    app.switch_page("pages/home.py").run()
    app.switch_page(PAGE).run()
    assert app.subheader[0].value == "15 of 15 pairs translated exactly"


@pytest.mark.slow
def test_stop_and_continue(open_page: OpenPage, monkeypatch: pytest.MonkeyPatch) -> None:
    from core.training.loop import TrainingRun

    after_20_steps, stop_pressed = threading.Event(), threading.Event()
    original = TrainingRun._step

    def step(run: TrainingRun, *arguments: Any) -> Any:
        if run.state.step == 20:
            after_20_steps.set()
            assert stop_pressed.wait(PATIENCE)
        return original(run, *arguments)

    monkeypatch.setattr(TrainingRun, "_step", step)
    app = press(set_setting(open_page(PAGE), "epochs", 20), "Start")
    assert after_20_steps.wait(PATIENCE)
    press(app, "Stop")
    stop_pressed.set()
    app = wait_for_training(app)
    job = workspace_of(app).job
    assert job is not None
    assert job.view().done == 21
    assert "Continue" in [button.label for button in app.button]
    press(app, "Continue")
    app = wait_for_training(app)
    assert workspace_of(app).job is job
    steps = [report.step for report in job.view().progress.reports]
    assert steps == list(range(1, 41))  # no step lost, none done twice
    assert app.subheader[0].value.endswith(" of 15 pairs translated exactly")


@pytest.mark.parametrize(
    ("page", "key"), [(PAGE, "pairs_file"), ("pages/evaluate.py", "evaluation_pairs_file")]
)
def test_a_large_file_of_pairs_is_not_read(open_page_with_model: OpenPage, page: str, key: str) -> None:
    app = open_page_with_model(page)
    if page != PAGE:
        app.selectbox[1].set_value("own").run()
    box = next(each for each in app.file_uploader if each.key == key)
    assert box.proto.max_upload_size_mb == 1  # what the browser refuses
    app = upload(app, key, "mine.csv", b"a,b\n" * 2**20)  # and what comes without it
    assert "mine.csv must have at most 1 MiB. Received: 4.0 MiB." in error_of(app)


def test_a_hostile_checkpoint(open_page: OpenPage) -> None:
    import io
    import zipfile

    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("../../evil.txt", "evil")
    app = upload(open_page("pages/checkpoints.py"), "checkpoint_file", "evil.zip", buffer.getvalue())
    assert not app.exception
    assert "points outside its folder" in error_of(app)
    assert workspace_of(app).model is None


def test_two_sessions_do_not_see_each_other(open_page: OpenPage, checkpoint: Checkpoint) -> None:
    mine, theirs = open_page("pages/checkpoints.py"), open_page("pages/checkpoints.py")
    upload(mine, "checkpoint_file", "mine.zip", checkpoint.to_zip())
    theirs.run()
    assert workspace_of(mine) is not workspace_of(theirs)
    assert workspace_of(theirs).model is None


@pytest.mark.slow
def test_settings_survive_a_reload_in_the_middle_of_a_run(open_page: OpenPage) -> None:
    app = open_page(PAGE)
    app.segmented_control(key="setting_preset").set_value("smallest").run()
    app.segmented_control(key="held_out").set_value(30).run()
    press(set_setting(set_setting(app, "d_model", 48), "epochs", 2000), "Start")
    mine = workspace_of(app)
    assert mine.training
    reloaded = AppTest.from_file(str(ROOT / "streamlit_app.py"), default_timeout=PATIENCE)
    reloaded.session_state["workspace"] = mine  # a bare address; what this tab had is given back to it
    reloaded.switch_page(PAGE).run()
    assert not reloaded.exception and mine.training
    shown = {x.key: x.value for x in (*reloaded.number_input, *reloaded.segmented_control)}
    assert (shown["setting_d_model"], shown["setting_epochs"], shown["setting_learning_rate"]) == (
        48,
        2000,
        0.003,
    )
    assert (shown["setting_preset"], shown["held_out"]) == ("smallest", 30)
    assert mine.job is not None
    mine.job.stop()
    assert mine.job.wait(PATIENCE)


@pytest.mark.slow
def test_an_experiment_changes_one_setting_and_keeps_the_curve_before(open_page: OpenPage) -> None:
    app = open_page(PAGE)
    set_setting(app, "epochs", 2)
    press(app, "Start")
    wait_for_training(app)
    first = workspace_of(app).job
    assert first is not None
    app.run()
    assert "stuck" in texts(app) or "pairs are translated exactly" in texts(app)
    press(app, "One head")
    second = workspace_of(app).job
    assert second is not None and second is not first
    assert second.work.plan.prepared.training == first.work.plan.prepared.training
    wait_for_training(app)
    assert second.view().progress.prepared.model.num_heads == 1
    assert workspace_of(app).epochs_before == first.view().progress.epochs
    app.run()
    assert next(x for x in app.number_input if x.key == "setting_num_heads").value == 1
    assert next(button for button in app.button if button.label == "One head").disabled
