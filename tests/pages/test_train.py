import re
import time
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.corpora.toy import NEVER_SHOWN, PAIRS, PHRASES
from core.records.text import Pair
from core.server.queue import JobQueue
from core.server.workspace import Workspace
from core.training.pairs import hold_out
from core.training.recipe import PreparedTraining, prepare_training
from core.weights import parameter_count
from pages.components.frame.links import PRESET
from pages.components.frame.memory import has_work, memory_of
from pages.components.frame.presenting import LEADS_ON
from pages.content.pages import TRAIN
from pages.content.reader import EXPERIMENTS
from tests.conftest import numbers
from tests.pages.conftest import (
    EARLIER,
    OpenPage,
    change,
    error_of,
    go_to,
    keys_of,
    linked,
    open_page,
    press,
    remembered,
    texts,
    training_of,
    upload,
    wait_for_training,
    workspace_of,
)

PAGE = TRAIN.file
FILE = "pairs_file"
STARTS = LEADS_ON, "retrain"  # keys of the button
ONE_HEAD = next(each.name for each in EXPERIMENTS.values() if each.model == {"num_heads": 1})


def can_start(app: AppTest) -> bool:
    return any(not button.disabled for button in app.button if button.key in STARTS)


def planned(app: AppTest) -> list[str]:
    """Return the numbers of the line about a training: parameters, pairs, held-out pairs if any, vocabularies, steps."""
    return max((re.findall(r"\*\*([\d,]+)\*\*", each.value) for each in app.caption), key=len)


def diagnosis(app: AppTest) -> str:
    """Return what the numbers of the training mean, where the page says that."""
    return next((each.value for each in app.markdown if each.value.startswith(":material/lightbulb:")), "")


def value_of(app: AppTest, setting: str) -> object:
    return next(x.value for x in app.number_input if x.key == f"setting_{setting}")


def test_what_a_training_takes_is_said_before_it_starts(toy: PreparedTraining) -> None:
    app, model = open_page(PAGE), toy.model
    numbers = parameter_count(model), 15, model.source_vocab_size, model.target_vocab_size, 200 * 2
    assert planned(app) == [f"{number:,}" for number in numbers]
    change(app, setting_num_layers=1)
    assert planned(app)[0] == f"{parameter_count(model.replace(num_layers=1)):,}"


def test_a_reloaded_tab_gets_its_own_pairs_back() -> None:
    """Also where the page was drawn with a new workspace before it had its own again."""
    app, mine = open_page(PAGE), Workspace()
    memory_of(mine).pairs = (Pair("un", "one"), Pair("deux", "two"))
    app.session_state["workspace"] = mine
    change(app)
    assert memory_of(mine).pairs == (Pair("un", "one"), Pair("deux", "two"))
    assert has_work(mine)  # which no one asks for again
    assert planned(app)[1] == "2"


def test_pairs_are_prepared_once_for_all_runs_of_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    prepared = []

    def prepare(*arguments: Any, **named: Any) -> PreparedTraining:
        prepared.append(arguments)
        return prepare_training(*arguments, **named)

    monkeypatch.setattr("pages.components.training.form.prepare_training", prepare)
    app = open_page(PAGE, setting_d_model=44)  # which no other test has
    change(app)
    assert len(prepared) == 1
    change(app, setting_d_model=52)
    assert len(prepared) == 2


def test_a_preset_sets_the_form_and_can_be_had_back() -> None:
    app = open_page(PAGE)
    app.segmented_control(key="setting_preset").set_value("smallest")
    assert value_of(change(app), "d_model") == 32
    change(app, setting_d_model=16)
    go_to(go_to(app, "pages/home.py"), PAGE)
    assert value_of(app, "d_model") == 16  # another page loses nothing
    assert value_of(press(app, "back_to_preset"), "d_model") == 32
    app = linked(PAGE, setting_preset="smallest", setting_epochs="7")
    assert (value_of(app, "d_model"), value_of(app, "epochs")) == (32, 7)


def test_settings_that_cannot_be_trained_with() -> None:
    app = open_page(PAGE, setting_d_model=65)
    assert "d_model=65, num_heads=4" in error_of(app)
    assert not can_start(app)
    change(app, setting_d_model=64, setting_learning_rate=0.0)
    assert "learning_rate" in error_of(app)


@pytest.mark.parametrize(
    ("pairs", "bounds"),
    [
        ((Pair("🙂", "smile"),), ()),
        (tuple(Pair(f"mot {i}", f"word {i}") for i in range(2001)), ("2,000", "2,001")),
    ],
)
def test_pairs_that_cannot_be_trained_on(pairs: tuple[Pair, ...], bounds: tuple[str, ...]) -> None:
    mine = Workspace()
    memory_of(mine).pairs = pairs
    app = open_page(PAGE, workspace=mine)
    assert app.error and all(bound in error_of(app) for bound in bounds)
    assert not can_start(app)


def test_a_row_that_is_still_typed_waits() -> None:
    mine = Workspace()
    memory_of(mine).pairs = (Pair("un", ""),)
    app = open_page(PAGE, workspace=mine)
    assert not app.error and not can_start(app)
    memory_of(mine).pairs = (*PAIRS, Pair("le chat dort", ""))
    app = open_page(PAGE, workspace=mine)
    assert planned(app)[1] == "15" and can_start(app)
    assert memory_of(mine).pairs[-1] == Pair("le chat dort", "")  # nothing typed is lost


def test_own_pairs_are_watched_and_their_unknown_words_named() -> None:
    mine, own, never = Workspace(), Pair("le chat", "the cat"), Pair("le chien", "the dog")
    memory = memory_of(mine)
    memory.pairs = (*PAIRS, own, never)
    memory.held_out = (never,)
    memory.watched = (PAIRS[0],)
    app = open_page(PAGE, workspace=mine, held_out=-1)
    assert "le chien: **chien, dog**" in texts(app)
    job = training_of(press(app, LEADS_ON))
    assert [each.source for each in job.work.plan.watched[:3]] == ["bonjour", "le chat", "le chien"]
    job.stop()
    job.wait(60)


def test_other_pairs_with_one_of_the_fifteen_are_not_added_to_them() -> None:
    mine = Workspace()
    memory_of(mine).pairs = (Pair("le chat", "the cat"), Pair("le chien", "the dog"), PAIRS[0])
    job = training_of(press(open_page(PAGE, workspace=mine), LEADS_ON))
    assert not any(each.wanted for each in job.work.plan.watched)
    job.stop()
    job.wait(60)


def test_a_training_that_was_stopped_before_it_began_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    queue = JobQueue(max_running=1, max_waiting=1)
    queue.enter()
    monkeypatch.setattr("core.server.workspace.training_queue", lambda: queue)
    app = press(press(open_page(PAGE), LEADS_ON), "stop_training")
    while len(queue._tickets) > 1:
        time.sleep(0.05)
    assert can_start(change(app))
    assert "continue_training" not in keys_of(app)


def test_your_own_pairs() -> None:
    app = upload(open_page(PAGE), FILE, "mine.csv", b"le chat,the cat\nle chien,the dog\n")
    assert "**2**" in app.success[0].value and r"mine\.csv" in app.success[0].value
    assert remembered(app).pairs == (Pair("le chat", "the cat"), Pair("le chien", "the dog"))
    assert planned(app)[1] == "2"
    press(app, "usual_pairs")
    assert planned(app)[1] == "15"
    upload(app, FILE, "mine.csv", b"bonjour\nmerci\n")
    assert app.error and planned(app)[1] == "15"  # the table is as it was


def test_what_was_read_of_a_file_is_said_and_its_columns_are_chosen() -> None:
    rows = "".join(f"{number},the cat {number},le chat {number}\n" for number in range(40))
    app = upload(open_page(PAGE), FILE, "mine.csv", f"no_,English,French\n{rows}".encode())
    assert re.findall("[*]{2}40[*]{2}|English|French", app.success[0].value) == [
        "**40**",
        "English",
        "French",
    ]
    assert remembered(app).pairs[0] == Pair("the cat 0", "le chat 0")
    assert app.selectbox(key="pairs_file_source").options == ["no_", "English", "French"]
    app.selectbox(key="pairs_file_source").set_value(2)
    change(app)
    app.selectbox(key="pairs_file_target").set_value(1)
    change(app)
    assert re.findall("English|French", app.success[0].value) == ["French", "English"]
    assert remembered(app).pairs[0] == Pair("le chat 0", "the cat 0")
    upload(app, FILE, "mine.csv", b"le chat,the cat\nle chien,the dog\n")
    assert not [box for box in app.selectbox if box.key == "pairs_file_source"]


@pytest.mark.parametrize(
    "row", ["🙂,smile", f"{'mot ' * 1250},word", f"{'我' * 5000},word", "\u202e\u202c,bird"]
)
def test_what_cannot_be_learned_of_a_file_is_counted_and_stays(row: str) -> None:
    words = "我喜欢狗,the dog\n我喜欢猫,the cat" if "我" in row else "le chien,the dog\nle chat,the cat"
    app = upload(open_page(PAGE), FILE, "mine.csv", f"{words}\n{row}\n".encode())
    assert planned(app)[1:3] == ["2", "1"] and can_start(app)
    assert len(remembered(app).pairs) == 3


@pytest.mark.parametrize(
    "rows", ["   ,\u3000\n", "le chat,the cat\n" + "".join(f"{n},{n}\n" for n in range(2000))]
)
def test_a_file_that_is_refused_costs_no_pairs(rows: str) -> None:
    app = upload(open_page(PAGE), FILE, "mine.csv", b"le chat,the cat\nle chien,the dog\n")
    upload(app, FILE, "bad.csv", rows.encode())
    assert app.error and not app.success
    assert remembered(app).pairs == (Pair("le chat", "the cat"), Pair("le chien", "the dog"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sentence", "count", "preset"), [("le chat {}", 500, "hundreds"), ("我喜欢{}", 60, "classroom")]
)
def test_a_file_gets_what_suits_so_many_pairs(sentence: str, count: int, preset: str) -> None:
    rows = "".join(f"{sentence.format(number)},the cat {number}\n" for number in range(count))
    app = upload(open_page(PAGE), FILE, "mine.csv", rows.encode())
    assert not app.error and can_start(app)
    assert app.session_state[PRESET] == preset


@pytest.mark.slow
def test_a_file_in_another_encoding_with_a_heading_in_doubt() -> None:
    data = "german,tłumaczenie\nIch weiß.,Wiem, źle.\n".replace(", ź", " ź").encode("cp1250")
    app = upload(open_page(PAGE), FILE, "mine.csv", data)
    assert remembered(app).pairs == (Pair("Ich weiß.", "Wiem źle."),)
    assert app.selectbox(key="pairs_file_encoding").value == "cp1250"
    app.selectbox(key="pairs_file_encoding").set_value("cp1252")
    change(app)
    assert remembered(app).pairs == (Pair("Ich weiß.", "Wiem Ÿle."),)
    app.selectbox(key="pairs_file_encoding").set_value("utf-8")  # which it is not
    assert change(app).error
    app.selectbox(key="pairs_file_encoding").set_value("cp1250")  # the menu is still there
    change(app)
    app.toggle(key="pairs_file_has_header").set_value(False)
    change(app)
    assert remembered(app).pairs == (Pair("german", "tłumaczenie"), Pair("Ich weiß.", "Wiem źle."))


@pytest.mark.parametrize(("page", "key"), [(PAGE, FILE), ("pages/evaluate.py", "evaluation_pairs_file")])
def test_a_large_file_of_pairs_is_not_read(open_trained: OpenPage, page: str, key: str) -> None:
    app = open_trained(page, evaluated_data="own")
    box = next(each for each in app.file_uploader if each.key == key)
    assert box.proto.max_upload_size_mb == 1  # what the browser refuses
    app = upload(app, key, "mine.csv", b"a,b\n" * 2**20)  # and what comes without it
    assert "4.0 MiB" in error_of(app)


@pytest.mark.slow
def test_a_training_from_start_to_outcome() -> None:
    app = press(open_page(PAGE), LEADS_ON)
    assert keys_of(app) & {*STARTS, "stop_training"} == {"stop_training"}
    wait_for_training(app)
    assert numbers(app.subheader[0].value) == ["15", "15"]
    state = training_of(app).state()
    assert state.progress.done == state.progress.total == 400
    assert state.progress.reports[-1].loss < 0.05
    knows = next(epoch.step for epoch in state.progress.epochs if epoch.accuracy >= 0.9)
    before = [snapshot for snapshot in state.progress.snapshots if snapshot.step < knows]
    assert len(before) >= 12  # that it is watched learning
    said = diagnosis(app)
    go_to(go_to(app, "pages/home.py"), PAGE)
    assert numbers(app.subheader[0].value) == ["15", "15"]
    assert said and diagnosis(app) == said
    change(app, setting_epochs=50)  # from now on these are results of earlier settings
    assert not diagnosis(app) and EARLIER in [each.icon for each in app.expander]
    assert "train_longer" not in keys_of(app)
    assert diagnosis(change(app, setting_epochs=200)) == said


@pytest.mark.long
def test_three_sentences_that_it_has_never_seen_are_translated() -> None:
    """A preset sets its pairs, also by a link, and the next one replaces them; a visitor's own pairs stay."""
    app = linked(PAGE, setting_preset="generalize")
    assert remembered(app).pairs == PHRASES
    assert planned(app)[1:3] == ["12", "3"]
    wait_for_training(press(app, LEADS_ON))
    right = sum(
        found.text == pair.target
        for found, pair in zip(training_of(app).state().progress.held_out_results, NEVER_SHOWN, strict=True)
    )
    assert right >= 2 and numbers(diagnosis(app))[:2] == [str(right), "3"]
    change(app, setting_preset="classroom")
    assert (remembered(app).pairs, remembered(app).held_out) == (PAIRS, ())
    upload(app, FILE, "mine.csv", b"le chat,the cat\nle chien,the dog\n")
    change(app, setting_preset="generalize")
    assert len(remembered(app).pairs) == 2


def test_a_link_holds_out_the_same_pairs_in_every_run() -> None:
    app = linked(PAGE, held_out="20%", setting_seed="2000000000")
    held_out = remembered(app).held_out
    assert held_out == hold_out(PAIRS, 0.2, 2_000_000_000)[1]
    assert remembered(change(app)).held_out == held_out


@pytest.mark.long
def test_a_part_is_held_out_read_and_kept_in_an_experiment() -> None:
    app = open_page(PAGE)
    change(app, held_out=20, setting_epochs=40)
    assert planned(app)[1:3] == ["12", "3"]
    wait_for_training(press(app, LEADS_ON))
    progress = training_of(app).state().progress
    assert len(progress.held_out_results) == 3
    assert {epoch.validation_loss is not None for epoch in progress.epochs} == {True}
    best = min(progress.epochs, key=lambda epoch: epoch.validation_loss or 0)
    assert best.epoch == progress.weights_epoch < 40
    assert {f"{best.validation_loss:.2f}", f"{best.epoch}"} <= {*numbers(diagnosis(app))}
    first = training_of(app)
    wait_for_training(
        press(app, f"experiment_{ONE_HEAD}")
    )  # changes this one setting alone, and keeps the curve before
    second = training_of(app)
    assert second is not first
    assert second.work.plan.prepared.training == first.work.plan.prepared.training
    assert (second.work.plan.prepared.model.num_heads, value_of(app, "num_heads")) == (1, 4)  # the form stays
    assert len(second.state().progress.held_out_results) == 3
    assert workspace_of(app).jobs.run_before.epochs == first.state().progress.epochs
    assert second.work.plan.experiment == ONE_HEAD and ONE_HEAD in diagnosis(app)
    assert app.button(key=f"experiment_{ONE_HEAD}").disabled
